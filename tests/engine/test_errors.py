"""Refusals keep what they say wherever they go."""

import pickle

from bot.engine.errors import Illegal


def test_a_refusal_comes_back_whole_from_another_process() -> None:
    refusal = pickle.loads(pickle.dumps(Illegal("blocked", start=13, end=8)))  # noqa: S301 -- our own bytes
    assert (type(refusal), refusal.reason, refusal.values) == (Illegal, "blocked", {"start": 13, "end": 8})
