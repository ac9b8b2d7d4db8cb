"""What a player sees on a board with contact, as numbers: strength, danger, and the shots in between."""

from collections.abc import Sequence
from typing import NamedTuple

from bot.ai.race import pips_outside, rolls_to_finish
from bot.ai.shots import PIPS_A_ROLL, advance, chance, road, shots
from bot.engine.board import BAR, POINTS, Position, Side
from bot.engine.variant import Contact, Variant

BACK = range(19, BAR + 1)
"""A side's start quarter and the bar: where a checker has the whole way before it."""


class Strength(NamedTuple):
    """What one side has, each number good or bad for it alone."""

    home: float
    """Closed points at home, 0..6, as long as the opponent has checkers back."""
    five: float
    four: float
    seven: float
    """Whether the 5, the 4 and the 7 point are closed, as long as the opponent has checkers back."""
    prime: float
    """Points of the longest prime on 1..12 beyond three, likewise."""
    anchor: float
    high_anchor: float
    """Closed points of the opponent's home while a point in the start quarter, and one of 18..21, is held."""
    back: float
    """Checkers in the start quarter or on the bar."""
    trapped: float
    """Rolls' worth of movement that the checkers on 13 and behind lack for the opponent's closed points."""
    bar: float
    closed_out: float
    """Checkers on the bar, and these times the opponent's closed points at home."""
    blots: float
    home_blots: float
    """Lone checkers that something can still come to; those of them at home."""
    stacked: float
    """Checkers beyond three on a point."""
    deep: float
    """Checkers on 1 and 2, out of play while there is contact."""
    spare: float
    """Third checkers on 6..11, free to make points with."""
    middle: float
    """Points held on 12..18."""


class Shots(NamedTuple):
    """What one side can hit: the chance of any hit, and what the other loses by it."""

    hit: float
    loss: float
    """Pips lost on average / 25, the dearest blot of each roll."""
    hit_home: float
    """The chance times the hitter's closed points at home."""


class Seen(NamedTuple):
    """A board with contact, seen by `me` on roll."""

    me: Strength
    opponent: Strength
    mine: Shots
    """My shots with the roll to come."""
    his: Shots
    """The opponent's shots if I stood still."""
    rolls: tuple[float, float]
    """Rolls to finish, mine and the opponent's, if there were no contact."""
    outside: tuple[int, int]
    """Pips to have all checkers at home, mine and the opponent's."""


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
    mine, his = _Half(variant, me, opponent), _Half(variant, opponent, me)
    return Seen(
        strength(mine),
        strength(his),
        shots_of(mine, his),
        shots_of(his, mine),
        (rolls_to_finish(me), rolls_to_finish(opponent)),
        (pips_outside(me), pips_outside(opponent)),
    )


class _Half:
    """One side's half of the picture, in its own numbers."""

    def __init__(self, variant: Variant, side: Side, other: Side) -> None:
        faces, bars = variant.faces, 1 if variant.contact is Contact.BLOCK else 2
        self.points = points = side.points
        self.holds = [point for point in POINTS if points[point] >= bars]
        self.lone = [] if bars == 1 else [point for point in POINTS if points[point] == 1]
        self.rear_of_other = faces[other.highest] if other.highest < BAR else 0
        self.facing = faces
        self.waits = any(other.points[19:])
        self.home = sum(point < 7 for point in self.holds)
        barred = [point for point in POINTS if other.points[faces[point]] >= bars]
        self.road = road(barred)
        self.entry_closed = sum(point > 18 for point in barred)


def strength(half: "_Half") -> Strength:
    """What one side has by itself and against the other's closed points."""
    points, holds = half.points, half.holds
    exposed = [point for point in half.lone if point > half.rear_of_other]
    lacking = sum(points[point] * (PIPS_A_ROLL - advance(half.road, point)) for point in range(13, 26) if points[point])
    return Strength(
        home=half.home * half.waits,
        five=5 in holds and half.waits,
        four=4 in holds and half.waits,
        seven=7 in holds and half.waits,
        prime=max(longest([point for point in holds if point < 13]) - 3, 0) * half.waits,
        anchor=half.entry_closed * any(point > 18 for point in holds),
        high_anchor=half.entry_closed * any(17 < point < 22 for point in holds),
        back=sum(points[19:]),
        trapped=lacking / PIPS_A_ROLL,
        bar=points[BAR],
        closed_out=points[BAR] * half.entry_closed,
        blots=len(exposed),
        home_blots=sum(point < 7 for point in exposed),
        stacked=sum(count - 3 for count in points[1:BAR] if count > 3),
        deep=points[1] + points[2],
        spare=sum(points[point] > 2 for point in range(6, 12)),
        middle=sum(11 < point < 19 for point in holds),
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


def shots_of(hitter: _Half, other: _Half) -> Shots:
    """The hitter's shots at the other's lone checkers, dearest first."""
    any_hit, loss = 0, 0.0
    for blot in other.lone:
        falls = shots(hitter.points, hitter.road, other.facing[blot]) & ~any_hit
        any_hit |= falls
        loss += chance(falls) * (BAR - blot)
    hit = chance(any_hit)
    return Shots(hit, loss / BAR, hit * hitter.home)
