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
from bot.service.flow import NOTICE, QUIET
from bot.service.table import Commit, Job, Seat, Table, Terms
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


def test_against_the_computer_a_person_who_starts_leaves_no_job() -> None:
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


# Notices: between people, for somebody who is awaited and did not act himself.


class People:
    """Two people at a table who start with seat 0, and what has to be done for them."""

    def __init__(self, length: int = 3) -> None:
        commit, seed = next(
            (commit, bytes([number]) * 32)
            for number in range(100)
            if (commit := seated(seed=bytes([number]) * 32, length=length)).table.match.game.starter == 0
        )
        self.dice = dice_of(seed, commit.table.id)
        self.commit = commit

    def do(self, *commands: ask.Command) -> Commit:
        table = self.commit.table
        self.commit = flow.advance(table, commands, table.updated + 1, self.dice)
        return self.commit

    def play(self) -> Commit:
        """Whoever is to move plays his roll and confirms."""
        seat, turn = self.commit.table.awaited[0], self.commit.table.match.game.turn()
        steps = tuple((step.start, step.die) for step in turn.plays()[0].steps)
        return self.do(ask.TakeSteps(seat, steps), ask.Confirm(seat))


def noticed(commit: Commit) -> bool:
    """Whether somebody is to be told, and nothing else is to be done."""
    if NOTICE not in [job.kind for job in commit.jobs]:
        return False
    table = commit.table
    assert commit.jobs == (Job(table.id, NOTICE, table.updated + QUIET, table.revision),)
    return True


def test_whoever_starts_is_told_half_a_minute_after_they_have_sat_down() -> None:
    commit = People().commit
    assert noticed(commit)
    assert commit.jobs[0].run_at == commit.table.created + 30


def test_whoever_acts_himself_is_not_told() -> None:
    people = People()
    assert not noticed(people.do(ask.Throw(0)))
    step = people.commit.table.match.game.turn().steps()[0]
    assert not noticed(people.do(ask.TakeSteps(0, ((step.start, step.die),))))
    assert not noticed(people.do(ask.Undo(0)))


def test_the_next_player_is_told() -> None:
    people = People()
    people.do(ask.Throw(0))
    commit = people.play()
    assert commit.table.awaited == (1,)
    assert noticed(commit)


def test_an_offer_and_its_answer_are_told_to_the_other_one() -> None:
    people = People()
    people.do(ask.Throw(0))
    assert noticed(people.do(ask.Concede(0, "game")))
    assert noticed(people.do(ask.AnswerConcession(1, accept=False)))
    assert noticed(people.do(ask.Concede(1, "game")))
    assert not noticed(people.do(ask.AnswerConcession(0, accept=False))), "he who declines is to move himself"


def test_the_end_of_a_game_and_the_next_one_are_told() -> None:
    people = People()
    people.do(ask.Throw(0), ask.Concede(0, "game"))
    assert noticed(people.do(ask.AnswerConcession(1, accept=True)))
    starter = flow.advance(people.commit.table, [ask.NextGame(0)], 200.0, people.dice).table.awaited[0]
    assert noticed(people.do(ask.NextGame(1 - starter)))


def test_a_wish_for_a_rematch_is_told_and_its_granting_is_other_work() -> None:
    people = People(length=1)
    people.do(ask.Throw(0), ask.Concede(0, "game"))
    assert noticed(people.do(ask.AnswerConcession(1, accept=True)))
    assert noticed(people.do(ask.AskRematch(0)))
    assert [job.kind for job in people.do(ask.AskRematch(1)).jobs] == ["rematch"]


def test_nobody_is_told_that_the_computer_has_moved() -> None:
    commit, seed = seated_with_starter(AGAINST_COMPUTER, 1)
    dice, table = dice_of(seed, commit.table.id), commit.table
    steps = tuple((step.start, step.die) for step in table.match.game.turn().plays()[0].steps)
    commit = flow.advance(table, [ask.TakeSteps(1, steps), ask.Confirm(1)], 101.0, dice)
    assert commit.table.awaited == (0,)
    assert commit.jobs == ()
