"""Tavla, the hitting game (`rules.md`, section 2): contrary, no cube, mars counts two."""

from collections.abc import Hashable
from typing import ClassVar

from bot.engine.board import HOME, Position, side
from bot.engine.steps import Step
from bot.engine.variant import Variant


class Tavla(Variant):
    """Hit lone checkers; closed out players do not roll."""

    id = "tavla"
    start = side([(24, 2), (13, 5), (8, 3), (6, 5)])
    options: ClassVar = {
        "opening": ("reroll", "play"),
        "next_starter": ("fresh", "winner", "alternate"),
        "hit_and_run": ("allow", "forbid_home"),
        "closed_out": ("skip", "roll"),
    }

    def prepare(self) -> None:
        self.restricts = self.rules["hit_and_run"] == "forbid_home"
        self._skips_closed_out = self.rules["closed_out"] == "skip"

    def rolls(self, position: Position) -> bool:
        """A checker on the bar behind six closed points cannot enter whatever falls."""
        closed = all(position.opponent.points[point] >= 2 for point in HOME)
        return not (self._skips_closed_out and position.me.bar and closed)

    def trace(self, trace: Hashable, step: Step) -> Hashable:
        """The own home points on which a checker has hit in this turn."""
        if not (self.restricts and step.hit and step.end in HOME):
            return trace
        return (trace if isinstance(trace, frozenset) else frozenset()) | {step.end}

    def forbids(self, position: Position, step: Step, trace: Hashable) -> str | None:
        """The checker that hit at home stays; another one on the same point may go."""
        hitters = trace if isinstance(trace, frozenset) else frozenset()
        if step.start in hitters and position.me.points[step.start] == 1:
            return "hit_and_run"
        return None


GAME = Tavla
