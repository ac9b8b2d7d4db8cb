"""`tavla picture`: a board drawn from a JSON line, and how long drawing takes."""

import random
import re
import statistics
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from bot.engine.board import BAR, OFF, Position
from bot.engine.dice import ROLLS
from bot.engine.errors import Unreadable
from bot.engine.game import Game, PastTurn
from bot.engine.match import Match, Phase, Shape
from bot.engine.plays import legal_plays
from bot.engine.steps import Step
from bot.engine.variant import Variant
from bot.service.table import Seat, Table
from bot.talk import Json, field, game, number, position, roll
from render.board import png
from render.describe import describe
from render.picture import Picture, PictureCube, Where
from render.theme import THEMES
from render.words import SOURCE, clean_name, words

DEFAULT_LENGTH = 5
_MOST_MEASURED = 10_000
_TRIES = 20
"""Plays for each board wanted: from the end of a game there are few boards to reach."""
_STEP = re.compile(r"(bar|[0-9]{1,2})/(off|[0-9]{1,2})\*?")
_POINTS = {"bar": BAR, "off": OFF}


def picture(request: Json) -> Json:
    """Draws the board of a request into the file `out`; with `measure` also times that many boards near it."""
    rules = game(request)
    board = position(request, rules)
    shown = _picture(request, rules, board)
    out = field(request, "out", str)
    drawn = png(shown)
    _write(out, drawn)
    answer: Json = {"out": out, "bytes": len(drawn)}
    if "measure" in request:
        answer |= _measured(request, rules, board)
    return answer


def near(rules: Variant, board: Position, count: int) -> list[Position]:
    """Up to `count` different boards that random play reaches from `board`, the same ones each time."""
    choose = random.Random(1)  # noqa: S311 -- boards to time, no dice that anybody plays with
    found: dict[Position, None] = {}
    now = board
    for _ in range(_TRIES * count):
        if len(found) == count:
            break
        roll = choose.choice(ROLLS)[0]
        now = choose.choice(legal_plays(rules, now, rules.dice(roll))).position.turned()
        if rules.outcome(now):
            now = board
        found.setdefault(now)
    return list(found)


def _picture(request: Json, rules: Variant, board: Position) -> Picture:
    theme = field(request, "theme", str, "walnut")
    if theme not in THEMES:
        raise Unreadable("unknown_theme", theme=theme, possible=tuple(THEMES))
    shown = describe(_table(request, rules, board), 0, words(SOURCE), theme)
    return _with_cube(shown, request.get("cube"))


def _with_cube(shown: Picture, cube: Any) -> Picture:
    if cube is None:
        return shown
    owners: list[tuple[str | None, Where | None]] = [("me", "bottom"), ("opponent", "top"), (None, None)]
    told = cube if isinstance(cube, dict) else {}
    owner = [where for name, where in owners if name == told.get("owner")]
    if type(told.get("value")) is not int or not owner:
        raise Unreadable("bad_field", field="cube", kind='object {"value": 2, "owner": "me", "opponent" or null}')
    return replace(shown, cube=PictureCube(told["value"], owner[0]))


def _table(request: Json, rules: Variant, board: Position) -> Table:
    """A table that looks like the request: seat 0 is to move, the other side made the last play."""
    thrown = roll(request) if request.get("dice") is not None else None
    past = PastTurn(1, None, tuple(_step(word) for word in field(request, "last", list, [])))
    shown = Game(1, rules, (board.me, board.opponent), 0, 0, None, thrown, recent=(past,), turns=2)
    mine, other, length = _score(request)
    match = Match(Shape(target=length), (rules,), shown, Phase.PLAY if thrown else Phase.ROLL, (mine, other))
    return Table("picture", 0, match, _seats(request), "", "", 0.0, 0.0)


def _seats(request: Json) -> tuple[Seat, Seat]:
    names = field(request, "names", list, ["", ""])
    if len(names) != 2 or not all(isinstance(name, str) for name in names):
        raise Unreadable("bad_field", field="names", kind="list of two names")
    return Seat(1, clean_name(names[0])), Seat(2, clean_name(names[1]))


def _score(request: Json) -> tuple[int, int, int]:
    """Points of both sides and the length of the match."""
    score = field(request, "score", list, [0, 0])
    if len(score) not in (2, 3) or any(type(points) is not int for points in score):
        raise Unreadable("bad_field", field="score", kind="list: mine, the opponent's, length")
    return score[0], score[1], score[2] if len(score) == 3 else DEFAULT_LENGTH


def _step(word: object) -> Step:
    """A step as it is written: `13/8`, `bar/22`, `8/3*`."""
    form = _STEP.fullmatch(word) if isinstance(word, str) else None
    start, end = (_POINTS[name] if name in _POINTS else int(name) for name in form.groups()) if form else (0, 0)
    if not BAR >= start > end:
        raise Unreadable("bad_notation", text=str(word))
    return Step(start, end, min(start - end, 6))


def _write(out: str, drawn: bytes) -> None:
    try:
        Path(out).write_bytes(drawn)
    except (OSError, ValueError) as error:
        raise Unreadable("cannot_write", file=out, why=getattr(error, "strerror", None) or str(error)) from error


def _measured(request: Json, rules: Variant, board: Position) -> Json:
    count = number(request, "measure", 0, least=2)
    if count > _MOST_MEASURED:
        raise Unreadable("bad_field", field="measure", kind=f"whole number up to {_MOST_MEASURED}")
    boards = near(rules, board, count)
    if len(boards) < 2:
        raise Unreadable("too_small", field="measure: boards that can be reached from here", least=2)
    took = timed(request, rules, boards)
    cuts = statistics.quantiles(took, n=20)
    return {"n": len(boards), "p50_ms": round(statistics.median(took), 2), "p95_ms": round(cuts[-1], 2)}


def timed(request: Json, rules: Variant, boards: list[Position]) -> list[float]:
    """Milliseconds that drawing and encoding each board takes; the first one, drawn cold, is not among them."""
    took = []
    for place, board in enumerate(boards):
        thrown = ROLLS[place % len(ROLLS)][0]
        shown = _picture({**request, "dice": list(thrown), "last": []}, rules, board)
        if not place:
            png(shown)
        began = time.perf_counter()
        png(shown)
        took.append(1000 * (time.perf_counter() - began))
    return took
