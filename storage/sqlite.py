"""The store in an SQLite file: one process, one connection that writes and one that reads, each in its own thread."""

import asyncio
import contextlib
import json
import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import aiosqlite

from bot.engine.errors import Refusal, Stale, Unreadable
from bot.engine.events import Event
from bot.service.flow import AT_ONCE
from bot.service.ports import Now
from bot.service.records import (
    EVENT_FORMAT,
    SNAPSHOT_FORMAT,
    event_kind,
    pack_event,
    pack_match,
    pack_terms,
    unpack_event,
    unpack_match,
    unpack_terms,
)
from bot.service.table import Challenge, Commit, Delivery, Job, Seat, Seating, Shown, Table, Tally
from storage.sqlite_file import MEMORY, StoreRefused, claimed, reading, settled, writing

__all__ = ["MEMORY", "SqliteStore", "StoreRefused", "open_sqlite"]

_Row = Sequence[Any]


class SqliteStore:
    """A `bot.service.ports.Store`. Every method is one SQL statement, so that one that is cancelled has happened in
    full or not at all; what it changed is then unknown to its caller, not to the store."""

    def __init__(
        self,
        writer: aiosqlite.Connection,
        reader: aiosqlite.Connection,
        now: Now,
        ending: contextlib.AsyncExitStack,
    ) -> None:
        self._writer = writer
        self._reader = reader
        self._now = now
        self._ending = ending

    # People.

    async def player(self, platform: str, platform_id: str, name: str = "") -> int:
        account = (platform, platform_id)
        known = await self._read(_ACCOUNT, *account)
        if known and name in ("", known[0][1]):
            return int(known[0][0])
        await self._insert("calling", (*account, name, self._now()))
        return int((await self._read(_ACCOUNT, *account))[0][0])

    async def name(self, player: int) -> str:
        rows = await self._read(_NAME, player)
        return str(rows[0][0]) if rows else ""

    async def accounts(self, player: int) -> Mapping[str, str]:
        rows = await self._read("SELECT platform, platform_id FROM account WHERE player = ?", player)
        return {str(platform): str(id) for platform, id in rows}

    # Matches.

    async def load(self, match: str) -> Table:
        return _table(_known(await self._read(f"{_TABLES} WHERE m.id = ?", match)))

    async def seed(self, match: str) -> bytes:
        return bytes(_known(await self._read("SELECT seed FROM seed WHERE match = ?", match))[0])

    async def events(self, match: str) -> Sequence[tuple[int, float, Event]]:
        rows = _known_with(await self._read(_EVENTS, match))
        return [(revision, at, unpack_event(kind, json.loads(fields))) for revision, at, kind, fields in rows]

    async def save(self, commit: Commit) -> None:
        await self._insert("saving", _saved(commit))

    async def seat(self, seating: Seating) -> None:
        await self._insert("seating", (*_saved(seating.commit), *_seated(seating)))

    async def matches_of(self, player: int, limit: int = 50) -> Sequence[Table]:
        return [_table(row) for row in await self._read(_MATCHES_OF, player, limit)]

    async def tally(self, player: int, game: str) -> Tally:
        return Tally(*(await self._read(_TALLY, player, game))[0])

    # Challenges.

    async def put_challenge(self, challenge: Challenge, delivery: Delivery | None = None) -> None:
        await self._insert("challenging", (*_challenge_values(challenge), *_delivered(delivery)))

    async def challenge(self, challenge: str) -> Challenge:
        rows = await self._read(_CHALLENGE, challenge)
        if not rows:
            raise Unreadable("unknown_challenge")
        return _challenge(rows[0])

    async def expire(self, now: float) -> Sequence[str]:
        return [str(id) for (id,) in await self._write(_EXPIRE, now)]

    async def delivered(self, delivery: Delivery) -> str | None:
        rows = await self._read(_DELIVERED, delivery.platform, delivery.update)
        return str(rows[0][0]) if rows else None

    # Jobs.

    async def claim(self, now: float, lease: float, limit: int) -> Sequence[Job]:
        rows = await self._write(_CLAIM, now + lease, now, now, now + lease, limit)
        return sorted((Job(*row) for row in rows), key=lambda job: job.run_at)

    async def drop(self, job: Job) -> None:
        dropped = "DELETE FROM job WHERE match = ? AND kind = ? AND expect_revision = ?"
        await self._write(dropped, job.match, job.kind, job.expect_revision)

    # Screens.

    async def put_screen(self, screen: Shown) -> Shown:
        if screen.id is not None:
            await self._write(_CHANGE_SCREEN, *_screen_values(screen), screen.id)
            return screen
        rows = await self._write(_NEW_SCREEN, *_screen_values(screen), screen.watched, screen.watched)
        return replace(screen, id=_known(rows)[0])

    async def screens(self, watched: str) -> Sequence[Shown]:
        return [_shown(row) for row in await self._read(_SCREENS_OF, watched)]

    async def screens_in(self, platform: str, chat: str, limit: int = 50) -> Sequence[Shown]:
        return [_shown(row) for row in await self._read(_SCREENS_IN, platform, chat, limit)]

    async def behind(self, platform: str, limit: int = 100) -> Sequence[Shown]:
        return [_shown(row) for row in await self._read(_BEHIND, platform, limit)]

    async def remove_screen(self, screen: int) -> None:
        await self._write("DELETE FROM screen WHERE id = ?", screen)

    async def leave_chat(self, platform: str, chat: str, thread: str | None = None) -> None:
        there = "DELETE FROM screen WHERE platform = ? AND chat = ? AND thread = coalesce(?, thread)"
        await self._write(there, platform, chat, thread)

    async def move_chat(self, platform: str, old: str, new: str) -> None:
        await self._write(_DROP_ARRIVED, platform, old, new)
        await self._write("UPDATE screen SET chat = ? WHERE platform = ? AND chat = ?", new, platform, old)

    # Notes.

    async def note(self, name: str) -> str:
        rows = await self._read("SELECT text FROM note WHERE name = ?", name)
        return str(rows[0][0]) if rows else ""

    async def put_note(self, name: str, text: str) -> None:
        noted = "INSERT INTO note VALUES (?, ?) ON CONFLICT DO UPDATE SET text = excluded.text"
        await self._write(noted, name, text)

    # The store itself.

    async def beat(self, now: float) -> None:
        """Notes that the program is alive at `now`."""
        await self._write("INSERT INTO heartbeat VALUES (1, ?) ON CONFLICT DO UPDATE SET at = excluded.at", now)

    async def last_beat(self) -> float | None:
        """When the program was alive last, None if it never was."""
        rows = await self._read("SELECT at FROM heartbeat")
        return float(rows[0][0]) if rows else None

    async def probe(self) -> None:
        await self._read("SELECT 1 FROM match LIMIT 1")

    async def close(self) -> None:
        """Finishes what is under way and lets go of the file; closing again does nothing."""
        await self._ending.aclose()

    async def _read(self, sql: str, *values: object) -> list[_Row]:
        return list(await self._reader.execute_fetchall(sql, values))

    async def _insert(self, view: str, values: Sequence[object]) -> None:
        """Lets the trigger of a view do its work on `values`, one for each column."""
        marks = ", ".join("?" * len(values))
        await self._write(f"INSERT INTO {view} VALUES ({marks})", *values)  # noqa: S608 -- the names are ours

    async def _write(self, sql: str, *values: object) -> list[_Row]:
        try:
            return list(await self._writer.execute_fetchall(sql, values))
        except sqlite3.IntegrityError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_CONSTRAINT_TRIGGER:
                raise
            raise _refusal(str(error)) from None


# The statements that are more than a line.

_ACCOUNT = "SELECT player, name FROM account WHERE platform = ? AND platform_id = ?"

# A press on a message left behind may have made another screen in the old chat.
_DROP_ARRIVED = """
DELETE FROM screen WHERE platform = ? AND chat = ? AND EXISTS (
    SELECT 1 FROM screen AS arrived WHERE arrived.platform = screen.platform AND arrived.chat = ?
    AND arrived.watched = screen.watched AND arrived.thread = screen.thread AND arrived.player IS screen.player
)
"""

_NAME = "SELECT name FROM account WHERE player = ? AND name <> '' ORDER BY named DESC LIMIT 1"

_TABLES = """
    SELECT
        m.id, m.revision, m.snapshot, m.scope, m.commitment, m.created, m.updated, m.nonce_0, m.nonce_1, m.rated,
        m.dice_scheme, m.follows, (SELECT id FROM match AS next WHERE next.follows = m.id),
        a.player, a.name, a.level, a.secret, b.player, b.name, b.level, b.secret
    FROM match AS m
    JOIN seat AS a ON a.match = m.id AND a.seat = 0
    JOIN seat AS b ON b.match = m.id AND b.seat = 1"""

_MATCHES_OF = f"""{_TABLES}
    WHERE m.id IN (
        SELECT id FROM match WHERE id IN (SELECT match FROM seat WHERE player = ?)
        ORDER BY end_reason IS NOT NULL, created DESC, id LIMIT ?
    )
    ORDER BY m.end_reason IS NOT NULL, m.created DESC, m.id"""  # noqa: S608 -- the text is ours

# LEFT JOIN: nothing but NULLs is a match without any, no row at all is no match.
_EVENTS = """
    SELECT e.revision, e.at, e.kind, e.fields FROM match AS m LEFT JOIN event AS e ON e.match = m.id
    WHERE m.id = ? ORDER BY e.number"""

_TALLY = """
    SELECT
        coalesce(sum(points) FILTER (WHERE winner = mine.seat), 0),
        coalesce(sum(points) FILTER (WHERE winner = theirs.seat), 0)
    FROM seat AS mine
    JOIN seat AS theirs ON theirs.match = mine.match AND theirs.seat = 1 - mine.seat AND theirs.level IS NOT NULL
    JOIN result ON result.match = mine.match
    WHERE mine.player = ? AND result.game = ?"""

_DUE_AT_ONCE = f"UPDATE job SET run_at = min(run_at, ?) WHERE kind IN ({', '.join('?' * len(AT_ONCE))})"  # noqa: S608

_CLAIM = """
    UPDATE job SET lease_until = ?, tries = tries + 1
    WHERE (match, kind) IN (
        SELECT match, kind FROM job
        WHERE run_at <= ? AND (lease_until <= ? OR lease_until > ?) -- no lease is longer: the clock was set back
        ORDER BY run_at LIMIT ?
    )
    RETURNING match, kind, run_at, expect_revision, tries"""

_CHALLENGE = """
    SELECT
        id, revision, terms, player, name, level, secret, opponent, scope, created, expires, state, match, named,
        computer
    FROM challenge WHERE id = ?"""

_DELIVERED = "SELECT watched FROM delivery WHERE platform = ? AND update_id = ?"

_EXPIRE = """
    UPDATE challenge SET state = 'expired', revision = revision + 1 WHERE state = 'open' AND expires <= ?
    RETURNING id"""

_NEW_SCREEN = """
    INSERT INTO screen (
        platform, chat, thread, message, player, shared, by_press, language, form, game, shown_revision, shown_hash,
        posted_at, watched, revision
    )
    SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, id, revision
    FROM (SELECT id, revision FROM match WHERE id = ? UNION ALL SELECT id, revision FROM challenge WHERE id = ?)
    RETURNING id"""

_CHANGE_SCREEN = """
    UPDATE screen SET
        platform = ?, chat = ?, thread = ?, message = ?, player = ?, shared = ?, by_press = ?, language = ?, form = ?,
        game = ?, shown_revision = ?, shown_hash = ?, posted_at = ?
    WHERE id = ?"""

_SCREENS_OF = "SELECT * FROM showing WHERE watched = ? ORDER BY id"

_SCREENS_IN = "SELECT * FROM showing WHERE platform = ? AND chat = ? ORDER BY posted_at DESC, id DESC LIMIT ?"

_BEHIND = """
    SELECT showing.* FROM screen JOIN showing USING (id)
    WHERE screen.platform = ? AND screen.shown_revision < screen.revision AND NOT screen.by_press
    ORDER BY screen.id LIMIT ?"""


# Values in the order of the views and tables, and back.


def _saved(commit: Commit) -> tuple[object, ...]:
    """A row of the view `saving`."""
    table, match = commit.table, commit.table.match
    return (
        *(table.id, table.revision, table.updated, match.phase.value),
        *(match.end.reason if match.end else None, match.clock.deadline, table.rated, *table.nonces),
        *(SNAPSHOT_FORMAT, _json(pack_match(match)), EVENT_FORMAT),
        _json([(event_kind(event), pack_event(event)) for event in commit.events]),
        _json([(job.kind, job.run_at, job.expect_revision, job.tries) for job in commit.jobs]),
        _json([(it.number, it.game, it.winner, it.points, it.kind, it.by) for it in commit.results]),
        *_delivered(commit.delivery),
    )


def _delivered(delivery: Delivery | None) -> tuple[str, str] | tuple[None, None]:
    return (delivery.platform, delivery.update) if delivery else (None, None)


def _seated(seating: Seating) -> tuple[object, ...]:
    """What a row of the view `seating` has beyond one of `saving`."""
    table, taken = seating.commit.table, seating.challenge
    challenge = (taken.id, taken.revision, taken.state, taken.opponent) if taken else (None,) * 4
    return (
        *(table.scope, _json(table.match.shape), table.dice_scheme, table.commitment, table.follows, table.created),
        *(seating.seed, *_seat_values(table.seats[0]), *_seat_values(table.seats[1]), *challenge),
    )


def _seat_values(seat: Seat) -> tuple[object, ...]:
    return (seat.player, seat.name, seat.level, seat.secret)


def _table(row: _Row) -> Table:
    id, revision, snapshot, scope, commitment, created, updated, *more = row
    nonce_0, nonce_1, rated, dice_scheme, follows, successor, *seats = more
    return Table(
        id=id,
        revision=revision,
        match=unpack_match(json.loads(snapshot)),
        seats=(Seat(*seats[:4]), Seat(*seats[4:])),
        scope=scope,
        commitment=commitment,
        created=created,
        updated=updated,
        nonces=(nonce_0, nonce_1),
        rated=bool(rated),
        dice_scheme=dice_scheme,
        follows=follows,
        successor=successor,
    )


def _challenge_values(it: Challenge) -> tuple[object, ...]:
    terms, seat = _json(pack_terms(it.terms)), _seat_values(it.challenger)
    whose = (*seat, it.opponent, it.scope)
    return (it.id, it.revision, terms, *whose, it.created, it.expires, it.state, it.match, it.named, it.computer)


def _challenge(row: _Row) -> Challenge:
    id, revision, terms, player, name, level, secret, *more = row
    opponent, scope, created, expires, state, match, named, computer = more
    return Challenge(
        id=id,
        revision=revision,
        terms=unpack_terms(json.loads(terms)),
        challenger=Seat(player, name, level, secret),
        opponent=opponent,
        scope=scope,
        created=created,
        expires=expires,
        state=state,
        match=match,
        named=named,
        computer=bool(computer),
    )


def _screen_values(it: Shown) -> tuple[object, ...]:
    where = (it.platform, it.chat, it.thread, it.message, it.player, it.shared, it.by_press)
    return (*where, it.language, it.form, it.game, it.shown_revision, it.shown_hash, it.posted_at)


def _shown(row: _Row) -> Shown:
    screen = Shown(*row)
    return replace(screen, shared=bool(screen.shared), by_press=bool(screen.by_press))


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _known(rows: Sequence[_Row]) -> _Row:
    """The only row of what was asked of a match; raises `Unreadable` if there is none."""
    if not rows:
        raise Unreadable("unknown_match")
    return rows[0]


def _known_with(rows: Sequence[_Row]) -> Sequence[_Row]:
    """The rows that a match has, of an outer join with it; raises `Unreadable` if there is no match."""
    return [row for row in rows if row[0] is not None] if _known(rows) else ()


def _refusal(reason: str) -> Refusal:
    """What a trigger's RAISE means."""
    return Unreadable(reason) if reason in ("unknown_match", "unknown_challenge") else Stale(reason)


# Opening.


async def open_sqlite(path: Path | str, now: Now, *, force: bool = False) -> SqliteStore:
    """The store in the file at `path`, made with its folder if missing and brought up to date; `:memory:` is no file.

    A file of an older schema is copied beside itself first. `force`: also where the file system is known to damage
    databases (a network's or a virtual machine's). Raises `StoreRefused`; then and when it is cancelled, nothing
    is left open.
    """
    opening = asyncio.ensure_future(_opened(path, now, force))
    try:
        return await asyncio.shield(opening)
    except asyncio.CancelledError:
        # Its threads cannot be interrupted, and one that is left behind would hold up the exit.
        with contextlib.suppress(StoreRefused):
            await (await opening).close()
        raise


async def _opened(path: Path | str, now: Now, force: bool) -> SqliteStore:
    async with contextlib.AsyncExitStack() as ending:
        if str(path) == MEMORY:
            writer = reader = await _connected(partial(writing, MEMORY), ending)
        else:
            file = settled(path)
            ending.callback(os.close, claimed(file, force=force))
            writer = await _connected(partial(writing, str(file)), ending)
            reader = await _connected(partial(reading, str(file)), ending)
        # The file is this process's alone: whoever leased a job before is gone, and nobody has to wait for it.
        async with writer.execute("UPDATE job SET lease_until = 0 WHERE lease_until > 0"):
            pass
        # Nor may a clock that was set back meanwhile put off what was due when it was written.
        async with writer.execute(_DUE_AT_ONCE, (now(), *AT_ONCE)):
            pass
        return SqliteStore(writer, reader, now, ending.pop_all())


async def _connected(
    connect: Callable[[], sqlite3.Connection], ending: contextlib.AsyncExitStack
) -> aiosqlite.Connection:
    """What `connect` opens. It fails before aiosqlite has a thread: that one would outlive the failure."""
    connected = await asyncio.to_thread(connect)
    connection = await aiosqlite.Connection(lambda: connected, iter_chunk_size=64)
    ending.push_async_callback(connection.close)
    return connection
