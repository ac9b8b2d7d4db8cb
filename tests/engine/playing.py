"""Seeded matches for the tests of laws: who does what is random, what may be done is the engine's word."""

import random
from collections.abc import Callable, Iterator

from bot.engine import commands as ask
from bot.engine import match as engine
from bot.engine.board import Position
from bot.engine.commands import Command
from bot.engine.dice import ROLLS, Dice, Roll
from bot.engine.events import Event
from bot.engine.match import Match, Phase
from bot.engine.plays import Turn
from bot.engine.variant import Contact, Variant


def seeded_dice(seed: int) -> Dice:
    """A roll for each index, the same for the same seed."""

    def roll(index: int) -> Roll:
        choose = random.Random(seed * 100_003 + index)
        return Roll(choose.randint(1, 6), choose.randint(1, 6))

    return roll


def some_command(match: Match, choose: random.Random) -> Command:
    """Something that an awaited person may do, or what the table does by itself."""
    awaited = engine.awaited(match)
    if not awaited:
        return ask.Proceed()
    seat = choose.choice(awaited)
    if match.phase is Phase.CONCESSION:
        return ask.AnswerConcession(seat, choose.random() < 0.2)
    if match.phase is Phase.ROLL:
        return ask.Throw(seat)
    if match.phase is Phase.BETWEEN:
        return ask.NextGame(seat)
    return _in_turn(match, seat, choose)


def _in_turn(match: Match, seat: int, choose: random.Random) -> Command:
    turn = match.game.turn()
    offerer = choose.choice((0, 1))
    if choose.random() < 0.01 and match.may_concede(offerer):
        return ask.Concede(offerer, choose.choice(match.scopes))
    if choose.random() < 0.1 and any(taken.chosen for taken in match.game.so_far):
        return ask.Undo(seat)
    if not turn.steps():
        return ask.Confirm(seat)
    step = choose.choice(turn.steps())
    return ask.TakeSteps(seat, ((step.start, step.die),))


def whole_match(
    match: Match, seed: int, each: Callable[[Match, Command, engine.Change], None] | None = None
) -> tuple[Match, list[Event]]:
    """Plays a match to its end; `each` sees every command with what it came to."""
    choose, dice, events = random.Random(seed), seeded_dice(seed), list[Event]()
    while match.phase is not Phase.OVER:
        command = some_command(match, choose)
        change = engine.apply(match, command, 0, dice)
        if each:
            each(match, command, change)
        match = change.match
        events += change.events
    return match, events


def random_turns(variant: Variant, seed: int, most: int = 2000) -> Iterator[Turn]:
    """The turns of one game of random plays."""
    choose = random.Random(seed)
    board = Position(variant.start, variant.start)
    for _ in range(most):
        turn = Turn.begin(variant, board, variant.dice(choose.choice(ROLLS)[0]))
        yield turn
        board = choose.choice(turn.plays()).position
        if variant.outcome(board):
            return
        board = board.turned()
    if variant.contact is not Contact.PIN:  # mutual pins may hold both sides for good: such a game is void
        raise AssertionError("the game does not end")
