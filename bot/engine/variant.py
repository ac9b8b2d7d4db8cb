"""What makes one game of the family differ from another. A game is a subclass in `bot.variants`."""

from collections.abc import Hashable, Mapping
from enum import Enum
from typing import ClassVar, NamedTuple

from bot.engine.board import BAR, CHECKERS, HOME, OFF, POINTS, Position, Side
from bot.engine.dice import Roll
from bot.engine.errors import Unreadable
from bot.engine.steps import Step

Value = str | int | bool | tuple[int, ...]


class Contact(Enum):
    """What a lone opposing checker means to whoever lands on it."""

    HIT = "hit"
    BLOCK = "block"
    PIN = "pin"


class Outcome(NamedTuple):
    """How a game ended: for whoever is `me` of the position, or for the opponent; nobody: void."""

    winner: str | None
    points: int
    kind: str


CONTRARY = tuple(25 - point for point in range(26))
PARALLEL = tuple((point + 11) % 24 + 1 for point in range(26))


class Variant:
    """One game with its house rules settled. The defaults are those of most games.

    `options`: every house rule with its possible values, the default first.
    `faces`: own number of a point -> the opponent's number of the same point.
    """

    id: ClassVar[str]
    start: ClassVar[Side]
    options: ClassVar[Mapping[str, tuple[Value, ...]]]
    contact: ClassVar[Contact] = Contact.HIT
    faces: ClassVar[tuple[int, ...]] = CONTRARY
    gammon: ClassVar[str] = "mars"
    restricts: bool = True
    """Whether `forbids` and `trace` have anything to say; a game may settle that with its rules."""

    def __init__(self, rules: Mapping[str, Value] | None = None) -> None:
        """Settles `rules` over the defaults; raises `Unreadable` for an unknown rule or value."""
        self.rules = {name: values[0] for name, values in self.options.items()}
        for name, value in (rules or {}).items():
            if name not in self.options:
                raise Unreadable("unknown_rule", rule=name, possible=tuple(self.options))
            allowed = self.options[name]
            if not any(value == known and type(value) is type(known) for known in allowed):
                raise Unreadable("unknown_value", rule=name, value=value, possible=allowed)
            self.rules[name] = value
        self.prepare()

    def prepare(self) -> None:
        """Called once the rules are settled: a game keeps here what its hooks ask at every step."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Variant) and (self.id, self.rules) == (other.id, other.rules)

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"<{self.id} {self.rules}>"

    def facing(self, point: int) -> int:
        """The opponent's number of my point."""
        return self.faces[point]

    def dice(self, roll: Roll) -> tuple[int, ...]:
        """The dice that a roll gives to play."""
        return roll.dice

    def rolls(self, position: Position) -> bool:
        """Whether the player on roll throws at all (a closed out player may not)."""
        return True

    def trace(self, trace: Hashable, step: Step) -> Hashable:
        """What the rest of the turn must remember after `step`; None at the start of a turn."""
        return trace

    def forbids(self, position: Position, step: Step, trace: Hashable) -> str | None:
        """The reason why this game forbids a step that the common rules allow."""
        return None

    def finished(self, position: Position) -> bool:
        """Whether the game is over after a step of `me`."""
        return position.me.points[OFF] == CHECKERS

    def outcome(self, position: Position) -> Outcome | None:
        """How the game has ended, or None while it goes on."""
        for winner, mine, other in (("me", *position), ("opponent", *position.turned())):
            if mine.off == CHECKERS:
                points = self.worth(other)
                return Outcome(winner, points, self.kind(points))
        return None

    def worth(self, loser: Side) -> int:
        """The points that a side loses if it loses now; also what a concession costs."""
        return 1 if loser.off else 2

    def kind(self, points: int) -> str:
        """The name of a win of that many points, cube apart."""
        return "single" if points == 1 else self.gammon

    def check(self, position: Position) -> None:
        """Raises `Unreadable` for a board that cannot be: two sides on one point, a bar where there is none."""
        me, opponent = position
        for side in position:
            if side.bar and self.contact is not Contact.HIT:
                raise Unreadable("no_bar", game=self.id)
            self._check_pins(side)
        for point in POINTS:
            mine, his = me.points[point], opponent.points[self.facing(point)]
            pinned = point in me.pinned or self.facing(point) in opponent.pinned
            if mine and his and not pinned:
                raise Unreadable("both_on_point", point=point)
            if pinned and not (mine and his):
                raise Unreadable("pin_without_cover", point=point)
        if self.outcome(position):
            raise Unreadable("finished")

    def _check_pins(self, side: Side) -> None:
        if side.pinned and self.contact is not Contact.PIN:
            raise Unreadable("no_pins", game=self.id)
        for point in side.pinned:
            if point not in POINTS or side.points[point] != 1:
                raise Unreadable("pin_without_cover", point=point)

    def all_home(self, side: Side) -> bool:
        """Whether a side may bear off: nothing outside 1..6, nothing on the bar, nothing pinned."""
        return not any(side.points[HOME.stop :]) and not side.pinned


__all__ = ["BAR", "CONTRARY", "PARALLEL", "Contact", "Outcome", "Value", "Variant"]
