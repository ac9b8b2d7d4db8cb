"""How matches come about."""

import asyncio
import contextlib
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as some

from bot.engine.errors import NotYours, Stale, Unreadable
from bot.engine.match import Shape
from bot.service.lobby import LASTS, changed
from bot.service.table import Delivery, Seat, Terms, Who
from tests.service.conftest import Service


def as_who(seat: Seat) -> Who:
    """Somebody as he acts."""
    return Who(seat.player or 0, seat.secret)


async def test_a_challenge_becomes_a_match_once(service: Service) -> None:
    ayse = await service.person("Ayşe")
    others = [await service.person(f"Mehmet {number}") for number in range(5)]
    challenge = await service.lobby.challenge(ayse, Terms(), "test")
    came = await asyncio.gather(*(service.lobby.accept(challenge.id, each) for each in others), return_exceptions=True)
    (table,) = [each for each in came if not isinstance(each, BaseException)]
    assert sum(isinstance(each, Stale) for each in came) == 4
    assert table.seats[0] == ayse
    after = await service.lobby.look(challenge.id)
    assert (after.state, after.match) == ("accepted", table.id)
    assert service.changed == [challenge.id]


async def test_nobody_accepts_his_own_challenge(service: Service) -> None:
    ayse = await service.person("Ayşe")
    challenge = await service.lobby.challenge(ayse, Terms(), "test")
    with pytest.raises(NotYours, match="own_challenge"):
        await service.lobby.accept(challenge.id, ayse)
    with pytest.raises(NotYours, match="own_challenge"):
        await service.lobby.decline(challenge.id, Who(ayse.player or 0))


async def test_one_browser_may_hold_both_seats_of_the_local_table(service: Service) -> None:
    ayse = await service.person("Ayşe")
    first, second = Seat(ayse.player, "Ayşe", secret="a" * 64), Seat(ayse.player, "Mehmet", secret="b" * 64)
    challenge = await service.lobby.challenge(first, Terms(), "web")
    table = await service.lobby.accept(challenge.id, second)
    assert table.seat_of(Who(ayse.player or 0, "a" * 64)) == 0
    assert table.seat_of(Who(ayse.player or 0, "b" * 64)) == 1
    assert table.seat_of(Who(ayse.player or 0)) is None


async def test_a_challenge_to_one_person_is_his_alone(service: Service) -> None:
    ayse, mehmet, other = [await service.person(name) for name in ("Ayşe", "Mehmet", "Other")]
    challenge = await service.lobby.challenge(ayse, Terms(), "test", opponent=mehmet.player)
    with pytest.raises(NotYours, match="not_your_challenge"):
        await service.lobby.accept(challenge.id, other)
    with pytest.raises(NotYours, match="not_your_challenge"):
        await service.lobby.decline(challenge.id, Who(other.player or 0))
    with pytest.raises(NotYours, match="not_your_challenge"):
        await service.lobby.withdraw(challenge.id, Who(mehmet.player or 0))
    assert (await service.lobby.accept(challenge.id, mehmet)).seats == (ayse, mehmet)


@pytest.mark.parametrize("end", ["declined", "withdrawn", "expired"])
async def test_a_challenge_that_is_over_cannot_be_taken(service: Service, end: str) -> None:
    ayse, mehmet = await service.person("Ayşe"), await service.person("Mehmet")
    challenge = await service.lobby.challenge(ayse, Terms(), "test")
    if end == "declined":
        await service.lobby.decline(challenge.id, Who(mehmet.player or 0))
    elif end == "withdrawn":
        await service.lobby.withdraw(challenge.id, Who(ayse.player or 0))
    else:
        service.time += LASTS
    assert (await service.lobby.look(challenge.id)).state == end
    with pytest.raises(Stale, match="challenge_gone"):
        await service.lobby.accept(challenge.id, mehmet)


async def test_terms_and_levels_that_cannot_be_are_refused(service: Service) -> None:
    ayse = await service.person("Ayşe")
    for terms in (Terms(game="chess"), Terms(rules={"speed": "fast"}), Terms(shape=Shape(target=26))):
        with pytest.raises(Unreadable):
            await service.lobby.challenge(ayse, terms, "test")
        with pytest.raises(Unreadable):
            await service.lobby.against_computer(ayse, terms, "easy", "test")
    with pytest.raises(Unreadable, match="unknown_level"):
        await service.lobby.against_computer(ayse, Terms(), "godlike", "test")


async def test_house_rules_are_kept_in_full(service: Service) -> None:
    terms = Terms(rules={"closed_out": "roll"})
    table = await service.lobby.against_computer(await service.person("Ayşe"), terms, "easy", "test")
    rules = (await service.store.load(table.id)).match.game.variant.rules
    assert rules == {"opening": "reroll", "next_starter": "fresh", "hit_and_run": "allow", "closed_out": "roll"}


# Changes.


async def test_a_challenge_may_be_changed_until_it_is_taken(service: Service) -> None:
    ayse, mehmet = await service.person("Ayşe"), await service.person("Mehmet")
    challenge = await service.lobby.challenge(ayse, Terms(), "test")
    shorter = changed(challenge.terms, "length.2")
    after = await service.lobby.change(challenge.id, 1, as_who(ayse), shorter)
    assert (after.revision, after.terms, after.state) == (2, shorter, "open")
    assert await service.lobby.look(challenge.id) == after
    assert service.changed == [challenge.id]
    table = await service.lobby.accept(challenge.id, mehmet, revision=2)
    assert table.match.shape.target == 2
    with pytest.raises(Stale, match="challenge_gone"):
        await service.lobby.change(challenge.id, 3, as_who(ayse), Terms())


async def test_nobody_accepts_what_he_has_not_seen(service: Service) -> None:
    ayse, mehmet = await service.person("Ayşe"), await service.person("Mehmet")
    challenge = await service.lobby.challenge(ayse, Terms(), "test")
    await service.lobby.change(challenge.id, 1, as_who(ayse), Terms(shape=Shape(target=25)))
    for revision in (1, 3):
        with pytest.raises(Stale, match="challenge_changed"):
            await service.lobby.accept(challenge.id, mehmet, revision=revision)
    assert not service.saved
    assert (await service.lobby.accept(challenge.id, mehmet)).match.shape.target == 25, "unless he does not say"


async def test_a_change_and_an_acceptance_at_once_are_one_or_the_other(service: Service) -> None:
    ayse, mehmet = await service.person("Ayşe"), await service.person("Mehmet")
    for number in range(8):
        challenge = await service.lobby.challenge(ayse, Terms(), "test")
        doings = [
            service.lobby.change(challenge.id, 1, as_who(ayse), Terms(shape=Shape(target=9))),
            service.lobby.accept(challenge.id, mehmet, revision=1),
        ]
        came = await asyncio.gather(*(doings if number % 2 else reversed(doings)), return_exceptions=True)
        (refused,) = [each for each in came if isinstance(each, BaseException)]
        assert isinstance(refused, Stale)
        assert refused.reason in ("challenge_changed", "challenge_gone")
        kept = await service.lobby.look(challenge.id)
        assert (kept.state, kept.terms.shape.target) in (("open", 9), ("accepted", 5))


async def test_of_two_changes_of_one_revision_the_second_is_refused(service: Service) -> None:
    ayse = await service.person("Ayşe")
    challenge = await service.lobby.challenge(ayse, Terms(), "test")
    changes = [
        service.lobby.change(challenge.id, 1, as_who(ayse), Terms(shape=Shape(target=length))) for length in (1, 2, 3)
    ]
    came = await asyncio.gather(*changes, return_exceptions=True)
    assert sorted(each.reason for each in came if isinstance(each, Stale)) == ["challenge_changed"] * 2
    assert (await service.lobby.look(challenge.id)).revision == 2


async def test_only_the_challenger_changes_his_challenge_and_only_to_what_can_be(service: Service) -> None:
    ayse, mehmet = await service.person("Ayşe"), await service.person("Mehmet")
    challenge = await service.lobby.challenge(ayse, Terms(), "test", opponent=mehmet.player)
    with pytest.raises(NotYours, match="not_your_challenge"):
        await service.lobby.change(challenge.id, 1, as_who(mehmet), Terms())
    for terms in (Terms(game="chess"), Terms(shape=Shape(target=0)), Terms(rules={"closed_out": "cry"})):
        with pytest.raises(Unreadable):
            await service.lobby.change(challenge.id, 1, as_who(ayse), terms)
    assert await service.lobby.look(challenge.id) == challenge
    assert await service.lobby.owned(challenge.id, as_who(ayse)) == challenge


@pytest.mark.parametrize(
    ("value", "terms"),
    [
        ("length.7", Terms(shape=Shape(target=7))),
        ("length.25", Terms(shape=Shape(target=25))),
        ("opening.1", Terms(rules={"opening": "play"})),
        ("next_starter.2", Terms(rules={"next_starter": "alternate"})),
        ("opening.0", Terms()),
    ],
)
def test_one_of_the_terms_is_changed(value: str, terms: Terms) -> None:
    assert changed(Terms(), value) == terms


def test_the_other_terms_stay_and_a_usual_rule_is_not_named() -> None:
    terms = Terms(rules={"opening": "play", "closed_out": "roll"}, shape=Shape(target=3), rated=True)
    assert changed(terms, "length.5") == replace(terms, shape=Shape(target=5))
    assert changed(terms, "closed_out.0") == replace(terms, rules={"opening": "play"})
    assert changed(terms, "hit_and_run.1").rules == {**terms.rules, "hit_and_run": "forbid_home"}
    assert terms.rules == {"opening": "play", "closed_out": "roll"}


@given(value=some.one_of(some.text(max_size=20), some.from_regex(r"(opening|length|speed|)\.?[0-9²-]{0,5}")))
def test_no_other_change_is_understood(value: str) -> None:
    with contextlib.suppress(Unreadable):
        terms = changed(Terms(), value)
        assert re.fullmatch(r"length\.\d{1,3}|opening\.0*[01]", value)
        assert terms in (Terms(), Terms(rules={"opening": "play"}), Terms(shape=terms.shape))


# For whom.


async def test_a_challenge_to_a_user_name_is_that_users(service: Service) -> None:
    ayse, mehmet, other = [await service.person(name) for name in ("Ayşe", "Mehmet", "Other")]
    challenge = await service.lobby.challenge(ayse, Terms(), "test", named="Mehmet_1")
    assert (challenge.named, challenge.to_anyone) == ("mehmet_1", False)
    for username in ("", "other", "mehmet"):
        with pytest.raises(NotYours, match="not_your_challenge"):
            await service.lobby.accept(challenge.id, other, username=username)
        with pytest.raises(NotYours, match="not_your_challenge"):
            await service.lobby.decline(challenge.id, as_who(other), username=username)
    assert (await service.lobby.accept(challenge.id, mehmet, username="MEHMET_1")).seats == (ayse, mehmet)


async def test_whoever_is_named_may_decline(service: Service) -> None:
    ayse, mehmet = await service.person("Ayşe"), await service.person("Mehmet")
    challenge = await service.lobby.challenge(ayse, Terms(), "test", named="mehmet")
    with pytest.raises(NotYours, match="own_challenge"):
        await service.lobby.accept(challenge.id, ayse, username="mehmet")
    await service.lobby.decline(challenge.id, as_who(mehmet), username="Mehmet")
    assert (await service.lobby.look(challenge.id)).state == "declined"


async def test_nobody_challenges_himself(service: Service) -> None:
    ayse = await service.person("Ayşe")
    with pytest.raises(NotYours, match="yourself"):
        await service.lobby.challenge(ayse, Terms(), "test", opponent=ayse.player)


async def test_a_match_against_the_computer_may_be_prepared_like_a_challenge(service: Service) -> None:
    ayse, mehmet = await service.person("Ayşe"), await service.person("Mehmet")
    draft = await service.lobby.challenge(ayse, Terms(), "test", computer=True)
    assert not draft.to_anyone
    with pytest.raises(NotYours, match="not_your_challenge"):
        await service.lobby.accept(draft.id, mehmet)
    with pytest.raises(NotYours, match="own_challenge"):
        await service.lobby.accept(draft.id, ayse)
    with pytest.raises(NotYours, match="not_your_challenge"):
        await service.lobby.start(draft.id, 1, as_who(mehmet), "easy")
    await service.lobby.change(draft.id, 1, as_who(ayse), Terms(shape=Shape(target=1)))
    with pytest.raises(Stale, match="challenge_changed"):
        await service.lobby.start(draft.id, 1, as_who(ayse), "easy")
    with pytest.raises(Unreadable, match="unknown_level"):
        await service.lobby.start(draft.id, 2, as_who(ayse), "godlike")
    table = await service.lobby.start(draft.id, 2, as_who(ayse), "medium")
    assert (table.seats[0], table.seats[1].level, table.match.shape.target) == (ayse, "medium", 1)
    after = await service.lobby.look(draft.id)
    assert (after.state, after.match) == ("accepted", table.id)
    with pytest.raises(Stale, match="challenge_gone"):
        await service.lobby.start(draft.id, 3, as_who(ayse), "medium")
    assert service.changed == [draft.id, draft.id]


async def test_the_computer_does_not_take_up_a_challenge_to_people(service: Service) -> None:
    ayse = await service.person("Ayşe")
    challenge = await service.lobby.challenge(ayse, Terms(), "test")
    with pytest.raises(NotYours, match="own_challenge"):
        await service.lobby.start(challenge.id, 1, as_who(ayse), "easy")


# Deliveries, and the end of time.


async def test_a_challenge_or_match_that_is_ordered_twice_is_made_once(service: Service) -> None:
    ayse, orders = await service.person("Ayşe"), [Delivery("test", str(number)) for number in range(2)]
    challenge = await service.lobby.challenge(ayse, Terms(), "test", delivery=orders[0])
    table = await service.lobby.against_computer(ayse, Terms(), "easy", "test", orders[1])
    for order in orders:
        with pytest.raises(Stale, match="already_done"):
            await service.lobby.challenge(ayse, Terms(), "test", delivery=order)
        with pytest.raises(Stale, match="already_done"):
            await service.lobby.against_computer(ayse, Terms(), "easy", "test", order)
    assert [await service.store.delivered(order) for order in orders] == [challenge.id, table.id]
    assert service.saved == [table]


async def test_a_sweep_ends_what_nobody_has_answered_in_time_and_tells_of_it(service: Service) -> None:
    ayse, mehmet = await service.person("Ayşe"), await service.person("Mehmet")
    old = [await service.lobby.challenge(ayse, Terms(), "test") for _ in range(2)]
    service.time += 1
    new = await service.lobby.challenge(ayse, Terms(), "test")
    await service.lobby.sweep()
    assert service.changed == []
    service.time += LASTS - 1
    assert (await service.lobby.look(old[0].id)).revision == 1, "before the sweep nothing is written"
    await service.lobby.sweep()
    assert sorted(service.changed) == sorted(each.id for each in old)
    for each in old:
        swept = await service.store.challenge(each.id)
        assert (swept.state, swept.revision) == ("expired", 2)
        with pytest.raises(Stale, match="challenge_gone"):
            await service.lobby.accept(each.id, mehmet)
    assert (await service.lobby.look(new.id)).state == "open"
    await service.lobby.sweep()
    assert len(service.changed) == 2
