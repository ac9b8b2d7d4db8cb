"""Plays as text: what is written can be read, and what cannot be read says why."""

import pytest

from bot.engine.board import Position, read_side, side
from bot.engine.dice import Roll
from bot.engine.errors import Ambiguous, Illegal, Refusal, Unreadable
from bot.engine.notation import read, write
from bot.engine.plays import Turn
from bot.engine.steps import Step
from bot.variants import games, variant
from tests.engine.playing import random_turns

TAVLA = variant("tavla")
START = Position(TAVLA.start, TAVLA.start)


def turn(first: int, second: int, board: Position = START) -> Turn:
    return Turn.begin(TAVLA, board, Roll(first, second).dice)


@pytest.mark.parametrize("game", list(games()))
def test_what_is_written_is_read_back_unless_it_says_that_it_is_ambiguous(game: str) -> None:
    for seed in range(3):
        for number, now in enumerate(random_turns(variant(game), seed)):
            if number % 3:
                continue
            for play in now.plays():
                if play.steps:
                    assert_read_back(now, write(play.steps), play.position)


def assert_read_back(now: Turn, text: str, wanted: Position) -> None:
    try:
        steps = read(text, now)
    except Ambiguous as refusal:
        texts = refusal.values["choices"]
        assert isinstance(texts, tuple)
        assert wanted in [board_after(now, read(choice, now)) for choice in texts]
        return
    assert board_after(now, steps) == wanted


def board_after(now: Turn, steps: tuple[Step, ...]) -> Position:
    for step in steps:
        now = now.take(step.start, step.die)
    return now.position


@pytest.mark.parametrize(
    ("dice", "text", "written"),
    [
        ((3, 1), "8/5 6/5", "8/5 6/5"),
        ((3, 1), "6/5, 8/5", "8/5 6/5"),
        ((3, 1), "8/5/4", "8/4"),
        ((3, 1), "8/4", "8/4"),
        ((6, 3), "24/15", "24/15"),
        ((1, 1), "8/7(2) 6/5(2)", "8/7(2) 6/5(2)"),
        ((1, 1), "8/7x2", "8/7(2)"),
        ((6, 3), "24-18", "24/18"),
    ],
)
def test_forms_that_people_type(dice: tuple[int, int], text: str, written: str) -> None:
    assert write(read(text, turn(*dice))) == written


def test_bar_hits_and_off() -> None:
    entering = Position(side([(25, 1), (6, 14)]), side([(4, 1), (3, 14)]))
    assert write(read("BAR/21*", turn(4, 4, entering))) == "bar/21*"
    assert write(read("25/21", turn(4, 4, entering))) == "bar/21*"
    assert write(read("6/off", turn(6, 5, Position(side([(6, 2)]), side([(1, 15)]))))) == "6/off"


def test_two_routes_that_differ_are_asked_about() -> None:
    board = Position(side([(13, 1), (1, 14)]), side([(18, 1), (6, 14)]))
    with pytest.raises(Ambiguous) as refusal:
        read("13/3", turn(6, 4, board))
    assert refusal.value.values["choices"] == ("13/7*/3", "13/9/3")
    assert write(read("13/7/3", turn(6, 4, board))) == "13/7*/3"


@pytest.mark.parametrize("text", ["", "hello", "13", "13/", "/8", "13/8/", "99/1", "8/5(9)", "x" * 5000, "१३/८", "²/1"])
def test_other_text_cannot_be_read(text: str) -> None:
    with pytest.raises(Unreadable, match="bad_notation"):
        read(text, turn(3, 1))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("6/8", "backwards"),
        ("10/7", "no_checker"),
        ("13/8", "no_such_die"),
        ("24/18", "no_such_die"),
        ("8/5 8/5", "no_such_die"),
        ("24/20/19", "impossible_together"),
    ],
)
def test_impossible_plays_are_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(Refusal, match=reason):
        read(text, turn(3, 1))


def test_a_blocked_point_is_named() -> None:
    with pytest.raises(Illegal, match="blocked") as refusal:
        read("13/8 6/1", turn(5, 5, Position(TAVLA.start, side([(24, 2), (12, 13)]))))
    assert refusal.value.values["end"] in (1, 13, 8)


@pytest.mark.parametrize(
    "text",
    ["6:--3", "٦:٣", "6:" + "1" * 5000, "24:16", "24:-1", "26:1", "0:3", "a:b", "24", "24:1 24:1", "²:1", "24:1:1"],
)
def test_positions_that_cannot_be_are_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        read_side(text)


def test_positions_read_as_they_are_written() -> None:
    assert str(read_side("24:2 13:5 8:3 6:5")) == "24:2 13:5 8:3 6:5"
    assert read_side("").off == 15


def test_a_blocked_stop_on_the_way_is_named() -> None:
    board = Position(side([(13, 1), (1, 14)]), side([(18, 2), (16, 2), (6, 11)]))
    with pytest.raises(Illegal, match="blocked") as refusal:
        read("13/3", turn(6, 4, board))
    assert (refusal.value.values["start"], refusal.value.values["end"]) == (13, 7)


def test_too_much_typed_in_mid_turn_is_not_called_a_finished_turn() -> None:
    with pytest.raises(Illegal, match="impossible_together"):
        read("13/11 13/12", turn(2, 1).take(8, 1))


def test_bearing_off_too_early_says_so() -> None:
    with pytest.raises(Illegal, match="not_home"):
        read("6/off", turn(4, 3))
