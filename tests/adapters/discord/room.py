"""A whole bot in one process: real store, service and adapter, and the real discord.py against a Discord of our own."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from adapters.discord.app import Discord
from bot.service.matches import Matches
from bot.service.ports import Store
from storage.sqlite import MEMORY
from tests.adapters.chat.house import ended, opened_house
from tests.adapters.web.room import Clock
from tests.servers.discord import Channel, DiscordServer, Guild, Interaction, Message, User

NOT_A_MOVE = ("Concede…", "Abort…", "Hint", "Undo", "Rematch", "Show again", "Withdraw", "Length…", "House rules…")
"""Buttons that do not bring a match to its end."""


class Bot(NamedTuple):
    """A running bot. `said`: what the operator was told."""

    discord: Discord
    store: Store
    matches: Matches
    running: "asyncio.Task[None]"
    said: list[str]


class Room:
    """A server with two people in it, and a bot."""

    def __init__(self, server: DiscordServer, bot: Bot, clock: Clock) -> None:
        self.server = server
        self.bot = bot
        self.clock = clock
        self.ayse = server.user("ayse", display="Ayşe")
        self.mehmet = server.user("mehmet", display="Mehmet")
        self.guild: Guild = server.guild("Café", self.ayse, self.mehmet)
        self.channel = self.guild.channel("games")

    async def begun(self, channel: Channel | None = None, length: int = 1) -> Message:
        """A match of Ayşe and Mehmet that has been accepted: its board."""
        channel = channel or self.channel
        await self.ayse.command(channel, "challenge", opponent=self.mehmet, length=length)
        invitation = await self.live(channel)
        await self.press(self.mehmet, invitation, "Accept")
        return await self.server.until(lambda: other_than(self.now(channel), invitation))

    def now(self, channel: Channel) -> Message | None:
        """The message that has buttons now, the newest if there are more."""
        return next((message for message in reversed(channel.messages) if message.buttons), None)

    async def live(self, channel: Channel | None = None) -> Message:
        """The message that has buttons, once there is one."""
        return await self.server.until(lambda: self.now(channel or self.channel))

    async def press(self, user: User, message: Message, label: str) -> Interaction:
        """Presses, and waits until all is said."""
        pressed = await user.press(message, label)
        await pressed.settled()
        return pressed

    async def step(self, people: Sequence[User], channel: Channel | None = None) -> Message:
        """Whoever may presses the first button that goes on; returns the message then live, changed."""
        place = channel or self.channel
        live = await self.server.until(lambda: ready(self.now(place)))
        label, before = forward(live)[0], state(live)
        for user in people:
            if not (await self.press(user, live, label)).ephemeral:
                break
        else:
            raise AssertionError(f"nobody may press {label}")
        return await self.server.until(lambda: changed(self.now(place), before))

    async def turn(self, people: Sequence[User], channel: Channel | None = None) -> tuple[Message, User, User]:
        """Goes on until there is a step to play: the board, who plays, who waits."""
        place = channel or self.channel
        while not any("/" in label for label in (await self.live(place)).labels):
            await self.step(people, place)
        live = await self.live(place)
        lines = [line for line in live.content.splitlines() if " to play" in line or " so far" in line]
        mover = next(user for user in people if lines[-1].startswith(user.display))
        return live, mover, next(user for user in people if user is not mover)

    async def whole_match(self, people: Sequence[User], channel: Channel | None = None) -> Message:
        """Goes on to the end: the last board."""
        for _ in range(2000):
            live = await self.live(channel)
            if "Rematch" in live.labels:
                return live
            await self.step(people, channel)
        raise AssertionError("the match does not end")


def state(message: Message | None) -> tuple[object, ...]:
    """What a message looks like."""
    if message is None:
        return ()
    return message.id, message.content, tuple(button.custom_id for button in message.buttons)


def changed(message: Message | None, before: tuple[object, ...]) -> Message | None:
    """The message if it looks otherwise than before, and something can be pressed."""
    return message if state(message) != before and ready(message) else None


def ready(message: Message | None) -> Message | None:
    """The message if it can be pressed, or is the end."""
    return message if message and (forward(message) or "Rematch" in message.labels) else None


def other_than(message: Message | None, old: Message) -> Message | None:
    """The message if it is another one."""
    return message if message is not old else None


def forward(message: Message) -> list[str]:
    """The buttons that go on with a match."""
    return [label for label in message.labels if label not in NOT_A_MOVE]


@asynccontextmanager
async def opened_bot(
    server: DiscordServer, clock: Clock, database: Path | str = MEMORY, token: str = ""
) -> AsyncIterator[Bot]:
    """A bot on a database, ended in order at the end."""
    said: list[str] = []
    async with opened_house(clock, database) as house:
        discord = Discord(
            token or server.token,
            house,
            api_url=server.api,
            gateway_url=server.gateway,
            cdn_url=server.cdn,
            say=said.append,
        )
        running = asyncio.create_task(discord.run())
        try:
            yield Bot(discord, house.store, house.matches, running, said)
        finally:
            await ended(running)


@asynccontextmanager
async def opened_room(database: Path | str = MEMORY) -> AsyncIterator[Room]:
    """A room whose bot is connected."""
    clock = Clock()
    async with DiscordServer() as server, opened_bot(server, clock, database) as bot:
        await server.until(lambda: bot.said)
        yield Room(server, bot, clock)
