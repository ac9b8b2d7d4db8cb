"""The hand-written evaluation: what is seen on the board, weighed; the race where there is no contact."""

from collections.abc import Iterable, Sequence
from math import exp, sqrt
from operator import mul, sub
from typing import NamedTuple

from bot.ai.chances import Chances
from bot.ai.features import Seen, Shots, Strength, contact, seen
from bot.ai.race import race
from bot.ai.shots import PIPS_A_ROLL
from bot.engine.board import Position
from bot.engine.variant import Variant


class Danger(NamedTuple):
    """What makes a loser lose double: weighed, the log odds that a game lost in contact is a gammon."""

    always: float
    winner_on_roll: float
    gap: float
    """Rolls by which the loser's first checker off comes after the winner's last."""
    home: float
    """The winner's closed points at home."""
    back: float
    bar: float
    closed_out: float
    trapped: float
    anchor: float
    high_anchor: float
    """The loser's, as in `Strength`."""
    hit_home: float
    """The winner's shots, as in `Shots`."""
    hit_back: float
    """The chance that the loser hits."""


class Weights(NamedTuple):
    """What counts how much: log odds of a win for one unit of each number, and of a gammon in a lost game."""

    on_roll: float
    race: float
    """For the lead in the race, in standard deviations of its outcome."""
    strength: Strength
    """For mine less the opponent's."""
    mine: Shots
    his: Shots
    danger: Danger


WEIGHTS = Weights(-0.045,.53,Strength(*[0.0]*17),Shots(0,0,0),Shots(0,0,0),Danger(*[0.0]*12))


class HandWritten:
    """An `Evaluator` for games with contact of any kind; it tells no backgammons."""

    def __init__(self, weights: Weights = WEIGHTS) -> None:
        self._win = (weights.on_roll, weights.race, *weights.strength, *weights.mine, *weights.his)
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
    return (1.0, lead(*board.rolls), *map(sub, board.me, board.opponent), *board.mine, *board.his)


def lead(mine: float, his: float) -> float:
    """The lead of whoever is on roll in the race, in standard deviations of its outcome; from rolls to finish."""
    return (his - mine + 0.5) / sqrt(0.2 * max(mine + his - 2, 0.0) + 0.04)


def dangers(board: Seen) -> tuple[Danger, Danger]:
    """The danger of a gammon that I am in, and the opponent."""
    me, opponent, mine, his = board.me, board.opponent, board.mine, board.his
    return (
        _danger(0.0, board.outside[0], board.rolls[1], opponent, me, his, mine),
        _danger(1.0, board.outside[1], board.rolls[0], me, opponent, mine, his),
    )


def _danger(
    on_roll: float, outside: int, finish: float, winner: Strength, loser: Strength, shots: Shots, back: Shots
) -> Danger:
    return Danger(
        always=1.0,
        winner_on_roll=on_roll,
        gap=1 + outside / PIPS_A_ROLL - finish,
        home=winner.home,
        back=loser.back,
        bar=loser.bar,
        closed_out=loser.closed_out,
        trapped=loser.trapped,
        anchor=loser.anchor,
        high_anchor=loser.high_anchor,
        hit_home=shots.hit_home,
        hit_back=back.hit,
    )


def _odds(weights: Iterable[float], numbers: Iterable[float]) -> float:
    """The chance whose log odds are the weighed numbers."""
    return 1 / (1 + exp(-sum(map(mul, weights, numbers))))
