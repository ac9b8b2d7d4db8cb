"""A step: one checker by one die. A play: all the steps of a roll."""

from typing import NamedTuple

from bot.engine.board import Position


class Step(NamedTuple):
    """One checker from `start` to `end` by `die`, in the mover's numbers: 25 the bar, 0 off."""

    start: int
    end: int
    die: int
    hit: bool = False


class Play(NamedTuple):
    """A whole play: its steps in order, the board after it (same view) and the dice left over."""

    steps: tuple[Step, ...]
    position: Position
    left: tuple[int, ...]
