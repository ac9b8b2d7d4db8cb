"""The hand-written evaluation: what is seen on the board, weighed; the race where there is no contact."""

from collections.abc import Iterable, Sequence
from math import exp
from operator import mul, sub
from typing import NamedTuple

from bot.ai.chances import Chances
from bot.ai.features import Seen, Strength, contact, seen
from bot.ai.race import lead, race
from bot.ai.shots import PIPS_A_ROLL
from bot.engine.board import Position
from bot.engine.variant import Variant


class Danger(NamedTuple):
    """What makes a loser lose double: weighed, the log odds that a game lost after contact is a gammon."""

    always: float
    winner_on_roll: float
    gap: float
    """Rolls by which the loser's first checker off comes after the winner's last, without contact."""
    back: float
    """The loser's checkers in the start quarter or on the bar."""
    anchor: float
    trapped: float
    closed_out: float
    """The loser's, as in `Strength`."""


class Weights(NamedTuple):
    """What counts how much: log odds of a win for one unit of each number, and of a gammon in a lost game."""

    on_roll: float
    race: float
    """For the lead in the race, in standard deviations of its outcome."""
    shots: float
    strength: Strength
    """For mine less the opponent's."""
    danger: Danger


# Fitted by logistic regression to the results of 2,500 games of tavla (106,000 boards with contact) that an earlier
# guess, made a little unsteady, played against itself; each number was held to the sign that it must have.
WEIGHTS = Weights(
    on_roll=-0.03,
    race=0.53,
    shots=0.77,
    strength=Strength(
        home=0.04,
        five=0.12,
        four=0.18,
        seven=0.14,
        prime=0.12,
        anchor=0.04,
        trapped=-0.05,
        bar=-0.05,
        closed_out=-0.02,
        stacked=-0.03,
        deep=-0.07,
        spare=0.03,
        middle=0.22,
    ),
    danger=Danger(always=-1.15, winner_on_roll=0.17, gap=0.124, back=0.25, anchor=-0.02, trapped=0.03, closed_out=0.02),
)


class HandWritten:
    """An `Evaluator` for any game of the family, fitted to tavla; it tells no backgammons."""

    def __init__(self, weights: Weights = WEIGHTS) -> None:
        self._win = (weights.on_roll, weights.race, weights.shots, *weights.strength)
        self._danger = weights.danger

    def __call__(self, variant: Variant, positions: Sequence[Position]) -> list[Chances]:
        """The chances of `me` in each position, where `me` is about to roll and nothing is decided yet."""
        return [self._chances(variant, position) for position in positions]

    def _chances(self, variant: Variant, position: Position) -> Chances:
        if not contact(variant, position):
            return race(position)
        board = seen(variant, position)
        win = _odds(self._win, win_signs(board))
        mine, his = dangers(board)
        return Chances(
            win,
            0.0 if position.opponent.off else win * _odds(self._danger, his),
            0.0,
            0.0 if position.me.off else (1 - win) * _odds(self._danger, mine),
            0.0,
        )


def win_signs(board: Seen) -> tuple[float, ...]:
    """The numbers that are weighed for a win, in the order of `Weights`."""
    return (1.0, lead(*board.rolls), board.shots, *map(sub, board.me, board.opponent))


def dangers(board: Seen) -> tuple[Danger, Danger]:
    """The danger of a gammon that I am in, and the opponent."""
    return _danger(board, board.me, loser=0), _danger(board, board.opponent, loser=1)


def _danger(board: Seen, strength: Strength, loser: int) -> Danger:
    """`strength` is the loser's, who is 0 (me, on roll) or 1."""
    return Danger(
        always=1,
        winner_on_roll=loser,
        gap=1 + board.outside[loser] / PIPS_A_ROLL - board.rolls[1 - loser],
        back=board.back[loser],
        anchor=strength.anchor,
        trapped=strength.trapped,
        closed_out=strength.closed_out,
    )


def _odds(weights: Iterable[float], numbers: Iterable[float]) -> float:
    """The chance whose log odds are the weighed numbers."""
    return 1 / (1 + exp(-sum(map(mul, weights, numbers))))
