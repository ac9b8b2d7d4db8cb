"""The dice of every test of an adapter are the same in every run."""

import hashlib
import itertools

import pytest


@pytest.fixture(autouse=True)
def _same_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids and seeds are counted instead of drawn."""
    ids, seeds = itertools.count(1), itertools.count(1)
    for module in ("bot.service.lobby", "bot.service.matches"):
        monkeypatch.setattr(f"{module}.new_id", lambda: f"test{next(ids):06}")
        monkeypatch.setattr(f"{module}.new_seed", lambda: hashlib.sha256(str(next(seeds)).encode()).digest())
