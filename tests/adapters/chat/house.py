"""What every platform is handed, wired as in production, with a computer that takes the first legal play."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from adapters.chat.ports import House
from bot.__main__ import make_house
from render.picture import Picture
from render.pictures import Pictures, key
from storage.sqlite import MEMORY, open_sqlite
from tests.adapters.web.room import Clock, FirstLegal


class Sketches(Pictures):
    """Pictures that cost nothing: their key instead of a drawing."""

    async def png(self, picture: Picture) -> bytes:
        return key(picture).encode()


@asynccontextmanager
async def opened_house(
    clock: Clock, database: Path | str = MEMORY, pictures: Pictures | None = None
) -> AsyncIterator[House]:
    """The service on a database, with its jobs at work; closed at the end."""
    store = await open_sqlite(database, clock)
    house, jobs = make_house(store, FirstLegal(), pictures or Sketches(), clock)
    working = asyncio.create_task(jobs.run())
    try:
        yield house
    finally:
        await ended(working)
        await asyncio.to_thread(house.pictures.close)
        await store.close()


async def ended(task: "asyncio.Task[None]") -> None:
    """Cancels a task and waits for its end."""
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
