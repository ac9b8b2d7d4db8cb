"""Commands and presses as they come in: handed to the desk, and what comes of them told in Discord's way."""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress

import discord

from adapters.chat.desk import Desk
from adapters.chat.people import Asked
from adapters.chat.replies import Done, Opened, Reply, Said
from adapters.chat.stage import Stage
from adapters.discord import permissions
from adapters.discord.answers import Answer
from adapters.discord.people import PLATFORM, Interaction, asker, person_of, place_of
from adapters.discord.posts import Posts
from adapters.discord.texts import Letter, letter, line
from bot.engine.errors import NotYours, Refusal, Stale
from bot.service.table import Delivery, Shown
from render.message import Message
from render.pictures import Pictures

log = logging.getLogger(__name__)

OPENING = frozenset({"challenge", "computer", "board"})
"""The commands that are answered by a message for everybody."""
REPAINTED_WITHIN = 2.0
"""Seconds for which the sentence about a stale press waits for the board that goes before it."""
FINISHED_WITHIN = 10.0
"""Seconds that handlers get at the end."""
NOTHING_TO_SAY = "✓"
LACKING = "missing_permission"

Value = str | int | discord.User | discord.Member


class Reception:
    """Takes interactions. Whatever happens, whoever pressed or commanded is answered."""

    def __init__(self, desk: Desk, stage: Stage, posts: Posts, pictures: Pictures) -> None:
        self._desk = desk
        self._stage = stage
        self._posts = posts
        self._pictures = pictures
        self._working: set[asyncio.Event] = set()

    async def command(self, interaction: Interaction, name: str, options: Mapping[str, Value | None]) -> None:
        """A slash command with its options, those not given as None."""
        async with self._answering(interaction) as answer:
            if name in OPENING and (lacking := permissions.missing(interaction)):
                raise NotYours(LACKING, permission=lacking)
            reply = await self._desk.command(_asked(interaction, name, options))
            if isinstance(reply, Opened):
                await self._stage.open(reply.screen, answer, reply.call)
            else:
                await answer.whisper(await self._letter(reply))

    async def press(self, interaction: Interaction) -> None:
        """A pressed button, known or not."""
        async with self._answering(interaction) as answer:
            live = interaction.message is not None and not interaction.message.flags.ephemeral
            try:
                reply = await self._desk.press(
                    asker(interaction),
                    place_of(interaction),
                    answer.message,
                    interaction.custom_id or "",
                    _delivery(interaction),
                    answer if live else None,
                    live=live,
                )
            except Stale:
                if live:  # the board is shown first: the stage answers, the sentence follows
                    await answer.answered(REPAINTED_WITHIN)
                raise
            await (self._pressed_live if live else self._pressed_hidden)(answer, reply)

    async def plays(self, interaction: Interaction, typed: str) -> Sequence[str]:
        """What `typed` can become."""
        return await self._desk.plays(asker(interaction), place_of(interaction), typed)

    async def failed(self, interaction: Interaction) -> None:
        """A command that does not fit what is registered here: the client of whoever gave it is behind."""
        answer = self._begin(interaction)
        await answer.whisper(_sorry(answer))

    async def close(self) -> None:
        """Lets the handlers finish, for a while."""
        with suppress(TimeoutError):
            async with asyncio.timeout(FINISHED_WITHIN):
                for done in tuple(self._working):
                    await done.wait()

    async def _pressed_live(self, answer: Answer, reply: Reply) -> None:
        """`Done` needs nothing more: the stage has the answer, and the message tells it."""
        if isinstance(reply, Opened):
            await self._open(answer, reply.screen)
        elif isinstance(reply, Said):
            await answer.whisper(await self._letter(reply))

    async def _pressed_hidden(self, answer: Answer, reply: Reply) -> None:
        """On a message that one person sees, what comes of it takes its place."""
        if isinstance(reply, Opened):
            await self._open(answer, reply.screen)
        else:
            await answer.update(await self._letter(reply), keep=False)

    async def _open(self, answer: Answer, screen: Shown) -> None:
        """A board for everybody. It is refused where it could not be kept up to date; the match waits elsewhere."""
        if lacking := permissions.missing(answer.interaction):
            raise NotYours(LACKING, permission=lacking)
        await self._stage.open(screen, answer)

    @asynccontextmanager
    async def _answering(self, interaction: Interaction) -> AsyncIterator[Answer]:
        """Around the handling of an interaction: refusals and faults are told to whoever is there."""
        done = asyncio.Event()
        self._working.add(done)
        answer = self._begin(interaction)
        try:
            yield answer
            await self._complain(answer)
        except Refusal as refusal:
            await answer.refuse(refusal)
            if refusal.reason != LACKING:
                await self._complain(answer)
        except Exception:
            log.exception("an interaction failed")
            await answer.whisper(_sorry(answer))
        finally:
            self._working.discard(done)
            done.set()

    def _begin(self, interaction: Interaction) -> Answer:
        answer = Answer(interaction, self._desk.words(asker(interaction)))
        place = place_of(interaction)
        if place.by_press or permissions.missing(interaction):
            self._posts.tokens.keep(place.chat, answer)
        return answer

    async def _complain(self, answer: Answer) -> None:
        """Where the bot could not write lately, whoever comes by learns what it lacks."""
        lacking = permissions.missing(answer.interaction)
        if lacking and self._posts.silenced(place_of(answer.interaction).chat):
            await answer.answered(REPAINTED_WITHIN)
            await answer.refuse(NotYours(LACKING, permission=lacking))

    async def _letter(self, reply: Said | Done) -> Letter:
        if isinstance(reply, Done):
            return line(reply.text or NOTHING_TO_SAY)
        return letter(reply.message, await self._drawn(reply.message))

    async def _drawn(self, message: Message) -> bytes | None:
        return await self._pictures.png(message.picture) if message.picture else None


def _asked(interaction: Interaction, name: str, options: Mapping[str, Value | None]) -> Asked:
    people = [value for value in options.values() if isinstance(value, discord.User | discord.Member)]
    return Asked(
        name,
        asker(interaction),
        place_of(interaction),
        _delivery(interaction),
        {option: str(value) for option, value in options.items() if isinstance(value, str | int)},
        opponent=person_of(people[0]) if people else None,
    )


def _delivery(interaction: Interaction) -> Delivery:
    return Delivery(PLATFORM, str(interaction.id))


def _sorry(answer: Answer) -> Letter:
    return line(answer.words.say("Something went wrong here. Please try again."))
