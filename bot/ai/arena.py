"""Two levels play each other: seeded dice, every sequence twice with seats changed, so that luck cancels out."""

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean, median, quantiles, stdev

from bot.ai.duel import RANDOM, Contest, Pair, play_pair
from bot.ai.levels import LEVELS
from bot.ai.workers import stop, uninterrupted, workers
from bot.engine.errors import Unreadable
from bot.variants import variant

Progress = Callable[[int, int], None]
"""Told how many games are done, and of how many."""


@dataclass(frozen=True, slots=True)
class ArenaResult:
    """How the first level did. Points a game with the standard error over pairs; its wins, its gammons among
    them; turns of all games together; milliseconds of its decisions, 0 if it had none to take."""

    points_per_game: float
    standard_error: float
    games: int
    wins: int
    gammons: int
    turns: int
    p50: float
    p99: float

    def told(self) -> dict[str, object]:
        """What `tavla arena --json` prints."""
        told: dict[str, object] = asdict(self)
        return told | {"ms": {"p50": told.pop("p50"), "p99": told.pop("p99")}}

    def __str__(self) -> str:
        return (
            f"{self.points_per_game:+.3f} ± {self.standard_error:.3f} points a game, {self.games} games, "
            f"{self.wins / self.games:.1%} won, {self.gammons} gammons, {self.turns / self.games:.0f} turns a game, "
            f"{self.p50:.1f} ms a decision (p99: {self.p99:.1f})"
        )


def arena(  # noqa: PLR0913 -- what the command can be told, by name
    game: str,
    first: str,
    second: str,
    *,
    games: int = 1000,
    seed: int = 1,
    jobs: int = 1,
    out: str | Path | None = None,
    progress: Progress | None = None,
) -> ArenaResult:
    """Plays `games` games, one more if that makes no pairs, in `jobs` processes; how the first level did.

    With `out` each pair is appended to that file as a JSON line, and the pairs of this contest that it holds
    are not played again. Raises `Unreadable` for an unknown game or level, or a file that cannot be written.
    """
    contest = Contest(variant(game).id, _player(first), _player(second), seed)
    wanted = range((games + 1) // 2)
    record = _Record(contest, Path(out) if out else None)
    pairs = record.read()
    for pair in _play(contest, [number for number in wanted if number not in pairs], jobs):
        record.append(pair)
        pairs[pair.number] = pair
        if progress:
            progress(2 * sum(number in pairs for number in wanted), 2 * len(wanted))
    return result([pairs[number] for number in wanted])


def result(pairs: Sequence[Pair]) -> ArenaResult:
    """What a few pairs, at least one, come to."""
    points = [point for pair in pairs for point in pair.points]
    ms = [each for pair in pairs for each in pair.ms]
    return ArenaResult(
        points_per_game=round(mean(points), 4),
        standard_error=round(stdev(sum(pair.points) / 2 for pair in pairs) / len(pairs) ** 0.5, 4) if pairs[1:] else 0,
        games=len(points),
        wins=sum(point > 0 for point in points),
        gammons=sum(point > 1 for point in points),
        turns=sum(sum(pair.turns) for pair in pairs),
        p50=round(median(ms), 2) if ms else 0.0,
        p99=round(quantiles(ms, n=100)[-1], 2) if ms[1:] else 0.0,
    )


def _player(name: str) -> str:
    if name not in LEVELS and name != RANDOM:
        raise Unreadable("unknown_level", level=name, possible=(*LEVELS, RANDOM))
    return name


def _play(contest: Contest, numbers: Sequence[int], jobs: int) -> Iterator[Pair]:
    """The pairs as they get done; left early, the processes end with the pair in hand."""
    if jobs == 1:
        yield from (play_pair(contest, number) for number in numbers)
        return
    executor = workers(jobs)
    try:
        with uninterrupted():
            playing = [executor.submit(play_pair, contest, number) for number in numbers]
        for done in as_completed(playing):
            yield done.result()
    finally:
        stop(executor, 0)


class _Record:
    """The file that a contest is written to, pair by pair; it may hold others too."""

    def __init__(self, contest: Contest, path: Path | None) -> None:
        self._contest = contest
        self._path = path
        self._torn = False

    def read(self) -> dict[int, Pair]:
        """The pairs of this contest by number. A line that a crash tore counts for nothing."""
        if self._path is None or not self._path.exists():
            return {}
        written = self._path.read_bytes()
        self._torn = bool(written) and not written.endswith(b"\n")
        found = filter(None, map(self._pair, written.splitlines()))
        return {pair.number: pair for pair in found}

    def append(self, pair: Pair) -> None:
        """Adds one line, in one write."""
        if self._path is None:
            return
        line = json.dumps(self._contest._asdict() | asdict(pair))
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write("\n" * self._torn + line + "\n")
        except OSError as error:
            raise Unreadable("cannot_write", file=str(self._path), why=error.strerror or str(error)) from error
        self._torn = False

    def _pair(self, line: bytes) -> Pair | None:
        try:
            told = json.loads(line)
            if Contest(*(told[name] for name in Contest._fields)) != self._contest:
                return None
            return Pair(told["number"], tuple(told["points"]), tuple(told["turns"]), tuple(told["ms"]))
        except (ValueError, TypeError, KeyError):
            return None
