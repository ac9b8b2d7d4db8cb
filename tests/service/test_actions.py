"""What buttons carry."""

import contextlib
import string

import pytest
from hypothesis import given
from hypothesis import strategies as some

from bot.engine.errors import Refusal, Unreadable
from bot.service.actions import MOST_BYTES, Action, Ask, Asking, Run, Verb, command, decode, decode_any, encode
from bot.service.fairness import ID_LENGTH, new_id

STEPS = some.lists(some.tuples(some.integers(1, 25), some.integers(1, 6)), min_size=1, max_size=4).map(tuple)
REVISIONS = some.integers(0, 36**6 - 1)
LETTERS, DIGITS = string.ascii_lowercase, string.digits
IDS = some.text(LETTERS + DIGITS, min_size=ID_LENGTH, max_size=ID_LENGTH)
WORDS = some.text(LETTERS, min_size=1, max_size=20)
VALUES = some.text(LETTERS + DIGITS + "_.", max_size=40)
SIMPLE = [verb for verb in Verb if verb not in (Verb.STEPS, Verb.PANEL)]
ACTIONS = some.one_of(
    some.builds(Action, IDS, REVISIONS, some.sampled_from(SIMPLE)),
    some.builds(Action, IDS, REVISIONS, some.just(Verb.CONCEDE_GAME), seat=some.sampled_from([0, 1])),
    some.builds(Action, IDS, REVISIONS, some.just(Verb.STEPS), STEPS),
    some.builds(Action, IDS, REVISIONS, some.just(Verb.PANEL), panel=some.sampled_from(["main", "abort", "f1", "f25"])),
)
ASKINGS = some.builds(Asking, IDS, REVISIONS, some.sampled_from(Ask), VALUES)
RUNS = some.builds(Run, WORDS, some.text(LETTERS + DIGITS + "_", max_size=20))


@given(action=some.one_of(ACTIONS, ASKINGS, RUNS))
def test_whatever_a_button_asks_comes_back_and_fits(action: Action | Asking | Run) -> None:
    text = encode(action)
    assert decode_any(text) == action
    assert len(text.encode("ascii")) <= MOST_BYTES


@given(asked=some.one_of(ASKINGS, RUNS))
def test_at_a_table_only_its_own_buttons_count(asked: Asking | Run) -> None:
    with pytest.raises(Unreadable, match="bad_button"):
        decode(encode(asked))


@given(action=ACTIONS)
def test_a_button_of_a_table_is_read_alike_either_way(action: Action) -> None:
    assert decode(encode(action)) == action


@pytest.mark.parametrize("verb", [Verb.PANEL, Verb.HINT, Verb.SHOW, Verb.WORDS])
def test_what_only_shows_something_asks_nothing_of_the_match(verb: Verb) -> None:
    with pytest.raises(Unreadable, match="bad_button"):
        command(Action(new_id(), 7, verb), 0)


@given(text=some.text(max_size=80))
def test_anything_else_is_refused(text: str) -> None:
    for reading in (decode, decode_any):
        with contextlib.suppress(Unreadable):
            assert encode(reading(text)).encode().isascii()


@given(text=some.text("!/.abcdfpsw0123456789-_ ", min_size=1, max_size=70))
def test_what_looks_like_a_button_is_one_or_is_refused(text: str) -> None:
    """Whatever is read is written again as a button that means the same."""
    with contextlib.suppress(Unreadable):
        action = decode_any(text)
        assert decode_any(encode(action)) == action


@pytest.mark.parametrize(
    "text",
    [
        "",
        "abcdefghjk.1.q",
        "abcdefghjk.1.s",
        "abcdefghjk.1.s.f13",
        "abcdefghjk.1.s.13-7",
        "abcdefghjk.1.b\n",
        "x" * 10_000,
        "!abcdefghjk.1.x",
        "!abcdefghjk.1.",
        "!abcdefghj.1.a",
        "!abcdefghjk.1234567.a",
        "!abcdefghjk.1.c.length 7",
        "!abcdefghjk.1.c." + "x" * 41,
        "!ABCDEFGHJK.1.a",
        "!abcdefghjk.1.a\n",
        "!abcdefghjk.١.a",
        "/",
        "/Games",
        "/games ",
        "/computer very hard",
        "/" + "x" * 21,
        "/games\n",
        "games",
    ],
)
def test_forged_buttons_are_refused(text: str) -> None:
    with pytest.raises(Refusal, match="bad_button"):
        decode_any(text)
    with pytest.raises(Refusal, match="bad_button"):
        decode(text)
