"""A room for each test, its dice the same in every run; every room ends by asking whether a rule was broken."""

import hashlib
import itertools
from collections.abc import AsyncIterator

import pytest

from tests.adapters.discord.room import Room, opened_room


@pytest.fixture(autouse=True)
def _same_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids and seeds are counted instead of drawn."""
    ids, seeds = itertools.count(1), itertools.count(1)
    for module in ("bot.service.lobby", "bot.service.matches"):
        monkeypatch.setattr(f"{module}.new_id", lambda: f"test{next(ids):06}")
        monkeypatch.setattr(f"{module}.new_seed", lambda: hashlib.sha256(str(next(seeds)).encode()).digest())


@pytest.fixture
async def room() -> AsyncIterator[Room]:
    async with opened_room() as room:
        yield room
        assert room.server.faults == []
