"""How likely a checker is hit, and how far it comes: counted over the 36 falls of two dice.

A set of falls is a 36-bit number, so that "some blot is hit" is an `or` and a chance is a count of bits.
A road is what the opponent bars of mine: bit k stands for the point k pips from the bar.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from bot.engine.board import BAR
from bot.engine.dice import FACES, Roll

FALLS = 36
PIPS_A_ROLL = 49 / 6
"""What a roll moves on average where nothing is in the way."""
_ENTRY = 0b111_1110
_TWELVE_AHEAD = 0b1_1111_1111_1110


class _Way(NamedTuple):
    """Falls that carry one checker a distance, and the stops on the way: bit k, k pips ahead."""

    falls: int
    stops: int


def _fall(first: int, second: int) -> int:
    return 1 << 6 * (first - 1) + second - 1


def _either(first: int, second: int) -> int:
    return _fall(first, second) | _fall(second, first)


_WITH = {die: sum({_fall(die, other) for other in FACES} | {_fall(other, die) for other in FACES}) for die in FACES}
_DOUBLES = sum(_fall(die, die) for die in FACES)


@cache
def _stops(die: int, times: int) -> int:
    return sum(1 << die * done for done in range(1, times))


def _ways(distance: int) -> tuple[_Way, ...]:
    """Every way to move one checker exactly `distance` pips, a single die first."""
    direct = [_Way(_WITH[distance], 0)] if distance in FACES else []
    two = [
        _Way(_either(first, distance - first), 1 << first)
        for first in FACES
        if distance - first in FACES and 2 * first != distance
    ]
    doubles = [
        _Way(_fall(die, die), _stops(die, times)) for die in FACES for times in (2, 3, 4) if die * times == distance
    ]
    return (*direct, *two, *doubles)


_WAYS = tuple(_ways(distance) for distance in range(BAR))


def chance(falls: int) -> float:
    """The chance of a set of falls."""
    return falls.bit_count() / FALLS


def road(barred: Sequence[int]) -> int:
    """The road of a side whose points `barred` are closed to it."""
    return sum([1 << BAR - point for point in barred])


def shots(points: Sequence[int], road: int, target: int) -> int:
    """The falls with which a side with `points` (26 counts) reaches its point `target` by one checker: exact."""
    if points[BAR]:
        return _mixed_from_bar(points, road, target) | _doubles_from_bar(points, road, target)
    falls = 0
    for start in range(target + 1, min(target + 25, BAR)):
        if points[start]:
            falls |= _carrying(road >> BAR - start, start - target)
    return falls


def _carrying(ahead: int, distance: int) -> int:
    """The falls that carry one checker `distance` along a road of which it sees the part `ahead`."""
    falls = 0
    for way in _WAYS[distance]:
        if not ahead & way.stops:
            falls |= way.falls
    return falls


def _mixed_from_bar(points: Sequence[int], road: int, target: int) -> int:
    """Two different dice: a lone checker on the bar may go on, or another hits after it; several only enter."""
    distance = BAR - target
    if points[BAR] > 1:
        return _WITH[distance] & ~_DOUBLES if distance in FACES else 0
    falls = _carrying(road, distance)
    for die in FACES:
        if target + die < BAR and points[target + die]:
            falls |= _other_enters(die, road & _ENTRY)
    return falls & ~_DOUBLES


def _doubles_from_bar(points: Sequence[int], road: int, target: int) -> int:
    """A double: all on the bar enter, what is left of it moves any checker, the entered ones too."""
    falls, left = 0, 4 - points[BAR]
    for die in FACES:
        if road >> die & 1 or left < 0:
            continue
        entered = BAR - die
        for start in range(target, min(target + left * die, BAR - 1) + 1, die):
            stops = _stops(die, (start - target) // die)
            if (points[start] or start == entered) and not road >> BAR - start & stops:
                falls |= _fall(die, die)
                break
    return falls


@cache
def _other_enters(die: int, entry: int) -> int:
    """The falls with `die` and another die that enters where the bits `entry` of the road are closed."""
    return sum(_either(die, other) for other in FACES if not entry >> other & 1 and other != die)


def advance(road: int, start: int) -> float:
    """The pips that a lone checker on `start` can move with a roll, on average: 8 1/6 where nothing is in its way."""
    return _advance(road >> BAR - start & _TWELVE_AHEAD)


@cache
def _advance(ahead: int) -> float:
    """Only the twelve points ahead count; there are 4,096 such roads."""
    return sum(_farthest(Roll(first, second), ahead) for first in FACES for second in FACES) / FALLS


def _farthest(roll: Roll, ahead: int) -> int:
    if roll.double:
        done = 0
        while done < 4 and not ahead >> roll.first * (done + 1) & 1:
            done += 1
        return roll.first * done
    one = max((die for die in roll if not ahead >> die & 1), default=0)
    return sum(roll) if one and not ahead >> sum(roll) & 1 else one
