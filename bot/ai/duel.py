"""Two games between two levels with the same dice, seats changed: what the arena is made of."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from bot.ai.thinking import think
from bot.engine.board import Position
from bot.engine.dice import Roll
from bot.engine.plays import legal_plays
from bot.engine.variant import Variant
from bot.service.ports import Question
from bot.variants import variant

RANDOM = "random"
"""A player to compare with: any legal play, each as likely."""
MOST_TURNS = 2000
"""After so many a game is void."""


class Contest(NamedTuple):
    """Who plays what, and the seed that all dice and mistakes follow from."""

    game: str
    first: str
    second: str
    seed: int


@dataclass(frozen=True, slots=True)
class Pair:
    """Two games with the same dice: one begun by the first level, one by the second.

    `points`: won by the first level in each, lost ones negative; `turns`: of each game, both sides; `ms`: how
    long each of the first level's decisions took, forced plays left out.
    """

    number: int
    points: tuple[int, int]
    turns: tuple[int, int]
    ms: tuple[float, ...]


def play_pair(contest: Contest, number: int) -> Pair:
    """Plays pair `number` of a contest: the same points and turns whenever it is played."""
    rules, took = variant(contest.game), list[float]()
    games = [_Duel(rules, contest, number, begins, took).play() for begins in (0, 1)]
    (one, first_turns), (other, second_turns) = games
    return Pair(number, (one, other), (first_turns, second_turns), tuple(took))


def rolls(rules: Variant, seed: int, number: int) -> Iterator[Roll]:
    """The dice of pair `number`, without end; where the opening dice are played, the first is no double."""
    luck = Random(f"{seed}.{number}")  # noqa: S311 -- an arena is measured again with the same dice; nobody else plays
    opening = rules.rules.get("opening") == "play"
    while True:
        roll = Roll(luck.randint(1, 6), luck.randint(1, 6))
        if not (opening and roll.double):
            opening = False
            yield roll


class _Duel:
    """One game. Seat 0 is the first level's, whoever begins."""

    def __init__(self, rules: Variant, contest: Contest, number: int, begins: int, took: list[float]) -> None:
        self._rules = rules
        self._levels = (contest.first, contest.second)
        self._rolls = rolls(rules, contest.seed, number)
        self._luck = Random(f"{contest.seed}.{number}.{begins}")  # noqa: S311 -- the levels' mistakes, not dice
        self._begins = begins
        self._took = took

    def play(self) -> tuple[int, int]:
        """The points that the first level wins, lost ones negative, and the turns of both."""
        board, seat = Position(self._rules.start, self._rules.start), self._begins
        for turn in range(1, MOST_TURNS + 1):
            if self._rules.rolls(board):
                board = self._decided(board, next(self._rolls), seat)
            end = self._rules.outcome(board)
            if end is not None:
                won = {"me": 1, "opponent": -1, None: 0}[end.winner]
                return end.points * (won if seat == 0 else -won), turn
            board, seat = board.turned(), 1 - seat
        return 0, MOST_TURNS

    def _decided(self, board: Position, roll: Roll, seat: int) -> Position:
        """The board after the play that the level at `seat` makes."""
        dice, level, seed = self._rules.dice(roll), self._levels[seat], self._luck.getrandbits(32)
        if level == RANDOM:
            luck = Random(seed)  # noqa: S311 -- the player for comparison has nothing but luck
            return luck.choice(legal_plays(self._rules, board, dice)).position
        began = time.perf_counter()
        thought = think(Question(self._rules, board, dice, level, seed))
        if seat == 0 and len(thought.plays) > 1:
            self._took.append(round(1000 * (time.perf_counter() - began), 2))
        return thought.chosen.position
