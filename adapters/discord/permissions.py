"""What the bot has to be permitted, under the names that Discord shows, and what of it is missing somewhere."""

import discord

from adapters.discord.people import Interaction, is_member

NAMES = {
    "view_channel": "View Channels",
    "send_messages": "Send Messages",
    "send_messages_in_threads": "Send Messages in Threads",
    "attach_files": "Attach Files",
}
"""All that is asked for when the bot is invited: boards are pictures, and are changed when the opponent moves."""
EXTERNAL_APPS = "Use External Apps"
"""The member's own: without it what the bot says in a server that has not invited it is seen by that member alone."""

INVITED = discord.Permissions(**dict.fromkeys(NAMES, True))


def missing(interaction: Interaction) -> str:
    """The permission that an open board lacks where the interaction was, "" if none."""
    if interaction.guild_id is None:
        return ""
    if not is_member(interaction):
        invited = interaction.is_guild_integration()  # its commands are, without the bot
        return "" if invited or interaction.permissions.use_external_apps else EXTERNAL_APPS
    return _first_missing(interaction.app_permissions, in_thread=isinstance(interaction.channel, discord.Thread))


def missing_in(channel: object) -> str:
    """The permission that the bot lacks in a channel as far as is known, "" if none."""
    if not isinstance(channel, discord.abc.GuildChannel | discord.Thread):
        return ""
    me = channel.guild.me
    # discord.py types `me` as always there; a server that is not fully known yet has none.
    if me is None:
        return ""  # type: ignore[unreachable]
    return _first_missing(channel.permissions_for(me), in_thread=isinstance(channel, discord.Thread))


def _first_missing(permitted: discord.Permissions, *, in_thread: bool) -> str:
    other = "send_messages" if in_thread else "send_messages_in_threads"
    wanted = [name for name in NAMES if name != other]
    return next((NAMES[name] for name in wanted if not getattr(permitted, name)), "")
