"""One game of a match: the board, the roll in hand and how far it has been played."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from bot.engine.board import Position, Side
from bot.engine.dice import Roll
from bot.engine.plays import Turn
from bot.engine.steps import Step
from bot.engine.variant import Variant

RECENT = 8


class Taken(NamedTuple):
    """A step of the turn in hand. `chosen`: the first of an action where there was a choice."""

    start: int
    die: int
    chosen: bool


class PastTurn(NamedTuple):
    """A turn that is over, for telling it: `steps` are in `seat`'s own numbers; `passed` is why there are none."""

    seat: int
    roll: Roll | None
    steps: tuple[Step, ...]
    forced: bool = False
    passed: str | None = None

    @property
    def decided(self) -> bool:
        """Whether somebody chose it."""
        return not self.forced and self.passed is None


class Result(NamedTuple):
    """How a game ended."""

    winner: int
    points: int
    kind: str
    by: str


@dataclass(frozen=True, slots=True)
class Game:
    """Both sides by their seats, each in its own numbers; the board as it was when the turn began."""

    number: int
    variant: Variant
    sides: tuple[Side, Side]
    starter: int | None = None
    on_roll: int | None = None
    opening: Roll | None = None
    roll: Roll | None = None
    so_far: tuple[Taken, ...] = ()
    rolls: tuple[int, int] = (0, 0)
    turns: int = 0
    recent: tuple[PastTurn, ...] = ()
    """The turns before the one in hand, the latest last, as many as are worth telling."""
    result: Result | None = None
    before: Result | None = None
    """How the game before this one ended: whoever comes late to this one may not have seen it."""

    @property
    def position(self) -> Position:
        """The board when the turn in hand began, as the player on roll sees it (seat 0 in the opening)."""
        return self.seen_by(self.on_roll or 0)

    def seen_by(self, seat: int) -> Position:
        """The board when the turn in hand began, as `seat` sees it."""
        return Position(self.sides[seat], self.sides[1 - seat])

    def turn(self) -> Turn:
        """The roll in hand, played as far as it has been."""
        return _turn(self.variant, self.position, self.roll, self.so_far)

    def now(self) -> tuple[Side, Side]:
        """Both sides by their seats, the half-played turn included."""
        if not self.so_far:
            return self.sides
        return by_seat(self.turn().position, self.on_roll or 0)

    def after(self, past: PastTurn, sides: tuple[Side, Side]) -> "Game":
        """The game once the turn in hand is over: the other side is on roll."""
        recent = (*self.recent, past)[-RECENT:]
        return replace(
            self, sides=sides, recent=recent, on_roll=1 - past.seat, roll=None, so_far=(), turns=self.turns + 1
        )


@lru_cache(maxsize=64)
def _turn(variant: Variant, position: Position, roll: Roll | None, so_far: tuple[Taken, ...]) -> Turn:
    """The turn that these lead to. The same one is asked for many times within one action, and the one before it was
    asked for by the action before: what is known of that one is known of this one too."""
    if not so_far:
        return Turn.begin(variant, position, variant.dice(roll) if roll else ())
    last = so_far[-1]
    return _turn(variant, position, roll, so_far[:-1]).take(last.start, last.die)


def by_seat(position: Position, seat: int) -> tuple[Side, Side]:
    """Both sides in seat order, from the view of `seat`."""
    return (position.me, position.opponent) if seat == 0 else (position.opponent, position.me)


def begun(number: int, variant: Variant, starter: int | None, before: Result | None = None) -> Game:
    """A game as it is set up; a known starter throws at once."""
    return Game(number, variant, (variant.start, variant.start), starter, on_roll=starter, before=before)
