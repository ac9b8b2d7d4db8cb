"""What a button carries: match or challenge, revision, verb; at most 64 bytes and never anybody's words."""

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
_CHALLENGE_FORM = re.compile(rf"!([a-z0-9]{{{ID_LENGTH}}})\.([0-9a-z]{{1,6}})\.([a-z])(?:\.([a-z0-9_.]{{1,40}}))?")
_RUN_FORM = re.compile(r"/([a-z]{1,20})(?: ([a-z0-9_]{1,20}))?")
_STEP = re.compile(r"([0-9]{1,2})-([1-6])")
_SEATS = ("0", "1")
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class Verb(StrEnum):
    """What a button of a table asks for. The last four change nothing in the match."""

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
    SHOW = "b"
    WORDS = "w"


class Ask(StrEnum):
    """What a button of a challenge asks for."""

    ACCEPT = "a"
    DECLINE = "d"
    WITHDRAW = "w"
    START = "s"
    CHANGE = "c"
    PANEL = "p"


@dataclass(frozen=True, slots=True)
class Action:
    """A press meant for one board. `steps`: (start, die) each; `panel`: which buttons to show instead; `seat`: who
    alone may press it, where both players see one message."""

    match: str
    revision: int
    verb: Verb
    steps: tuple[tuple[int, int], ...] = ()
    panel: str = ""
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class Asking:
    """A press meant for a challenge as it stood. `value`: a level to start, "length.7" or "opening.1" to change
    (a house rule by the number of its value), the panel to show."""

    challenge: str
    revision: int
    ask: Ask
    value: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """A press that stands for a command, such as "challenge"; `value` is its first word."""

    command: str
    value: str = ""


def encode(action: Action | Asking | Run) -> str:
    """The action as ASCII text of at most 64 bytes."""
    match action:
        case Run(command, value):
            return f"/{command} {value}".rstrip()
        case Asking(challenge, revision, ask_for, value):
            return ".".join([f"!{challenge}", _base36(revision), ask_for.value, *([value] if value else [])])
        case Action():
            return _encode_table(action)


def _encode_table(action: Action) -> str:
    words = [action.match, _base36(action.revision), action.verb.value]
    words += [f"{start}-{die}" for start, die in action.steps]
    words += [str(action.seat)] if action.seat is not None else []
    return ".".join([*words, action.panel] if action.panel else words)


def decode_any(text: str) -> Action | Asking | Run:
    """The action that `encode` wrote; raises `Unreadable` for anything else."""
    if form := _CHALLENGE_FORM.fullmatch(text):
        if form[3] not in list(Ask):
            raise Unreadable("bad_button")
        return Asking(form[1], int(form[2], 36), Ask(form[3]), form[4] or "")
    if form := _RUN_FORM.fullmatch(text):
        return Run(form[1], form[2] or "")
    return decode(text)


def decode(text: str) -> Action:
    """The action of a table that `encode` wrote; raises `Unreadable` for anything else."""
    form = _FORM.fullmatch(text) if len(text) <= MOST_BYTES else None
    if form is None or form[3] not in list(Verb):
        raise Unreadable("bad_button")
    match, revision, verb, rest = form[1], int(form[2], 36), Verb(form[3]), form[4] or ""
    if verb is Verb.STEPS:
        return Action(match, revision, verb, steps=_steps(rest))
    if rest in _SEATS:
        return Action(match, revision, verb, seat=_SEATS.index(rest))
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
