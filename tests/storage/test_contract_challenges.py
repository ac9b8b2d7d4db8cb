"""What every store promises of challenges: how they are changed, taken up, delivered and run out."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from bot.engine.errors import Stale
from bot.service.ports import Store
from bot.service.table import Challenge, Delivery, Seat, Shown
from tests.storage.playing import BEGAN, TERMS, challenge_of, match_id, next_of, outcomes, taking_up


@pytest.fixture
async def challenge(store: Store, people: tuple[Seat, Seat]) -> Challenge:
    """A stored challenge at revision 1."""
    put = challenge_of(people[0])
    await store.put_challenge(put)
    return put


async def test_a_challenge_is_read_as_it_was_put(store: Store, people: tuple[Seat, Seat]) -> None:
    kinds: tuple[dict[str, Any], ...] = ({}, {"opponent": people[1].player}, {"named": "дима"}, {"computer": True})
    for number, kind in enumerate(kinds):
        put = replace(challenge_of(people[0], f"challenge{number}"), **kind)
        await store.put_challenge(put)
        assert await store.challenge(put.id) == put
        assert put.to_anyone == (not kind)


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
    for revision in (3, 4, 5):
        with pytest.raises(Stale, match="challenge_gone"):
            await store.put_challenge(replace(changed, revision=revision, state="declined"))
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


async def test_of_many_changes_at_once_exactly_one_wins(store: Store, challenge: Challenge) -> None:
    changes = [replace(challenge, revision=2, expires=BEGAN + number) for number in range(10)]
    assert (
        await outcomes(*(asyncio.ensure_future(store.put_challenge(each)) for each in changes))
        == [""] + ["challenge_changed"] * 9
    )
    assert await store.challenge(challenge.id) in changes


async def test_nobody_sits_down_under_terms_that_were_changed(
    store: Store, people: tuple[Seat, Seat], challenge: Challenge
) -> None:
    changed = replace(challenge, revision=2, terms=TERMS)
    await store.put_challenge(changed)
    with pytest.raises(Stale, match="challenge_changed"):
        await store.seat(taking_up(1, challenge, people))
    assert people[0].player is not None
    assert await store.matches_of(people[0].player) == []
    assert await store.challenge(challenge.id) == changed
    await store.seat(taking_up(1, changed, people))
    assert (await store.challenge(challenge.id)).match == match_id(1)


async def test_a_challenge_is_changed_or_taken_up_as_it_was_but_not_both(
    store: Store, people: tuple[Seat, Seat]
) -> None:
    for number in range(6):
        put = challenge_of(people[0], f"challenge{number}")
        await store.put_challenge(put)
        changed = asyncio.ensure_future(store.put_challenge(replace(put, revision=2, terms=TERMS)))
        taken = asyncio.ensure_future(store.seat(taking_up(number, put, people)))
        ended = await outcomes(*([changed, taken] if number % 2 else [taken, changed]))
        assert ended in (["", "challenge_changed"], ["", "challenge_gone"])
        kept = await store.challenge(put.id)
        assert (kept.terms, kept.state) in ((TERMS, "open"), (put.terms, "accepted"))


# Deliveries.


async def test_a_challenge_that_is_delivered_twice_is_made_once(store: Store, people: tuple[Seat, Seat]) -> None:
    again = Delivery("telegram", "77")
    made = [challenge_of(people[0], f"challenge{number}") for number in range(10)]
    doings = [asyncio.ensure_future(store.put_challenge(each, again)) for each in made]
    assert await outcomes(*doings) == [""] + ["already_done"] * 9
    (kept,) = [each for each, done in zip(made, doings, strict=True) if done.exception() is None]
    assert await store.delivered(again) == kept.id
    assert await store.challenge(kept.id) == kept


async def test_a_change_that_is_delivered_twice_is_made_once(store: Store, challenge: Challenge) -> None:
    again = Delivery("telegram", "77")
    await store.put_challenge(replace(challenge, revision=2, terms=TERMS), again)
    with pytest.raises(Stale, match="already_done"):
        await store.put_challenge(replace(challenge, revision=3), again)
    assert (await store.challenge(challenge.id)).revision == 2
    await store.put_challenge(replace(challenge, revision=3), Delivery("discord", "77"))


async def test_a_refused_challenge_leaves_its_delivery_free(store: Store, challenge: Challenge) -> None:
    again = Delivery("telegram", "77")
    with pytest.raises(Stale, match="challenge_changed"):
        await store.put_challenge(replace(challenge, revision=7), again)
    assert await store.delivered(again) is None
    await store.put_challenge(replace(challenge, revision=2), again)


async def test_matches_and_challenges_share_their_deliveries(
    store: Store, people: tuple[Seat, Seat], challenge: Challenge
) -> None:
    again = Delivery("telegram", "77")
    taken = taking_up(1, challenge, people)
    await store.seat(replace(taken, commit=replace(taken.commit, delivery=again)))
    assert await store.delivered(again) == match_id(1)
    with pytest.raises(Stale, match="already_done"):
        await store.put_challenge(challenge_of(people[0], "challenge2"), again)
    with pytest.raises(Stale, match="already_done"):
        await store.save(replace(next_of(taken.commit.table), delivery=again))


# Running out.


async def test_challenges_whose_time_is_over_run_out_once(store: Store, people: tuple[Seat, Seat]) -> None:
    for number in range(4):
        await store.put_challenge(replace(challenge_of(people[0], f"challenge{number}"), expires=BEGAN + number))
    taken = taking_up(1, await store.challenge("challenge0"), people)
    await store.seat(taken)
    assert await store.expire(BEGAN - 1) == []
    assert sorted(await store.expire(BEGAN + 2)) == ["challenge1", "challenge2"]
    assert await store.expire(BEGAN + 2) == []
    found = [await store.challenge(f"challenge{number}") for number in range(4)]
    assert [(each.state, each.revision) for each in found] == [
        ("accepted", 2),
        ("expired", 2),
        ("expired", 2),
        ("open", 1),
    ]


async def test_a_challenge_that_ran_out_is_gone(store: Store, people: tuple[Seat, Seat], challenge: Challenge) -> None:
    await store.expire(challenge.expires)
    with pytest.raises(Stale, match="challenge_gone"):
        await store.seat(taking_up(1, challenge, people))
    for revision in (2, 3):
        with pytest.raises(Stale, match="challenge_gone"):
            await store.put_challenge(replace(challenge, revision=revision))


# Screens.


@pytest.mark.parametrize("what", ["changed", "withdrawn", "accepted", "expired"])
async def test_the_screens_of_a_challenge_are_behind_after_whatever_happens_to_it(
    store: Store, people: tuple[Seat, Seat], challenge: Challenge, what: str
) -> None:
    screen = await store.put_screen(Shown(challenge.id, "telegram", "-100", shown_revision=1))
    other = challenge_of(people[0], "challenge2")
    await store.put_challenge(other)
    await store.put_screen(Shown(other.id, "telegram", "-100", shown_revision=1))
    assert await store.behind("telegram") == []
    match what:
        case "changed":
            await store.put_challenge(replace(challenge, revision=2, terms=TERMS))
        case "withdrawn":
            await store.put_challenge(replace(challenge, revision=2, state="withdrawn"))
        case "accepted":
            await store.seat(taking_up(1, challenge, people))
        case _:
            await store.put_challenge(replace(other, revision=2, expires=BEGAN + 999))
            (late,) = await store.behind("telegram")
            await store.put_screen(replace(late, shown_revision=2))
            assert await store.expire(challenge.expires) == [challenge.id]
    assert await store.behind("telegram") == [screen]
    await store.put_screen(replace(screen, shown_revision=2))
    assert await store.behind("telegram") == []
    assert (await store.challenge(challenge.id)).revision == 2


async def test_a_new_screen_of_a_changed_challenge_is_behind_until_it_shows_that(
    store: Store, challenge: Challenge
) -> None:
    await store.put_challenge(replace(challenge, revision=2))
    screen = await store.put_screen(Shown(challenge.id, "discord", "5"))
    assert await store.screens(challenge.id) == await store.behind("discord") == [screen]
