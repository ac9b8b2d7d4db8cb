"""The race: how many rolls a side needs, and who gets there first when nobody can be met any more.

The formula for rolls was fitted to the exact mean of all 54,263 positions at home (found by recursion, each
roll played for the fewest rolls on average); there it is off by 0.10 rolls (standard deviation). The last
four checkers are counted exactly.
"""

from functools import cache, lru_cache
from math import erf, sqrt
from operator import mul

from bot.ai.chances import Chances
from bot.ai.shots import PIPS_A_ROLL
from bot.engine.board import BAR, HOME, OFF, Position, Side
from bot.engine.dice import ROLLS

_COUNTED_EXACTLY = 4
_NUMBERS = range(BAR + 1)
_FROM_HOME = tuple(max(point - 6, 0) for point in _NUMBERS)

Counts = tuple[int, ...]
"""Checkers on 1..6, and none elsewhere."""


@lru_cache(maxsize=4096)
def rolls_to_finish(side: Side) -> float:
    """The rolls that a side needs to bear off all its checkers if nobody is in the way, on average."""
    points = side.points
    left = sum(points[1:])
    if left <= _COUNTED_EXACTLY and not any(points[HOME.stop :]):
        return mean_rolls(points[1 : HOME.stop])
    outside = sum(points[HOME.stop :])
    beyond = pips_outside(side)
    pips: float = (sum(map(mul, points, _NUMBERS)) - beyond) * 0.87 + beyond
    stacked = 0.15 * max(points[1] - 2, 0) + 0.12 * max(points[2] - 2, 0) + 0.08 * max(points[3] - 3, 0)
    gaps = (not points[4]) + (not points[5]) + (not points[6])
    return 0.68 + pips / PIPS_A_ROLL + 0.095 * left + 0.05 * points[1] + stacked + 0.16 * max(gaps - outside, 0)


def pips_outside(side: Side) -> int:
    """The pips that a side needs to have all its checkers at home."""
    return sum(map(mul, side.points, _FROM_HOME))


@cache
def mean_rolls(home: Counts) -> float:
    """The exact mean of the rolls to bear off `home`, played for the fewest; meant for few checkers."""
    if not any(home):
        return 0.0
    return 1 + sum(weight * min(mean_rolls(after) for after in _played(home, roll.dice)) for roll, weight in ROLLS) / 36


def _played(home: Counts, dice: tuple[int, ...]) -> set[Counts]:
    """Every home after `dice`; with two of them, in either order."""
    orders = {dice, dice[::-1]}
    return {after for order in orders for after in _in_order({home}, order)}


def _in_order(homes: set[Counts], dice: tuple[int, ...]) -> set[Counts]:
    for die in dice:
        homes = {after for home in homes for after in _one(home, die)}
    return homes


def _one(home: Counts, die: int) -> list[Counts]:
    """Every home after one die: a checker moves down, or off exactly, or off from the highest point."""
    highest = max((point for point, count in enumerate(home, 1) if count), default=OFF)
    return [
        _taken(home, point, point - die)
        for point, count in enumerate(home, 1)
        if count and (point >= die or point == highest)
    ] or [home]


def _taken(home: Counts, start: int, end: int) -> Counts:
    counts = list(home)
    counts[start - 1] -= 1
    if end > OFF:
        counts[end - 1] += 1
    return tuple(counts)


def race(position: Position) -> Chances:
    """The chances of `me`, on roll, where no checker can be met any more."""
    me, opponent = position
    mine, his = rolls_to_finish(me), rolls_to_finish(opponent)
    win = first(mine, his)
    return Chances(
        win,
        min(win, first(mine, rolls_to_first_off(opponent))) if not opponent.off else 0.0,
        0.0,
        min(1 - win, 1 - first(rolls_to_first_off(me), his)) if not me.off else 0.0,
        0.0,
    )


def rolls_to_first_off(side: Side) -> float:
    """The rolls after which a side has borne off its first checker, on average."""
    return 1 + max(pips_outside(side) - 2, 0) / PIPS_A_ROLL


def first(mine: float, his: float) -> float:
    """The chance to need no more rolls than the other, from the means of both; mine are thrown first."""
    return 1.0 if mine <= 1 else (1 + erf(lead(mine, his) / sqrt(2))) / 2


def lead(mine: float, his: float) -> float:
    """The lead of whoever is on roll, in standard deviations of how the race may still turn.

    From the rolls that both need on average; their counts are taken as normal, with the spread that the exact
    bear-off shows.
    """
    return (his - mine + 0.5) / sqrt(0.2 * max(mine + his - 2, 0.0) + 0.04)
