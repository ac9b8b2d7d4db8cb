"""Boards to think about: what random play reaches, the same ones each time."""

from collections.abc import Iterator
from random import Random

from bot.engine.board import Position, read_side
from bot.engine.dice import Roll
from bot.engine.plays import legal_plays
from bot.variants import variant

TAVLA = variant("tavla")
START = Position(TAVLA.start, TAVLA.start)


def board(me: str, opponent: str) -> Position:
    return Position(read_side(me), read_side(opponent))


def met(count: int, seed: int = 1) -> Iterator[tuple[Position, Roll]]:
    """`count` boards of random games with a roll to play."""
    luck, now = Random(seed), START
    for _ in range(count):
        roll = Roll(luck.randint(1, 6), luck.randint(1, 6))
        yield now, roll
        now = luck.choice(legal_plays(TAVLA, now, roll.dice)).position.turned()
        if TAVLA.outcome(now):
            now = START
