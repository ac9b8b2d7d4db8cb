"""The program as it is run, with both platforms: real clients of both, a process of its own, local servers.

Whole matches across the platforms, kill -9, SIGTERM, bad tokens, an outage; and never a token in what it writes.
"""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import aiohttp
import pytest

from tests.servers.discord import Channel, DiscordServer
from tests.servers.discord import Message as DiscordMessage
from tests.servers.discord import User as DiscordUser
from tests.servers.telegram import Message as TelegramMessage
from tests.servers.telegram import TelegramServer
from tests.servers.telegram import User as TelegramUser

ROOT = Path(__file__).parents[1]
LIMIT = 30.0
FORWARD = ("Confirm", "Roll", "Next game", "Accept")


class Program(NamedTuple):
    """The bot, running."""

    process: asyncio.subprocess.Process
    said: list[str]
    """The lines that the operator was told."""


class Servers(NamedTuple):
    telegram: TelegramServer
    discord: DiscordServer

    def environment(self) -> dict[str, str]:
        return {
            "TELEGRAM_TOKEN": self.telegram.token,
            "TELEGRAM_BASE_URL": self.telegram.address,
            "DISCORD_TOKEN": self.discord.token,
            "DISCORD_API_URL": self.discord.api,
            "DISCORD_GATEWAY_URL": self.discord.gateway,
            "DISCORD_CDN_URL": self.discord.cdn,
        }


@pytest.fixture
async def servers() -> AsyncIterator[Servers]:
    async with TelegramServer() as telegram, DiscordServer() as discord:
        yield Servers(telegram, discord)
        assert telegram.faults == []
        assert discord.faults == []


@asynccontextmanager
async def running(folder: Path, environment: Mapping[str, str], level: str = "debug") -> AsyncIterator[Program]:
    """The program on a database in `folder`, its log there too; whatever happens it is gone afterwards."""
    own = {"DATABASE_URL": f"sqlite:///{folder}/tavla.db", "TAVLA_LOG": level, "PYTHONUNBUFFERED": "1"}
    with (folder / "log").open("a") as log:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "run", "--port", "0"),
            env={**os.environ, **own, **environment},
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
            cwd=ROOT,
        )
        program = Program(process, [])
        reading = asyncio.create_task(_read(program))
        try:
            yield program
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()
            await reading


async def _read(program: Program) -> None:
    assert program.process.stdout is not None
    async for line in program.process.stdout:
        program.said.append(line.decode().rstrip())


async def ended(program: Program) -> int:
    """Ends the program as a supervisor does; returns its exit code."""
    program.process.send_signal(signal.SIGTERM)
    async with asyncio.timeout(10):
        return await program.process.wait()


async def until(condition: Callable[[], object], seconds: float = LIMIT) -> None:
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 -- what another process does has no event here
            await asyncio.sleep(0.02)


def web_address(program: Program) -> str:
    return next(line for line in program.said if line.startswith("tavla is served at")).split()[-1]


async def both_there(servers: Servers) -> None:
    await servers.telegram.until(lambda: servers.telegram.polling, LIMIT)
    await servers.discord.until(lambda: servers.discord.online and bool(servers.discord.commands), LIMIT)


class Ayse:
    """Ayşe, who plays on Telegram, in her chat with the bot."""

    def __init__(self, server: TelegramServer) -> None:
        self.server = server
        self.user: TelegramUser = server.user("Ayşe", "ayse")

    def board(self) -> TelegramMessage:
        """The live board; StopIteration as long as there is none."""
        return next(board for board in reversed(self.user.private.boards) if board.labels)

    def labels(self) -> list[str]:
        boards = [board for board in self.user.private.boards if board.labels]
        return boards[-1].labels if boards else []

    def shown(self) -> list[object]:
        """What the buttons of the board do: new with every change, while labels may stay the same."""
        return [button.data for button in self.board().buttons]

    async def press(self, label: str) -> None:
        await self.user.press(self.board(), label)


class Mehmet:
    """Mehmet, who plays on Discord, in a channel of a server."""

    def __init__(self, server: DiscordServer) -> None:
        self.server = server
        self.user: DiscordUser = server.user("mehmet", display="Mehmet")
        self.channel: Channel = server.guild("Café", self.user).channel("games")

    def board(self) -> DiscordMessage:
        return next(board for board in reversed(self.channel.messages) if board.attachments and board.labels)

    def labels(self) -> list[str]:
        boards = [board for board in self.channel.messages if board.attachments and board.labels]
        return boards[-1].labels if boards else []

    def shown(self) -> list[object]:
        """As Ayşe's."""
        return [button.custom_id for button in self.board().buttons]

    async def press(self, label: str) -> None:
        await self.user.press(self.board(), label)


def forward(labels: list[str]) -> str | None:
    """The button that goes on with the match, if there is one."""
    steps = [label for label in labels if "/" in label]
    return next((label for label in FORWARD if label in labels), steps[0] if steps else None)


async def sat_down(servers: Servers) -> tuple[Ayse, Mehmet]:
    """Ayşe has challenged on Telegram, Mehmet has taken it up on Discord by its code."""
    ayse, mehmet = Ayse(servers.telegram), Mehmet(servers.discord)
    await ayse.user.start()
    await ayse.user.say(ayse.user.private, "/challenge 1")
    invitation = await servers.telegram.until(
        lambda: next(message for message in ayse.user.private.messages if "Withdraw" in message.labels), LIMIT
    )
    code = invitation.text.split("with the code ")[1][:10]
    await mehmet.user.command(mehmet.channel, "challenge", code=code)
    offered = await servers.discord.until(
        lambda: next(message for message in mehmet.channel.messages if "Accept" in message.labels), LIMIT
    )
    await mehmet.user.press(offered, "Accept")
    await until(lambda: bool(ayse.user.private.boards) and any(board.attachments for board in mehmet.channel.messages))
    return ayse, mehmet


async def one_press(ayse: Ayse, mehmet: Mehmet) -> bool:
    """Whoever can presses a button that goes on; returns whether the match is over."""
    await until(lambda: forward(ayse.labels()) or forward(mehmet.labels()) or "Rematch" in ayse.labels())
    for player in (ayse, mehmet):
        if label := forward(player.labels()):
            before = player.shown()
            await player.press(label)
            await until(partial(_changed, player, before))
            return False
    return True


def _changed(player: Ayse | Mehmet, before: list[object]) -> bool:
    return player.shown() != before


# What people do.


async def test_a_match_across_the_platforms_by_its_code(servers: Servers, tmp_path: Path) -> None:
    """Both boards live, up to a concession; `test_across.py` plays one to its last checker."""
    async with running(tmp_path, servers.environment()) as program:
        await both_there(servers)
        ayse, mehmet = await sat_down(servers)
        for _ in range(16):
            await one_press(ayse, mehmet)
        assert ayse.board().photo
        assert mehmet.board().attachments[0].description
        await ayse.press("Concede…")
        await until(lambda: "Back" in ayse.labels())
        await ayse.press(next(label for label in ayse.labels() if label.startswith("Concede this")))
        await until(lambda: "Accept" in mehmet.labels())
        await mehmet.press("Accept")
        await until(lambda: "wins" in ayse.board().caption and "wins" in mehmet.board().content)
        assert "Ayşe" in mehmet.board().content
        assert "You: " in ayse.board().caption
        assert await ended(program) == 0
    log = (tmp_path / "log").read_text()
    assert "Traceback" not in log
    for secret in (servers.telegram.token, servers.telegram.token.partition(":")[2], servers.discord.token):
        assert secret not in log + "".join(program.said)
    assert "/challenge 1" not in log


async def test_kill_9_between_saving_and_showing_loses_nothing(servers: Servers, tmp_path: Path) -> None:
    """What was pressed is on both boards after the restart, the dice the same, and the old buttons work."""
    environment = servers.environment()
    async with running(tmp_path, environment) as program:
        await both_there(servers)
        ayse, mehmet = await sat_down(servers)
        while not any("/" in label for label in (*ayse.labels(), *mehmet.labels())):
            await one_press(ayse, mehmet)
        mine = any("/" in label for label in ayse.labels())
        before = (ayse.board().caption, mehmet.board().content)
        servers.telegram.slow("editMessageMedia", 3)
        servers.telegram.slow("editMessageCaption", 3)
        servers.discord.slow("messages|callback", 3, times=5, method="*")
        if mine:
            await ayse.user.press(ayse.board(), next(label for label in ayse.labels() if "/" in label))
        else:
            step = next(label for label in mehmet.labels() if "/" in label)
            await mehmet.user.press(mehmet.board(), step, wait=False)
            await asyncio.sleep(1)
        program.process.kill()
        await program.process.wait()
    servers.telegram.mend()
    servers.discord.rest.plans.clear()
    async with running(tmp_path, environment) as program:
        await both_there(servers)
        await until(lambda: ayse.board().caption != before[0] and mehmet.board().content != before[1])
        told = ayse.board().caption if mine else mehmet.board().content
        assert "so far" in told or "Confirm" in told or "confirmed" in told
        for _ in range(4):
            await one_press(ayse, mehmet)
        assert await ended(program) == 0


# What goes wrong.


@pytest.mark.parametrize("platform", ["TELEGRAM_TOKEN", "DISCORD_TOKEN"])
async def test_a_bad_token_is_one_clear_line_and_takes_nothing_else_down(
    servers: Servers, tmp_path: Path, platform: str
) -> None:
    environment = {**servers.environment(), platform: "111111:a-token-that-is-wrong"}
    async with running(tmp_path, environment) as program:
        name = platform.partition("_")[0].capitalize()
        await until(lambda: any(platform in line for line in program.said))
        if platform == "TELEGRAM_TOKEN":
            await servers.discord.until(lambda: servers.discord.online, LIMIT)
        else:
            await servers.telegram.until(lambda: servers.telegram.polling, LIMIT)
        async with aiohttp.ClientSession() as session:
            answer = await session.get(f"{web_address(program)}healthz")
            assert answer.status == 200
        assert sum(line.startswith(f"{name}:") for line in program.said) == 1
        assert await ended(program) == 0
    assert "a-token-that-is-wrong" not in (tmp_path / "log").read_text() + "".join(program.said)


async def test_an_outage_of_one_platform_leaves_the_other_alone(servers: Servers, tmp_path: Path) -> None:
    async with running(tmp_path, servers.environment()) as program:
        await both_there(servers)
        await servers.telegram.down()
        mehmet = Mehmet(servers.discord)
        await mehmet.user.command(mehmet.channel, "computer", level="easy")
        await until(lambda: bool(mehmet.labels()))
        await servers.telegram.up()
        ayse = Ayse(servers.telegram)
        await ayse.user.start()
        await servers.telegram.until(lambda: ayse.user.private.last.labels, LIMIT)
        assert await ended(program) == 0


async def test_the_operator_is_told_where_the_bot_is_and_how_to_invite_it(servers: Servers, tmp_path: Path) -> None:
    async with running(tmp_path, servers.environment(), "warning") as program:
        await both_there(servers)
        await until(lambda: any("Discord" in line for line in program.said))
        told = "\n".join(program.said)
        assert "https://t.me/tavla_bot?startgroup" in told
        assert f"client_id={servers.discord.application_id}" in told
        assert "Attach Files" in told
        assert "privacy" in told
        assert await ended(program) == 0
    assert (tmp_path / "log").read_text() == ""
