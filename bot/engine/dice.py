"""Two dice. Where they come from is not known here: rolls are handed in."""

from collections.abc import Callable
from typing import NamedTuple

from bot.engine.errors import Unreadable

FACES = range(1, 7)


class Roll(NamedTuple):
    """Both dice as they fell; in an opening roll `first` is seat 0's die."""

    first: int
    second: int

    @property
    def double(self) -> bool:
        return self.first == self.second

    @property
    def dice(self) -> tuple[int, ...]:
        """The dice to be played, larger first; four for a double."""
        if self.double:
            return (self.first,) * 4
        return (max(self), min(self))


Dice = Callable[[int], Roll]
"""The luck of a match: the roll of each index, the same each time it is asked for."""

ROLLS: tuple[tuple[Roll, int], ...] = tuple(
    (Roll(high, low), 1 if high == low else 2) for high in FACES for low in range(1, high + 1)
)
"""The 21 rolls, each with its chances in 36."""


def read_roll(dice: tuple[int, ...]) -> Roll:
    """The roll of two numbers; raises `Unreadable` unless there are two from 1 to 6."""
    if len(dice) != 2:
        raise Unreadable("two_dice", count=len(dice))
    for die in dice:
        if die not in FACES:
            raise Unreadable("bad_die", die=die)
    return Roll(*dice)
