"""`tavla picture`: a board drawn from a JSON line, and how long drawing takes."""

import random
import statistics
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from bot.engine.board import Position
from bot.engine.dice import ROLLS, read_roll
from bot.engine.errors import Unreadable
from bot.engine.game import Game, PastTurn
from bot.engine.match import Match, Phase, Shape
from bot.engine.plays import legal_plays
from bot.engine.steps import Step
from bot.engine.variant import Variant
from bot.service.table import Seat, Table
from bot.talk import Json, game, position
from render.board import png
from render.describe import describe
from render.picture import Picture, PictureCube
from render.theme import THEMES
from render.words import SOURCE, clean_name, words

_MOST_MEASURED = 10_000


def picture(request: Json) -> Json:
    """Draws the board of a request into the file `out`; with `measure` also times that many boards near it."""
    rules = game(request)
    board = position(request, rules)
    shown = _picture(request, rules, board)
    out = request.get("out")
    if not isinstance(out, str) or not out:
        raise Unreadable("field_missing", field="out")
    drawn = png(shown)
    _write(out, drawn)
    answer: Json = {"out": out, "bytes": len(drawn)}
    if "measure" in request:
        answer |= _measured(request, rules, board)
    return answer


def near(rules: Variant, board: Position, count: int) -> list[Position]:
    """`count` different boards that random play reaches from `board`, the same ones each time."""
    choose = random.Random(1)  # noqa: S311 -- boards to time, no dice that anybody plays with
    found: dict[Position, None] = {}
    now = board
    while len(found) < count:
        roll = choose.choice(ROLLS)[0]
        now = choose.choice(legal_plays(rules, now, rules.dice(roll))).position.turned()
        if rules.outcome(now):
            now = board
        found.setdefault(now)
    return list(found)


def _picture(request: Json, rules: Variant, board: Position) -> Picture:
    theme = request.get("theme", "walnut")
    if theme not in THEMES:
        raise Unreadable("unknown_theme", theme=str(theme), possible=tuple(THEMES))
    shown = describe(_table(request, rules, board), 0, words(SOURCE), theme)
    return _with_cube(shown, request.get("cube"))


def _with_cube(shown: Picture, cube: Any) -> Picture:
    if cube is None:
        return shown
    owners = {"me": "bottom", "opponent": "top", None: None}
    if not isinstance(cube, dict) or type(cube.get("value")) is not int or cube.get("owner") not in owners:
        raise Unreadable("bad_field", field="cube", kind='{"value": 2, "owner": "me", "opponent" or null}')
    return replace(shown, cube=PictureCube(cube["value"], owners[cube.get("owner")]))


def _table(request: Json, rules: Variant, board: Position) -> Table:
    """A table that looks like the request: seat 0 is to move, the other side made the last play."""
    dice = request.get("dice")
    roll = read_roll(tuple(dice)) if isinstance(dice, list) else None
    past = PastTurn(1, None, tuple(_step(word) for word in request.get("last", ())))
    shown = Game(1, rules, (board.me, board.opponent), 0, 0, None, roll, recent=(past,), turns=2)
    score = request.get("score", [0, 0])
    if not (isinstance(score, list) and len(score) in (2, 3) and all(type(each) is int for each in score)):
        raise Unreadable("bad_field", field="score", kind="[mine, the opponent's, length]")
    shape = Shape(target=score[2] if len(score) > 2 else 5)
    match = Match(shape, (rules,), shown, Phase.PLAY if roll else Phase.ROLL, (score[0], score[1]))
    names = [clean_name(str(name)) for name in request.get("names", ("", ""))]
    seats = (Seat(1, names[0]), Seat(2, names[-1]))
    return Table("picture", 0, match, seats, "", "", 0.0, 0.0)


def _step(word: object) -> Step:
    start, slash, end = str(word).rstrip("*").partition("/")
    points = [{"bar": 25, "off": 0}.get(name, int(name) if name.isdecimal() else -1) for name in (start, end)]
    if not slash or not 25 >= points[0] > points[1] >= 0:
        raise Unreadable("bad_notation", text=str(word))
    return Step(points[0], points[1], min(points[0] - points[1], 6))


def _write(out: str, drawn: bytes) -> None:
    try:
        Path(out).write_bytes(drawn)
    except OSError as error:
        raise Unreadable("cannot_write", file=out, why=error.strerror or str(error)) from error


def _measured(request: Json, rules: Variant, board: Position) -> Json:
    count = request["measure"]
    if type(count) is not int or not 2 <= count <= _MOST_MEASURED:
        raise Unreadable("bad_field", field="measure", kind=f"whole number from 2 to {_MOST_MEASURED}")
    took = timed(request, rules, near(rules, board, count))
    cuts = statistics.quantiles(took, n=20)
    return {"n": count, "p50_ms": round(statistics.median(took), 2), "p95_ms": round(cuts[-1], 2)}


def timed(request: Json, rules: Variant, boards: list[Position]) -> list[float]:
    """Milliseconds that drawing and encoding each board takes; the first one, drawn cold, is not among them."""
    took = []
    for number, board in enumerate(boards):
        roll = ROLLS[number % len(ROLLS)][0]
        shown = _picture({**request, "dice": list(roll), "last": []}, rules, board)
        if not number:
            png(shown)
        began = time.perf_counter()
        png(shown)
        took.append(1000 * (time.perf_counter() - began))
    return took
