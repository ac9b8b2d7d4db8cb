"""A whole bot in one process: real store, service and adapter, and the real library against a Telegram of our own."""

import asyncio
import struct
import zlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from adapters.telegram.app import Telegram
from bot.service.lobby import Lobby
from bot.service.matches import Matches
from bot.service.ports import Store
from render.picture import Picture
from render.pictures import Pictures, key
from storage.sqlite import MEMORY
from tests.adapters.chat.house import ended, opened_house
from tests.adapters.web.room import Clock
from tests.servers.telegram import Answer, Chat, Message, TelegramServer, User

NOT_A_MOVE = (
    *("Concede…", "Abort…", "Hint", "Undo", "Rematch", "Withdraw", "Length…", "House rules…", "In words"),
    *("Play the computer", "Challenge a friend", "My matches", "Rules"),
)
"""Buttons that do not bring a match to its end."""
NOT_YOURS = ("It is not your turn.", "You are only watching this match; you cannot move in it.")


class Dots(Pictures):
    """Pictures that cost nothing: one dot, and the name of what they would show."""

    async def png(self, picture: Picture) -> bytes:
        return _png(key(picture))


def _png(name: str) -> bytes:
    head = struct.pack(">2I5B", 1, 1, 8, 0, 0, 0, 0)
    parts = ((b"IHDR", head), (b"tEXt", f"Title\0{name}".encode()), (b"IDAT", zlib.compress(b"\0\0")), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )


class Bot(NamedTuple):
    """A running bot. `said`: what the operator was told."""

    telegram: Telegram
    store: Store
    matches: Matches
    lobby: Lobby
    running: "asyncio.Task[None]"
    said: list[str]


class Room:
    """A group with two people in it, and a bot."""

    def __init__(self, server: TelegramServer, bot: Bot, clock: Clock) -> None:
        self.server = server
        self.bot = bot
        self.clock = clock
        self.ayse = server.user("Ayşe", "ayse")
        self.mehmet = server.user("Mehmet", "mehmet")
        self.people = (self.ayse, self.mehmet)
        self.group: Chat = server.group("Café", *self.people)

    async def begun(self, chat: Chat | None = None, length: int = 1, thread: int | None = None) -> Message:
        """A match of Ayşe and Mehmet that has been accepted: its board."""
        chat = chat or self.group
        await self.ayse.say(chat, f"/challenge @mehmet {length}", thread=thread)
        invitation = await self.live(chat, thread, "Accept")
        await self.mehmet.press(invitation, "Accept")
        return await self.server.until(lambda: other_than(now(chat, thread), invitation))

    async def with_friends(self, length: int = 1) -> str:
        """A match of Ayşe and Mehmet, each in the own chat with the bot: the code of its challenge."""
        ayses, mehmets = self.ayse.private, self.mehmet.private
        await self.ayse.start()
        await self.ayse.say(ayses, f"/challenge {length}")
        invitation = await self.live(ayses, label="Withdraw")
        code = code_in(invitation)
        await self.mehmet.start(code)
        await self.mehmet.press(await self.live(mehmets, label="Accept"), "Accept")
        for chat in (ayses, mehmets):
            await self.server.until(lambda chat=chat: chat.boards)  # type: ignore[misc]  # a lambda has no types
        return code

    async def live(self, chat: Chat | None = None, thread: int | None = None, label: str = "") -> Message:
        """The message that has buttons (or one that has that button), once there is one."""
        return await self.server.until(lambda: now(chat or self.group, thread, label))

    async def told(self, text: str, chat: Chat | None = None) -> Message:
        """The message of the bot, without picture and buttons, that says `text`, once there is one."""
        place = chat or self.group
        return await self.server.until(lambda: next(message for message in plain(place) if text in message.text))

    async def step(self, people: Sequence[User] = (), chat: Chat | None = None, thread: int | None = None) -> Message:
        """Whoever may presses the first button that goes on; returns the message then live, changed."""
        place = chat or self.group
        live = await self.server.until(lambda: ready(now(place, thread)))
        label, before = forward(live)[0], state(live)
        for user in people or self.people:
            if (await user.press(live, label)).text not in NOT_YOURS:
                break
        else:
            raise AssertionError(f"nobody may press {label}")
        return await self.server.until(lambda: changed(now(place, thread), before))

    async def turn(self, chat: Chat | None = None, thread: int | None = None) -> tuple[Message, User, User]:
        """Goes on until there is a step to play: the board, who plays, who waits."""
        place = chat or self.group
        while not any("/" in label for label in (await self.live(place, thread)).labels):
            await self.step(chat=place, thread=thread)
        live = await self.live(place, thread)
        mover = next(user for user in self.people if _to_play(live).startswith(user.name))
        return live, mover, next(user for user in self.people if user is not mover)

    async def whole_match(self, people: Sequence[User] = (), chat: Chat | None = None) -> Message:
        """Goes on to the end: the last board."""
        for _ in range(2000):
            live = await self.live(chat)
            if "Rematch" in live.labels:
                return live
            await self.step(people, chat)
        raise AssertionError("the match does not end")

    async def settled(self, seconds: float = 0.3) -> None:
        """Waits until the bot has been quiet for a while."""
        seen = -1
        while seen != len(self.server.called()):
            seen = len(self.server.called())
            await asyncio.sleep(seconds)

    async def revision(self, chat: Chat | None = None) -> int:
        """Of the match whose board is the newest in a chat."""
        (screen,) = await self.bot.store.screens_in("telegram", str((chat or self.group).id), 1)
        return (await self.bot.store.load(screen.watched)).revision


def said(message: Message) -> str:
    """What is to be read of a message."""
    return message.text or message.caption


def now(chat: Chat, thread: int | None = None, label: str = "") -> Message | None:
    """The message of the bot that has buttons now, the newest if there are more."""
    for message in reversed(chat.messages):
        if message.sender.is_bot and message.buttons and (not chat.forum or message.thread == thread):
            return message if not label or label in message.labels else None
    return None


def state(message: Message | None) -> tuple[object, ...]:
    """What a message looks like."""
    if message is None:
        return ()
    return message.id, said(message), message.photo, tuple(button.data for button in message.buttons)


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


def answers(chat: Chat) -> list[str]:
    """What the bot has said in a chat in words, without a picture and without buttons."""
    return [message.text for message in plain(chat)]


def plain(chat: Chat) -> list[Message]:
    """The messages of the bot without a picture and without buttons."""
    return [message for message in chat.messages if message.sender.is_bot and message.text and not message.buttons]


def code_in(invitation: Message) -> str:
    """The code in the link of a challenge."""
    return said(invitation).partition("?start=")[2].split()[0]


def pinged(message: Message) -> list[User]:
    """Whom a message mentions so that he is notified."""
    users = [entity["user"] for entity in message.entities if entity["type"] == "text_mention"]
    return [message.chat._world.users[user["id"]] for user in users]


def _to_play(board: Message) -> str:
    """The line that tells who is to play."""
    return [line for line in said(board).splitlines() if " to play" in line or " so far" in line][-1]


@asynccontextmanager
async def opened_bot(
    server: TelegramServer,
    clock: Clock,
    database: Path | str = MEMORY,
    *,
    token: str = "",
    pictures: Pictures | None = None,
) -> AsyncIterator[Bot]:
    """A bot on a database, ended in order at the end."""
    said: list[str] = []
    async with opened_house(clock, database, pictures or Dots()) as house:
        telegram = Telegram(token or server.token, house, base_url=server.address, say=said.append)
        running = asyncio.create_task(telegram.run())
        try:
            yield Bot(telegram, house.store, house.matches, house.lobby, running, said)
        finally:
            await ended(running)


@asynccontextmanager
async def opened_room(
    server: TelegramServer, database: Path | str = MEMORY, pictures: Pictures | None = None
) -> AsyncIterator[Room]:
    """A room whose bot is connected."""
    clock = Clock()
    async with opened_bot(server, clock, database, pictures=pictures) as bot:
        await server.until(lambda: server.polling)
        yield Room(server, bot, clock)


__all__ = ["Answer", "Message", "Room", "User", "opened_bot", "opened_room"]
