"""Matches that play themselves: people who choose at random, repeatably."""

import asyncio
import hashlib
import random
from dataclasses import replace

from bot import variants
from bot.engine import commands as ask
from bot.engine import match as engine
from bot.engine.commands import Command
from bot.engine.errors import Refusal
from bot.engine.match import Match, Phase, Shape
from bot.service import flow
from bot.service.fairness import dice_of
from bot.service.table import Challenge, Commit, Seat, Seating, Table, Terms

TERMS = Terms(shape=Shape(target=3))
BEGAN = 1_700_000_000.25


def match_id(number: int) -> str:
    return f"m{number:09}"


def seating(number: int, seats: tuple[Seat, Seat], terms: Terms = TERMS, follows: str | None = None) -> Seating:
    """Match `number`, the same each time but for its seats."""
    seed = hashlib.sha256(str(number).encode()).digest()
    commit = flow.set_up(terms, seats, "web", BEGAN + number, id=match_id(number), seed=seed, follows=follows)
    return Seating(commit, seed)


def beginning(terms: Terms = TERMS) -> Match:
    """A match before anything has happened."""
    return engine.start(terms.shape, (variants.variant(terms.game, terms.rules),), terms.clock)


def advanced(table: Table, seed: bytes, choose: random.Random) -> Commit:
    """A table after something that one of its people may do."""
    dice = dice_of(seed, table.id, table.nonces)
    return flow.advance(table, [_choice(table.match, choose)], table.updated + 1, dice)


def next_of(table: Table, choose: random.Random | None = None) -> Commit:
    """The next revision of a match of `seating`, the same each time unless `choose` says otherwise."""
    return advanced(table, seating(int(table.id[1:]), table.seats).seed, choose or random.Random(1))


def bare(table: Table, **more: object) -> Commit:
    """The next revision of a table, without anything having happened but `more`."""
    return replace(Commit(later(table, table.revision + 1), ()), **more)  # type: ignore[arg-type]


def challenge_of(seat: Seat, id: str = "challenge1") -> Challenge:
    """An open challenge, to whoever comes."""
    rules = {"opening": "play", "next_starter": "winner"}
    return Challenge(id, 1, Terms("tavla", rules, Shape(target=7)), seat, None, "telegram:-100", BEGAN, BEGAN + 60.5)


def taking_up(number: int, challenge: Challenge, seats: tuple[Seat, Seat]) -> Seating:
    """Match `number`, which a challenge becomes."""
    accepted = replace(challenge, revision=challenge.revision + 1, state="accepted", match=match_id(number))
    return replace(seating(number, seats), challenge=accepted)


async def outcomes(*doings: "asyncio.Future[None]") -> list[str]:
    """How each of several things done at once ended: "" or the reason of the refusal."""
    found = await asyncio.gather(*doings, return_exceptions=True)
    assert all(one is None or isinstance(one, Refusal) for one in found), found
    return sorted(one.reason if isinstance(one, Refusal) else "" for one in found)


def over(table: Table) -> bool:
    return table.match.phase is Phase.OVER


def later(table: Table, revision: int) -> Table:
    return replace(table, revision=revision)


def _choice(match: Match, choose: random.Random) -> Command:
    seat = engine.awaited(match)[0]
    match match.phase:
        case Phase.ROLL:
            return ask.Throw(seat)
        case Phase.CONCESSION:
            return ask.AnswerConcession(seat, choose.random() < 0.5)
        case Phase.BETWEEN:
            return ask.NextGame(seat)
        case Phase.OVER:
            return ask.AskRematch(0 if not match.rematch[0] else 1)
        case _:
            return _move(match, seat, choose)


def _move(match: Match, seat: int, choose: random.Random) -> Command:
    chance, game = choose.random(), match.game
    if chance < 0.02 and match.may_concede(seat):
        return ask.Concede(seat, choose.choice(match.scopes))
    if chance < 0.2 and any(taken.chosen for taken in game.so_far):
        return ask.Undo(seat)
    if steps := game.turn().steps():
        step = choose.choice(steps)
        return ask.TakeSteps(seat, ((step.start, step.die),))
    return ask.Confirm(seat)
