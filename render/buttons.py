"""The buttons of a table: one for each legal step, then shortcuts, then the controls, each at its place.

25 places: 0-19 for steps, 20-24 for controls. A control keeps its place, so that whatever cannot be undone (an answer
to an offer, the next game, a rematch) never lies where a roll, a confirmation or a step was.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from bot.engine.match import Match, Phase
from bot.engine.notation import point_name, write, write_step
from bot.engine.plays import Turn, combined, repeated
from bot.engine.steps import Step
from bot.service.actions import Action, Verb, encode
from bot.service.table import Table
from render.words import Words

STEP_PLACES = 20
FIRST, SECOND, THIRD, FOURTH, FIFTH = range(STEP_PLACES, STEP_PLACES + 5)

Kind = Literal["step", "shortcut", "main", "plain", "danger"]


@dataclass(frozen=True, slots=True)
class Button:
    """One button. `start`, `end`: the viewer's own numbers of the step or shortcut that it takes."""

    label: str
    action: str
    place: int
    kind: Kind
    start: int | None = None
    end: int | None = None


def buttons(
    table: Table, seat: int | None, words: Words, panel: str = "", *, shared: bool = False
) -> tuple[Button, ...]:
    """What `seat` can press now, by place; nothing for somebody who watches. `shared`: others see them too."""
    if seat is None:
        return ()
    making = _Making(table, seat, words)
    if panel == "concede" and table.match.may_concede(seat):
        return making.concessions(shared=shared)
    if panel == "abort" and table.match.may_abort:
        return making.aborting()
    return tuple(sorted((*making.steps(panel), *making.controls()), key=lambda button: button.place))


class _Making:
    """Makes the buttons of one viewer."""

    def __init__(self, table: Table, seat: int, words: Words) -> None:
        self._table = table
        self._match: Match = table.match
        self._seat = seat
        self._words = words
        self._acting = seat in table.awaited

    def steps(self, panel: str) -> list[Button]:
        """One button a legal step, the most useful first; over 20, first the checker, then its targets."""
        if not (self._acting and self._match.phase is Phase.PLAY):
            return []
        turn = self._match.game.turn()
        steps = sorted(turn.steps(), key=lambda step: _usefulness(turn, step))
        chosen = [step for step in steps if panel == f"f{step.start}"]
        shortcuts = [*repeated(turn), *combined(turn)]
        if chosen:
            ways = [way for way in shortcuts if way[0].start == chosen[0].start]
            return [*self._placed([*((step,) for step in chosen), *ways]), self._back()]
        if len(steps) > STEP_PLACES:
            return self._checkers(steps)
        return self._placed([*((step,) for step in steps), *shortcuts])

    def controls(self) -> list[Button]:
        """The buttons of the last row."""
        found = [*self._going_on(), *self._leaving()]
        return [button for button in found if button is not None]

    def concessions(self, *, shared: bool) -> tuple[Button, ...]:
        """What can be conceded, each with its worth, by this seat alone."""
        say = self._words.say
        points = self._match.concession(self._seat)
        kind = self._words.win(self._match.game.variant.kind(points))
        worth = f"−{points} · {kind}" if kind else f"−{points}"
        game, match = say("Concede this game (%(worth)s)", worth=worth), say("Concede the match (you lose it)")
        if shared:
            name = self._words.names(self._table.seats)[self._seat]
            game = say("%(name)s concedes this game (%(worth)s)", name=name, worth=worth)
            match = say("%(name)s concedes the match", name=name)
        found = [self._back(), self._own(Verb.CONCEDE_GAME, game, SECOND)]
        if "match" in self._match.scopes:
            found.append(self._own(Verb.CONCEDE_MATCH, match, THIRD))
        return tuple(found)

    def aborting(self) -> tuple[Button, ...]:
        """Aborting is asked about once more: it cannot be taken back."""
        abort = self._button(Verb.ABORT, self._words.say("Abort, nothing counts"), SECOND, "danger")
        return self._back(), abort

    def _going_on(self) -> list[Button | None]:
        say, phase = self._words.say, self._match.phase
        if not self._acting:
            return []
        if phase is Phase.ROLL:
            return [self._button(Verb.ROLL, say("Roll"), FIRST, "main")]
        if phase is Phase.PLAY:
            return self._playing()
        if phase is Phase.CONCESSION:
            return [
                self._button(Verb.DECLINE, say("Decline, play on"), FOURTH, "plain"),
                self._button(Verb.ACCEPT, say("Accept"), FIFTH, "plain"),
            ]
        if phase is Phase.BETWEEN:
            return [self._button(Verb.NEXT_GAME, say("Next game"), THIRD, "main")]
        asked = self._match.rematch[self._seat] or self._table.successor
        return [] if asked else [self._button(Verb.REMATCH, say("Rematch"), THIRD, "main")]

    def _playing(self) -> list[Button | None]:
        say, game = self._words.say, self._match.game
        complete = not game.turn().steps()
        undo = any(taken.chosen for taken in game.so_far)
        hint = self._table.computer is not None and not complete
        return [
            self._button(Verb.CONFIRM, say("Confirm"), FIRST, "main") if complete else None,
            self._button(Verb.UNDO, say("Undo"), SECOND, "plain") if undo else None,
            self._button(Verb.HINT, say("Hint"), THIRD, "plain") if hint else None,
        ]

    def _leaving(self) -> list[Button | None]:
        say, match = self._words.say, self._match
        if match.offer or match.stage not in (Phase.ROLL, Phase.PLAY):
            return []
        return [
            self._opens("concede", say("Concede…"), FOURTH) if match.may_concede(self._seat) else None,
            self._opens("abort", say("Abort…"), FIFTH) if match.may_abort else None,
        ]

    def _placed(self, entries: Iterable[tuple[Step, ...]]) -> list[Button]:
        return [self._step(steps, place) for place, steps in enumerate(entries) if place < STEP_PLACES]

    def _step(self, steps: tuple[Step, ...], place: int) -> Button:
        taken = tuple((step.start, step.die) for step in steps)
        action = encode(Action(self._table.id, self._table.revision, Verb.STEPS, taken))
        start, end = steps[0].start, steps[-1].end
        if len(steps) == 1:
            return Button(write_step(steps[0]), action, place, "step", start, end)
        same = steps[0].start == steps[1].start
        label = f"{write_step(steps[0])} ×{len(steps)}" if same else write(steps)
        return Button(label, action, place, "shortcut", start, steps[0].end if same else end)

    def _checkers(self, steps: list[Step]) -> list[Button]:
        starts = list(dict.fromkeys(step.start for step in steps))
        return [
            Button(
                f"{point_name(start)}…",
                encode(Action(self._table.id, self._table.revision, Verb.PANEL, panel=f"f{start}")),
                place,
                "step",
                start,
            )
            for place, start in enumerate(starts)
        ]

    def _back(self) -> Button:
        return self._opens("main", self._words.say("Back"), FIRST)

    def _opens(self, panel: str, label: str, place: int) -> Button:
        """A button that shows other buttons."""
        action = encode(Action(self._table.id, self._table.revision, Verb.PANEL, panel=panel))
        return Button(label, action, place, "plain")

    def _own(self, verb: Verb, label: str, place: int) -> Button:
        """A button for this seat alone."""
        action = Action(self._table.id, self._table.revision, verb, seat=self._seat)
        return Button(label, encode(action), place, "danger")

    def _button(self, verb: Verb, label: str, place: int, kind: Kind) -> Button:
        return Button(label, encode(Action(self._table.id, self._table.revision, verb)), place, kind)


def _usefulness(turn: Turn, step: Step) -> tuple[bool, bool, bool, int, int]:
    """Sorts steps: off the board, hits, points made or held, then the rearmost checker and the larger die."""
    joins = step.end > 0 and turn.position.me.points[step.end] > 0
    return (step.end > 0, not step.hit, not joins, -step.start, -step.die)
