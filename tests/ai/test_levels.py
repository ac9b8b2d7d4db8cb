"""The levels: legal, repeatable, each clearly stronger than the next, and none silly."""

import pytest

from bot.ai.arena import arena
from bot.ai.duel import RANDOM
from bot.ai.levels import LEVELS, choice, level
from bot.ai.thinking import think
from bot.engine.errors import Unreadable
from bot.engine.plays import legal_plays
from bot.service import table
from bot.service.ports import Question
from tests.ai.boards import START, TAVLA, board, met

every_level = pytest.mark.parametrize("name", LEVELS)


def test_the_levels_are_those_that_the_service_offers() -> None:
    assert tuple(LEVELS) == table.LEVELS


def test_an_unknown_level_is_refused_and_the_possible_ones_are_named() -> None:
    with pytest.raises(Unreadable) as refused:
        level("godlike")
    assert refused.value.values["possible"] == ("easy", "medium", "hard")


def test_every_legal_play_is_ranked_once_and_every_level_chooses_one_that_it_can_afford() -> None:
    for number, (position, roll) in enumerate(met(2000, seed=2)):
        question = Question(TAVLA, position, roll.dice, seed=number)
        ranked = think(question).plays
        assert sorted(entry.play for entry in ranked) == sorted(legal_plays(TAVLA, position, roll.dice))
        for name, asked in LEVELS.items():
            chosen = choice(question._replace(level=name), ranked)
            worth = next(entry.equity for entry in ranked if entry.play == chosen)
            assert worth >= ranked[0].equity - asked.margin


@every_level
def test_thinking_chooses_from_its_own_ranking(name: str) -> None:
    for number, (position, roll) in enumerate(met(200, seed=7)):
        question = Question(TAVLA, position, roll.dice, name, number)
        thought = think(question)
        assert thought.chosen == choice(question, thought.plays)


@every_level
def test_the_same_question_has_the_same_answer(name: str) -> None:
    for number, (position, roll) in enumerate(met(100, seed=3)):
        question = Question(TAVLA, position, roll.dice, name, number)
        assert think(question) == think(question)


@pytest.mark.parametrize("name", ["easy", "medium"])
def test_weaker_levels_err_differently_with_another_seed(name: str) -> None:
    chosen = {think(Question(TAVLA, START, (4, 1), name, seed)).chosen for seed in range(50)}
    assert len(chosen) > 1


def test_hard_does_not_depend_on_the_seed() -> None:
    assert len({think(Question(TAVLA, START, (4, 1), "hard", seed)).chosen for seed in range(20)}) == 1


def test_plays_are_ranked_best_first_and_hard_makes_the_best() -> None:
    for position, roll in met(300, seed=4):
        thought = think(Question(TAVLA, position, roll.dice))
        equities = [entry.equity for entry in thought.plays]
        assert equities == sorted(equities, reverse=True)
        assert thought.chosen == thought.plays[0].play


def test_the_levels_are_ranked_by_one_eye() -> None:
    ranked = [think(Question(TAVLA, START, (6, 4), name)).plays for name in LEVELS]
    assert ranked[0] == ranked[1] == ranked[2]


@every_level
def test_where_nothing_can_be_played_the_play_is_empty(name: str) -> None:
    shut_out = board("25:1 6:14", "6:3 5:3 4:3 3:2 2:2 1:2")
    thought = think(Question(TAVLA, shut_out, (6, 5), name))
    assert thought.chosen.steps == ()
    assert [entry.play for entry in thought.plays] == [thought.chosen]


@every_level
@pytest.mark.parametrize("seed", range(20))
def test_a_game_that_can_be_ended_is_ended(name: str, seed: int) -> None:
    for opponent in ("6:15", "24:1 6:14"):
        thought = think(Question(TAVLA, board("6:1 1:1", opponent), (6, 1), name, seed))
        assert TAVLA.finished(thought.chosen.position)
        assert thought.plays[0].equity == 2


@every_level
def test_a_won_bear_off_is_done_without_delay(name: str) -> None:
    """Where two checkers can go off, two go; the race is won anyway and no roll is wasted."""
    for seed in range(10):
        thought = think(Question(TAVLA, board("6:3 5:3 2:2", "13:5 12:10"), (6, 5), name, seed))
        assert thought.chosen.position.me.off == 9


def test_five_opening_rolls_that_everybody_knows() -> None:
    known = {(3, 1): "5:2", (4, 2): "4:2", (6, 1): "7:2", (5, 3): "3:2"}
    for dice, point in known.items():
        assert point in str(think(Question(TAVLA, START, dice)).chosen.position.me).split()


@pytest.mark.parametrize(("first", "second", "games"), [("hard", "medium", 100), ("medium", "easy", 40)])
def test_each_level_is_clearly_stronger_than_the_next(first: str, second: str, games: int) -> None:
    played = arena("tavla", first, second, games=games, seed=1)
    assert played.points_per_game > 3 * played.standard_error


@pytest.mark.parametrize(("name", "least"), [("hard", 0.95), ("easy", 0.75)])
def test_every_level_beats_random_moves(name: str, least: float) -> None:
    played = arena("tavla", name, RANDOM, games=40, seed=1)
    assert played.points_per_game > 3 * played.standard_error
    assert played.wins >= least * played.games
