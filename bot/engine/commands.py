"""What can be asked of a match. A `seat` is 0 (the challenger) or 1."""

from dataclasses import dataclass
from typing import Literal

Scope = Literal["game", "match"]


@dataclass(frozen=True, slots=True)
class Proceed:
    """What nobody has to decide: opening roll, roll, forced play, pass."""


@dataclass(frozen=True, slots=True)
class Throw:
    """Rolls the dice, where the player does that himself."""

    seat: int


@dataclass(frozen=True, slots=True)
class TakeSteps:
    """Steps in order, each (start, die) in the mover's numbers; all of them or none are taken."""

    seat: int
    steps: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Undo:
    """Back to before the last step of this turn that was a choice."""

    seat: int


@dataclass(frozen=True, slots=True)
class Confirm:
    """The turn is played as it lies."""

    seat: int


@dataclass(frozen=True, slots=True)
class Concede:
    """Offers this game, or the match, to the opponent."""

    seat: int
    scope: Scope


@dataclass(frozen=True, slots=True)
class AnswerConcession:
    """Takes the opponent's concession, or plays on."""

    seat: int
    accept: bool


@dataclass(frozen=True, slots=True)
class NextGame:
    """On with the match after a game."""

    seat: int


@dataclass(frozen=True, slots=True)
class Abort:
    """Ends a match that has hardly begun, without a result."""

    seat: int


@dataclass(frozen=True, slots=True)
class AskRematch:
    """The same match again, once both have asked."""

    seat: int


Command = Proceed | Throw | TakeSteps | Undo | Confirm | Concede | AnswerConcession | NextGame | Abort | AskRematch
