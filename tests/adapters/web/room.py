"""The whole local table in one process: real store, real service, a computer that plays the first legal play."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from aiohttp.test_utils import TestServer

from adapters.web.app import make_app
from bot.engine.plays import Turn
from bot.service.flow import COMPUTER
from bot.service.jobs import Jobs
from bot.service.lobby import Lobby
from bot.service.matches import Matches
from bot.service.ports import Question, Ranked, Store, Thought
from bot.service.screens import Screens
from bot.service.table import Table
from render.pictures import Pictures
from render.words import words
from storage.sqlite import MEMORY, open_sqlite

BEGAN = 1_700_000_000.0


class FirstLegal:
    """Fulfils `Thinker`: the first legal play is the best one and the one it makes."""

    async def think(self, question: Question) -> Thought:
        turn = Turn.begin(question.variant, question.position, question.dice)
        plays = tuple(Ranked(play, 0.0, 0.5, 0.1, 0.0, 0.1, 0.0) for play in turn.plays())
        return Thought(plays, plays[0].play)

    async def close(self) -> None:
        """Nothing to end."""


class Clock:
    """A clock that a test turns."""

    def __init__(self) -> None:
        self.now = BEGAN

    def __call__(self) -> float:
        return self.now


def titled(first: str, length: int = 5) -> str:
    """How a match of tavla is called, up to its first player's name."""
    return f"Tavla · {words('en').length(length)} · {first}"


class Room:
    """A running server and what is behind it."""

    def __init__(self, server: TestServer, store: Store, lobby: Lobby, matches: Matches, clock: Clock) -> None:
        self.server = server
        self.store = store
        self.lobby = lobby
        self.matches = matches
        self.clock = clock
        self.address = str(server.make_url("/"))


@asynccontextmanager
async def opened_room(folder: Path | None = None, port: int | None = None) -> AsyncIterator[Room]:
    """A room on a database in `folder` (in memory without one), closed at the end."""
    clock, screens, pictures = Clock(), Screens(), Pictures()
    store = await open_sqlite(folder / "tavla.db" if folder else MEMORY, clock)

    def saved(table: Table) -> None:
        screens.wake(table.id)
        jobs.poke()

    matches = Matches(store, FirstLegal(), clock, saved)
    lobby = Lobby(store, clock, saved, screens.wake)
    jobs = Jobs(store, clock, {COMPUTER: matches.computer})
    app = make_app(
        matches=matches, lobby=lobby, screens=screens, store=store, pictures=pictures, now=clock, host="tavla.home"
    )
    working = asyncio.create_task(jobs.run())
    server = TestServer(app, host="127.0.0.1", port=port)
    await server.start_server()
    try:
        yield Room(server, store, lobby, matches, clock)
    finally:
        await server.close()
        working.cancel()
        with suppress(asyncio.CancelledError):
            await working
        await asyncio.to_thread(pictures.close)
        await store.close()
