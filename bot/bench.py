"""`tavla bench`: the figures that the README quotes, each measured here and now."""

import asyncio
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from bot.ai.pool import Pool
from bot.ai.thinking import think
from bot.drawing import near
from bot.engine import commands as ask
from bot.engine.board import Position
from bot.engine.dice import ROLLS
from bot.engine.match import Phase, Shape
from bot.engine.plays import legal_plays
from bot.engine.variant import Variant
from bot.service import flow
from bot.service.actions import Action, Verb
from bot.service.fairness import dice_of, new_id, new_seed
from bot.service.matches import Matches
from bot.service.ports import Question
from bot.service.table import LEVELS, Seat, Seating, Table, Terms, Who
from bot.variants import games, variant
from render.board import png
from render.describe import describe
from render.words import SOURCE, words
from storage.sqlite import SqliteStore, open_sqlite

Progress = Callable[[int, int], None] | None

RULES_GAMES, PICTURES, AI_DECISIONS, SAVES, PRESSES, STARTS = 1000, 300, 300, 500, 600, 3


class Figure(NamedTuple):
    """One measured figure; `target` is the bound it should stay under, 0 where there is none."""

    name: str
    value: float
    unit: str
    target: float = 0.0

    def line(self) -> str:
        """A row of the table."""
        bound = f"  (under {self.target:g})" if self.target else ""
        return f"{self.name:<58} {self.value:>10.3f} {self.unit}{bound}"


def measure(what: str, progress: Progress = None) -> list[Figure]:
    """Measures one subject: rules, ai, picture, storage, service or platforms."""
    benches: dict[str, Callable[[Progress], list[Figure]]] = {
        "rules": _rules,
        "ai": _ai,
        "picture": _picture,
        "storage": lambda progress: asyncio.run(_storage(progress)),
        "service": _service,
        "platforms": _platforms,
    }
    return benches[what](progress)


def _rules(progress: Progress) -> list[Figure]:
    return [figure for game in games() for figure in _game_rules(variant(game), progress)]


def _game_rules(rules: Variant, progress: Progress) -> list[Figure]:
    choose, took = random.Random(1), list[float]()  # noqa: S311 -- boards to time, nobody plays with these
    for number in range(RULES_GAMES):
        board = Position(rules.start, rules.start)
        while not rules.outcome(board):
            dice = rules.dice(choose.choice(ROLLS)[0])
            began = time.perf_counter()
            found = legal_plays(rules, board, dice)
            took.append(1000 * (time.perf_counter() - began))
            board = choose.choice(found).position.turned()
        _tell(progress, number + 1, RULES_GAMES)
    return _spread(f"legal plays of a roll, {rules.id}", took, 0.3, 0)


def _picture(progress: Progress) -> list[Figure]:
    rules = variant("tavla")
    took, sizes = list[float](), list[float]()
    for number, board in enumerate(near(rules, Position(rules.start, rules.start), PICTURES)):
        shown = describe(_table_with(rules, board), 0, words(SOURCE))
        began = time.perf_counter()
        drawn = png(shown)
        if number:  # the first one also loads fonts and sprites
            took.append(1000 * (time.perf_counter() - began))
        sizes.append(len(drawn) / 1000)
        _tell(progress, number + 1, PICTURES)
    size = Figure("picture, size, median", statistics.median(sizes), "kB", 110)
    return [*_spread("picture, drawn and encoded", took, 12, 0), size]


def boards(count: int) -> list[bytes]:
    """So many different boards as PNG."""
    rules = variant("tavla")
    near_by = near(rules, Position(rules.start, rules.start), count)
    return [png(describe(_table_with(rules, board), 0, words(SOURCE))) for board in near_by]


def _table_with(rules: Variant, board: Position) -> Table:
    """A table at which seat 0 is to play a roll on `board`."""
    table = flow.set_up(Terms(), (Seat(1, "Ayşe"), Seat(2, "Дмитрий")), "bench", 0.0, id=new_id(), seed=new_seed())
    roll = ROLLS[sum(board.me.points[:12]) % len(ROLLS)][0]
    game = replace(table.table.match.game, sides=(board.me, board.opponent), on_roll=0, roll=roll, turns=2)
    return replace(table.table, match=replace(table.table.match, game=game, stage=Phase.PLAY))


def _ai(progress: Progress) -> list[Figure]:
    rules = variant("tavla")
    boards = near(rules, Position(rules.start, rules.start), AI_DECISIONS)
    figures = []
    for level in LEVELS:
        took = []
        for number, board in enumerate(boards):
            dice = rules.dice(ROLLS[number % len(ROLLS)][0])
            began = time.perf_counter()
            think(Question(rules, board, dice, level, number))
            took.append(1000 * (time.perf_counter() - began))
            _tell(progress, number + 1, len(boards))
        figures += _spread(f"a decision of the computer, {level}", took, 150, 1000)
    return figures


async def _storage(progress: Progress) -> list[Figure]:
    took = []
    async with _Bench() as bench:
        for number in range(SAVES):
            table = await bench.seated()
            dice = dice_of(await bench.store.seed(table.id), table.id)
            seat = table.awaited[0]
            commit = flow.advance(table, [ask.Throw(seat)], time.time(), dice)
            began = time.perf_counter()
            await bench.store.save(commit)
            took.append(1000 * (time.perf_counter() - began))
            _tell(progress, number + 1, SAVES)
    return _spread("one action saved (SQLite, synchronous=FULL)", took, 0, 0)


def _service(progress: Progress) -> list[Figure]:
    return [*asyncio.run(_presses(progress)), _first_page()]


def _platforms(progress: Progress) -> list[Figure]:
    from bot.bench_platforms import platforms

    return [Figure(*figure) for figure in asyncio.run(platforms(progress))]


async def _presses(progress: Progress) -> list[Figure]:
    """Presses of two people, each timed from the press to the saved answer, and how late the loop is meanwhile."""
    took, late = list[float](), list[float]()
    async with _Bench() as bench:
        watch = asyncio.create_task(_lateness(late))
        table = await bench.seated()
        for number in range(PRESSES):
            if table.match.phase is Phase.OVER:
                table = await bench.seated()
            who, action = _next_press(table)
            began = time.perf_counter()
            table = await bench.matches.press(who, action)
            took.append(1000 * (time.perf_counter() - began))
            _tell(progress, number + 1, PRESSES)
        watch.cancel()
    lag = Figure("loop lag meanwhile, p99", statistics.quantiles(late, n=100)[-1], "ms", 20)
    return [*_spread("press to saved answer, without the picture", took, 5, 0), lag]


def _next_press(table: Table) -> tuple[Who, Action]:
    """What the awaited player does: the first step offered, or whatever brings the match on."""
    seat = table.awaited[0]
    steps: tuple[tuple[int, int], ...] = ()
    match table.match.phase:
        case Phase.ROLL:
            verb = Verb.ROLL
        case Phase.BETWEEN:
            verb = Verb.NEXT_GAME
        case _:
            legal = table.match.game.turn().steps()
            verb = Verb.STEPS if legal else Verb.CONFIRM
            steps = ((legal[0].start, legal[0].die),) if legal else ()
    return Who(seat + 1), Action(table.id, table.revision, verb, steps)


async def _lateness(late: list[float]) -> None:
    """How many milliseconds after its time each tick of 5 ms comes."""
    while True:
        began = time.perf_counter()
        await asyncio.sleep(0.005)
        late.append(1000 * (time.perf_counter() - began - 0.005))


def _first_page() -> Figure:
    """Seconds from starting the program to its first page, the median of a few starts."""
    took = []
    for _ in range(STARTS):
        with tempfile.TemporaryDirectory() as folder:
            took.append(_start(Path(folder)))
    return Figure("start to first page", statistics.median(took), "s", 2)


def _start(folder: Path) -> float:
    began = time.perf_counter()
    command = [sys.executable, "-m", "bot", "run", "--port", "0", "--database", f"sqlite:///{folder}/bench.db"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:  # noqa: S603 -- our own program
        address = re.search(r"http://\S+", program.stdout.readline() if program.stdout else "")
        if address is None:
            raise RuntimeError("the program printed no address")
        with urllib.request.urlopen(address[0]) as page:  # noqa: S310 -- the address is our own program's
            page.read()
        took = time.perf_counter() - began
        program.terminate()
    return took


class _Bench:
    """A store in a folder of its own and the matches in it, for a while."""

    store: SqliteStore
    matches: Matches

    async def __aenter__(self) -> "_Bench":
        self._folder = tempfile.TemporaryDirectory()
        self.store = await open_sqlite(Path(self._folder.name) / "bench.db", time.time)
        self._pool = Pool()
        self.matches = Matches(self.store, self._pool, time.time, lambda table: None)
        for platform_id in ("a", "b"):
            await self.store.player("bench", platform_id)
        return self

    async def __aexit__(self, *reason: object) -> None:
        await self._pool.close()
        await self.store.close()
        self._folder.cleanup()

    async def seated(self) -> Table:
        """A new match of two people, the opening dice thrown."""
        seed, id = new_seed(), new_id()
        terms = Terms(shape=Shape(target=25))
        commit = flow.set_up(terms, (Seat(1, "a"), Seat(2, "b")), "bench", time.time(), id=id, seed=seed)
        await self.store.seat(Seating(commit, seed))
        return commit.table


def _spread(name: str, took: Iterable[float], p50: float, p99: float) -> list[Figure]:
    values = list(took)
    return [
        Figure(f"{name}, p50", statistics.median(values), "ms", p50),
        Figure(f"{name}, p99", statistics.quantiles(values, n=100)[-1], "ms", p99),
    ]


def _tell(progress: Progress, done: int, whole: int) -> None:
    if progress:
        progress(done, whole)
