"""From commands to commits: pure, without a store."""

import json

import pytest

from bot.engine import commands as ask
from bot.engine import events as told
from bot.engine import match as engine
from bot.engine.errors import Unreadable
from bot.engine.match import Phase, Shape
from bot.service import flow, records
from bot.service.fairness import commitment, dice_of, new_id
from bot.service.table import Commit, Seat, Table, Terms
from tests.engine.playing import whole_match

PEOPLE = (Seat(1, "Ayşe"), Seat(2, "Mehmet"))
AGAINST_COMPUTER = (Seat(1, "Ayşe"), Seat(None, level="hard"))


def seated(
    seats: tuple[Seat, Seat] = PEOPLE, seed: bytes = bytes(32), id: str = "abcdefghjk", length: int = 3
) -> Commit:
    return flow.set_up(Terms(shape=Shape(target=length)), seats, "test", 100.0, id=id, seed=seed)


def seated_with_starter(seats: tuple[Seat, Seat], starter: int) -> tuple[Commit, bytes]:
    """A table at which `starter` won the opening roll."""
    for number in range(100):
        seed = bytes([number]) * 32
        commit = seated(seats, seed)
        if commit.table.match.game.starter == starter:
            return commit, seed
    raise AssertionError("a hundred seeds and one starter")


def test_a_new_table_waits_for_its_starter_with_the_opening_on_the_board() -> None:
    table = seated().table
    assert (table.revision, table.match.phase, table.created) == (1, Phase.ROLL, 100.0)
    assert table.awaited == (table.match.game.starter,)
    assert table.commitment == commitment(bytes(32))


def test_the_computer_throws_by_itself_and_its_play_is_a_job() -> None:
    commit, _ = seated_with_starter(AGAINST_COMPUTER, 1)
    assert commit.table.match.phase is Phase.PLAY
    assert [(job.kind, job.run_at, job.expect_revision) for job in commit.jobs] == [("computer", 100.0, 1)]


def test_a_person_who_starts_leaves_no_job() -> None:
    commit, _ = seated_with_starter(AGAINST_COMPUTER, 0)
    assert commit.jobs == ()


def test_a_confirm_brings_the_next_roll_in_the_same_commit() -> None:
    commit, seed = seated_with_starter(PEOPLE, 0)
    dice = dice_of(seed, commit.table.id)
    commit = flow.advance(commit.table, [ask.Throw(0)], 101.0, dice)
    play = commit.table.match.game.turn().plays()[0]
    steps = tuple((step.start, step.die) for step in play.steps)
    commit = flow.advance(commit.table, [ask.TakeSteps(0, steps), ask.Confirm(0)], 102.0, dice)
    kinds = [type(event) for event in commit.events]
    assert kinds[-2:] == [told.Played, told.Rolled]
    assert (commit.table.revision, commit.table.updated, commit.table.awaited) == (3, 102.0, (1,))


def test_a_conceded_offer_waits_for_the_computer_as_a_job() -> None:
    commit, seed = seated_with_starter(AGAINST_COMPUTER, 0)
    dice = dice_of(seed, commit.table.id)
    commit = flow.advance(commit.table, [ask.Throw(0), ask.Concede(0, "game")], 101.0, dice)
    assert [job.kind for job in commit.jobs] == ["computer"]


def test_games_that_end_leave_results() -> None:
    commit, seed = seated_with_starter(PEOPLE, 0)
    dice = dice_of(seed, commit.table.id)
    todo: list[ask.Command] = [ask.Throw(0), ask.Concede(0, "game"), ask.AnswerConcession(1, accept=True)]
    commit = flow.advance(commit.table, todo, 101.0, dice)
    assert [(result.number, result.game, result.winner, result.points) for result in commit.results] == [
        (1, "tavla", 1, 2)
    ]


def test_the_computer_agrees_to_a_rematch() -> None:
    commit, seed = seated_with_starter(AGAINST_COMPUTER, 0)
    over = flow.advance(commit.table, [ask.Abort(0)], 101.0, dice_of(seed, commit.table.id))
    again = flow.advance(over.table, [ask.AskRematch(0)], 102.0, dice_of(seed, commit.table.id))
    assert again.table.match.rematch == (True, True)
    assert flow.terms_of(again.table).shape == Shape(target=3)


def test_terms_that_cannot_be_are_refused() -> None:
    with pytest.raises(Unreadable, match="unknown_game"):
        flow.set_up(Terms(game="chess"), PEOPLE, "test", 0.0, id=new_id(), seed=bytes(32))


@pytest.mark.parametrize("seed", range(3))
def test_every_state_and_event_of_a_match_is_kept_as_json_and_comes_back(seed: int) -> None:
    table: Table = seated().table
    began = engine.start(Shape(target=3), table.match.programme)

    def check(match: engine.Match, command: ask.Command, change: engine.Change) -> None:
        packed = json.loads(json.dumps(records.pack_match(change.match)))
        assert records.unpack_match(packed) == change.match
        for event in change.events:
            fields = json.loads(json.dumps(records.pack_event(event)))
            assert records.unpack_event(records.event_kind(event), fields) == event

    whole_match(began, seed, check)


def test_terms_come_back() -> None:
    terms = Terms(rules={"hit_and_run": "forbid_home"}, shape=Shape(target=7), rated=True)
    assert records.unpack_terms(json.loads(json.dumps(records.pack_terms(terms)))) == terms


def test_nothing_of_the_seed_is_in_a_snapshot() -> None:
    commit = seated(seed=b"\xab" * 32)
    assert "abababab" not in json.dumps(records.pack_match(commit.table.match))


def test_somebody_may_concede_before_the_computer_has_thrown_once() -> None:
    commit, seed = seated_with_starter(AGAINST_COMPUTER, 0)
    commit = flow.advance(commit.table, [ask.Concede(0, "game")], 101.0, dice_of(seed, commit.table.id))
    assert commit.table.match.phase is Phase.CONCESSION
    assert [job.kind for job in commit.jobs] == ["computer"]
