"""Tables to look at: whole matches that are played by pressing the buttons that are shown, and single moments."""

import hashlib
import random
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from bot.engine.board import read_side
from bot.engine.dice import Dice, Roll
from bot.engine.events import Event
from bot.engine.game import Game
from bot.engine.match import Match, Phase, Shape, awaited
from bot.engine.variant import Value, Variant
from bot.service import flow
from bot.service.actions import Action, Verb, command, decode
from bot.service.fairness import dice_of
from bot.service.table import Commit, Seat, Table, Terms
from bot.variants.tavla import Tavla
from render.buttons import Button, buttons
from render.words import words

PEOPLE = (Seat(1, "Ayşe"), Seat(2, "Mehmet"))
COMPUTER = (Seat(1, "Ayşe"), Seat(None, level="easy"))
START = "24:2 13:5 8:3 6:5"
ID = "abcdefghjk"
VIEWERS = (0, 1, None)
RARE_PLACES = 9
"""The first moments of a match, when it can be aborted and the opening is told."""
CONCEDING = (Verb.CONCEDE_GAME, Verb.CONCEDE_MATCH)
CONCEDES = 0.01
RARE = {Verb.ABORT: 0.02, Verb.ACCEPT: 0.3, Verb.UNDO: 0.2}
"""How often a player who could do this does it."""


class Moment(NamedTuple):
    """A table, and what has happened since the moment before."""

    table: Table
    events: tuple[Event, ...]


class Story(NamedTuple):
    """A kind of match: who plays and by which house rules."""

    seats: tuple[Seat, Seat]
    rules: tuple[tuple[str, Value], ...] = ()
    length: int = 1


STORIES = (
    Story(PEOPLE, length=2),
    Story(COMPUTER, (("opening", "play"),)),
    Story((Seat(1), Seat(2)), (("next_starter", "winner"),), 3),
    Story((Seat(None, level="hard"), Seat(2, "")), (("hit_and_run", "forbid_home"), ("closed_out", "roll"))),
    Story((Seat(1, "Ayşe"), Seat(2, "ayşe"))),
)


@cache
def told(number: int) -> tuple[Moment, ...]:
    """Every moment of a match, the same ones each time."""
    return tuple(_moments(number, STORIES[number % len(STORIES)]))


@cache
def moments() -> tuple[Moment, ...]:
    """Moments of a match of each kind: all of the rare ones, every third of those in the middle of a game."""
    return tuple(
        moment
        for number in range(len(STORIES))
        for place, moment in enumerate(told(number))
        if place % 3 == 0 or place < RARE_PLACES or moment.table.match.phase is not Phase.PLAY
    )


def dice_for(table: Table) -> Dice:
    return dice_of(_seed(table.id), table.id)


def pressed(table: Table, seat: int, action: Action, dice: Dice | None = None) -> Table:
    """The table after a press; raises `Refusal`."""
    return _after(table, seat, action, dice or dice_for(table)).table


def took(table: Table, seat: int, *steps: tuple[int, int]) -> Table:
    """The table after steps, (start, die) each."""
    return pressed(table, seat, Action(table.id, table.revision, Verb.STEPS, steps))


def did(table: Table, seat: int, verb: Verb, *rolls: tuple[int, int]) -> Table:
    """The table after another press, the dice thrown after it being `rolls`."""
    return pressed(table, seat, Action(table.id, table.revision, verb), scripted(*rolls))


def shown(table: Table, seat: int | None, panel: str = "", language: str = "en") -> tuple[Button, ...]:
    return buttons(table, seat, words(language), panel)


def at(
    me: str = START,
    opponent: str = START,
    *,
    roll: tuple[int, int] | None = None,
    on_roll: int = 0,
    variant: Variant | None = None,
    seats: tuple[Seat, Seat] = PEOPLE,
    score: tuple[int, int] = (0, 0),
) -> Table:
    """A table in the middle of game 1, as `on_roll` sees it; without a roll the next press throws."""
    variant = variant or Tavla()
    mine, other = read_side(me), read_side(opponent)
    sides = (mine, other) if on_roll == 0 else (other, mine)
    thrown = Roll(*roll) if roll else None
    game = Game(1, variant, sides, 0, on_roll, Roll(6, 3), thrown, rolls=(3, 3), turns=6)
    match = Match(Shape(target=5), (variant,), game, Phase.PLAY if roll else Phase.ROLL, score)
    return Table(ID, 1, match, seats, "test", "0" * 64, 0.0, 0.0)


def scripted(*rolls: tuple[int, int]) -> Dice:
    """These rolls, one after the other, whatever is asked."""
    coming = iter(rolls)
    return lambda index: Roll(*next(coming))


def _seed(id: str) -> bytes:
    return hashlib.sha256(id.encode()).digest()


def _moments(number: int, story: Story) -> Iterator[Moment]:
    choose, id = random.Random(number), f"m{number:09}"
    terms = Terms("tavla", dict(story.rules), Shape(target=story.length))
    commit = flow.set_up(terms, story.seats, "test", 0.0, id=id, seed=_seed(id))
    yield Moment(commit.table, commit.events)
    while not all(commit.table.match.rematch):
        seat, action = _choice(commit.table, choose)
        commit = _after(commit.table, seat, action, dice_for(commit.table))
        yield Moment(commit.table, commit.events)


def _after(table: Table, seat: int, action: Action, dice: Dice) -> Commit:
    return flow.advance(table, [command(action, seat)], table.updated + 1, dice)


def _choice(table: Table, choose: random.Random) -> tuple[int, Action]:
    """A press of somebody who is awaited, or an offer to concede by either."""
    offerer = choose.choice((0, 1))
    offers = [action for action in _actions(shown(table, offerer, "concede")) if action.verb in CONCEDING]
    if offers and choose.random() < CONCEDES:
        return offerer, choose.choice(offers)
    while True:
        seat = choose.choice(awaited(table.match))
        for action in choose.sample(found := _actions(shown(table, seat)), len(found)):
            rare = choose.random() > RARE.get(action.verb, 1.0)
            if action.verb not in (Verb.PANEL, Verb.HINT) and not rare:
                return seat, action


def _actions(found: Sequence[Button]) -> list[Action]:
    return [decode(button.action) for button in found]
