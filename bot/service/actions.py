"""What a button carries: match, revision, verb; at most 64 bytes and never anybody's words."""

import re
from dataclasses import dataclass
from enum import StrEnum

from bot.engine import commands as ask
from bot.engine.commands import Command
from bot.engine.errors import Unreadable
from bot.service.fairness import ID_LENGTH

MOST_BYTES = 64
_FORM = re.compile(
    rf"([a-z0-9]{{{ID_LENGTH}}})\.([0-9a-z]{{1,6}})\.([a-z])(?:\.([a-z0-9-]{{1,16}}(?:\.[0-9-]{{1,8}})*))?"
)
_STEP = re.compile(r"([0-9]{1,2})-([1-6])")
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class Verb(StrEnum):
    """What a button asks for. The last two change nothing in the match."""

    ROLL = "z"
    STEPS = "s"
    UNDO = "u"
    CONFIRM = "c"
    CONCEDE_GAME = "g"
    CONCEDE_MATCH = "m"
    ACCEPT = "a"
    DECLINE = "d"
    NEXT_GAME = "n"
    ABORT = "x"
    REMATCH = "r"
    HINT = "h"
    PANEL = "p"


@dataclass(frozen=True, slots=True)
class Action:
    """A press meant for one board. `steps`: (start, die) each; `panel`: which buttons to show instead."""

    match: str
    revision: int
    verb: Verb
    steps: tuple[tuple[int, int], ...] = ()
    panel: str = ""


def encode(action: Action) -> str:
    """The action as ASCII text of at most 64 bytes."""
    words = [action.match, _base36(action.revision), action.verb.value]
    words += [f"{start}-{die}" for start, die in action.steps]
    return ".".join([*words, action.panel] if action.panel else words)


def decode(text: str) -> Action:
    """The action that `encode` wrote; raises `Unreadable` for anything else."""
    form = _FORM.fullmatch(text) if len(text) <= MOST_BYTES else None
    if form is None or form[3] not in list(Verb):
        raise Unreadable("bad_button")
    match, revision, verb, rest = form[1], int(form[2], 36), Verb(form[3]), form[4] or ""
    if verb is Verb.STEPS:
        return Action(match, revision, verb, steps=_steps(rest))
    return Action(match, revision, verb, panel=rest)


def command(action: Action, seat: int) -> Command:
    """What the action asks of the match on behalf of `seat`; raises `Unreadable` if it asks nothing of it."""
    simple: dict[Verb, Command] = {
        Verb.ROLL: ask.Throw(seat),
        Verb.UNDO: ask.Undo(seat),
        Verb.CONFIRM: ask.Confirm(seat),
        Verb.CONCEDE_GAME: ask.Concede(seat, "game"),
        Verb.CONCEDE_MATCH: ask.Concede(seat, "match"),
        Verb.ACCEPT: ask.AnswerConcession(seat, True),
        Verb.DECLINE: ask.AnswerConcession(seat, False),
        Verb.NEXT_GAME: ask.NextGame(seat),
        Verb.ABORT: ask.Abort(seat),
        Verb.REMATCH: ask.AskRematch(seat),
        Verb.STEPS: ask.TakeSteps(seat, action.steps),
    }
    if action.verb not in simple:
        raise Unreadable("bad_button")
    return simple[action.verb]


def _steps(text: str) -> tuple[tuple[int, int], ...]:
    found = [_STEP.fullmatch(word) for word in text.split(".")]
    if not all(found):
        raise Unreadable("bad_button")
    return tuple((int(step[1]), int(step[2])) for step in found if step)


def _base36(number: int) -> str:
    digits = ""
    while number or not digits:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return digits
