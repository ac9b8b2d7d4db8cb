"""Matches in play: every press and typed play goes through here, checked, applied and saved in one piece."""

import hashlib
import logging
from collections.abc import Awaitable, Callable, Sequence

from bot.engine import commands as ask
from bot.engine import notation
from bot.engine.commands import Command
from bot.engine.errors import Illegal, NotYours, Refusal, Stale
from bot.engine.match import Phase
from bot.engine.steps import Step
from bot.service import actions, flow
from bot.service.actions import Action
from bot.service.fairness import dice_of, new_id, new_seed
from bot.service.ports import Now, Question, Ranked, Store, Thinker
from bot.service.table import Delivery, Job, Seating, Table, Who

log = logging.getLogger(__name__)

HINTS = 3
FAST_TRY, FIRST_LEGAL_TRY = 3, 4
"""The try of a job from which the computer plays its fastest level, and from which the first legal play."""


class Matches:
    """The matches of a store. `saved` is called after every change, with the table as it is now."""

    def __init__(self, store: Store, thinker: Thinker, now: Now, saved: Callable[[Table], None]) -> None:
        self._store = store
        self._thinker = thinker
        self._now = now
        self._saved = saved

    async def look(self, match: str) -> Table:
        """The table as it is now; raises `Unreadable` if there is none."""
        return await self._store.load(match)

    async def revealed(self, table: Table) -> bytes | None:
        """The seed of the dice, once the match is over and nobody can gain by it."""
        return await self._store.seed(table.id) if table.match.phase is Phase.OVER else None

    async def press(self, who: Who, action: Action) -> Table:
        """Does what a button asks and returns the table after it.

        Raises `NotYours` for a stranger, `Stale` if the board has moved on, another `Refusal` if it is not
        possible here and now. Then nothing has changed.
        """
        table, seat = await self._mine(who, action.match)
        if action.revision != table.revision:
            raise Stale("board_moved_on")
        if action.seat not in (None, seat):
            raise NotYours("not_your_button")
        return await self._save(table, [actions.command(action, seat)])

    async def type(self, who: Who, match: str, text: str, delivery: Delivery | None = None) -> Table:
        """Takes the steps of a typed play; it goes to the board as it is now. Raises as `press` does."""
        if delivery and await self._store.delivered(delivery):
            raise Stale("already_done")  # on the board as it is now it would seem to be a play against the rules
        table, seat = await self._mine(who, match)
        self._on_turn(table, seat)
        steps = notation.read(text, table.match.game.turn())
        return await self._save(table, [_taking(seat, steps)], delivery)

    async def hint(self, who: Who, action: Action) -> Sequence[Ranked]:
        """The best ways to play on from here, best first, for someone who plays against the computer."""
        table, seat = await self._mine(who, action.match)
        if table.computer is None:
            raise Illegal("no_hints_between_people")
        if action.revision != table.revision:
            raise Stale("board_moved_on")
        self._on_turn(table, seat)
        turn = table.match.game.turn()
        if not turn.steps():
            raise Illegal("turn_complete")
        thought = await self._thinker.think(_question(table, "hard"))
        onward = {play.position: play for play in turn.plays()}
        ranked = [entry for entry in thought.plays if entry.play.position in onward]
        return [entry._replace(play=onward[entry.play.position]) for entry in ranked[:HINTS]]

    async def computer(self, job: Job) -> None:
        """Takes the computer's decision that a job stands for, unless the board has moved on."""
        table = await self._store.load(job.match)
        seat = table.computer
        if seat is None or table.revision != job.expect_revision or seat not in table.awaited:
            await self._store.drop(job)
            return
        try:
            await self._save(table, await self._decision(table, seat, job.tries))
        except Stale:
            log.info("match %s has moved on from revision %d", job.match, job.expect_revision)

    async def notice(self, job: Job, ring: Callable[[Table], Awaitable[None]]) -> None:
        """Tells whoever is awaited, unless the board has moved on; the job stays until that has succeeded."""
        table = await self._store.load(job.match)
        if table.revision == job.expect_revision:
            await ring(table)
        await self._store.drop(job)

    async def _decision(self, table: Table, seat: int, tries: int) -> list[Command]:
        if table.match.offer:
            return [ask.AnswerConcession(seat, accept=True)]
        steps = await self._computers_play(table, seat, tries)
        return [_taking(seat, steps), ask.Confirm(seat)]

    async def _computers_play(self, table: Table, seat: int, tries: int) -> tuple[Step, ...]:
        if tries >= FIRST_LEGAL_TRY:
            log.error("match %s: the computer failed %d times, the first legal play is made", table.id, tries - 1)
            return table.match.game.turn().plays()[0].steps
        level = "easy" if tries >= FAST_TRY else table.seats[seat].level or "hard"
        return (await self._thinker.think(_question(table, level))).chosen.steps

    async def _mine(self, who: Who, match: str) -> tuple[Table, int]:
        table = await self._store.load(match)
        seat = table.seat_of(who)
        if seat is None:
            raise NotYours("not_your_match")
        return table, seat

    def _on_turn(self, table: Table, seat: int) -> None:
        if table.match.phase is not Phase.PLAY:
            raise Illegal("offer_pending" if table.match.offer else "not_playing")
        if table.match.game.on_roll != seat:
            raise NotYours("not_your_turn")

    async def _save(self, table: Table, todo: Sequence[Command], delivery: Delivery | None = None) -> Table:
        dice = dice_of(await self._store.seed(table.id), table.id, table.nonces)
        commit = flow.advance(table, todo, self._now(), dice, delivery)
        await self._store.save(commit)
        self._saved(commit.table)
        if all(commit.table.match.rematch):
            (job,) = commit.jobs
            await self.rematch(job)
            return await self._store.load(table.id)
        return commit.table

    async def rematch(self, job: Job) -> None:
        """Sets up the match that both want, once, whoever comes first; as a job, so that no crash can forget it."""
        table = await self._store.load(job.match)
        seed, id = new_seed(), new_id()
        terms = flow.terms_of(table)
        commit = flow.set_up(terms, table.seats, table.scope, self._now(), id=id, seed=seed, follows=table.id)
        try:
            await self._store.seat(Seating(commit, seed))
        except Stale:
            log.info("match %s has its rematch already", table.id)
        else:
            self._saved(commit.table)
        await self._store.drop(job)
        self._saved(await self._store.load(table.id))


def _taking(seat: int, steps: Sequence[Step]) -> ask.TakeSteps:
    return ask.TakeSteps(seat, tuple((step.start, step.die) for step in steps))


def _question(table: Table, level: str) -> Question:
    game = table.match.game
    if game.roll is None:
        raise Refusal("not_playing")
    digest = hashlib.sha256(f"{table.id}.{table.revision}".encode()).digest()
    seed = int.from_bytes(digest[:4], "big")
    return Question(game.variant, game.position, game.variant.dice(game.roll), level, seed)
