"""A room for each test; every room ends by asking whether a rule was broken."""

from collections.abc import AsyncIterator

import pytest

from tests.adapters.discord.room import Room, opened_room


@pytest.fixture
async def room() -> AsyncIterator[Room]:
    async with opened_room() as room:
        yield room
        assert room.server.faults == []
