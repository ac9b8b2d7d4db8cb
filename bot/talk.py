"""What other programs ask in JSON lines: `tavla plays`, `tavla hint`, `tavla picture` (the forms: cli.md)."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from bot.ai.thinking import think
from bot.engine.board import Position, Side, read_side
from bot.engine.dice import Roll, read_roll
from bot.engine.errors import Refusal, Unreadable
from bot.engine.notation import write_step
from bot.engine.plays import Turn
from bot.engine.steps import Play
from bot.engine.variant import Variant
from bot.service.ports import Question, Ranked
from bot.service.table import LEVELS
from bot.variants import variant
from render.words import SOURCE, words

Json = dict[str, Any]
Answer = Callable[[Json], Json]

MOST_PLAYS = 10_000
TOP = 5


def conversation(lines: Iterable[bytes], answer: Answer) -> Iterator[str]:
    """One JSON line for each line read; a bad request is answered with its reason and the next is served."""
    for line in lines:
        yield json.dumps(_answered(line, answer))  # in ASCII: any terminal and any text can carry it


def _answered(line: bytes, answer: Answer) -> Json:
    try:
        request = json.loads(line)
        if not isinstance(request, dict):
            raise Unreadable("not_an_object")
        return answer(request)
    except (ValueError, RecursionError) as error:
        return {"error": f"not a JSON line: {error}"}
    except Refusal as refusal:
        return {"error": words(SOURCE).refusal(refusal)}


def plays(request: Json) -> Json:
    """Every legal play, once for each board it leads to."""
    turn = _turn(request)
    limit = number(request, "limit", MOST_PLAYS, least=1)
    found = turn.plays()
    answer: Json = {"dice_used": turn.most(), "plays": [_told(turn.variant, play) for play in found[:limit]]}
    if len(found) > limit:
        answer |= {"truncated": True, "count": limit}
    return answer


def hint(request: Json) -> Json:
    """What a level would play, with what the best plays are worth."""
    if "cube" in request:
        raise Unreadable("no_cube", game=request.get("game"))
    turn = _turn(request)
    level = field(request, "level", str, "hard")
    if level not in LEVELS:
        raise Unreadable("unknown_level", level=level, possible=LEVELS)
    top, seed = number(request, "top", TOP, least=1), number(request, "seed", 0)
    thought = think(Question(turn.variant, turn.position, turn.left, level, seed))
    return {"plays": [_ranked(entry) for entry in thought.plays[:top]], "chosen": _moves(thought.chosen)}


def position(request: Json, rules: Variant) -> Position:
    """The board of a request; raises `Unreadable` for one that cannot be."""
    me, opponent = (
        _side(request, name, pinned) for name, pinned in (("me", "pinned"), ("opponent", "opponent_pinned"))
    )
    board = Position(me, opponent)
    rules.check(board)
    return board


def game(request: Json) -> Variant:
    """The game of a request under its rules."""
    rules = {} if request.get("rules") is None else field(request, "rules", dict)
    settled = {str(name): tuple(value) if isinstance(value, list) else value for name, value in rules.items()}
    return variant(field(request, "game", str), settled)


def roll(request: Json) -> Roll:
    """The dice of a request."""
    dice = field(request, "dice", list)
    for die in dice:
        if type(die) is not int:
            raise Unreadable("bad_die", die=json.dumps(die))
    return read_roll(tuple(dice))


def _turn(request: Json) -> Turn:
    rules = game(request)
    if "remainder" in request:
        raise Unreadable("no_remainder", game=rules.id)
    board = position(request, rules)
    return Turn.begin(rules, board, rules.dice(roll(request)))


def _side(request: Json, name: str, pinned: str) -> Side:
    side = read_side(field(request, name, str))
    points = field(request, pinned, list, [])
    if any(type(point) is not int for point in points):
        raise Unreadable("bad_field", field=pinned, kind="list of points")
    return Side(side.points, frozenset(points))


def _told(rules: Variant, play: Play) -> Json:
    told = _moves(play) | {"left": list(play.left), "to_opponent": []}
    outcome = rules.outcome(play.position)
    if outcome:
        told["over"] = outcome._asdict()
    return told


def _moves(play: Play) -> Json:
    return {
        "moves": [write_step(step) for step in play.steps],
        "me": str(play.position.me),
        "opponent": str(play.position.opponent),
    }


def _ranked(entry: Ranked) -> Json:
    values = {name: round(value, 4) for name, value in entry._asdict().items() if name != "play"}
    return _moves(entry.play) | values


_KINDS: Mapping[type, str] = {str: "text", dict: "object", list: "list", int: "whole number"}


def field(request: Json, name: str, kind: type, default: Any = None) -> Any:
    """A field of a request; raises `Unreadable` if it is missing or of another kind."""
    value = request.get(name, default)
    if value is None:
        raise Unreadable("field_missing", field=name)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise Unreadable("bad_field", field=name, kind=_KINDS[kind])
    return value


def number(request: Json, name: str, default: int, least: int | None = None) -> int:
    """A whole number of a request; raises `Unreadable` if it is another thing or under `least`."""
    value: int = field(request, name, int, default)
    if least is not None and value < least:
        raise Unreadable("too_small", field=name, least=least)
    return value
