"""How matches come about."""

import asyncio

import pytest

from bot.engine.errors import NotYours, Stale, Unreadable
from bot.engine.match import Shape
from bot.service.lobby import LASTS
from bot.service.table import Seat, Terms, Who
from tests.service.conftest import Service


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
