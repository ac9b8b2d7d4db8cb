"""Presses, typed plays, hints and the computer, over a real store."""

import asyncio
import logging

import pytest

from bot.engine.errors import Illegal, NotYours, Refusal, Stale, Unreadable
from bot.engine.events import OpeningRolled, Rolled
from bot.engine.match import Phase
from bot.service.actions import Action, Verb
from bot.service.fairness import commitment, dice_of
from bot.service.flow import NOTICE, QUIET
from bot.service.table import Delivery, Job, Table, Tally, Who
from tests.service.conftest import Service, who


async def test_a_whole_match_of_two_people(service: Service) -> None:
    table = await service.two(length=3)
    while table.match.phase is not Phase.OVER:
        table = await service.go_on(table)
    assert table.match.end is not None
    assert max(table.match.score) >= 3
    assert await service.store.load(table.id) == table
    assert service.saved[-1] == table


async def test_a_whole_match_against_the_computer_counts_in_the_tally(service: Service) -> None:
    table = await service.against_computer(length=2)
    while table.match.phase is not Phase.OVER:
        table = await service.go_on(table)
    player = table.seats[0].player
    assert player is not None
    assert await service.store.tally(player, "tavla") == Tally(*table.match.score)


async def test_fifty_equal_presses_are_one_step(service: Service) -> None:
    table = await service.until_play(await service.two(), 0)
    step = table.match.game.turn().steps()[0]
    presses = [service.do(table, Verb.STEPS, 0, (step.start, step.die)) for _ in range(50)]
    came = await asyncio.gather(*presses, return_exceptions=True)
    assert sum(not isinstance(each, Exception) for each in came) == 1
    assert sum(isinstance(each, Stale) for each in came) == 49
    assert (await service.matches.look(table.id)).revision == table.revision + 1


async def test_a_double_confirm_leaves_somebody_to_move(service: Service) -> None:
    table = await service.until_play(await service.two(), 0)
    while table.match.game.turn().steps():
        table = await service.go_on(table)
    came = await asyncio.gather(*(service.do(table, Verb.CONFIRM, 0) for _ in range(2)), return_exceptions=True)
    assert sum(isinstance(each, Stale) for each in came) == 1
    assert len((await service.matches.look(table.id)).awaited) == 1


async def test_a_roll_cannot_be_had_twice(service: Service) -> None:
    """Whatever is tried after a roll, its dice stay."""
    table = await service.two()
    seat = table.awaited[0]
    rolled = await service.do(table, Verb.ROLL, seat)
    for tried in (table, rolled):
        with pytest.raises(Refusal):
            await service.do(tried, Verb.ROLL, seat)
    assert (await service.matches.look(table.id)).match.game.roll == rolled.match.game.roll


async def test_old_buttons_change_nothing(service: Service) -> None:
    table = await service.until_play(await service.two(), 0)
    later = await service.go_on(table)
    for verb in (Verb.UNDO, Verb.CONFIRM, Verb.STEPS, Verb.CONCEDE_GAME, Verb.ABORT, Verb.REMATCH):
        with pytest.raises(Stale, match="board_moved_on"):
            await service.do(table, verb, 0, (24, 1))
    assert await service.matches.look(table.id) == later


async def test_strangers_and_the_wrong_seat_are_refused(service: Service) -> None:
    table = await service.until_play(await service.two(), 0)
    step = table.match.game.turn().steps()[0]
    action = Action(table.id, table.revision, Verb.STEPS, ((step.start, step.die),))
    stranger = Who((await service.person("Stranger")).player or 0)
    forged = Who(table.seats[0].player or 0, "some secret")
    for anybody in (stranger, forged):
        with pytest.raises(NotYours, match="not_your_match"):
            await service.matches.press(anybody, action)
        with pytest.raises(NotYours, match="not_your_match"):
            await service.matches.type(anybody, table.id, "13/8")
    with pytest.raises(NotYours, match="not_your_turn"):
        await service.matches.press(who(table, 1), action)
    with pytest.raises(NotYours, match="not_your_turn"):
        await service.matches.type(who(table, 1), table.id, "13/8")
    assert await service.matches.look(table.id) == table


async def test_unknown_matches_are_refused(service: Service) -> None:
    with pytest.raises(Unreadable, match="unknown_match"):
        await service.matches.press(Who(1), Action("abcdefghjk", 1, Verb.CONFIRM))


async def test_a_typed_play_is_taken_and_waits_for_confirm(service: Service) -> None:
    table = await service.until_play(await service.two(), 0)
    play = table.match.game.turn().plays()[0]
    text = " ".join(f"{step.start}/{step.end}" for step in play.steps).replace("25/", "bar/").replace("/0", "/off")
    table = await service.matches.type(who(table, 0), table.id, text)
    assert table.match.game.turn().position == play.position
    assert table.awaited == (0,)


async def test_a_typed_play_that_is_delivered_twice_is_taken_once(service: Service) -> None:
    table = await service.until_play(await service.two(), 0)
    step = table.match.game.turn().steps()[0]
    text, delivery = f"{step.start}/{step.end}", Delivery("test", "update 7")
    after = await service.matches.type(who(table, 0), table.id, text, delivery)
    with pytest.raises(Stale, match="already_done"):
        await service.matches.type(who(table, 0), table.id, text, delivery)
    assert await service.matches.look(table.id) == after
    assert await service.store.delivered(delivery) == table.id


async def test_hints_are_for_games_against_the_computer(service: Service) -> None:
    table = await service.until_play(await service.two(), 0)
    with pytest.raises(Illegal, match="no_hints_between_people"):
        await service.matches.hint(who(table, 0), Action(table.id, table.revision, Verb.HINT))
    table = await service.until_play(await service.against_computer(), 0)
    hint = await service.matches.hint(who(table, 0), Action(table.id, table.revision, Verb.HINT))
    assert 1 <= len(hint) <= 3
    assert hint[0].play.steps == table.match.game.turn().plays()[0].steps
    assert await service.matches.look(table.id) == table


async def test_a_hint_in_mid_turn_goes_on_from_there(service: Service) -> None:
    table = await service.until_play(await service.against_computer(), 0)
    while len(table.match.game.turn().plays()) < 2 or not table.match.game.so_far:
        table = await service.go_on(table)
    hint = await service.matches.hint(who(table, 0), Action(table.id, table.revision, Verb.HINT))
    turn = table.match.game.turn()
    for step in hint[0].play.steps:
        turn = turn.take(step.start, step.die)
    assert not turn.steps()


async def test_the_computer_plays_once_however_often_its_job_is_done(service: Service) -> None:
    table = await service.against_computer()
    while table.awaited != (1,):
        table = await service.go_on(table)
    (job,) = await service.store.claim(service.time, 30, 1)
    await asyncio.gather(*(service.matches.computer(job) for _ in range(5)))
    assert (await service.matches.look(table.id)).revision == table.revision + 1


async def test_a_computer_that_fails_four_times_makes_the_first_legal_play(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    table = await service.against_computer()
    while table.awaited != (1,):
        table = await service.go_on(table)
    service.thinker.failing = True
    for tries in range(1, 4):
        (job,) = await service.store.claim(service.time, 30, 1)
        with pytest.raises(RuntimeError):
            await service.matches.computer(job)
        assert service.thinker.asked[-1].level == ("hard" if tries < 3 else "easy")
        service.time += 31
    (job,) = await service.store.claim(service.time, 30, 1)
    with caplog.at_level(logging.ERROR):
        await service.matches.computer(job)
    assert "the first legal play is made" in caplog.text
    assert (await service.matches.look(table.id)).awaited != (1,)


async def test_the_computer_accepts_a_concession(service: Service) -> None:
    table = await service.until_play(await service.against_computer(), 0)
    table = await service.do(table, Verb.CONCEDE_GAME, 0)
    (job,) = await service.store.claim(service.time, 30, 1)
    await service.matches.computer(job)
    table = await service.matches.look(table.id)
    assert table.match.phase in (Phase.BETWEEN, Phase.OVER)
    assert table.match.score == (0, 2)


async def test_a_rematch_needs_both_and_comes_once(service: Service) -> None:
    table = await service.until_play(await service.two(), 0)
    table = await service.do(table, Verb.CONCEDE_MATCH, 0)
    table = await service.do(table, Verb.ACCEPT, 1)
    table = await service.do(table, Verb.REMATCH, 1)
    assert table.successor is None
    with pytest.raises(Illegal, match="rematch_asked"):
        await service.do(table, Verb.REMATCH, 1)
    came = await asyncio.gather(*(service.do(table, Verb.REMATCH, 0) for _ in range(3)), return_exceptions=True)
    (again,) = [each for each in came if not isinstance(each, BaseException)]
    assert again.successor is not None
    follower = await service.matches.look(again.successor)
    assert (follower.follows, follower.seats, follower.match.score) == (table.id, table.seats, (0, 0))


async def test_a_rematch_against_the_computer_comes_at_once(service: Service) -> None:
    table = await service.against_computer()
    while 0 not in table.awaited or not table.match.may_abort:
        table = await service.against_computer()
    table = await service.do(table, Verb.ABORT, 0)
    table = await service.do(table, Verb.REMATCH, 0)
    assert table.successor is not None


async def test_a_rematch_that_a_crash_forgot_is_made_up_for_by_its_job(service: Service) -> None:
    table = await service.until_play(await service.two(), 0)
    table = await service.do(await service.do(table, Verb.CONCEDE_MATCH, 0), Verb.ACCEPT, 1)
    table = await service.do(table, Verb.REMATCH, 1)
    seat = service.store.seat

    async def crash(seating: object) -> None:
        raise RuntimeError("the power went out")

    service.store.seat = crash  # type: ignore[method-assign]
    with pytest.raises(RuntimeError):
        await service.do(table, Verb.REMATCH, 0)
    service.store.seat = seat  # type: ignore[method-assign]
    (job,) = await service.store.claim(service.time, 30, 5)
    await service.matches.rematch(job)
    successor = (await service.matches.look(table.id)).successor
    assert successor is not None
    assert [(job.match, job.kind) for job in await service.waiting()] == [(successor, NOTICE)]


async def test_the_seed_is_revealed_when_the_match_is_over_and_proves_its_rolls(service: Service) -> None:
    table = await service.until_play(await service.two(), 0)
    assert await service.matches.revealed(table) is None
    table = await service.do(await service.do(table, Verb.CONCEDE_MATCH, 0), Verb.ACCEPT, 1)
    seed = await service.matches.revealed(table)
    assert seed is not None
    assert commitment(seed) == table.commitment
    rolls = [event for _, _, event in await service.store.events(table.id) if isinstance(event, Rolled | OpeningRolled)]
    assert [dice_of(seed, table.id)(event.index) for event in rolls] == [event.roll for event in rolls]


# Notices.


async def notice_of(service: Service, table: Table) -> Job:
    """The notice that a table is due, claimed."""
    service.time += QUIET
    (job,) = await service.store.claim(service.time, 30, 5)
    assert (job.match, job.kind, job.expect_revision) == (table.id, NOTICE, table.revision)
    return job


async def test_between_people_a_notice_waits_for_whoever_did_not_act_himself(service: Service) -> None:
    table = await service.two(length=2)
    while table.match.phase is not Phase.OVER:
        seat = table.awaited[0]
        service.time += 1
        table = await service.go_on(table)
        told = [(job.kind, job.run_at, job.expect_revision) for job in await service.waiting()]
        due = (NOTICE, service.time + QUIET, table.revision)
        assert told == ([due] if set(table.awaited) - {seat} else [])


async def test_against_the_computer_there_are_no_notices(service: Service) -> None:
    table = await service.against_computer(length=1)
    while table.match.phase is not Phase.OVER:
        table = await service.go_on(table)
        assert NOTICE not in [job.kind for job in await service.waiting()]


async def test_a_notice_rings_once_and_only_when_it_is_due(service: Service) -> None:
    table = await service.two()
    assert not await service.store.claim(service.time + QUIET - 1, 30, 5)
    await service.notice(await notice_of(service, table))
    assert service.rung == [table]
    assert not await service.waiting()


async def test_a_notice_for_a_board_that_has_moved_on_is_dropped_unheard(service: Service) -> None:
    table = await service.two()
    late = await notice_of(service, table)
    rolled = await service.do(table, Verb.ROLL, table.awaited[0])
    offered = await service.do(rolled, Verb.CONCEDE_GAME, rolled.awaited[0])
    await service.notice(late)
    assert service.rung == []
    assert [job.expect_revision for job in await service.waiting()] == [offered.revision], "the new one stays"


async def test_a_ring_that_fails_leaves_its_job(service: Service) -> None:
    table = await service.two()
    job = await notice_of(service, table)
    service.deaf = True
    with pytest.raises(RuntimeError, match="nobody hears"):
        await service.notice(job)
    assert not await service.store.claim(service.time + 29, 30, 5)
    service.deaf, service.time = False, service.time + 30
    (again,) = await service.store.claim(service.time, 30, 5)
    assert again.tries == job.tries + 1
    await service.notice(again)
    assert service.rung == [table]
    assert not await service.waiting()


async def test_a_board_that_moves_on_during_the_ring_keeps_its_own_notice(service: Service) -> None:
    table = await service.two()
    job = await notice_of(service, table)

    async def ring(rung: Table) -> None:
        rolled = await service.do(rung, Verb.ROLL, rung.awaited[0])
        await service.do(rolled, Verb.CONCEDE_GAME, rolled.awaited[0])

    await service.matches.notice(job, ring)
    assert [job.expect_revision for job in await service.waiting()] == [table.revision + 2]
