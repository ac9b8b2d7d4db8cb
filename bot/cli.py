"""The `tavla` command: its words and their options. Results go to standard output, progress to standard error."""

import argparse
import asyncio
import dataclasses
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

from bot.config import BadSetting, Settings, database_path, port, settings

USAGE_ERROR = 2


class _Parser(argparse.ArgumentParser):
    """A wrong word or option is one line and exit code 2."""

    def error(self, message: str) -> NoReturn:
        self.exit(USAGE_ERROR, f"{self.prog}: {message}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if not words or (words[0].startswith("-") and words[0] not in ("-h", "--help")):
        words.insert(0, "run")
    options = _parser().parse_args(words)
    do: Callable[[argparse.Namespace], int] = options.do
    try:
        return do(options)
    except BadSetting as error:
        return _refused(str(error))
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            return _refused(f"{error.filename or 'output'}: {error.strerror or error}")
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="tavla", description="Tavla at the local table, and for other programs.")
    words = parser.add_subparsers(metavar="WORD", required=True, parser_class=_Parser)
    _add_run(words)
    _add_lines(words)
    _add_arena(words)
    _add_bench(words)
    return parser


_Words = argparse._SubParsersAction  # the type has no public name


def _add_run(words: "_Words[_Parser]") -> None:
    run = words.add_parser("run", help="serve the local table (the default)")
    run.add_argument("--host", help="address to listen on (TAVLA_HOST, 127.0.0.1)")
    run.add_argument("--port", help="port to listen on (TAVLA_PORT, 8080 or another that is free)")
    run.add_argument("--database", metavar="URL", help="sqlite:///FILE (DATABASE_URL)")
    run.set_defaults(do=_run)


_REQUEST = '{"game": "tavla", "dice": [3, 1], "me": "24:2 13:5 8:3 6:5", "opponent": "24:2 13:5 8:3 6:5"}'
_MORE = {"plays": "", "hint": ', "level": "hard"', "picture": ', "names": ["Ayşe", "Mehmet"], "out": "board.png"'}


def _add_lines(words: "_Words[_Parser]") -> None:
    purposes: Mapping[str, str] = {
        "plays": "every legal play of each JSON line read",
        "hint": "what a level of the computer would play, for each JSON line read",
        "picture": "draw the board of each JSON line read",
    }
    for word, purpose in purposes.items():
        example = f"{_REQUEST[:-1]}{_MORE[word]}}}"
        told = f"{purpose}; one JSON line is answered for each. For example: {example}"
        lines = words.add_parser(word, help=purpose, description=told.replace("%", "%%"))
        lines.set_defaults(do=_lines, word=word)


def _add_arena(words: "_Words[_Parser]") -> None:
    arena = words.add_parser("arena", help="let two levels play each other")
    arena.add_argument("game")
    arena.add_argument("first", metavar="LEVEL")
    arena.add_argument("second", metavar="LEVEL")
    arena.add_argument("--games", type=_count, default=1000, help="how many, each dice sequence twice (1000)")
    arena.add_argument("--seed", type=int, default=1)
    arena.add_argument("--jobs", type=_count, default=1, help="processes (1)")
    arena.add_argument("--out", metavar="FILE", help="append the games to FILE and go on from there")
    arena.add_argument("--json", action="store_true", help="one JSON line at the end")
    arena.set_defaults(do=_arena)


def _add_bench(words: "_Words[_Parser]") -> None:
    bench = words.add_parser("bench", help="measure the figures that the README quotes")
    bench.add_argument("what", choices=("rules", "ai", "picture", "storage", "service", "platforms"))
    bench.add_argument("--json", action="store_true")
    bench.set_defaults(do=_bench)


def _count(text: str) -> int:
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a number from 1 to 999999999")
    return number


def _run(options: argparse.Namespace) -> int:
    told = _told(options)
    from adapters.web.serve import PortTaken
    from bot.__main__ import run
    from storage.sqlite import StoreRefused

    try:
        asyncio.run(run(told))
    except (StoreRefused, PortTaken) as error:
        return _refused(str(error))
    return 0


def _told(options: argparse.Namespace) -> Settings:
    """The environment's settings, overridden by what was written on the command line."""
    environment = dict(os.environ)
    if options.port is not None:
        environment.pop("TAVLA_PORT", None)
    if options.database is not None:
        environment.pop("DATABASE_URL", None)
    found = settings(environment)
    if options.host:
        found = dataclasses.replace(found, host=options.host)
    if options.port is not None:
        found = dataclasses.replace(found, port=port(options.port))
    if options.database is not None:
        found = dataclasses.replace(found, database=database_path(options.database))
    return found


def _lines(options: argparse.Namespace) -> int:
    from bot import talk

    if options.word == "picture":
        from bot.drawing import picture

        answer: talk.Answer = picture
    else:
        answer = {"plays": talk.plays, "hint": talk.hint}[options.word]
    for line in talk.conversation(sys.stdin.buffer, answer):
        print(line, flush=True)
    return 0


def _arena(options: argparse.Namespace) -> int:
    from bot.ai.arena import arena
    from bot.engine.errors import Refusal
    from render.words import SOURCE, words

    try:
        result = arena(
            options.game,
            options.first,
            options.second,
            games=options.games,
            seed=options.seed,
            jobs=options.jobs,
            out=options.out,
            progress=_progress if sys.stderr.isatty() else None,
        )
    except Refusal as refusal:
        return _refused(words(SOURCE).refusal(refusal))
    if options.json:
        print(json.dumps(result.told()))
    else:
        print(result)
    return 0


def _bench(options: argparse.Namespace) -> int:
    from bot.bench import measure

    figures = measure(options.what, _progress if sys.stderr.isatty() else None)
    if options.json:
        print(json.dumps({"bench": options.what, "figures": [figure._asdict() for figure in figures]}))
    else:
        for figure in figures:
            print(figure.line())
    return 0


def _progress(done: int, whole: int) -> None:
    end = "\n" if done >= whole else ""
    print(f"\r{done}/{whole}", end=end, file=sys.stderr, flush=True)


def _refused(reason: str) -> int:
    print(f"tavla: {reason}", file=sys.stderr)
    return USAGE_ERROR


if __name__ == "__main__":
    sys.exit(main())
