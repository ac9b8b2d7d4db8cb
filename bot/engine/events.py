"""What happened in a match, as data. They hold seats and rolls, never people: a match is its events."""

from dataclasses import dataclass

from bot.engine.commands import Scope
from bot.engine.dice import Roll


@dataclass(frozen=True, slots=True)
class GameBegan:
    """Game `number` (from 1) was set up; `starter` is None where an opening roll decides."""

    number: int
    starter: int | None


@dataclass(frozen=True, slots=True)
class OpeningRolled:
    """One die each, roll `index` of the match: `roll.first` is seat 0's; equal dice are rolled again."""

    index: int
    roll: Roll


@dataclass(frozen=True, slots=True)
class Rolled:
    """`seat` threw roll `index` of the match."""

    seat: int
    index: int
    roll: Roll


@dataclass(frozen=True, slots=True)
class Stepped:
    """One checker by one die. `chosen`: the first step of an action where there was a choice."""

    seat: int
    start: int
    die: int
    chosen: bool


@dataclass(frozen=True, slots=True)
class Undone:
    """The turn was taken back until `kept` of its steps were left."""

    seat: int
    kept: int


@dataclass(frozen=True, slots=True)
class Played:
    """The steps of the turn became final; `forced`: there was nothing to decide."""

    seat: int
    forced: bool


@dataclass(frozen=True, slots=True)
class Passed:
    """The turn went by: `reason` is "no_play" (after the roll) or "closed_out" (without one)."""

    seat: int
    reason: str


@dataclass(frozen=True, slots=True)
class Conceded:
    """`seat` offered the game, worth `points` to the other, or the match."""

    seat: int
    scope: Scope
    points: int


@dataclass(frozen=True, slots=True)
class ConcessionAnswered:
    """The offer was taken, or play goes on."""

    seat: int
    accepted: bool


@dataclass(frozen=True, slots=True)
class GameEnded:
    """`winner` scored `points`; `kind` names the win, `by` is "play" or "concession"."""

    winner: int
    points: int
    kind: str
    by: str


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """`reason`: "score", "concession" or "aborted" (then nobody won)."""

    winner: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class RematchAsked:
    """`seat` would like the same match again."""

    seat: int


Event = (
    GameBegan
    | OpeningRolled
    | Rolled
    | Stepped
    | Undone
    | Played
    | Passed
    | Conceded
    | ConcessionAnswered
    | GameEnded
    | MatchEnded
    | RematchAsked
)
