"""How matches come about: against the computer at once, between people by a challenge that is accepted."""

from collections.abc import Callable
from dataclasses import replace

from bot import variants
from bot.engine import match as engine
from bot.engine.errors import NotYours, Stale, Unreadable
from bot.service import flow
from bot.service.fairness import new_id, new_seed
from bot.service.ports import Now, Store
from bot.service.table import LEVELS, Challenge, Commit, Seat, Seating, Table, Terms, Who

LASTS = 7 * 24 * 3600.0
"""Seconds after which an unanswered challenge is over."""


class Lobby:
    """Challenges and new matches. `changed` is called with the id of a challenge or table that is new or different."""

    def __init__(self, store: Store, now: Now, seated: Callable[[Table], None], changed: Callable[[str], None]) -> None:
        self._store = store
        self._now = now
        self._seated = seated
        self._changed = changed

    async def against_computer(self, seat: Seat, terms: Terms, level: str, scope: str) -> Table:
        """A match of `seat` against the computer; raises `Unreadable` for terms or a level that cannot be."""
        if level not in LEVELS:
            raise Unreadable("unknown_level", level=level, possible=LEVELS)
        return await self._set_up(terms, (seat, Seat(None, level=level)), scope)

    async def challenge(self, seat: Seat, terms: Terms, scope: str, opponent: int | None = None) -> Challenge:
        """An open challenge, to one player or to whoever comes; raises `Unreadable` for terms that cannot be."""
        _check(terms)
        now = self._now()
        challenge = Challenge(new_id(), 1, terms, seat, opponent, scope, now, now + LASTS)
        await self._store.put_challenge(challenge)
        return challenge

    async def look(self, id: str) -> Challenge:
        """The challenge as it is now; one whose time is over reads "expired"."""
        challenge = await self._store.challenge(id)
        if challenge.state == "open" and challenge.expires <= self._now():
            return replace(challenge, state="expired")
        return challenge

    async def accept(self, id: str, seat: Seat) -> Table:
        """Takes up a challenge. Raises `NotYours` if it is one's own or another's, `Stale` if it is over."""
        challenge = await self._open(id)
        if _who(seat) == _who(challenge.challenger):
            raise NotYours("own_challenge")
        if challenge.opponent not in (None, seat.player):
            raise NotYours("not_your_challenge")
        seed, match = new_seed(), new_id()
        seats = (challenge.challenger, seat)
        commit = flow.set_up(challenge.terms, seats, challenge.scope, self._now(), id=match, seed=seed)
        accepted = replace(challenge, revision=challenge.revision + 1, state="accepted", match=match)
        await self._store.seat(Seating(commit, seed, accepted))
        return self._told(commit, id)

    async def decline(self, id: str, who: Who) -> None:
        """Says no to a challenge; raises `NotYours` if it is one's own or another's, `Stale` if it is over."""
        challenge = await self._open(id)
        if who == _who(challenge.challenger):
            raise NotYours("own_challenge")
        if challenge.opponent not in (None, who.player):
            raise NotYours("not_your_challenge")
        await self._end(challenge, "declined")

    async def withdraw(self, id: str, who: Who) -> None:
        """Takes one's own challenge back; raises `NotYours` or, if it is over, `Stale`."""
        challenge = await self._open(id)
        if who != _who(challenge.challenger):
            raise NotYours("not_your_challenge")
        await self._end(challenge, "withdrawn")

    async def _open(self, id: str) -> Challenge:
        challenge = await self.look(id)
        if challenge.state != "open":
            raise Stale("challenge_gone", state=challenge.state)
        return challenge

    async def _end(self, challenge: Challenge, state: str) -> None:
        await self._store.put_challenge(replace(challenge, revision=challenge.revision + 1, state=state))
        self._changed(challenge.id)

    async def _set_up(self, terms: Terms, seats: tuple[Seat, Seat], scope: str) -> Table:
        seed, match = new_seed(), new_id()
        commit = flow.set_up(terms, seats, scope, self._now(), id=match, seed=seed)
        await self._store.seat(Seating(commit, seed))
        return self._told(commit)

    def _told(self, commit: Commit, challenge: str | None = None) -> Table:
        self._seated(commit.table)
        if challenge:
            self._changed(challenge)
        return commit.table


def _check(terms: Terms) -> None:
    """Raises `Unreadable` for terms that no match can have."""
    engine.start(terms.shape, (variants.variant(terms.game, terms.rules),), terms.clock)


def _who(seat: Seat) -> Who | None:
    return Who(seat.player, seat.secret) if seat.player is not None else None
