"""The composition root: settings, store, tables, platforms. The only place that knows all of them."""

import asyncio
import contextlib
import logging
import signal
import sys
import time

from bot.config import PORT, Settings


async def run(settings: Settings) -> None:
    """Serves until SIGTERM or SIGINT, then ends in order; raises what keeps it from starting."""
    # Imported here: a worker process of the computer imports this module too and needs none of it.
    from adapters.web.app import make_app
    from adapters.web.serve import serve as serve_web
    from bot.ai.pool import Pool
    from bot.service.flow import COMPUTER, REMATCH
    from bot.service.jobs import Jobs
    from bot.service.lobby import Lobby
    from bot.service.matches import Matches
    from bot.service.screens import Screens
    from bot.service.table import Table
    from render.pictures import Pictures
    from storage.sqlite import open_sqlite

    stopped = _stop_signals()
    logging.basicConfig(level=settings.log, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    logging.getLogger("aiosqlite").setLevel(logging.WARNING)  # at DEBUG it tells every value it writes, seeds too
    async with contextlib.AsyncExitStack() as ending:
        store = await open_sqlite(settings.database, time.time)
        ending.push_async_callback(store.close)
        thinker = Pool()
        ending.push_async_callback(thinker.close)
        pictures = Pictures()
        ending.callback(pictures.close)
        screens = Screens()

        def saved(table: Table) -> None:
            screens.wake(table.id)
            jobs.poke()

        matches = Matches(store, thinker, time.time, saved)
        lobby = Lobby(store, time.time, saved, screens.wake)
        jobs = Jobs(store, time.time, {COMPUTER: matches.computer, REMATCH: matches.rematch})
        app = make_app(
            matches=matches,
            lobby=lobby,
            screens=screens,
            store=store,
            pictures=pictures,
            now=time.time,
            host=settings.host,
        )
        told = settings.port is not None
        server = await serve_web(app, settings.host, PORT if settings.port is None else settings.port, told)
        ending.push_async_callback(server.close)
        working = asyncio.create_task(jobs.run())
        ending.push_async_callback(_cancelled, working)
        print(f"tavla is served at {server.address}", flush=True)
        logging.getLogger(__name__).info("serving at %s, database %s", server.address, settings.database)
        thinker.warm()
        await stopped.wait()


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
