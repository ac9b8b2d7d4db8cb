"""A room for each test, and browsers to enter it."""

from collections.abc import AsyncIterator, Callable

import pytest

from tests.adapters.web.browser import Browser
from tests.adapters.web.room import Room, opened_room


@pytest.fixture
async def room() -> AsyncIterator[Room]:
    async with opened_room() as room:
        yield room


@pytest.fixture
async def browser(room: Room) -> AsyncIterator[Callable[[], Browser]]:
    """Makes browsers, each with cookies of its own."""
    made: list[Browser] = []

    def make() -> Browser:
        made.append(Browser(room.address))
        return made[-1]

    yield make
    for each in made:
        await each.close()
