"""Where the checkers stand: each side by its own numbers, 25 the bar, 24 to 1 the points, 0 off."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from bot.engine.errors import Unreadable

OFF, BAR, CHECKERS = 0, 25, 15
_ENTRY = re.compile("([0-9]{1,3}):(-?[0-9]{1,3})")
POINTS = range(1, 25)
HOME = range(1, 7)


class Side(NamedTuple):
    """One side's checkers.

    `points`: 26 counts, index = own number of the point, [0] borne off, [25] on the bar; they add up to 15.
    `pinned`: own numbers of points where its lowest checker lies under the other colour (mahbusa).
    """

    points: tuple[int, ...]
    pinned: frozenset[int] = frozenset()

    @property
    def off(self) -> int:
        return self.points[OFF]

    @property
    def bar(self) -> int:
        return self.points[BAR]

    @property
    def pips(self) -> int:
        """Pips still to go: point times checkers, 25 for each on the bar."""
        return sum(point * count for point, count in enumerate(self.points))

    @property
    def highest(self) -> int:
        """The own number of the rearmost checker, 0 when all are off."""
        return next((point for point in range(BAR, OFF, -1) if self.points[point]), OFF)

    def __str__(self) -> str:
        """The text form "24:2 13:5", points descending; what is missing from 15 is off."""
        return " ".join(f"{point}:{self.points[point]}" for point in range(BAR, OFF, -1) if self.points[point])


class Position(NamedTuple):
    """The board as the player on roll sees it: both sides, each by its own numbers."""

    me: Side
    opponent: Side

    def turned(self) -> "Position":
        """The same board from the other side."""
        return Position(self.opponent, self.me)


def side(counts: Iterable[tuple[int, int]], pinned: Iterable[int] = ()) -> Side:
    """A side from (point, checkers) pairs; what is missing from 15 is off.

    Raises `Unreadable` for points outside 1..25, negative counts, more than 15 checkers.
    """
    points = [0] * 26
    for point, count in counts:
        if not OFF < point <= BAR:
            raise Unreadable("no_such_point", point=point)
        if count < 0:
            raise Unreadable("negative_count", point=point, count=count)
        points[point] += count
    if sum(points) > CHECKERS:
        raise Unreadable("too_many_checkers", count=sum(points))
    points[OFF] = CHECKERS - sum(points)
    return Side(tuple(points), frozenset(pinned))


def read_side(text: str) -> Side:
    """The side that a text form such as "24:2 13:5 8:3 6:5" describes; raises `Unreadable`."""
    pairs = []
    for word in text.split():
        entry = _ENTRY.fullmatch(word)
        if entry is None:
            raise Unreadable("bad_position", word=word[:20])
        pairs.append((int(entry[1]), int(entry[2])))
    if len({point for point, _ in pairs}) < len(pairs):
        raise Unreadable("point_twice", text=text)
    return side(pairs)
