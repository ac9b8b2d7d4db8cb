"""Matches and events as JSON, for keeping. Formats are numbered: what was written once stays readable."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from bot import variants
from bot.engine import events as told
from bot.engine.board import Side
from bot.engine.clock import Clock
from bot.engine.dice import Roll
from bot.engine.events import Event
from bot.engine.game import Game, PastTurn, Result, Taken
from bot.engine.match import End, Match, Offer, Phase, Shape
from bot.engine.steps import Step
from bot.engine.variant import Value, Variant
from bot.service.table import Terms

SNAPSHOT_FORMAT = 1
EVENT_FORMAT = 1

Json = dict[str, Any]

_EVENTS: Mapping[str, type[Event]] = {
    "game_began": told.GameBegan,
    "opening_rolled": told.OpeningRolled,
    "rolled": told.Rolled,
    "stepped": told.Stepped,
    "undone": told.Undone,
    "played": told.Played,
    "passed": told.Passed,
    "conceded": told.Conceded,
    "concession_answered": told.ConcessionAnswered,
    "game_ended": told.GameEnded,
    "match_ended": told.MatchEnded,
    "rematch_asked": told.RematchAsked,
}
_KINDS = {event: kind for kind, event in _EVENTS.items()}


def event_kind(event: Event) -> str:
    """The name under which an event is kept."""
    return _KINDS[type(event)]


def pack_event(event: Event) -> Json:
    """The fields of an event."""
    return asdict(event)


def unpack_event(kind: str, fields: Json) -> Event:
    """The event of a kind and its fields; raises KeyError for a kind that is not known."""
    if "roll" in fields:
        fields = {**fields, "roll": Roll(*fields["roll"])}
    return _EVENTS[kind](**fields)


def pack_terms(terms: Terms) -> Json:
    return asdict(terms)


def unpack_terms(fields: Json) -> Terms:
    rules = {name: _value(value) for name, value in fields["rules"].items()}
    return Terms(**{**fields, "rules": rules, "shape": Shape(*fields["shape"])})


def pack_match(match: Match) -> Json:
    """A match as JSON; what can be derived is left out."""
    return {
        "shape": list(match.shape),
        "programme": [{"game": variant.id, "rules": variant.rules} for variant in match.programme],
        "game": _pack_game(match.game, match.programme),
        "stage": match.stage.value,
        "score": list(match.score),
        "next_roll": match.next_roll,
        "offer": match.offer and list(match.offer),
        "declined": list(match.declined),
        "clock": asdict(match.clock),
        "end": match.end and list(match.end),
        "rematch": list(match.rematch),
    }


def unpack_match(fields: Json) -> Match:
    """The match that `pack_match` wrote."""
    programme = tuple(_variant(entry) for entry in fields["programme"])
    return Match(
        shape=Shape(*fields["shape"]),
        programme=programme,
        game=_unpack_game(fields["game"], programme),
        stage=Phase(fields["stage"]),
        score=tuple(fields["score"]),
        next_roll=fields["next_roll"],
        offer=Offer(*fields["offer"]) if fields["offer"] else None,
        declined=tuple(fields["declined"]),
        clock=_clock(fields["clock"]),
        end=End(*fields["end"]) if fields["end"] else None,
        rematch=tuple(fields["rematch"]),
    )


def _variant(entry: Json) -> Variant:
    rules: dict[str, Value] = {name: _value(value) for name, value in entry["rules"].items()}
    return variants.variant(entry["game"], rules)


def _value(value: Any) -> Value:
    """A rule's value; JSON knows no tuples."""
    return tuple(value) if isinstance(value, list) else value


def _clock(fields: Json) -> Clock:
    pairs = {name: tuple(fields[name]) for name in ("banks", "timeouts")}
    return Clock(**{**fields, **pairs})


def _pack_game(game: Game, programme: tuple[Variant, ...]) -> Json:
    return {
        "number": game.number,
        "variant": programme.index(game.variant),
        "sides": [{"points": list(side.points), "pinned": sorted(side.pinned)} for side in game.sides],
        "starter": game.starter,
        "on_roll": game.on_roll,
        "opening": game.opening,
        "roll": game.roll,
        "so_far": list(game.so_far),
        "rolls": list(game.rolls),
        "turns": game.turns,
        "recent": [past._asdict() for past in game.recent],
        "result": game.result,
        "before": game.before,
    }


def _unpack_game(fields: Json, programme: tuple[Variant, ...]) -> Game:
    first, second = (Side(tuple(side["points"]), frozenset(side["pinned"])) for side in fields["sides"])
    return Game(
        number=fields["number"],
        variant=programme[fields["variant"]],
        sides=(first, second),
        starter=fields["starter"],
        on_roll=fields["on_roll"],
        opening=_roll(fields["opening"]),
        roll=_roll(fields["roll"]),
        so_far=tuple(Taken(*taken) for taken in fields["so_far"]),
        rolls=tuple(fields["rolls"]),
        turns=fields["turns"],
        recent=tuple(_past(past) for past in fields["recent"]),
        result=Result(*fields["result"]) if fields["result"] else None,
        before=Result(*fields["before"]) if fields["before"] else None,
    )


def _roll(dice: list[int] | None) -> Roll | None:
    return Roll(*dice) if dice else None


def _past(fields: Json) -> PastTurn:
    steps = tuple(Step(*step) for step in fields["steps"])
    return PastTurn(**{**fields, "roll": _roll(fields["roll"]), "steps": steps})
