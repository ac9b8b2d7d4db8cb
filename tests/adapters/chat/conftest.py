"""A room for each test."""

from collections.abc import AsyncIterator

import pytest

from tests.adapters.chat.room import Room, opened_room


@pytest.fixture
async def room() -> AsyncIterator[Room]:
    async with opened_room() as room:
        yield room
