"""How matches come about: against the computer at once, between people by a challenge that is accepted."""

from collections.abc import Callable
from dataclasses import replace

from bot import variants
from bot.engine import match as engine
from bot.engine.errors import NotYours, Stale, Unreadable
from bot.service import flow
from bot.service.fairness import new_id, new_seed
from bot.service.ports import Now, Store
from bot.service.table import LEVELS, Challenge, Commit, Delivery, Seat, Seating, Table, Terms, Who

LASTS = 7 * 24 * 3600.0
"""Seconds after which an unanswered challenge is over."""


class Lobby:
    """Challenges and new matches. `changed` is called with the id of a challenge or table that is new or different."""

    def __init__(self, store: Store, now: Now, seated: Callable[[Table], None], changed: Callable[[str], None]) -> None:
        self._store = store
        self._now = now
        self._seated = seated
        self._changed = changed

    async def against_computer(
        self, seat: Seat, terms: Terms, level: str, scope: str, delivery: Delivery | None = None
    ) -> Table:
        """A match of `seat` against the computer; raises `Unreadable` for terms or a level that cannot be."""
        return await self._set_up(terms, (seat, _computer(level)), scope, delivery=delivery)

    async def challenge(
        self,
        seat: Seat,
        terms: Terms,
        scope: str,
        opponent: int | None = None,
        *,
        named: str = "",
        computer: bool = False,
        delivery: Delivery | None = None,
    ) -> Challenge:
        """An open challenge: to a player, to whoever has the user name `named`, to whoever comes, or to the computer.

        Raises `Unreadable` for terms that cannot be, `NotYours` if it is to oneself.
        """
        _check(terms)
        if opponent is not None and opponent == seat.player:
            raise NotYours("yourself")
        now = self._now()
        challenge = Challenge(
            new_id(), 1, terms, seat, opponent, scope, now, now + LASTS, named=named.casefold(), computer=computer
        )
        await self._store.put_challenge(challenge, delivery)
        return challenge

    async def change(self, id: str, revision: int, who: Who, terms: Terms) -> Challenge:
        """Other terms for one's own challenge, which nobody can accept unseen: it gets a new revision.

        Raises as `withdraw` does, `Stale` if it is at another revision, `Unreadable` for terms that cannot be.
        """
        challenge = await self.owned(id, who)
        _check(terms)
        if challenge.revision != revision:
            raise Stale("challenge_changed")
        changed = replace(challenge, revision=revision + 1, terms=terms)
        await self._store.put_challenge(changed)
        self._changed(id)
        return changed

    async def look(self, id: str) -> Challenge:
        """The challenge as it is now; one whose time is over reads "expired"."""
        challenge = await self._store.challenge(id)
        if challenge.state == "open" and challenge.expires <= self._now():
            return replace(challenge, state="expired")
        return challenge

    async def accept(self, id: str, seat: Seat, *, revision: int | None = None, username: str = "") -> Table:
        """Takes up a challenge, as it was at `revision` if that is told.

        Raises `NotYours` if it is one's own or another's, `Stale` if it is over or has been changed.
        """
        challenge = await self._addressed(id, _who(seat), username)
        return await self._taken_up(challenge, seat, revision)

    async def start(self, id: str, revision: int, who: Who, level: str) -> Table:
        """Begins one's own match against the computer; raises as `change` does."""
        challenge = await self.owned(id, who)
        if not challenge.computer:
            raise NotYours("own_challenge")
        return await self._taken_up(challenge, _computer(level), revision)

    async def decline(self, id: str, who: Who, *, username: str = "") -> None:
        """Says no to a challenge; raises `NotYours` if it is one's own or another's, `Stale` if it is over."""
        await self._end(await self._addressed(id, who, username), "declined")

    async def withdraw(self, id: str, who: Who) -> None:
        """Takes one's own challenge back; raises `NotYours` or, if it is over, `Stale`."""
        await self._end(await self.owned(id, who), "withdrawn")

    async def sweep(self) -> None:
        """Ends the challenges whose time is over."""
        for id in await self._store.expire(self._now()):
            self._changed(id)

    async def _open(self, id: str) -> Challenge:
        challenge = await self.look(id)
        if challenge.state != "open":
            raise Stale("challenge_gone", state=challenge.state)
        return challenge

    async def owned(self, id: str, who: Who) -> Challenge:
        """One's own open challenge; raises `NotYours` or, if it is over, `Stale`."""
        challenge = await self._open(id)
        if who != _who(challenge.challenger):
            raise NotYours("not_your_challenge")
        return challenge

    async def _addressed(self, id: str, who: Who | None, username: str) -> Challenge:
        """The open challenge, if it is to `who`, whose user name is `username`."""
        challenge = await self._open(id)
        if who == _who(challenge.challenger):
            raise NotYours("own_challenge")
        named = challenge.named in ("", username.casefold())
        if challenge.computer or not named or challenge.opponent not in (None, who and who.player):
            raise NotYours("not_your_challenge")
        return challenge

    async def _taken_up(self, challenge: Challenge, seat: Seat, revision: int | None) -> Table:
        if revision not in (None, challenge.revision):
            raise Stale("challenge_changed")
        seed, match = new_seed(), new_id()
        seats = (challenge.challenger, seat)
        commit = flow.set_up(challenge.terms, seats, challenge.scope, self._now(), id=match, seed=seed)
        accepted = replace(challenge, revision=challenge.revision + 1, state="accepted", match=match)
        await self._store.seat(Seating(commit, seed, accepted))
        return self._told(commit, challenge.id)

    async def _end(self, challenge: Challenge, state: str) -> None:
        await self._store.put_challenge(replace(challenge, revision=challenge.revision + 1, state=state))
        self._changed(challenge.id)

    async def _set_up(
        self, terms: Terms, seats: tuple[Seat, Seat], scope: str, delivery: Delivery | None = None
    ) -> Table:
        seed, match = new_seed(), new_id()
        commit = flow.set_up(terms, seats, scope, self._now(), id=match, seed=seed)
        await self._store.seat(Seating(replace(commit, delivery=delivery), seed))
        return self._told(commit)

    def _told(self, commit: Commit, challenge: str | None = None) -> Table:
        self._seated(commit.table)
        if challenge:
            self._changed(challenge)
        return commit.table


def changed(terms: Terms, value: str) -> Terms:
    """The terms with one of them changed: "length.7", or "opening.1" for the second value of a house rule.

    Raises `Unreadable` for anything else; whether they can be is seen when they are used.
    """
    name, _, number = value.rpartition(".")
    if not (number.isascii() and number.isdecimal() and len(number) < 4):
        raise Unreadable("bad_button")
    if name == "length":
        return replace(terms, shape=terms.shape._replace(target=int(number)))
    values = variants.variant(terms.game, {}).options.get(name, ())
    if int(number) >= len(values):
        raise Unreadable("bad_button")
    rules = {rule: chosen for rule, chosen in terms.rules.items() if rule != name}
    return replace(terms, rules={**rules, name: values[int(number)]} if int(number) else rules)


def _check(terms: Terms) -> None:
    """Raises `Unreadable` for terms that no match can have."""
    engine.start(terms.shape, (variants.variant(terms.game, terms.rules),), terms.clock)


def _computer(level: str) -> Seat:
    if level not in LEVELS:
        raise Unreadable("unknown_level", level=level, possible=LEVELS)
    return Seat(None, level=level)


def _who(seat: Seat) -> Who | None:
    return Who(seat.player, seat.secret) if seat.player is not None else None
