"""The stores that there are, each empty. A new one joins with a line in `STORES`."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path

import pytest

from bot.service.ports import Now, Store
from bot.service.table import Seat, Table
from storage.sqlite import MEMORY, open_sqlite
from tests.storage.playing import BEGAN, seating

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


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a file of a store may be made, its folder too."""
    return tmp_path / "folder" / "tavla.db"


@pytest.fixture
async def people(store: Store) -> tuple[Seat, Seat]:
    return Seat(await store.player("web", "a", "Ayşe"), "Ayşe"), Seat(await store.player("web", "b", "Дима"), "Дима")


@pytest.fixture
async def table(store: Store, people: tuple[Seat, Seat]) -> Table:
    """A stored match at revision 1."""
    begun = seating(1, people)
    await store.seat(begun)
    return begun.commit.table
