"""Stores in a file, the file looked at from outside, and programs that use it."""

import contextlib
import sqlite3
import stat
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.engine import match as engine
from bot.service.table import Seat, Table
from storage.sqlite import SqliteStore, StoreRefused, open_sqlite
from tests.storage.playing import BEGAN, beginning, seating

ROOT = Path(__file__).parents[2]


@contextlib.asynccontextmanager
async def opened(path: Path | str) -> AsyncIterator[SqliteStore]:
    store = await open_sqlite(path, lambda: BEGAN)
    try:
        yield store
    finally:
        await store.close()


async def seated(store: SqliteStore, number: int = 1) -> Table:
    people = Seat(await store.player("web", "a")), Seat(await store.player("web", "b"))
    begun = seating(number, people)
    await store.seat(begun)
    return begun.commit.table


async def whole(store: SqliteStore, match: str) -> Table:
    """A match as it is stored; nothing of it is half there."""
    await store.beat(BEGAN)  # what was given up before is written by now
    table, happened = await store.load(match), await store.events(match)
    assert happened[-1][0] == table.revision
    assert engine.replay(beginning(), (event for _, _, event in happened)) == table.match
    return table


async def refusal(path: Path | str) -> str:
    """The one line with which a file is refused; nothing of the attempt is left."""
    with pytest.raises(StoreRefused) as refused:
        await open_sqlite(path, lambda: BEGAN)
    message = str(refused.value)
    assert "\n" not in message
    assert str(path) in message
    return message


def asked(path: Path, sql: str) -> object:
    """The first value of what the file answers."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchone()[0]


def told(path: Path, *statements: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for sql in statements:
            connection.execute(sql)


def files(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def mode(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


def content(file: Path) -> bytes:
    return file.read_bytes()


def damage(file: Path) -> None:
    """Writes over every other page but the first few."""
    pages = file.stat().st_size // 4096
    with file.open("r+b") as written:
        for page in range(3, pages, 2):
            written.seek(4096 * page)
            written.write(b"\xa5" * 4096)


def start_writer(path: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.storage.writer", str(path)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)


def kill(program: subprocess.Popen[str]) -> None:
    program.kill()
    program.communicate()


def run(*lines: str) -> str:
    """What a program of these lines writes before it ends."""
    program = "\n".join(("import asyncio", "from storage.sqlite import open_sqlite", *lines))
    command = [sys.executable, "-X", "dev", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=60, check=False)
    return done.stdout + done.stderr
