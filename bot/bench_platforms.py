"""`tavla bench platforms`: the bot as a process of its own against local servers of both platforms, beside an echo bot
on the same servers. The servers belong to the tests, so this works in a checkout only.
"""

import asyncio
import contextlib
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from tests.servers.discord import DiscordServer
    from tests.servers.discord_messages import Message as DiscordMessage
    from tests.servers.telegram import Message as TelegramMessage
    from tests.servers.telegram import TelegramServer

PEOPLE, PRESSES = 100, 300
PACE = 0.05
"""Seconds between two presses that are timed: nobody waits for anybody, and no chat comes near a platform's limit."""
LIMIT = 30.0
TICKS = os.sysconf("SC_CLK_TCK")
WANTED = ("Confirm", "Roll", "Next game", "Rematch", "next", "Undo")

OURS = ["-m", "bot", "run", "--port", "0"]

Progress = Callable[[int, int], None] | None
Row = tuple[str, float, str, float]
"""Name, value, unit, bound (0: none), as in `bot.bench.Figure`."""


class Waited(NamedTuple):
    """Seconds from a press until it is answered, and until the board is shown anew."""

    answered: float
    shown: float


class Phone(Protocol):
    """One person with his chat."""

    async def sit_down(self, *, echo: bool) -> None:
        """Begins, up to a board with buttons."""
        ...

    async def press(self) -> "Waited":
        """Presses the next button."""
        ...


async def platforms(progress: Progress) -> list[Row]:
    """All figures of both platforms."""
    return [*await _telegram(progress), *await _discord(progress)]


async def _telegram(progress: Progress) -> list[Row]:
    from tests.servers.telegram import TelegramServer

    rows = []
    for echo in (True, False):
        async with TelegramServer() as server:
            server.keep_files = False
            environment = {"TELEGRAM_TOKEN": server.token, "TELEGRAM_BASE_URL": server.address}
            module = ["-m", "tests.servers.echo_telegram", server.address] if echo else OURS
            async with _program(module, environment) as pid:
                await server.until(lambda: server.polling, LIMIT)
                phones = [_TelegramPhone(server, number) for number in range(PEOPLE)]
                rows.append(await _measured(phones, pid, progress, echo=echo))
    return _compared("Telegram", *rows)


async def _discord(progress: Progress) -> list[Row]:
    from tests.servers.discord import DiscordServer

    rows = []
    for echo in (True, False):
        async with DiscordServer() as server:
            environment = {
                "DISCORD_TOKEN": server.token,
                "DISCORD_API_URL": server.api,
                "DISCORD_GATEWAY_URL": server.gateway,
                "DISCORD_CDN_URL": server.cdn,
            }
            module = ["-m", "tests.servers.echo_discord", server.api, server.gateway] if echo else OURS
            async with _program(module, environment) as pid:
                await server.until(lambda: server.online and bool(server.commands), LIMIT)
                phones = [_DiscordPhone(server, number) for number in range(PEOPLE)]
                rows.append(await _measured(phones, pid, progress, echo=echo))
    return _compared("Discord", *rows)


class _Taken(NamedTuple):
    """Seconds of each press by itself, CPU seconds of the bot a press, seconds when all press at once."""

    alone: list[float]
    cpu: float
    together: Waited


async def _measured(phones: Sequence[Phone], pid: int, progress: Progress, *, echo: bool) -> _Taken:
    for phone in phones:
        await phone.sit_down(echo=echo)
    await asyncio.sleep(1)
    took, before = [], _cpu(pid)
    for number in range(PRESSES):
        took.append((await phones[number % len(phones)].press()).shown)
        await asyncio.sleep(PACE)
        if progress:
            progress(number + 1, PRESSES)
    cpu = (_cpu(pid) - before) / PRESSES
    await asyncio.sleep(3)
    together = await asyncio.gather(*(phone.press() for phone in phones))
    return _Taken(took, cpu, Waited(max(each.answered for each in together), max(each.shown for each in together)))


def _compared(name: str, echo: _Taken, ours: _Taken) -> list[Row]:
    p50, echoed = 1000 * statistics.median(ours.alone), 1000 * statistics.median(echo.alone)
    return [
        (f"{name}: press to new board, p50", p50, "ms", echoed + 10),
        (f"{name}: press to new board, p99", 1000 * statistics.quantiles(ours.alone, n=100)[-1], "ms", 0),
        (f"{name}: the same of an echo bot, p50", echoed, "ms", 0),
        (f"{name}: {PEOPLE} presses at once, all answered after", ours.together.answered, "s", 2.5),
        (f"{name}: {PEOPLE} presses at once, all boards shown after", ours.together.shown, "s", 0),
        (f"{name}: the same of an echo bot", echo.together.shown, "s", 0),
        (f"{name}: CPU of the bot a press", 1000 * ours.cpu, "ms", 8),
        (f"{name}: the same of an echo bot", 1000 * echo.cpu, "ms", 0),
    ]


@contextlib.asynccontextmanager
async def _program(module: list[str], environment: dict[str, str]) -> AsyncIterator[int]:
    """A bot as a process of its own, ended at the end; yields its process id."""
    with tempfile.TemporaryDirectory() as folder:
        own = {"DATABASE_URL": f"sqlite:///{folder}/bench.db", "PYTHONPATH": str(Path(__file__).parents[1])}
        process = await asyncio.create_subprocess_exec(
            sys.executable, *module, env={**os.environ, **own, **environment}, stdout=asyncio.subprocess.DEVNULL
        )
        try:
            yield process.pid
        finally:
            process.terminate()
            await process.wait()


def _cpu(pid: int) -> float:
    """CPU seconds of a process so far, its threads included, its children not."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def _wanted(labels: Sequence[str], *, last: str) -> str | None:
    """The button to press: a step, but after a step to undo it or to go on, so that every board is another."""
    steps = [label for label in labels if "/" in label]
    if steps and last not in steps:
        return steps[len(last) % len(steps)]
    return next((label for label in WANTED if label in labels), steps[0] if steps else None)


async def _waited(answered: Awaitable[object], shown: Awaitable[object]) -> Waited:
    """How long both took from now."""
    began = time.perf_counter()

    async def seconds(what: Awaitable[object]) -> float:
        await what
        return time.perf_counter() - began

    return Waited(*await asyncio.gather(seconds(answered), seconds(shown)))


class _TelegramPhone:
    """Somebody on Telegram, in his private chat."""

    def __init__(self, server: "TelegramServer", number: int) -> None:
        self._server = server
        self._user = server.user(f"Player {number}")
        self._last = ""

    async def sit_down(self, *, echo: bool) -> None:
        await self._user.start()
        for label in () if echo else ("Play the computer", "Easy"):
            message = await self._server.until(partial(self._with, label), LIMIT)
            await self._user.press(message, label)
        await self._server.until(self._board, LIMIT)

    async def press(self) -> Waited:
        board = await self._server.until(self._board, LIMIT)
        label = _wanted(board.labels, last=self._last) or board.labels[0]
        self._last = label
        seen = (board.edits, len(self._user.private.messages))

        shown = self._server.until(lambda: (board.edits, len(self._user.private.messages)) != seen, LIMIT)
        return await _waited(self._user.press(board, label, seconds=LIMIT), shown)

    def _with(self, label: str) -> "TelegramMessage":
        """The message with that button; StopIteration as long as there is none."""
        return next(message for message in self._user.private.messages if label in message.labels)

    def _board(self) -> "TelegramMessage":
        return [board for board in self._user.private.boards if _wanted(board.labels, last=self._last)][-1]


class _DiscordPhone:
    """Somebody on Discord, in his channel with the bot."""

    def __init__(self, server: "DiscordServer", number: int) -> None:
        self._server = server
        self._user = server.user(f"player{number}")
        self._channel = server.dm(self._user)
        self._last = ""

    async def sit_down(self, *, echo: bool) -> None:
        if echo:
            await self._user.command(self._channel, "start")
        else:
            await self._user.command(self._channel, "computer", level="easy")
        await self._server.until(self._board, LIMIT)

    async def press(self) -> Waited:
        board = await self._server.until(self._board, LIMIT)
        label = _wanted(board.labels, last=self._last) or board.labels[0]
        self._last = label
        seen = (board.edits, len(self._channel.messages))

        shown = self._server.until(lambda: (board.edits, len(self._channel.messages)) != seen, LIMIT)
        return await _waited(self._user.press(board, label), shown)

    def _board(self) -> "DiscordMessage":
        """The newest board; IndexError as long as there is none."""
        return [board for board in self._channel.messages if _wanted(board.labels, last=self._last)][-1]
