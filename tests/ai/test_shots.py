"""Shots counted from the road are those that the rules allow."""

from itertools import islice

import pytest

from bot.ai.shots import FALLS, advance, chance, road, shots
from bot.engine.board import BAR, POINTS, Position
from bot.engine.dice import ROLLS
from bot.engine.plays import legal_plays
from tests.ai.boards import TAVLA, board, met


def rolls_that_hit(position: Position, target: int) -> int:
    """How many of 36 rolls have a legal play that hits on `target`."""
    return sum(
        weight
        for roll, weight in ROLLS
        if any(
            step.hit and step.end == target for play in legal_plays(TAVLA, position, roll.dice) for step in play.steps
        )
    )


def barred(position: Position) -> list[int]:
    return [point for point in POINTS if position.opponent.points[TAVLA.faces[point]] > 1]


@pytest.mark.parametrize(
    ("pips", "falls"),
    [(1, 11), (2, 12), (3, 14), (4, 15), (5, 15), (6, 17), (7, 6), (8, 6), (9, 5), (10, 3), (11, 2), (12, 3)],
)
def test_an_open_road_gives_the_numbers_of_the_textbook(pips: int, falls: int) -> None:
    position = board(f"{5 + pips}:1", f"{25 - 5}:1")
    assert shots(position.me.points, 0, 5).bit_count() == falls == round(chance(shots(position.me.points, 0, 5)) * 36)


def test_shots_are_exactly_the_rolls_that_the_rules_let_hit() -> None:
    asked = 0
    for position, _ in islice(met(200, seed=5), 0, None, 4):
        for target in POINTS:
            if position.opponent.points[TAVLA.faces[target]] == 1:
                asked += 1
                counted = shots(position.me.points, road(barred(position)), target).bit_count()
                assert counted == rolls_that_hit(position, target), (position, target)
    assert asked > 100


def test_a_lone_checker_moves_a_whole_roll_on_an_open_road_and_none_behind_a_full_prime() -> None:
    assert advance(0, BAR) == pytest.approx(49 / 6)
    assert advance(road(range(18, 24)), 24) == 0


def test_what_is_closed_only_slows() -> None:
    for point in range(12, 24):
        assert advance(road([point]), 24) < advance(0, 24)
        assert advance(road([point, 20]), 24) <= advance(road([20]), 24)


def test_every_fall_counts_once() -> None:
    every = 0
    for distance in range(1, 7):
        every |= shots(board(f"{distance + 1}:1", "1:1").me.points, 0, 1)
    assert every.bit_count() == FALLS
