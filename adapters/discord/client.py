"""One connection to Discord: what discord.py calls, handed on."""

import logging
from collections.abc import Callable

import discord
from discord import app_commands

from adapters.chat.stage import Stage
from adapters.discord.commands import Languages, slash_commands, sync
from adapters.discord.people import Interaction
from adapters.discord.posts import Posts
from adapters.discord.reception import Reception
from bot.service.ports import Store

log = logging.getLogger(__name__)

LONGEST_HOLD = 30.0
"""Seconds of a flood wait that a call may sleep through; a longer one is the stage's to plan for."""


class Client(discord.Client):
    """Keeps no members and no messages: all that is needed comes with each interaction, and no intent is privileged.

    `greet` is called with the name and the application id of the bot at each connection.
    """

    def __init__(
        self, reception: Reception, stage: Stage, posts: Posts, store: Store, greet: Callable[[str, int], None]
    ) -> None:
        super().__init__(
            intents=discord.Intents(guilds=True),
            allowed_mentions=discord.AllowedMentions.none(),
            member_cache_flags=discord.MemberCacheFlags.none(),
            max_messages=None,
            chunk_guilds_at_startup=False,
            max_ratelimit_timeout=LONGEST_HOLD,
            guild_ready_timeout=0,  # nothing here waits until all servers are known
        )
        self._reception = reception
        self._stage = stage
        self._posts = posts
        self._store = store
        self._greet = greet
        self.tree = _Tree(self)
        self.tree.reception = reception
        for command in slash_commands(reception.command, reception.plays):
            self.tree.add_command(command)

    async def setup_hook(self) -> None:
        """Logged in, not yet connected."""
        await self.tree.set_translator(Languages())
        try:
            if await sync(self.tree, self._store):
                log.info("Discord was told the commands")
        except (discord.RateLimited, app_commands.CommandSyncFailure, discord.Forbidden) as error:
            # The commands of last time still work; trying again at once would count against the daily limit.
            log.error("Discord does not take the commands now: %s", type(error).__name__)
        self._posts.connected(self)

    async def on_ready(self) -> None:
        """Connected; again after each lost session."""
        log.info("connected to Discord")
        if self.user and self.application_id:
            self._greet(self.user.name, self.application_id)

    async def on_interaction(self, interaction: Interaction) -> None:
        """A press. Not by `DynamicItem`: that one is not called, and nobody answers, if the message as Discord tells
        it does not have the button any more."""
        if interaction.type is discord.InteractionType.component:
            await self._reception.press(interaction)

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """The bot was thrown out of a server."""
        for place in (*guild.channels, *guild.threads):
            await self._stage.left(str(place.id))

    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        """A channel is gone."""
        await self._stage.left(str(channel.id))

    async def on_raw_thread_delete(self, thread: discord.RawThreadDeleteEvent) -> None:
        """A thread is gone."""
        await self._stage.left(str(thread.thread_id))


class _Tree(app_commands.CommandTree[discord.Client]):
    """Faults of ours are told and logged by the reception; what comes here did not get that far."""

    reception: Reception

    async def on_error(self, interaction: Interaction, error: app_commands.AppCommandError) -> None:
        """A command that is not known here, or not with these options."""
        log.warning("a command could not be read: %s", type(error).__name__)
        if interaction.type is discord.InteractionType.application_command:
            await self.reception.failed(interaction)
