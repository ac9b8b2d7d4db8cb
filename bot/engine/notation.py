"""Plays as text, both ways: `13/8 6/5`, `8/5(2)`, `bar/22*`, `13/7*/5`, `6/off`."""

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from bot.engine.board import BAR, OFF, Position
from bot.engine.errors import Ambiguous, Illegal, Unreadable
from bot.engine.plays import Turn
from bot.engine.steps import Step

_NAMES = {BAR: "bar", OFF: "off"}
_NUMBERS = {"bar": BAR, "b": BAR, "off": OFF, "o": OFF}
_STOP = r"(?:bar|b|off|o|[0-9]{1,2})\*?"
_WORD = re.compile(rf"(?P<stops>{_STOP}(?:[/-]{_STOP})+)(?:\((?P<times>[1-4])\)|[x×](?P<also>[1-4]))?")
_MOST_CHARACTERS = 100


def point_name(point: int) -> str:
    """A point as written: "bar", "off" or its number."""
    return _NAMES.get(point, str(point))


def write_step(step: Step) -> str:
    """One step by itself, a hit marked: `8/3*`."""
    return f"{point_name(step.start)}/{point_name(step.end)}{'*' if step.hit else ''}"


def write(steps: Iterable[Step]) -> str:
    """A play as people write it: one checker's steps joined, stops shown where it hits, repeats counted."""
    words: dict[str, int] = {}
    for way in sorted(ways(steps), key=lambda way: -way[0].start):
        words[_way(way)] = words.get(_way(way), 0) + 1
    return " ".join(word if times == 1 else f"{word}({times})" for word, times in words.items())


def ways(steps: Iterable[Step]) -> list[tuple[Step, ...]]:
    """The steps gathered by checker: each checker's steps in a row."""
    found: list[tuple[Step, ...]] = []
    for step in steps:
        before = next((way for way in found if way[-1].end == step.start), None)
        if before is not None:
            found.remove(before)
        found.append((*(before or ()), step))
    return found


def _way(way: tuple[Step, ...]) -> str:
    stops = [f"/{point_name(step.end)}*" for step in way[:-1] if step.hit]
    last = way[-1]
    return f"{point_name(way[0].start)}{''.join(stops)}/{point_name(last.end)}{'*' if last.hit else ''}"


class _Leg(NamedTuple):
    """A part of what was typed: one checker from `start` to `end`, by however many dice."""

    start: int
    end: int


def read(text: str, turn: Turn) -> tuple[Step, ...]:
    """The steps that a typed play means in this turn, which it may leave unfinished.

    Raises `Unreadable` for other text, `Ambiguous` where it can be meant in ways that lead to different
    boards, `Illegal` with the rule that forbids it.
    """
    legs = _legs(text)
    found: dict[Position, tuple[Step, ...]] = {}
    _search(turn, tuple(legs), (), found, set())
    if len(found) > 1:
        raise Ambiguous("ambiguous", choices=tuple(_with_stops(steps) for steps in found.values()))
    if not found:
        raise _why_not(turn, legs)
    return next(iter(found.values()))


def _with_stops(steps: tuple[Step, ...]) -> str:
    stops = [[point_name(way[0].start)] + [point_name(s.end) + "*" * s.hit for s in way] for way in ways(steps)]
    return " ".join("/".join(way) for way in stops)


def _legs(text: str) -> list[_Leg]:
    words = text[: _MOST_CHARACTERS + 1].casefold().replace(",", " ").split()
    if not words or len(text) > _MOST_CHARACTERS:
        raise Unreadable("bad_notation", text=text[:_MOST_CHARACTERS])
    return [leg for word in words for leg in _legs_of(word)]


def _legs_of(word: str) -> list[_Leg]:
    match = _WORD.fullmatch(word)
    if match is None:
        raise Unreadable("bad_notation", text=word)
    stops = [_point(name.rstrip("*"), word) for name in re.split("[/-]", match["stops"])]
    legs = [_Leg(start, end) for start, end in pairwise(stops)]
    for leg in legs:
        if leg.end >= leg.start:
            raise Unreadable("backwards", text=word)
    return legs * int(match["times"] or match["also"] or 1)


def _point(name: str, word: str) -> int:
    number = _NUMBERS[name] if name in _NUMBERS else int(name)
    if number > BAR:
        raise Unreadable("bad_notation", text=word)
    return number


def _search(
    turn: Turn,
    legs: tuple[_Leg, ...],
    steps: tuple[Step, ...],
    found: dict[Position, tuple[Step, ...]],
    seen: set[tuple[object, ...]],
) -> None:
    """Tries every legal order of steps that carries out all legs."""
    if (turn.node, legs) in seen:
        return
    seen.add((turn.node, legs))
    if not legs:
        found.setdefault(turn.position, steps)
        return
    for step in turn.steps():
        for number, leg in enumerate(legs):
            if leg.start == step.start and leg.end <= step.end:
                rest = () if leg.end == step.end else (_Leg(step.end, leg.end),)
                onward = (*legs[:number], *rest, *legs[number + 1 :])
                _search(turn.take(step.start, step.die), onward, (*steps, step), found, seen)


def _why_not(turn: Turn, legs: list[_Leg]) -> Illegal:
    """The rule against the first leg that does not go; the play has been found impossible."""
    for leg in legs:
        step = next((s for s in turn.steps() if s.start == leg.start and s.end >= leg.end), None)
        if step is not None and step.end == leg.end:
            turn = turn.take(step.start, step.die)
            continue
        return _leg_refused(turn, leg)
    return Illegal("impossible_together")


def _leg_refused(turn: Turn, leg: _Leg) -> Illegal:
    if not turn.position.me.points[leg.start]:
        return Illegal("no_checker", start=leg.start, end=leg.end)
    if not turn.left:
        return Illegal("impossible_together" if turn.done else "turn_complete", start=leg.start, end=leg.end)
    if leg.end == OFF and not turn.variant.all_home(turn.position.me):
        return Illegal("not_home", start=leg.start, end=leg.end)
    dice = [die for die in dict.fromkeys(turn.left) if max(leg.start - die, OFF) == leg.end]
    if dice:
        return Illegal(turn.why_not(leg.start, dice[0]), start=leg.start, end=leg.end, die=dice[0])
    farthest = leg.start - sum(turn.left)
    if leg.end not in {leg.start - sum(turn.left[:count]) for count in range(1, 5)} and max(farthest, OFF) != leg.end:
        return Illegal("no_such_die", start=leg.start, end=leg.end)
    return _route_refused(turn, leg)


def _route_refused(turn: Turn, leg: _Leg) -> Illegal:
    """Why one checker cannot go so far by several dice: the first step on the way that is refused."""
    for die in dict.fromkeys(turn.left):
        try:
            after = turn.take(leg.start, die)
        except Illegal as refusal:
            return refusal
        if leg.start - die > leg.end:
            return _route_refused(after, _Leg(leg.start - die, leg.end))
    return Illegal("impossible_together")
