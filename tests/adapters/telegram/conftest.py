"""A room for each test; every room ends by asking whether a rule was broken."""

from collections.abc import AsyncIterator

import pytest

from adapters.telegram import budget
from adapters.telegram.budget import Limit
from tests.adapters.telegram.room import Room, opened_room
from tests.servers.telegram import TelegramServer


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests play a match in seconds, and their server counts no calls."""
    for name in ("GROUP", "PRIVATE", "ALL"):
        monkeypatch.setattr(budget, name, Limit(100_000, 1.0, 100_000))


@pytest.fixture
async def server() -> AsyncIterator[TelegramServer]:
    async with TelegramServer() as server:
        yield server
        assert server.faults == []


@pytest.fixture
async def room(unhurried: None, server: TelegramServer) -> AsyncIterator[Room]:
    async with opened_room(server) as room:
        yield room
