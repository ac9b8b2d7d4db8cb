"""The composition root: settings, store, tables, platforms. The only place that knows all of them."""

import asyncio
import contextlib
import logging
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Protocol

from bot.config import PORT, Settings
from bot.redaction import hide

if TYPE_CHECKING:
    from adapters.chat.ports import House
    from bot.service.jobs import Jobs
    from bot.service.ports import Now, Store, Thinker
    from render.pictures import Pictures


log = logging.getLogger(__name__)

SWEEP = 60.0
"""Seconds between looks for challenges whose time is over."""


async def run(settings: Settings) -> None:
    """Serves until SIGTERM or SIGINT, then ends in order; raises what keeps it from starting."""
    # Imported here: a worker process of the computer imports this module too and needs none of it.
    from bot.ai.pool import Pool
    from render.pictures import Pictures
    from storage.sqlite import open_sqlite

    stopped = _stop_signals()
    logging.basicConfig(level=settings.log, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    hide(settings.secrets)
    async with contextlib.AsyncExitStack() as ending:
        store = await open_sqlite(settings.database, time.time)
        ending.push_async_callback(store.close)
        thinker = Pool()
        ending.push_async_callback(thinker.close)
        pictures = Pictures()
        ending.callback(pictures.close)
        house, jobs = make_house(store, thinker, pictures, time.time)
        await _serve_web(settings, house, ending)
        platforms = [_kept(platform) for platform in _platforms(settings, house)]
        for work in (jobs.run(), _every(SWEEP, house.lobby.sweep), *platforms):
            ending.push_async_callback(_cancelled, asyncio.create_task(work))
        thinker.warm()
        await stopped.wait()


def make_house(store: "Store", thinker: "Thinker", pictures: "Pictures", now: "Now") -> "tuple[House, Jobs]":
    """The service, and the jobs that it wants done."""
    from adapters.chat.ports import House
    from bot.service.flow import COMPUTER, NOTICE, REMATCH, due
    from bot.service.jobs import Jobs
    from bot.service.lobby import Lobby
    from bot.service.matches import Matches
    from bot.service.screens import Screens
    from bot.service.table import Job, Table

    screens = Screens()

    def saved(table: Table) -> None:
        screens.wake(table.id)
        if due(table):
            jobs.poke()

    async def notice(job: Job) -> None:
        await matches.notice(job, screens.ring)

    matches = Matches(store, thinker, now, saved)
    lobby = Lobby(store, now, saved, screens.wake)
    jobs = Jobs(store, now, {COMPUTER: matches.computer, REMATCH: matches.rematch, NOTICE: notice})
    return House(store, matches, lobby, screens, pictures, now), jobs


class Platform(Protocol):
    """A platform that serves until it is cancelled."""

    async def run(self) -> None: ...


async def _serve_web(settings: Settings, house: "House", ending: contextlib.AsyncExitStack) -> None:
    from adapters.web.app import make_app
    from adapters.web.serve import serve

    app = make_app(
        matches=house.matches,
        lobby=house.lobby,
        screens=house.screens,
        store=house.store,
        pictures=house.pictures,
        now=house.now,
        host=settings.host,
    )
    told = settings.port is not None
    server = await serve(app, settings.host, PORT if settings.port is None else settings.port, told)
    ending.push_async_callback(server.close)
    _say(f"tavla is served at {server.address}")
    log.info("serving at %s, database %s", server.address, settings.database)


def _platforms(settings: Settings, house: "House") -> Iterator[Platform]:
    """The platforms that there is a token for."""
    if settings.telegram_token:
        from adapters.telegram.app import Telegram

        yield Telegram(
            settings.telegram_token,
            house,
            base_url=settings.telegram_base_url,
            say=_say,
        )
    if settings.discord_token:
        from adapters.discord.app import Discord

        yield Discord(
            settings.discord_token,
            house,
            api_url=settings.discord_api_url,
            gateway_url=settings.discord_gateway_url,
            cdn_url=settings.discord_cdn_url,
            say=_say,
        )


async def _kept(platform: Platform) -> None:
    """Serves a platform; a fault in it takes down nothing else."""
    try:
        await platform.run()
    except Exception:
        log.exception("%s has failed and is not served any more", type(platform).__name__)


async def _every(seconds: float, work: Callable[[], Awaitable[None]]) -> None:
    while True:
        try:
            await work()
        except Exception:
            log.exception("work that is done every %g s has failed", seconds)
        await asyncio.sleep(seconds)


def _say(line: str) -> None:
    """Tells the operator."""
    print(line, flush=True)


def _stop_signals() -> asyncio.Event:
    """An event that is set by the first SIGTERM or SIGINT."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    return stopped


async def _cancelled(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


if __name__ == "__main__":
    from bot.cli import main

    sys.exit(main())
