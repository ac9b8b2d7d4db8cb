"""The `tavla` command as other programs see it: one line in, one line out, nothing else on standard output."""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

Json = dict[str, Any]
ROOT = Path(__file__).parents[1]
START = "24:2 13:5 8:3 6:5"


def tavla(*words: str, told: str | bytes = "", env: dict[str, str] | None = None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "bot.cli", *words],
        input=told.encode() if isinstance(told, str) else told,
        capture_output=True,
        check=False,
        timeout=60,
        cwd=ROOT,
        env={**os.environ, **(env or {})},
    )


def answers(word: str, *requests: Json | str) -> list[Json]:
    lines = [request if isinstance(request, str) else json.dumps(request) for request in requests]
    ran = tavla(word, told="\n".join(lines) + "\n")
    assert (ran.returncode, ran.stderr) == (0, b"")
    found = [json.loads(line) for line in ran.stdout.splitlines()]
    assert len(found) == len(lines)
    return found


def asked(**fields: Any) -> Json:
    return {"game": "tavla", "dice": [3, 1], "me": START, "opponent": START} | fields


def test_plays_of_the_start() -> None:
    (found,) = answers("plays", asked())
    assert found["dice_used"] == 2
    assert len(found["plays"]) == 16
    assert found["plays"][0] == {
        "moves": ["24/21", "24/23"],
        "me": "23:1 21:1 13:5 8:3 6:5",
        "opponent": START,
        "left": [],
        "to_opponent": [],
    }


def test_the_written_examples() -> None:
    won, bad = answers(
        "plays",
        {"game": "tavla", "dice": [6, 5], "me": "6:1", "opponent": "5:15"},
        {"game": "tavla", "dice": [7, 1], "me": "6:1", "opponent": "5:15"},
    )
    assert won == {
        "dice_used": 2,
        "plays": [
            {
                "moves": ["6/off"],
                "me": "",
                "opponent": "5:15",
                "left": [],
                "to_opponent": [],
                "over": {"winner": "me", "points": 2, "kind": "mars"},
            }
        ],
    }
    assert bad == {"error": "dice: 7 is not 1..6"}


def test_nothing_playable_is_one_play_without_moves() -> None:
    (found,) = answers("plays", asked(dice=[5, 5], me="25:1 6:14", opponent="5:2 3:13"))
    assert found == {
        "dice_used": 0,
        "plays": [{"moves": [], "me": "25:1 6:14", "opponent": "5:2 3:13", "left": [5, 5, 5, 5], "to_opponent": []}],
    }


def test_hits_and_the_bar_are_written() -> None:
    (found,) = answers("plays", asked(dice=[4, 4], me="25:1 6:14", opponent="4:1 3:14"))
    assert {play["moves"][0] for play in found["plays"]} == {"bar/21*"}
    assert {play["opponent"] for play in found["plays"]} == {"25:1 3:14"}


def test_a_limit_truncates() -> None:
    (found,) = answers("plays", asked(limit=5))
    assert (len(found["plays"]), found["truncated"], found["count"]) == (5, True, 5)


BAD: list[tuple[Json, str]] = [
    ({"game": "chess"}, "tavla"),
    ({"game": 7}, "game"),
    ({"rules": {"doubles": "yes"}}, "hit_and_run"),
    ({"rules": {"hit_and_run": "maybe"}}, "forbid_home"),
    ({"rules": []}, "rules"),
    ({"dice": [3]}, "dice"),
    ({"dice": [3, 1, 1]}, "dice"),
    ({"dice": [0, 1]}, "dice: 0"),
    ({"dice": "31"}, "dice"),
    ({"dice": [3, True]}, "dice"),
    ({"dice": [3, 1.0]}, "dice"),
    ({"dice": None}, "dice"),
    ({"me": "24:16"}, "15"),
    ({"me": "24:-1"}, "-1"),
    ({"me": "26:1"}, "26"),
    ({"me": "hello"}, "hello"),
    ({"me": None}, "me"),
    ({"opponent": "1:2"}, "24"),
    ({"me": ""}, "over"),
    ({"pinned": [6]}, "pin"),
    ({"remainder": [5, 5]}, "remainder"),
    ({"limit": 0}, "limit"),
]


@cache
def bad_answers() -> list[Json]:
    """One conversation: every bad request, each followed by a good one."""
    return answers("plays", *(asked(**fields) for bad, _ in BAD for fields in (bad, {})))


@pytest.mark.parametrize("number", range(len(BAD)), ids=[json.dumps(fields) for fields, _ in BAD])
def test_bad_requests_are_named_and_the_next_line_is_served(number: int) -> None:
    bad, good = bad_answers()[2 * number : 2 * number + 2]
    assert list(bad) == ["error"]
    assert BAD[number][1] in bad["error"]
    assert len(good["plays"]) == 16


def test_lines_that_are_no_request() -> None:
    lines = [
        "",
        "9" * 5000,
        '{"game":"\\ud800"}',
        "hello",
        "[]",
        "7",
        "null",
        '{"game":',
        "[" * 100_000,
        '{"game":"tavla"',
    ]
    found = answers("plays", *(line for bad in lines for line in (bad, json.dumps(asked()))))
    assert all(list(bad) == ["error"] for bad in found[::2])
    assert all(len(good["plays"]) == 16 for good in found[1::2])


def test_bytes_that_are_no_text_are_a_bad_request() -> None:
    ran = tavla("plays", told=b"\xff\xfe\x00\n" + json.dumps(asked()).encode())
    bad, good = (json.loads(line) for line in ran.stdout.splitlines())
    assert list(bad) == ["error"]
    assert "plays" in good


def test_answers_come_at_once() -> None:
    """A conversation: the answer is there before the next line is written."""
    command = [sys.executable, "-m", "bot.cli", "plays"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        for _ in range(3):
            program.stdin.write(json.dumps(asked()).encode() + b"\n")
            program.stdin.flush()
            assert len(json.loads(program.stdout.readline())["plays"]) == 16
        program.stdin.close()


def test_hint_gives_the_best_plays_and_what_the_level_chooses() -> None:
    (found,) = answers("hint", asked(level="hard", top=3))
    assert len(found["plays"]) == 3
    best = found["plays"][0]
    assert best["moves"] == ["8/5", "6/5"]
    assert found["chosen"] == {name: best[name] for name in ("moves", "me", "opponent")}
    equities = [play["equity"] for play in found["plays"]]
    assert equities == sorted(equities, reverse=True)
    for play in found["plays"]:
        assert 0 <= play["win_backgammon"] <= play["win_gammon"] <= play["win"] <= 1
        assert 0 <= play["lose_gammon"] <= 1 - play["win"] + 1e-9


def test_hints_of_a_weaker_level_repeat_with_their_seed() -> None:
    first, second = answers("hint", asked(level="easy", seed=5), asked(level="easy", seed=5))
    assert first == second


def test_bad_hint_requests() -> None:
    bad: list[Json] = [{"level": "godlike"}, {"top": 0}, {"cube": {"value": 1}}, {"seed": "x"}]
    assert all(list(found) == ["error"] for found in answers("hint", *(asked(**fields) for fields in bad)))


def test_a_picture_is_written_and_timed(tmp_path: Path) -> None:
    out = tmp_path / "board.png"
    (found,) = answers(
        "picture",
        asked(
            out=str(out),
            theme="walnut",
            names=["Ayşe", "Дмитрий"],
            last=["13/8", "6/5*"],
            cube={"value": 2, "owner": "me"},
            score=[1, 2, 7],
            measure=5,
        ),
    )
    assert out.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert (found["out"], found["bytes"], found["n"]) == (str(out), out.stat().st_size, 5)
    assert 0 < found["p50_ms"] <= found["p95_ms"]


def test_bad_pictures(tmp_path: Path) -> None:
    bad: list[Json] = [
        {"out": None},
        {"out": "a\0.png"},
        {"out": "\ud800.png"},
        {"me": "1:1", "opponent": "1:1", "measure": 2},
        {"out": "/nowhere/at/all/b.png"},
        {"theme": "pink"},
        {"theme": []},
        {"names": "Ayşe"},
        {"names": [1]},
        {"last": "13/8"},
        {"last": ["13"]},
        {"last": [7]},
        {"last": ["²/1"]},
        {"score": [1]},
        {"score": "1-2"},
        {"cube": 2},
        {"cube": {"value": "x"}},
        {"measure": -1},
        {"dice": [9, 9]},
        {"dice": "x"},
    ]
    fields = [asked(out=str(tmp_path / "x.png")) | each for each in bad]
    *refused, good = answers("picture", *fields, asked(out=str(tmp_path / "y.png")))
    assert [list(found) for found in refused] == [["error"]] * len(bad), refused
    assert good["bytes"] > 1000


@pytest.mark.parametrize(
    "words",
    [
        ("dance",),
        ("plays", "--fast"),
        ("arena", "tavla"),
        ("arena", "chess", "easy", "hard"),
        ("arena", "tavla", "easy", "godlike"),
        ("arena", "tavla", "easy", "hard", "--games", "0"),
        ("bench", "weather"),
        ("--port", "http"),
        ("run", "--port", "99999"),
        ("run", "--port", "9" * 5000),
        ("run", "--port", "0", "--host", "a..b"),
        ("run", "--database", "sqlite:////tmp/%00.db"),
        ("arena", "tavla", "easy", "hard", "--games", "2", "--out", "/tmp"),
        ("run", "--database", "mysql://x"),
        ("run", "--database", "sqlite:////proc/nowhere/x.db"),
    ],
)
def test_wrong_words_are_one_line_and_exit_code_2(words: tuple[str, ...]) -> None:
    ran = tavla(*words)
    assert ran.returncode == 2
    assert ran.stdout == b""
    assert len(ran.stderr.decode().splitlines()) == 1, ran.stderr


@pytest.mark.parametrize("word", [(), ("run",), ("plays",), ("hint",), ("arena",), ("picture",), ("bench",)])
def test_every_word_has_help(word: tuple[str, ...]) -> None:
    ran = tavla(*word, "--help")
    assert ran.returncode == 0
    assert b"usage: tavla" in ran.stdout


def test_an_arena_tells_one_json_line() -> None:
    ran = tavla("arena", "tavla", "medium", "easy", "--games", "4", "--seed", "3", "--json")
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert list(found) == ["points_per_game", "standard_error", "games", "wins", "gammons", "turns", "ms"]
    assert found["games"] == 4
    assert set(found["ms"]) == {"p50", "p99"}
