"""The messages of Discord that everybody sees: sent, changed, and left alone without buttons."""

import asyncio
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta

import discord

from adapters.chat.ports import Closed, Gone, Held, Trouble, Via
from adapters.discord import permissions, troubles
from adapters.discord.answers import Answer
from adapters.discord.people import PLATFORM
from adapters.discord.texts import Letter, letter
from adapters.discord.tokens import Tokens
from bot.engine.errors import Refusal
from bot.service.table import Shown
from render.message import Message

KEEPS = 50 * 60.0
"""Seconds; Discord takes few changes of messages over an hour old."""
_OLD = timedelta(seconds=KEEPS)
_MOST_SILENT = 1000
"""Chats remembered as closed; more than these are not worth the room."""


class Posts:
    """Fulfils `Platform`. It waits while no client is connected: clients come and go with the faults of Discord."""

    name = PLATFORM
    keeps = KEEPS
    whispers = True
    describes = True

    def __init__(self) -> None:
        self.tokens = Tokens()
        self._client: discord.Client | None = None
        self._connected = asyncio.Event()
        self._silent: set[str] = set()

    def connected(self, client: discord.Client | None) -> None:
        """Another client is logged in from now on, or none."""
        self._client = client
        if client:
            self._connected.set()
        else:
            self._connected.clear()

    def silenced(self, chat: str) -> bool:
        """Whether the bot could not write to a chat lately; asked once, it is forgotten."""
        silent = chat in self._silent
        self._silent.discard(chat)
        return silent

    async def ready(self, screen: Shown) -> bool:
        """Waits for a connection only: discord.py keeps Discord's limits by itself."""
        await self._connected.wait()
        return True

    async def post(self, screen: Shown, message: Message, png: bytes | None, via: Via | None, call: str) -> str:
        """Sends a new message; in a private chat that alone calls whoever is there."""
        sheet = letter(message, png, call if screen.shared else "")
        with self._at(screen.chat):
            if isinstance(via, Answer) and (posted := await self._answered(via, sheet, screen.chat)):
                return posted
            if screen.by_press:
                return await self._followed(sheet, screen.chat)
            return await self._send(sheet, screen.chat, silent=not call)

    async def edit(self, screen: Shown, message: Message, png: bytes | None, via: Via | None) -> None:
        """Changes a message, through the press if it was pressed."""
        sheet = letter(message, png)
        with self._at(screen.chat, screen.message):
            if isinstance(via, Answer) and via.message == screen.message and await via.update(sheet):
                return
            if screen.by_press:
                await self._reached(screen.message).rewrite(screen.message, sheet)
            else:
                await self._change(screen, sheet)

    async def retire(self, screen: Shown) -> None:
        """Takes the buttons off; where that cannot be done any more nobody needs it either."""
        with suppress(Gone, Closed), self._at(screen.chat, screen.message):
            if answer := self.tokens.reaching(screen.message):
                await answer.rewrite(screen.message, None)
            elif not screen.by_press:
                await self._message(screen).edit(view=None)

    def link(self, code: str) -> str:
        """The command that shows a challenge."""
        return f"/challenge code:{code}"

    # By an interaction.

    async def _answered(self, answer: Answer, sheet: Letter, chat: str) -> str:
        """A new message as the answer to an interaction; who asked is told which permission it lacks."""
        try:
            return await answer.post(sheet)
        except discord.Forbidden:
            if lacking := self._lacking(chat):
                await answer.refuse(Refusal("missing_permission", permission=lacking))
            raise

    async def _followed(self, sheet: Letter, chat: str) -> str:
        latest = self.tokens.latest(chat)
        posted = await latest.post(sheet) if latest else ""
        if not posted:
            raise Closed("nobody has pressed anything there lately")
        return posted

    def _reached(self, message: str) -> Answer:
        answer = self.tokens.reaching(message)
        if answer is None:
            raise Closed("nobody has pressed anything on it lately")
        return answer

    # By the channel.

    async def _send(self, sheet: Letter, chat: str, *, silent: bool) -> str:
        # discord.py sends again after a 5xx, though the first message may be there: the nonce makes it one.
        sent = await self._channel(chat).send(silent=silent, nonce=secrets.token_hex(8), **sheet.sent())
        return str(sent.id)

    async def _change(self, screen: Shown, sheet: Letter) -> None:
        message = self._message(screen)
        try:
            await message.edit(**sheet.edited())
        except discord.HTTPException as error:
            if error.code != troubles.ARCHIVED:
                raise
            await self._unarchive(screen.chat)
            await message.edit(**sheet.edited())

    async def _unarchive(self, chat: str) -> None:
        """Wakes a thread. Raises `Gone` if that is not permitted: a new message may wake it."""
        client = self._logged_in()
        try:
            thread = client.get_channel(int(chat)) or await client.fetch_channel(int(chat))
            if isinstance(thread, discord.Thread):
                await thread.edit(archived=False)
        except discord.Forbidden as error:
            raise Gone("the thread is archived") from error

    def _message(self, screen: Shown) -> discord.PartialMessage:
        return self._channel(screen.chat).get_partial_message(int(screen.message))

    def _channel(self, chat: str) -> discord.PartialMessageable:
        return self._logged_in().get_partial_messageable(int(chat))

    def _logged_in(self) -> discord.Client:
        if self._client is None:
            raise Trouble("not connected")
        return self._client

    # Troubles.

    @contextmanager
    def _at(self, chat: str, message: str = "") -> Iterator[None]:
        """Around what is done in a chat, to a message. Raises `Trouble` alone."""
        try:
            with troubles.translated(lambda: self._lacking(chat)):
                yield
        except Held as held:
            if message and _is_old(message):  # whatever limit it was, a new message is free of it
                raise Gone("too old to be changed now") from held
            raise
        except Closed:
            if len(self._silent) < _MOST_SILENT:
                self._silent.add(chat)
            raise

    def _lacking(self, chat: str) -> str:
        """The permission that is missing in a chat, as far as is known."""
        return permissions.missing_in(self._client.get_channel(int(chat))) if self._client else ""


def _is_old(message: str) -> bool:
    return discord.utils.utcnow() - discord.utils.snowflake_time(int(message)) > _OLD
