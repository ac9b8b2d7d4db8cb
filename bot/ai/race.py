"""The race: how many rolls a side needs, and who gets there first when nobody can be met any more."""

from collections.abc import Sequence
from math import erf, sqrt

from bot.ai.chances import Chances
from bot.engine.board import CHECKERS, HOME, Position, Side

PIPS_A_ROLL = 49 / 6


def rolls_to_finish(side: Side) -> float:
    raise NotImplementedError
