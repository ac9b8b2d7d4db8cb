"""What a position is worth: the chances of each way a game can end, and who can tell them."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from bot.engine.board import Position
from bot.engine.variant import Outcome, Variant


class Chances(NamedTuple):
    """Chances from 0 to 1 of one side, nested: a win includes gammons, a gammon includes backgammons."""

    win: float
    win_gammon: float
    win_backgammon: float
    lose_gammon: float
    lose_backgammon: float

    @property
    def equity(self) -> float:
        """Expected points of a game: every level of a win adds one point, whatever the game calls it.

        A game that knows no backgammon gives it no chance; so this holds for 1 and 2 as for 1, 2 and 3.
        """
        won = self.win + self.win_gammon + self.win_backgammon
        lost = 1 - self.win + self.lose_gammon + self.lose_backgammon
        return won - lost

    def turned(self) -> "Chances":
        """The same from the other side."""
        return Chances(1 - self.win, self.lose_gammon, self.lose_backgammon, self.win_gammon, self.win_backgammon)


class Evaluator(Protocol):
    """Tells chances: a formula now, a trained network later."""

    def __call__(self, variant: Variant, positions: Sequence[Position]) -> Sequence[Chances]:
        """The chances of `me` in each of `positions`, where `me` is about to roll and nothing is decided yet."""
        ...


def decided(outcome: Outcome) -> Chances:
    """The chances of `me` in a game that has ended; a void one is worth nothing to either."""
    if outcome.winner is None:
        return Chances(0.5, 0.0, 0.0, 0.0, 0.0)
    won = Chances(1.0, float(outcome.points > 1), float(outcome.points > 2), 0.0, 0.0)
    return won if outcome.winner == "me" else won.turned()
