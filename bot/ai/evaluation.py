"""The hand-written evaluation: what is seen on the board, weighed; the race where there is no contact."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, sqrt
from operator import mul

from bot.ai.chances import Chances
from bot.ai.features import Seen, Shots, Strength, contact, seen
from bot.ai.race import race
from bot.engine.board import Position
from bot.engine.variant import Variant


class Danger:
    pass


@dataclass(frozen=True)
class Weights:
    on_roll: float
    race: float
    strength: Strength
    mine: Shots
    his: Shots
    gammon: tuple[float, ...]


WEIGHTS = Weights(
    0.1,
    1.0,
    Strength(0.15, 0.25, 0.15, 0.15, 0.2, 0.15, 0.15, -0.1, -0.4, -0.3, -0.15, -0.05, -0.05, -0.05, -0.06, 0.05, 0.05),
    Shots(0.8, 1.0, 0.15),
    Shots(0.4, 0.5, 0.1),
    (-1.5, 0.1, 0.8, 0.1, 0.3, 0.2, 0.2, 0.4, -0.5, -0.2, 1.0, -1.0),
)


def lead(rolls):
    mine, his = rolls
    return (his - mine + 0.5) / sqrt(0.2 * max(mine + his - 2, 0.0) + 0.04)


def danger(me, opponent, mine, his, finish, outside, on_roll):
    return (
        1.0, on_roll, 1 + outside / 49 * 6 - finish, me.home, opponent.back, opponent.bar, opponent.closed_out,
        opponent.trapped, opponent.anchor, opponent.high_anchor, mine.hit_home, his.hit,
    )


def win_vector(board: Seen):
    return (1.0, lead(board.rolls), *map(lambda a, b: a - b, board.me, board.opponent), *board.mine, *(-x for x in board.his))


def gammon_vectors(board: Seen):
    return (
        danger(board.me, board.opponent, board.mine, board.his, board.rolls[0], board.outside[1], 1.0),
        danger(board.opponent, board.me, board.his, board.mine, board.rolls[1], board.outside[0], 0.0),
    )

def sig(x): return 1 / (1 + exp(-max(-30,min(30,x))))


class HandWritten:
    def __init__(self, weights: Weights = WEIGHTS) -> None:
        self.w = (weights.on_roll, weights.race, *weights.strength, *weights.mine, *weights.his)
        self.g = weights.gammon

    def __call__(self, variant, positions):
        return [self.one(variant, p) for p in positions]

    def one(self, variant, position):
        if not contact(variant, position):
            return race(position)
        b = seen(variant, position)
        win = sig(sum(map(mul, self.w, win_vector(b))))
        a, c = gammon_vectors(b)
        return Chances(win, 0.0 if position.opponent.off else win * sig(sum(map(mul, self.g, a))), 0.0,
                       0.0 if position.me.off else (1 - win) * sig(sum(map(mul, self.g, c))), 0.0)
