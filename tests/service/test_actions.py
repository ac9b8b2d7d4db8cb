"""What buttons carry."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as some

from bot.engine.errors import Refusal, Unreadable
from bot.service.actions import MOST_BYTES, Action, Verb, command, decode, encode
from bot.service.fairness import new_id

STEPS = some.lists(some.tuples(some.integers(1, 25), some.integers(1, 6)), min_size=1, max_size=4).map(tuple)
REVISIONS = some.integers(0, 36**6 - 1)


@given(revision=REVISIONS, steps=STEPS)
def test_steps_come_back_and_fit(revision: int, steps: tuple[tuple[int, int], ...]) -> None:
    action = Action(new_id(), revision, Verb.STEPS, steps)
    assert decode(encode(action)) == action
    assert len(encode(action).encode()) <= MOST_BYTES


@given(revision=REVISIONS, verb=some.sampled_from([verb for verb in Verb if verb not in (Verb.STEPS, Verb.PANEL)]))
def test_verbs_come_back(revision: int, verb: Verb) -> None:
    action = Action(new_id(), revision, verb)
    assert decode(encode(action)) == action


@pytest.mark.parametrize("panel", ["concede", "main", "f13", "f25"])
def test_panels_come_back(panel: str) -> None:
    action = Action(new_id(), 7, Verb.PANEL, panel=panel)
    assert decode(encode(action)) == action
    with pytest.raises(Unreadable):
        command(action, 0)


@given(text=some.text(max_size=80))
def test_anything_else_is_refused(text: str) -> None:
    with contextlib.suppress(Unreadable):
        assert encode(decode(text)).encode().isascii()


@pytest.mark.parametrize(
    "text", ["abcdefghjk.1.q", "abcdefghjk.1.s", "abcdefghjk.1.s.f13", "abcdefghjk.1.s.13-7", "x" * 10_000]
)
def test_forged_buttons_are_refused(text: str) -> None:
    with pytest.raises(Refusal):
        decode(text)
