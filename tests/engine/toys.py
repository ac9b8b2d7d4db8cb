"""Games of the tests' own: they show that the generator serves the whole family."""

from typing import ClassVar

from bot.engine.board import Position, side
from bot.engine.variant import PARALLEL, Contact, Outcome, Variant


class Blocking(Variant):
    """Parallel, one checker holds a point."""

    id = "toy_blocking"
    start = side([(24, 15)])
    contact = Contact.BLOCK
    faces = PARALLEL
    options: ClassVar = {"opening": ("play", "reroll")}


class Pinning(Variant):
    """Contrary, a lone checker is pinned by whoever lands on it; a pinned last starter loses at once."""

    id = "toy_pinning"
    start = side([(24, 15)])
    contact = Contact.PIN
    options: ClassVar = {"opening": ("reroll", "play"), "mother": ("on", "off")}

    def finished(self, position: Position) -> bool:
        return super().finished(position) or self._mother_pinned(position)

    def outcome(self, position: Position) -> Outcome | None:
        if self._mother_pinned(position):
            return Outcome("me", 2, "mars")
        return super().outcome(position)

    def _mother_pinned(self, position: Position) -> bool:
        pinned = 24 in position.opponent.pinned and not position.me.points[24]
        return self.rules["mother"] == "on" and pinned
