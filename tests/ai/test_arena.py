"""The arena: pairs with the same dice, repeatable, and resumed from its file."""

import json
from itertools import islice
from pathlib import Path

import pytest

from bot.ai import duel
from bot.ai.arena import arena, result
from bot.ai.duel import RANDOM, Contest, Pair, play_pair, rolls
from bot.engine.errors import Unreadable
from bot.variants import variant

CONTEST = Contest("tavla", "easy", RANDOM, 7)


def record(path: Path, games: int, seed: int = 7) -> str:
    """The result without the times, which no seed repeats."""
    played = arena("tavla", "easy", RANDOM, games=games, seed=seed, out=path)
    return str(played.told() | {"ms": None})


def test_the_same_seed_plays_the_same_games() -> None:
    one, other = play_pair(CONTEST, 3), play_pair(CONTEST, 3)
    assert (one.points, one.turns) == (other.points, other.turns)


def test_both_games_of_a_pair_have_the_same_dice_and_every_pair_its_own() -> None:
    rules = variant("tavla")
    assert list(islice(rolls(rules, 1, 5), 50)) == list(islice(rolls(rules, 1, 5), 50))
    assert list(islice(rolls(rules, 1, 5), 50)) != list(islice(rolls(rules, 1, 6), 50))


def test_where_the_opening_dice_are_played_the_first_roll_is_no_double() -> None:
    rules = variant("tavla", {"opening": "play"})
    assert not any(next(rolls(rules, 1, number)).double for number in range(200))


def test_two_equal_levels_win_nothing_from_each_other() -> None:
    """With the same dice and no mistakes, what the one wins the other wins in the game with seats changed."""
    played = arena("tavla", "hard", "hard", games=6)
    assert (played.points_per_game, played.standard_error) == (0, 0)


def test_the_result_is_counted_from_the_first_levels_side() -> None:
    counted = result([Pair(0, (2, -1), (40, 50), (1.0, 3.0)), Pair(1, (1, -2), (60, 50), (2.0,))])
    assert counted.told() == {
        "points_per_game": 0,
        "standard_error": 0.5,
        "games": 4,
        "wins": 2,
        "gammons": 1,
        "turns": 200,
        "ms": {"p50": 2.0, "p99": counted.p99},
    }


def test_an_odd_game_is_made_a_pair() -> None:
    assert arena("tavla", "easy", RANDOM, games=3).games == 4


def test_a_resumed_arena_plays_only_what_is_missing(tmp_path: Path) -> None:
    whole, resumed = tmp_path / "whole", tmp_path / "resumed"
    expected = record(whole, 8)
    record(resumed, 4)
    before = resumed.read_bytes()
    assert record(resumed, 8) == expected
    assert resumed.read_bytes().startswith(before)
    assert len(resumed.read_text().splitlines()) == 4


def test_a_finished_arena_is_read_and_not_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = record(tmp_path / "out", 4)
    monkeypatch.setattr(duel, "think", None)
    assert record(tmp_path / "out", 4) == expected


def test_a_torn_line_and_other_contests_in_the_file_count_for_nothing(tmp_path: Path) -> None:
    out = tmp_path / "out"
    expected = record(out, 4)
    lines = out.read_text().splitlines(keepends=True)
    record(out, 2, seed=8)
    out.write_text(lines[0] + "[1]\n" + lines[1][:40])
    assert record(out, 4) == expected
    assert record(out, 4) == expected
    assert json.loads(out.read_text().splitlines()[-1])["number"] == 1


def test_more_processes_play_the_same_games(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    played = arena(
        "tavla", "easy", RANDOM, games=6, seed=7, jobs=2, progress=lambda done, whole: told.append((done, whole))
    )
    assert str(played.told() | {"ms": None}) == record(tmp_path / "out", 6)
    assert told == [(2, 6), (4, 6), (6, 6)]


def test_unknown_games_and_levels_and_a_file_that_cannot_be_written_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="unknown_game"):
        arena("chess", "hard", "easy")
    with pytest.raises(Unreadable, match="unknown_level"):
        arena("tavla", "hard", "godlike")
    with pytest.raises(Unreadable, match="cannot_write"):
        arena("tavla", RANDOM, RANDOM, games=2, out=tmp_path / "none" / "out")


def test_a_game_without_end_is_void(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duel, "MOST_TURNS", 10)
    assert play_pair(CONTEST, 0).points == (0, 0)
