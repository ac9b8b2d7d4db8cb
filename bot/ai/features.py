"""What a player sees on a board with contact, as numbers: strength, danger, and the shots in between."""

from collections.abc import Sequence
from typing import NamedTuple

from bot.ai.race import pips_outside, rolls_to_finish
from bot.ai.shots import PIPS_A_ROLL, advance, chance, road, shots
from bot.engine.board import BAR, HOME, POINTS, Position, Side
from bot.engine.variant import Contact, Variant

_START = range(19, BAR + 1)
"""A side's start quarter and the bar: checkers there have the whole way before them."""
_BEHIND = range(13, BAR + 1)


class Strength(NamedTuple):
    """What one side has, each number good or bad for it alone.

    Those said to wait count only as long as the opponent has checkers back that they are in the way of.
    """

    home: float
    """Closed points at home, 0..6; waits."""
    five: float
    four: float
    seven: float
    """Whether the 5, the 4 and the 7 point are closed; wait."""
    prime: float
    """Points of the longest prime on 1..12 beyond three; waits."""
    anchor: float
    """Points that the opponent has closed at home, where one of 18..21 is held against them."""
    trapped: float
    """Rolls' worth of movement that the checkers on 13 and behind lack for the opponent's closed points."""
    bar: float
    closed_out: float
    """Checkers on the bar, and these times the points that the opponent has closed at home."""
    stacked: float
    """Checkers beyond three on a point."""
    deep: float
    """Checkers on 1 and 2, out of play while there is contact."""
    spare: float
    """Points of 6..11 with a third checker, free to make others with."""
    middle: float
    """Points held on 12..18."""


class Seen(NamedTuple):
    """A board with contact, seen by `me` on roll; pairs are mine and the opponent's."""

    me: Strength
    opponent: Strength
    shots: float
    """What my roll hits: pips that the opponent loses on average, the dearest blot of each roll, / 25."""
    rolls: tuple[float, float]
    """Rolls to finish if there were no contact."""
    outside: tuple[int, int]
    """Pips to have all checkers at home."""
    back: tuple[int, int]
    """Checkers in the start quarter or on the bar."""


def contact(variant: Variant, position: Position) -> bool:
    """Whether some checker has still to come past one of the other side, or one is pinned."""
    me, opponent = position
    if me.pinned or opponent.pinned:
        return True
    return _meets(variant, me, opponent) or _meets(variant, opponent, me)


def _meets(variant: Variant, side: Side, other: Side) -> bool:
    """Whether the rearmost checker of `other` has one of `side` on its way."""
    rear = other.highest
    return any(side.points[point] and variant.faces[point] < rear for point in POINTS) or side.bar > 0


def seen(variant: Variant, position: Position) -> Seen:
    """Looks at a board with contact."""
    me, opponent = position
    holds, his_holds = _held(variant, me), _held(variant, opponent)
    mine, his = _Half(variant, me, holds, opponent, his_holds), _Half(variant, opponent, his_holds, me, holds)
    return Seen(
        _strength(mine),
        _strength(his),
        _shots(mine, his) if variant.contact is not Contact.BLOCK else 0.0,
        (rolls_to_finish(me), rolls_to_finish(opponent)),
        (pips_outside(me), pips_outside(opponent)),
        (mine.back, his.back),
    )


def _held(variant: Variant, side: Side) -> list[int]:
    """The points where the other side cannot land."""
    least = 1 if variant.contact is Contact.BLOCK else 2
    return [point for point in POINTS if side.points[point] >= least]


class _Half:
    """One side's half of the picture, in its own numbers."""

    def __init__(self, variant: Variant, side: Side, holds: list[int], other: Side, other_holds: list[int]) -> None:
        self.points = points = side.points
        self.faces = variant.faces
        self.holds = holds
        self.back = sum(points[_START.start :])
        self.waits = any(other.points[_START.start :])
        barred = [variant.faces[point] for point in other_holds]
        self.road = road(barred)
        self.entry_closed = sum([point in _START for point in barred])


def _strength(half: _Half) -> Strength:
    """What one side has by itself and against the other's closed points."""
    points, holds, waits = half.points, half.holds, half.waits
    behind = [point for point in _BEHIND if points[point]]
    lacking = sum([points[point] * (PIPS_A_ROLL - advance(half.road, point)) for point in behind])
    return Strength(
        home=waits * sum([point in HOME for point in holds]),
        five=waits * (5 in holds),
        four=waits * (4 in holds),
        seven=waits * (7 in holds),
        prime=waits * max(longest([point for point in holds if point < 13]) - 3, 0),
        anchor=half.entry_closed * any(17 < point < 22 for point in holds),
        trapped=lacking / PIPS_A_ROLL,
        bar=points[BAR],
        closed_out=points[BAR] * half.entry_closed,
        stacked=sum([count - 3 for count in points[1:BAR] if count > 3]),
        deep=points[1] + points[2],
        spare=sum([count > 2 for count in points[6:12]]),
        middle=sum([11 < point < 19 for point in holds]),
    )


def longest(points: Sequence[int]) -> int:
    """The longest run of neighbours in ascending `points`."""
    best = run = 0
    before = -1
    for point in points:
        run = run + 1 if point == before + 1 else 1
        best = max(best, run)
        before = point
    return best


def _shots(hitter: _Half, other: _Half) -> float:
    """What the hitter's roll costs the other, over its lone checkers, dearest first."""
    hit, loss = 0, 0.0
    for blot in POINTS:
        if other.points[blot] != 1:
            continue
        falls = shots(hitter.points, hitter.road, other.faces[blot]) & ~hit
        hit |= falls
        loss += chance(falls) * (BAR - blot)
    return loss / BAR
