"""A room for each test, its dice the same in every run; every room ends by asking whether a rule was broken."""

import hashlib
import itertools
from collections.abc import AsyncIterator

import pytest

from adapters.telegram import budget
from adapters.telegram.budget import Limit
from tests.adapters.telegram.room import Room, opened_room
from tests.servers.telegram import TelegramServer


@pytest.fixture(autouse=True)
def _same_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids and seeds are counted instead of drawn."""
    ids, seeds = itertools.count(1), itertools.count(1)
    for module in ("bot.service.lobby", "bot.service.matches"):
        monkeypatch.setattr(f"{module}.new_id", lambda: f"test{next(ids):06}")
        monkeypatch.setattr(f"{module}.new_seed", lambda: hashlib.sha256(str(next(seeds)).encode()).digest())


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
