"""What every store promises of people, matches and jobs: each sentence of `bot.service.ports.Store` is a test."""

import asyncio
import random
from dataclasses import replace

import pytest

from bot.engine import match as engine
from bot.engine.clock import Clock
from bot.engine.errors import Stale, Unreadable
from bot.service.ports import Store
from bot.service.table import Commit, Delivery, GameResult, Job, Seat, Shown, Table, Tally
from tests.storage.conftest import Hours
from tests.storage.playing import (
    BEGAN,
    advanced,
    bare,
    beginning,
    challenge_of,
    later,
    match_id,
    next_of,
    outcomes,
    over,
    seating,
    taking_up,
)

NAMES = (
    "Ayşe",
    "Дмитрий",
    "محمد",
    "ქეთი",
    "山田太郎",
    "👩🏽‍🦰",
    "O'Brien; DROP TABLE player --",
    'quo"te\\',
    "a\nb",
    "\0nul",
)


# People.


async def test_a_player_is_made_at_the_first_call_and_found_again(store: Store) -> None:
    first = await store.player("telegram", "7", "Ayşe")
    assert await store.player("telegram", "7") == first
    assert await store.player("telegram", "8") != first
    assert await store.player("discord", "7") != first


async def test_an_account_that_calls_many_times_at_once_is_one_player(store: Store) -> None:
    found = await asyncio.gather(*(store.player("telegram", "7", f"name {number % 2}") for number in range(20)))
    assert len(set(found)) == 1


async def test_the_name_last_given_is_kept(store: Store, hours: Hours) -> None:
    player = await store.player("telegram", "7")
    assert await store.name(player) == ""
    for name in ("Ayşe", "", "Fatma", ""):
        hours.now += 1
        await store.player("telegram", "7", name)
    assert await store.name(player) == "Fatma"
    assert await store.name(player + 1) == ""


@pytest.mark.parametrize("name", NAMES)
async def test_names_are_kept_in_any_script(store: Store, name: str) -> None:
    player = await store.player("web", name, name)
    assert await store.name(player) == name
    begun = seating(1, (Seat(player, name), Seat(None, level="hard")))
    await store.seat(begun)
    assert (await store.load(begun.commit.table.id)).seats[0].name == name
    await store.put_challenge(challenge_of(Seat(player, name, secret="aa")))
    assert (await store.challenge("challenge1")).challenger == Seat(player, name, secret="aa")


async def test_a_player_is_known_to_each_platform_by_its_id(store: Store, people: tuple[Seat, Seat]) -> None:
    assert people[0].player is not None
    assert await store.accounts(people[0].player) == {"web": "a"}
    telegram = await store.player("telegram", "7", "Ayşe")
    assert await store.accounts(telegram) == {"telegram": "7"}
    assert await store.accounts(99) == {}


# Matches.


async def test_what_was_seated_is_loaded(store: Store, people: tuple[Seat, Seat]) -> None:
    begun = seating(1, people)
    full = replace(begun.commit.table, nonces=("ab" * 32, ""), rated=True, scope="telegram:-100", dice_scheme=1)
    begun = replace(begun, commit=replace(begun.commit, table=full))
    await store.seat(begun)
    assert await store.load(full.id) == full
    assert await store.seed(full.id) == begun.seed


async def test_seats_of_the_local_table_and_the_computer_are_kept(store: Store, people: tuple[Seat, Seat]) -> None:
    local = replace(people[0], secret="aa"), replace(people[0], name="Guest", secret="bb")
    for number, seats in enumerate((local, (Seat(None, level="easy"), people[1]))):
        await store.seat(seating(number, seats))
        assert (await store.load(match_id(number))).seats == seats


async def test_the_computer_asks_for_its_job_when_it_is_seated(store: Store, people: tuple[Seat, Seat]) -> None:
    begun = seating(1, people)
    job = Job(match_id(1), "computer", BEGAN, 1)
    await store.seat(replace(begun, commit=replace(begun.commit, jobs=(job,))))
    assert await store.claim(BEGAN, 30, 9) == [replace(job, tries=1)]


async def test_what_was_saved_is_loaded(store: Store, table: Table) -> None:
    clock = Clock("live", (90.0, 12.5), BEGAN + 0.1, BEGAN + 30.1, (0, 1), True)
    changed = replace(next_of(table).table, nonces=("cd" * 32, "ef" * 32), rated=True)
    changed = replace(changed, match=replace(changed.match, clock=clock))
    await store.save(replace(next_of(table), table=changed))
    assert await store.load(table.id) == changed


@pytest.mark.parametrize("seed", range(2))
async def test_a_whole_match_is_what_its_events_tell(store: Store, people: tuple[Seat, Seat], seed: int) -> None:
    begun, choose = seating(seed, people), random.Random(seed)
    await store.seat(begun)
    commit, told = begun.commit, [(1, begun.commit.table.updated, event) for event in begun.commit.events]
    while not over(commit.table):
        commit = advanced(commit.table, begun.seed, choose)
        await store.save(commit)
        told += [(commit.table.revision, commit.table.updated, event) for event in commit.events]
    assert await store.load(match_id(seed)) == commit.table
    assert await store.events(match_id(seed)) == told
    assert engine.replay(beginning(), (event for _, _, event in told)) == commit.table.match


async def test_of_two_saves_of_one_revision_the_second_is_refused(store: Store, table: Table) -> None:
    first, second = next_of(table), bare(table)
    await store.save(first)
    with pytest.raises(Stale, match="board_moved_on"):
        await store.save(second)
    assert await store.load(table.id) == first.table
    assert [revision for revision, _, _ in await store.events(table.id)][-1] == 2


async def test_of_many_saves_at_once_exactly_one_wins(store: Store, table: Table) -> None:
    ended = await outcomes(*(asyncio.ensure_future(store.save(next_of(table))) for _ in range(20)))
    assert ended == [""] + ["board_moved_on"] * 19
    assert await store.load(table.id) == next_of(table).table


async def test_a_revision_is_not_left_out(store: Store, table: Table) -> None:
    with pytest.raises(Stale, match="board_moved_on"):
        await store.save(Commit(later(table, 3), ()))


async def test_a_delivery_counts_once_even_for_the_next_board(store: Store, table: Table) -> None:
    again = Delivery("telegram", "77")
    first = replace(next_of(table), delivery=again)
    await store.save(first)
    with pytest.raises(Stale, match="already_done"):
        await store.save(replace(next_of(first.table), delivery=again))
    assert await store.load(table.id) == first.table
    await store.save(replace(next_of(first.table), delivery=Delivery("discord", "77")))


async def test_of_one_delivery_many_times_at_once_one_is_saved(store: Store, table: Table) -> None:
    commit = replace(next_of(table), delivery=Delivery("telegram", "77"))
    ended = await outcomes(*(asyncio.ensure_future(store.save(commit)) for _ in range(20)))
    assert ended == [""] + ["already_done"] * 19


async def test_a_match_that_is_ordered_twice_is_set_up_once(store: Store, people: tuple[Seat, Seat]) -> None:
    order = Delivery("telegram", "77")
    doings = []
    for number in range(10):
        begun = seating(number, people)
        delivered = replace(begun, commit=replace(begun.commit, delivery=order))
        doings.append(asyncio.ensure_future(store.seat(delivered)))
    assert await outcomes(*doings) == [""] + ["already_done"] * 9
    assert people[0].player is not None
    (table,) = await store.matches_of(people[0].player)
    assert await store.delivered(order) == table.id


async def test_it_is_known_what_an_update_was_for(store: Store, table: Table) -> None:
    played, unknown = Delivery("telegram", "77"), Delivery("discord", "77")
    assert await store.delivered(played) is None
    await store.save(replace(next_of(table), delivery=played))
    assert await store.delivered(played) == table.id
    assert await store.delivered(unknown) is None


async def test_an_update_that_was_refused_has_done_nothing_and_may_come_again(store: Store, table: Table) -> None:
    again = Delivery("telegram", "77")
    with pytest.raises(Stale, match="board_moved_on"):
        await store.save(replace(bare(later(table, 7)), delivery=again))
    assert await store.delivered(again) is None
    await store.save(replace(next_of(table), delivery=again))


async def test_a_refused_save_changes_nothing(store: Store, table: Table) -> None:
    job, result = Job(table.id, "computer", BEGAN, 2), GameResult(1, "tavla", 0, 2, "gammon", "play")
    full = bare(table, jobs=(job,), results=(result,), delivery=Delivery("telegram", "1"))
    with pytest.raises(Stale):
        await store.save(replace(full, table=later(table, 1), events=next_of(table).events))
    assert await store.load(table.id) == table
    assert len(await store.events(table.id)) == len(seating(1, table.seats).commit.events)
    assert await store.claim(BEGAN, 30, 9) == []
    await store.save(full)


async def test_the_rematch_is_filled_in_on_both_sides(store: Store, table: Table) -> None:
    await store.seat(seating(2, table.seats, follows=table.id))
    assert (await store.load(table.id)).successor == match_id(2)
    assert (await store.load(match_id(2))).follows == table.id


async def test_a_match_has_one_rematch_even_if_two_set_it_up_at_once(store: Store, table: Table) -> None:
    both = [seating(number, table.seats, follows=table.id) for number in (2, 3)]
    assert await outcomes(*(asyncio.ensure_future(store.seat(one)) for one in both)) == ["", "already_done"]
    successor = (await store.load(table.id)).successor
    assert [found.id for found in await store.matches_of(1)] == [successor, table.id]


async def test_what_is_not_there_is_unknown(store: Store, people: tuple[Seat, Seat]) -> None:
    nobodys = seating(1, people).commit.table
    asked = [
        store.load("nobody"),
        store.seed("nobody"),
        store.events("nobody"),
        store.put_screen(Shown("nobody", "web", "1")),
        store.save(bare(nobodys)),
        store.seat(seating(2, people, follows="nobody")),
    ]
    for one in asked:
        with pytest.raises(Unreadable, match="unknown_match"):
            await one
    unknown = challenge_of(people[0])
    for one in (
        store.challenge("nobody"),
        store.put_challenge(replace(unknown, revision=2)),
        store.seat(taking_up(2, unknown, people)),
    ):
        with pytest.raises(Unreadable, match="unknown_challenge"):
            await one
    assert await store.matches_of(1) == []


async def test_matches_come_unfinished_first_then_the_newest(store: Store, people: tuple[Seat, Seat]) -> None:
    for number in range(6):
        await store.seat(seating(number, people))
    for number in (0, 4):
        table = await store.load(match_id(number))
        ended = replace(table.match, stage=engine.Phase.OVER, end=engine.End(None, "aborted"))
        await store.save(bare(replace(table, match=ended)))
    assert people[0].player is not None
    found = await store.matches_of(people[0].player)
    assert [table.id for table in found] == [match_id(number) for number in (5, 3, 2, 1, 4, 0)]
    assert found == [await store.load(table.id) for table in found]
    assert await store.matches_of(people[0].player, 2) == found[:2]


async def test_a_match_against_oneself_is_listed_once_and_others_are_not(
    store: Store, people: tuple[Seat, Seat]
) -> None:
    stranger = await store.player("web", "c")
    await store.seat(seating(1, (replace(people[0], secret="aa"), replace(people[0], secret="bb"))))
    assert people[0].player is not None
    assert [table.id for table in await store.matches_of(people[0].player)] == [match_id(1)]
    assert await store.matches_of(stranger) == []


async def test_the_tally_counts_points_against_the_computer_of_one_game(
    store: Store, people: tuple[Seat, Seat]
) -> None:
    computer, me = Seat(None, level="easy"), people[0]
    assert me.player is not None
    assert await store.tally(me.player, "tavla") == Tally(0, 0)
    first = (GameResult(1, "tavla", 0, 2, "gammon", "play"), GameResult(2, "tavla", 1, 1, "single", "concession"))
    second = (GameResult(1, "tavla", 0, 2, "gammon", "play"), GameResult(2, "backgammon", 1, 3, "backgammon", "play"))
    people_only = (GameResult(1, "tavla", 0, 2, "gammon", "play"),)
    games = (((me, computer), first), ((computer, me), second), (people, people_only))
    for number, (seats, results) in enumerate(games):
        await store.seat(seating(number, seats))
        table = await store.load(match_id(number))
        for result in results:
            table = later(table, table.revision + 1)
            await store.save(Commit(table, (), results=(result,)))
    assert await store.tally(me.player, "tavla") == Tally(mine=2, computer=3)
    assert await store.tally(me.player, "backgammon") == Tally(mine=3, computer=0)
    assert await store.tally(me.player + 1, "tavla") == Tally(0, 0)


# Jobs.


async def test_the_oldest_due_jobs_are_claimed_first(store: Store, people: tuple[Seat, Seat]) -> None:
    for number, due in enumerate((3.0, 1.0, 2.0, 99.0)):
        job = Job(match_id(number), "deadline", BEGAN + due, 1)
        begun = seating(number, people)
        await store.seat(replace(begun, commit=replace(begun.commit, jobs=(job,))))
    assert await store.claim(BEGAN + 0.5, 30, 9) == []
    assert [job.match for job in await store.claim(BEGAN + 3, 30, 2)] == [match_id(1), match_id(2)]
    assert [job.match for job in await store.claim(BEGAN + 3, 30, 2)] == [match_id(0)]
    assert await store.claim(BEGAN + 3, 30, 2) == []


async def test_a_job_is_free_again_when_its_lease_is_over(store: Store, table: Table) -> None:
    await store.save(bare(table, jobs=(Job(table.id, "computer", BEGAN, 2),)))
    for tries, at in enumerate((BEGAN, BEGAN + 30, BEGAN + 60), 1):
        assert await store.claim(at, 30, 9) == [Job(table.id, "computer", BEGAN, 2, tries)]
        assert await store.claim(at + 29.9, 30, 9) == []


async def test_a_job_claimed_by_many_at_once_is_one_workers(store: Store, table: Table) -> None:
    await store.save(bare(table, jobs=(Job(table.id, "computer", BEGAN, 2),)))
    claims = await asyncio.gather(*(store.claim(BEGAN, 30, 9) for _ in range(10)))
    assert sorted(len(claim) for claim in claims) == [0] * 9 + [1]


async def test_a_save_leaves_the_jobs_that_it_names_and_no_others(store: Store, table: Table) -> None:
    both = (Job(table.id, "computer", BEGAN, 2), Job(table.id, "deadline", BEGAN + 1, 2))
    await store.save(bare(table, jobs=both))
    await store.claim(BEGAN + 1, 30, 9)
    new = Job(table.id, "deadline", BEGAN + 5, 3)
    await store.save(bare(later(table, 2), jobs=(new,)))
    assert await store.claim(BEGAN + 5, 30, 9) == [replace(new, tries=1)]


async def test_the_jobs_of_other_matches_stay(store: Store, table: Table) -> None:
    begun = seating(2, table.seats)
    job = Job(match_id(2), "computer", BEGAN, 1)
    await store.seat(replace(begun, commit=replace(begun.commit, jobs=(job,))))
    await store.save(bare(table))
    assert await store.claim(BEGAN, 30, 9) == [replace(job, tries=1)]


async def test_a_job_is_dropped_only_for_its_own_revision(store: Store, table: Table) -> None:
    old, new = Job(table.id, "computer", BEGAN, 1), Job(table.id, "computer", BEGAN, 2)
    await store.save(bare(table, jobs=(new,)))
    await store.drop(old)
    assert await store.claim(BEGAN, 30, 9) == [replace(new, tries=1)]
    await store.drop(new)
    assert await store.claim(BEGAN + 99, 30, 9) == []
    await store.drop(new)


# Notes.


async def test_a_note_is_kept_until_the_next(store: Store) -> None:
    assert await store.note("telegram commands") == ""
    for text in ("abc", "", "def"):
        await store.put_note("telegram commands", text)
        assert await store.note("telegram commands") == text
    assert await store.note("discord commands") == ""


# The store itself.


async def test_a_probe_answers(store: Store) -> None:
    await store.probe()


async def test_closing_twice_is_harmless(store: Store) -> None:
    await store.close()
    await store.close()
