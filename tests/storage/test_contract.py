"""What every store promises: each sentence of `bot.service.ports.Store` is a test."""

import asyncio
import random
from dataclasses import replace

import pytest

from bot.engine import match as engine
from bot.engine.clock import Clock
from bot.engine.errors import Refusal, Stale, Unreadable
from bot.engine.match import Shape
from bot.service.ports import Store
from bot.service.table import (
    Challenge,
    Commit,
    Delivery,
    GameResult,
    Job,
    Seat,
    Seating,
    Shown,
    Table,
    Tally,
    Terms,
)
from tests.storage.conftest import Hours
from tests.storage.playing import BEGAN, TERMS, advanced, beginning, later, match_id, over, seating

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


@pytest.fixture
async def people(store: Store) -> tuple[Seat, Seat]:
    return Seat(await store.player("web", "a", "Ayşe"), "Ayşe"), Seat(await store.player("web", "b", "Дима"), "Дима")


@pytest.fixture
async def table(store: Store, people: tuple[Seat, Seat]) -> Table:
    """A stored match at revision 1."""
    begun = seating(1, people)
    await store.seat(begun)
    return begun.commit.table


def next_of(table: Table, seed: int = 1) -> Commit:
    return advanced(table, seating(1, table.seats).seed, random.Random(seed))


def bare(table: Table, **more: object) -> Commit:
    """The next revision of a table, without anything having happened but `more`."""
    return replace(Commit(later(table, table.revision + 1), ()), **more)  # type: ignore[arg-type]


def challenge_of(seat: Seat, id: str = "challenge1") -> Challenge:
    rules = {"opening": "play", "next_starter": "winner"}
    return Challenge(id, 1, Terms("tavla", rules, Shape(target=7)), seat, None, "telegram:-100", BEGAN, BEGAN + 60.5)


def taking_up(number: int, challenge: Challenge, seats: tuple[Seat, Seat]) -> Seating:
    accepted = replace(challenge, revision=challenge.revision + 1, state="accepted", match=match_id(number))
    return replace(seating(number, seats), challenge=accepted)


async def outcomes(*doings: "asyncio.Future[None]") -> list[str]:
    """How each of several things done at once ended: "" or the reason of the refusal."""
    found = await asyncio.gather(*doings, return_exceptions=True)
    assert all(one is None or isinstance(one, Refusal) for one in found), found
    return sorted(one.reason if isinstance(one, Refusal) else "" for one in found)


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


# Challenges.


async def test_a_challenge_is_read_as_it_was_put(store: Store, people: tuple[Seat, Seat]) -> None:
    for number, opponent in enumerate((None, people[1].player)):
        put = replace(challenge_of(people[0], f"challenge{number}"), opponent=opponent)
        await store.put_challenge(put)
        assert await store.challenge(put.id) == put


async def test_a_challenge_is_changed_over_the_revision_before(store: Store, people: tuple[Seat, Seat]) -> None:
    put = challenge_of(people[0])
    await store.put_challenge(put)
    changed = replace(put, revision=2, terms=TERMS, opponent=people[1].player, expires=BEGAN + 99)
    await store.put_challenge(changed)
    assert await store.challenge(put.id) == changed
    for revision in (1, 2, 4):
        with pytest.raises(Stale, match="challenge_changed"):
            await store.put_challenge(replace(put, revision=revision))
    await store.put_challenge(replace(changed, revision=3, state="withdrawn"))
    with pytest.raises(Stale, match="challenge_changed"):
        await store.put_challenge(replace(changed, revision=4, state="declined"))
    assert (await store.challenge(put.id)).state == "withdrawn"


async def test_a_challenge_becomes_a_match(store: Store, people: tuple[Seat, Seat]) -> None:
    put = challenge_of(people[0])
    await store.put_challenge(put)
    taken = taking_up(1, put, people)
    await store.seat(taken)
    assert await store.challenge(put.id) == taken.challenge
    assert await store.load(match_id(1)) == taken.commit.table


async def test_a_challenge_taken_up_many_times_at_once_becomes_one_match(
    store: Store, people: tuple[Seat, Seat]
) -> None:
    put = challenge_of(people[0])
    await store.put_challenge(put)
    doings = [asyncio.ensure_future(store.seat(taking_up(number, put, people))) for number in range(10)]
    assert await outcomes(*doings) == [""] + ["challenge_gone"] * 9
    assert people[0].player is not None
    match = (await store.challenge(put.id)).match
    assert [table.id for table in await store.matches_of(people[0].player)] == [match]


async def test_a_challenge_is_taken_up_or_withdrawn_but_not_both(store: Store, people: tuple[Seat, Seat]) -> None:
    for number in range(5):
        put = challenge_of(people[0], f"challenge{number}")
        await store.put_challenge(put)
        withdrawn = asyncio.ensure_future(store.put_challenge(replace(put, revision=2, state="withdrawn")))
        taken = asyncio.ensure_future(store.seat(taking_up(number, put, people)))
        doings = [withdrawn, taken] if number % 2 else [taken, withdrawn]
        assert await outcomes(*doings) == ["", "challenge_gone"]
        assert ((await store.challenge(put.id)).state == "accepted") == (taken.exception() is None)


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


# Screens.


async def test_a_screen_gets_an_id_and_is_changed_by_it(store: Store, table: Table) -> None:
    player = table.seats[0].player
    shown = Shown(table.id, "telegram", "-100", "5", "77", player, True, False, "tr", "text", 1, 1, "abc", BEGAN)
    first = await store.put_screen(shown)
    second = await store.put_screen(replace(shown, platform="discord", player=None, shared=False, by_press=True))
    assert first == replace(shown, id=first.id)
    assert first.id is not None
    assert second.id not in (None, first.id)
    assert await store.screens(table.id) == [first, second]
    changed = replace(first, message="78", shown_revision=2, shown_hash="def", form="picture", posted_at=BEGAN + 1)
    assert await store.put_screen(changed) == changed
    assert await store.screens(table.id) == [changed, second]


async def test_a_screen_that_was_removed_stays_removed(store: Store, table: Table) -> None:
    screen = await store.put_screen(Shown(table.id, "telegram", "-100"))
    assert screen.id is not None
    await store.remove_screen(screen.id)
    await store.remove_screen(screen.id)
    await store.put_screen(screen)
    assert await store.screens(table.id) == []
    other = await store.put_screen(Shown(table.id, "telegram", "-200"))
    assert other.id != screen.id


async def test_screens_behind_are_those_that_show_an_older_board(store: Store, table: Table) -> None:
    new, old = Shown(table.id, "telegram", "1", shown_revision=1), Shown(table.id, "telegram", "2", shown_revision=0)
    new, old = await store.put_screen(new), await store.put_screen(old)
    elsewhere = await store.put_screen(Shown(table.id, "discord", "3"))
    assert await store.behind("telegram") == [old]
    await store.save(next_of(table))
    assert await store.behind("telegram") == [new, old]
    assert await store.behind("telegram", 1) == [new]
    assert await store.behind("discord") == [elsewhere]
    await store.put_screen(replace(new, shown_revision=2))
    assert await store.behind("telegram") == [old]
    await store.put_screen(replace(old, shown_revision=2))
    assert await store.behind("telegram") == []


# The store itself.


async def test_a_probe_answers(store: Store) -> None:
    await store.probe()


async def test_closing_twice_is_harmless(store: Store) -> None:
    await store.close()
    await store.close()
