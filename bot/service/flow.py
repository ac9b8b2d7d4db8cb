"""From what people ask to what is saved: commands are applied until the match waits for a person."""

from collections.abc import Container, Sequence
from dataclasses import replace

from bot import variants
from bot.engine import commands as ask
from bot.engine import match as engine
from bot.engine.commands import Command
from bot.engine.dice import Dice
from bot.engine.events import Event, GameEnded
from bot.engine.match import Match, Phase
from bot.service.fairness import commitment, dice_of
from bot.service.table import Commit, Delivery, GameResult, Job, Seat, Table, Terms

COMPUTER = "computer"
"""The kind of job in which the computer takes its turn."""
REMATCH = "rematch"
"""The kind of job that sets up the match that both have asked for."""
NOTICE = "notice"
"""The kind of job that tells somebody that it is his turn, should he not have seen it himself."""
AT_ONCE = (COMPUTER, REMATCH)
"""The kinds of jobs that are due as soon as they are written."""
QUIET = 30.0
"""Seconds after which somebody who is awaited is told so: whoever sits before the board has acted by then."""


def advance(
    table: Table, commands: Sequence[Command], now: float, dice: Dice, delivery: Delivery | None = None
) -> Commit:
    """The table after `commands` and all that follows by itself, as it is to be saved.

    Raises `Refusal` if a command is refused: then nothing is to be saved.
    """
    match, events, results = table.match, list[Event](), list[GameResult]()
    todo = list(commands)
    acted = {command.seat for command in commands if not isinstance(command, ask.Proceed)}
    while todo or not engine.awaited(match):
        change = engine.apply(match, todo.pop(0) if todo else ask.Proceed(), now, dice)
        match = change.match
        events += change.events
        results += [_result(match, event) for event in change.events if isinstance(event, GameEnded)]
        todo += _computers_wish(table, match)
    table = replace(table, match=match, revision=table.revision + 1, updated=now)
    return Commit(table, tuple(events), _jobs(table, acted, now), tuple(results), delivery)


def set_up(
    terms: Terms,
    seats: tuple[Seat, Seat],
    scope: str,
    now: float,
    *,
    id: str,
    seed: bytes,
    follows: str | None = None,
) -> Commit:
    """A new table, its game opened and rolled for; raises `Unreadable` for terms that cannot be."""
    variant = variants.variant(terms.game, terms.rules)
    match = engine.start(terms.shape, (variant,), terms.clock)
    table = Table(id, 0, match, seats, scope, commitment(seed), now, now, rated=terms.rated, follows=follows)
    return advance(table, (), now, dice_of(seed, id))


def terms_of(table: Table) -> Terms:
    """The terms under which a table is played, for playing it again."""
    match = table.match
    game = match.programme[0]
    return Terms(game.id, game.rules, match.shape, match.clock.kind, table.rated)


def due(table: Table) -> bool:
    """Whether a job of the table is due as soon as it is written."""
    return any(job.kind in AT_ONCE for job in _jobs(table, (), 0.0))


def _result(match: Match, event: GameEnded) -> GameResult:
    game = match.game
    return GameResult(game.number, game.variant.id, event.winner, event.points, event.kind, event.by)


def _computers_wish(table: Table, match: Match) -> list[Command]:
    """What the computer does without thinking: it throws, and plays another match as soon as it is asked."""
    seat = table.computer
    if seat is None:
        return []
    if match.phase is Phase.ROLL and seat in engine.awaited(match):
        return [ask.Throw(seat)]
    if match.stage is Phase.OVER and match.rematch[1 - seat] and not match.rematch[seat]:
        return [ask.AskRematch(seat)]
    return []


def _jobs(table: Table, acted: Container[int], now: float) -> tuple[Job, ...]:
    """What has to be done for the table without anybody asking, after those who `acted` just now."""
    if all(table.match.rematch) and table.successor is None:
        return (Job(table.id, REMATCH, now, table.revision),)
    deciding = table.match.phase in (Phase.PLAY, Phase.CONCESSION)
    if deciding and table.computer in table.awaited:
        return (Job(table.id, COMPUTER, now, table.revision),)
    if table.computer is None and any(seat not in acted for seat in table.awaited):
        return (Job(table.id, NOTICE, now + QUIET, table.revision),)
    return ()
