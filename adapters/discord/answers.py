"""One interaction and its answer: given once, by whoever comes first; what follows goes by the interaction's token."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Literal, TypeVar

import aiohttp
import discord

from adapters.chat.ports import Trouble
from adapters.discord import troubles
from adapters.discord.people import Interaction
from adapters.discord.texts import Letter, line
from bot.engine.errors import Refusal
from render.words import Words

log = logging.getLogger(__name__)

DEFER_AFTER = 1.5
"""Seconds after which Discord is asked for more time; it gives up after 3."""
GIVEN_WITHIN = 5.0
"""Seconds for which a first answer is tried; nobody waits for a later one, but the message can still be changed."""
TOKEN_LIVES = 14 * 60.0
"""Seconds for which the token of an interaction is used; Discord takes it for 15 minutes."""

T = TypeVar("T")
_Given = Literal["update", "message", "thinking", "nothing"]
"""What was answered first: the pressed message was or will be changed, a message was sent, a command was given time
and waits for its text, or nothing could be answered any more."""


class Answer:
    """Fulfils `Via`. `message`: the number of the message that was pressed, "" for a command.

    Commands and presses that take long are deferred so that nobody sees a failure. A command always in private, even
    if a board for everybody may come: that can still be posted afterwards, but nothing that follows a public deferral
    can be private, and it may yet be refused.
    """

    def __init__(self, interaction: Interaction, words: Words) -> None:
        self.interaction = interaction
        self.words = words
        self.message = str(interaction.message.id) if interaction.message else ""
        self._given: _Given | None = None
        self._original = ""
        self._more: set[str] = set()
        self._turn = asyncio.Lock()
        self._answered = asyncio.Event()
        self._began = asyncio.get_running_loop().time()
        self._deferring = asyncio.create_task(self._defer_later())

    @property
    def expired(self) -> bool:
        """Whether nothing more can be sent through it."""
        return asyncio.get_running_loop().time() - self._began > TOKEN_LIVES

    async def answered(self, seconds: float) -> bool:
        """Waits until it is answered, at most so long; returns whether it is."""
        try:
            async with asyncio.timeout(seconds):
                return await self._answered.wait()
        except TimeoutError:
            return False

    async def acknowledge(self) -> None:
        """Answers without showing anything; nothing happens if it is answered already."""
        with troubles.translated():
            async with self._turn:
                if self._given is None and await self._defer() == "thinking":
                    self._given = "message"
                    await self.interaction.delete_original_response()

    async def update(self, letter: Letter, *, keep: bool = True) -> bool:
        """Makes the pressed message into `letter`; returns False if that is not sure to have happened.

        Raises what discord.py does if the message cannot be changed. `keep`: as in `Letter.edited`.
        """
        change, change_later = self.interaction.response.edit_message, self.interaction.edit_original_response
        async with self._turn:
            if self._given is None and self.message:
                return await self._first("update", lambda: change(**letter.edited(keep=keep))) is not None
            if self._given != "update":
                return False
            return await self._later(lambda: change_later(**letter.edited(keep=keep))) is not None

    async def post(self, letter: Letter) -> str:
        """Sends `letter` for everybody to see; returns the number of the message, "" if it is not sure to be there.

        Raises what discord.py does if it may not be sent.
        """
        async with self._turn:
            if self._given is None:
                return await self._post_first(letter)
            if self._given == "nothing":
                return ""
            return await self._post_later(letter)

    async def whisper(self, letter: Letter) -> None:
        """Tells `letter` to whoever asked alone. If that fails it is logged: nothing else can be done about it."""
        try:
            with troubles.translated():
                async with self._turn:
                    await self._whispered(letter)
        except Trouble as trouble:
            log.info("an answer was not delivered: %s", trouble)

    async def refuse(self, refusal: Refusal) -> None:
        """Says why something is refused, to whoever tried it."""
        await self.whisper(line(self.words.refusal(refusal)))

    def reaches(self, message: str) -> bool:
        """Whether the token lets a message be changed."""
        return not self.expired and message in {self._original, *self._more} - {""}

    async def rewrite(self, message: str, letter: Letter | None) -> None:
        """Changes a message that the token reaches; None: takes its buttons off. Raises what discord.py does."""
        arguments = {"view": None} if letter is None else letter.edited()
        if message == self._original:
            await self.interaction.edit_original_response(**arguments)
        else:
            await self.interaction.followup.edit_message(int(message), **arguments)

    # The first answer.

    async def _defer_later(self) -> None:
        await asyncio.sleep(DEFER_AFTER)
        try:
            with troubles.translated():
                async with self._turn:
                    if self._given is None:
                        await self._defer()
        except Trouble as trouble:
            log.info("an answer could not be deferred: %s", trouble)

    async def _defer(self) -> _Given | None:
        given: _Given = "update" if self.message else "thinking"
        await self._first(given, lambda: self.interaction.response.defer(ephemeral=True))
        return self._given

    async def _first(self, given: _Given, answer: Callable[[], Awaitable[T]]) -> T | None:
        """Gives the first answer; returns None if that is not sure to have arrived.

        Nothing that has been done is ever done again for that: it is saved, and the messages will show it.
        """
        try:
            async with asyncio.timeout(GIVEN_WITHIN):
                result = await _twice(answer)
        except discord.HTTPException as error:
            if error.code not in {troubles.ANSWERED, *troubles.LATE} and error.status < 500:
                raise
            # Already answered: by a try that was not confirmed, or by this same press delivered twice.
            log.info("an answer is not confirmed: %s", _told(error))
            self._settle(given if error.code == troubles.ANSWERED else "nothing")
            return None
        except troubles.BROKEN as error:
            log.info("an answer is not confirmed: %s", _told(error))
            self._settle("nothing")
            return None
        self._settle(given)
        return result

    def _settle(self, given: _Given) -> None:
        self._given = given
        if given == "update":
            self._original = self.message
        self._answered.set()
        if self._deferring is not asyncio.current_task():
            self._deferring.cancel()

    async def _post_first(self, letter: Letter) -> str:
        send = self.interaction.response.send_message
        response = await self._first("message", lambda: send(**letter.sent()))
        if response is not None:
            self._original = str(response.message_id or "")
        elif self._given == "message":
            self._original = await self._found()
        return self._original

    async def _found(self) -> str:
        """The message that an unconfirmed answer has sent, if it is one for everybody."""
        try:
            with troubles.translated():
                message = await self.interaction.original_response()
        except Trouble:
            return ""
        hidden = message.flags.ephemeral or message.flags.loading or str(message.id) == self.message
        return "" if hidden else str(message.id)

    # What follows.

    async def _later(self, call: Callable[[], Awaitable[T]]) -> T | None:
        """Something by the token; returns None if that does not work any more."""
        try:
            return await call()
        except discord.HTTPException as error:
            if error.code not in troubles.LATE:
                raise
            log.info("an interaction is over: %s", _told(error))
            return None

    async def _post_later(self, letter: Letter) -> str:
        """A follow-up. After a private deferral the first one would be private too, so that is filled in before."""
        thinking = self._given == "thinking"
        if thinking:
            await self._later(lambda: self.interaction.edit_original_response(content="✓"))
            self._given = "message"
        posted = await self._later(lambda: self.interaction.followup.send(wait=True, **letter.sent()))
        if posted is None:
            return ""
        self._more.add(str(posted.id))
        if thinking:
            await self._later(self.interaction.delete_original_response)
        return str(posted.id)

    async def _whispered(self, letter: Letter) -> None:
        interaction = self.interaction
        if self._given is None:
            await self._first("message", lambda: interaction.response.send_message(ephemeral=True, **letter.sent()))
        elif self._given == "thinking":
            await interaction.edit_original_response(**letter.edited())
            self._given = "message"
        elif self._given != "nothing":
            await interaction.followup.send(ephemeral=True, **letter.sent())


async def _twice(answer: Callable[[], Awaitable[T]]) -> T:
    """An answer, once more if the connection breaks: if the first one has arrived Discord says so (40060)."""
    try:
        return await answer()
    except (aiohttp.ClientError, OSError):
        return await answer()


def _told(error: Exception) -> str:
    """An error for the log: its text could hold what people wrote."""
    return f"code {error.code}" if isinstance(error, discord.HTTPException) else type(error).__name__
