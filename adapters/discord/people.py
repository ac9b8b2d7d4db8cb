"""Who presses or commands, and where, as the chats know it."""

import discord

from adapters.chat.people import Person, Place

PLATFORM = "discord"

Interaction = discord.Interaction[discord.Client]


def person_of(user: discord.User | discord.Member, locale: str = "en") -> Person:
    """Somebody; `locale` as Discord writes it ("tr", "en-US")."""
    return Person(PLATFORM, str(user.id), user.display_name, user.name, locale, bot=user.bot)


def asker(interaction: Interaction) -> Person:
    """Whoever pressed or commanded, in the language of his client."""
    return person_of(interaction.user, interaction.locale.value)


def is_member(interaction: Interaction) -> bool:
    """Whether the bot itself is where the interaction was: in its own direct messages, in servers that it is in.

    Everywhere else somebody has brought it along, and only the tokens of interactions let it write.
    """
    if interaction.guild_id is None:
        return interaction.context.dm_channel
    return interaction.client.get_guild(interaction.guild_id) is not None


def place_of(interaction: Interaction) -> Place:
    """Where it was: a thread is a channel of its own."""
    member = is_member(interaction)
    own = member and interaction.guild_id is None
    return Place(PLATFORM, str(interaction.channel_id or 0), private=own, by_press=not member)
