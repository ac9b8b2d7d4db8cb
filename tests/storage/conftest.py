"""The stores that there are, each empty. A new one joins with a line in `STORES`."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path

import pytest

from bot.service.ports import Now, Store
from storage.sqlite import MEMORY, open_sqlite
from tests.storage.playing import BEGAN

STORES: Mapping[str, Callable[[Path, Now], Awaitable[Store]]] = {
    "sqlite": lambda folder, now: open_sqlite(folder / "tavla.db", now),
    "memory": lambda folder, now: open_sqlite(MEMORY, now),
}


class Hours:
    """A clock that the test turns."""

    def __init__(self) -> None:
        self.now = BEGAN

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def hours() -> Hours:
    return Hours()


@pytest.fixture(params=STORES)
async def store(request: pytest.FixtureRequest, tmp_path: Path, hours: Hours) -> AsyncIterator[Store]:
    store = await STORES[request.param](tmp_path, hours)
    yield store
    await store.close()
