"""The evaluation is sane: symmetric, nested, and better things are worth more."""

import pytest

from bot.ai.chances import Chances, decided
from bot.ai.evaluation import HandWritten
from bot.ai.features import contact
from bot.ai.race import mean_rolls, rolls_to_finish
from bot.engine.board import Position, read_side
from bot.engine.variant import Outcome
from tests.ai.boards import START, TAVLA, board, met

EVALUATE = HandWritten()
CLOSED_HOME = "6:3 5:3 4:3 3:2 2:2 1:2"


def chances(me: str, opponent: str) -> Chances:
    return EVALUATE(TAVLA, [board(me, opponent)])[0]


def test_chances_are_nested_and_chances() -> None:
    for position, _ in met(1000):
        told = EVALUATE(TAVLA, [position])[0]
        assert 0 <= told.win_backgammon <= told.win_gammon <= told.win <= 1
        assert 0 <= told.lose_backgammon <= told.lose_gammon <= 1 - told.win + 1e-12
        assert -2 <= told.equity <= 2


def test_tavla_has_no_backgammon() -> None:
    assert all(EVALUATE(TAVLA, [position])[0].win_backgammon == 0 for position, _ in met(200))


def test_turned_chances_are_worth_the_opposite() -> None:
    told = Chances(0.6, 0.2, 0.05, 0.1, 0.01)
    assert told.equity == pytest.approx(0.2 + 0.25 - 0.11)
    assert told.turned().equity == pytest.approx(-told.equity)
    assert told.turned().turned() == pytest.approx(told)


def test_the_start_is_even_with_a_little_for_being_on_roll() -> None:
    told = EVALUATE(TAVLA, [START])[0]
    assert 0.47 < told.win < 0.58
    assert told.win_gammon == pytest.approx(told.lose_gammon, abs=0.1)
    assert 0.05 < told.win_gammon < 0.3


def test_whoever_is_far_ahead_in_the_race_wins() -> None:
    assert chances("1:2", "6:5 5:5 4:5").win == 1
    assert chances("6:3 5:3 4:3", "12:5 11:5 10:5").win > 0.99
    assert chances("12:5 11:5 10:5", "6:3 5:3 4:3").win < 0.01


def test_an_even_race_is_better_for_whoever_rolls() -> None:
    told = chances("6:4 5:4 4:4 3:3", "6:4 5:4 4:4 3:3")
    assert 0.55 < told.win < 0.8


def test_nothing_off_and_far_from_home_late_means_mars() -> None:
    told = chances("2:1 1:1", "12:5 11:5 10:5")
    assert told.win_gammon > 0.99
    assert told.equity == pytest.approx(2, abs=0.02)
    assert told.turned().lose_gammon == told.win_gammon


def test_one_checker_off_saves_the_mars() -> None:
    told = chances("2:1 1:1", "12:5 11:5 10:4")
    assert told.win_gammon == 0
    assert told.equity == pytest.approx(1, abs=0.02)


def test_mars_comes_nearer_the_farther_the_loser_is_from_home() -> None:
    near, far = chances("3:3 2:3", "7:1 6:5 5:5 4:4"), chances("3:3 2:3", "15:6 6:5 5:4")
    assert near.win_gammon < 0.1
    assert far.win_gammon > 0.9


def test_a_closed_board_against_the_bar_wins_and_threatens_mars() -> None:
    told = chances(CLOSED_HOME, "25:1 24:1 6:5 5:4 4:4")
    assert told.win > 0.85
    assert told.win_gammon > 0.1


def test_a_checker_on_the_bar_is_worth_less_the_more_is_closed() -> None:
    boards = ["6:3 13:6 8:6", "6:3 5:3 13:5 8:4", "6:3 5:3 4:3 13:3 8:3", "6:3 5:3 4:3 3:3 8:3"]
    wins = [EVALUATE(TAVLA, [Position(read_side("25:1 13:6 6:8"), read_side(other))])[0].win for other in boards]
    assert wins == sorted(wins, reverse=True)


def test_a_blot_under_fire_is_worth_less_than_a_safe_point() -> None:
    """As many pips both times; seen by whoever is on roll, a direct shot is good for him."""
    shot = chances("24:2 13:5 8:3 6:5", "24:2 13:5 8:3 6:4 4:1")
    safe = chances("24:2 13:5 8:3 6:5", "24:2 13:5 8:3 6:3 5:2")
    assert shot.win > safe.win


def test_more_pips_are_worth_less_where_nothing_else_changes() -> None:
    wins = [chances("6:5 5:5 4:4 " + f"{point}:1", "6:5 5:5 4:5").win for point in (7, 9, 11, 13, 15, 17)]
    assert wins == sorted(wins, reverse=True)


def test_contact_ends_where_everybody_is_past() -> None:
    assert contact(TAVLA, START)
    assert contact(TAVLA, board("25:1 1:14", "6:15"))
    assert contact(TAVLA, board("13:1 1:14", "13:1 1:14"))
    assert not contact(TAVLA, board("12:1 1:14", "12:1 1:14"))


def test_contact_is_the_same_from_both_sides() -> None:
    for position, _ in met(500, seed=8):
        assert contact(TAVLA, position) == contact(TAVLA, position.turned())


@pytest.mark.parametrize(
    ("home", "rolls"),
    [("1:1", 1), ("1:2", 1), ("6:1", 1.25), ("1:3", 11 / 6), ("1:4", 11 / 6), ("6:2", 2.1096)],
)
def test_the_last_checkers_are_counted_exactly(home: str, rolls: float) -> None:
    side = read_side(home)
    assert rolls_to_finish(side) == mean_rolls(side.points[1:7]) == pytest.approx(rolls, abs=1e-4)


@pytest.mark.parametrize(
    ("home", "rolls"),
    [("6:3 5:3 4:3 3:2 2:2 1:2", 8.139), ("6:5 5:5 4:5", 10.074), ("1:15", 6.980)],
)
def test_whole_homes_are_counted_nearly(home: str, rolls: float) -> None:
    """Against the exact means, from the full table."""
    assert rolls_to_finish(read_side(home)) == pytest.approx(rolls, abs=0.35)


def test_a_decided_game_is_known() -> None:
    assert decided(Outcome("me", 2, "mars")) == Chances(1, 1, 0, 0, 0)
    assert decided(Outcome("opponent", 1, "single")) == Chances(0, 0, 0, 0, 0)
    assert decided(Outcome("opponent", 3, "backgammon")).equity == -3
    assert decided(Outcome(None, 0, "void")).equity == 0
