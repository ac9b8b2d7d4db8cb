"""The SQLite store: how it is set, what it survives, how quickly it answers."""

import asyncio
import os
import random
import sqlite3
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.engine.errors import Stale
from bot.service.table import Commit, Delivery, Seat
from storage import sqlite
from storage.sqlite import MEMORY, SqliteStore, StoreRefused, open_sqlite
from tests.storage.files import kill, opened, refusal, run, seated, start_writer, whole
from tests.storage.playing import BEGAN, match_id, next_of, over, seating

KILLS = int(os.environ.get("TAVLA_KILLS", "10"))
PROMPTLY = 10.0
"""Seconds in which a program has to end by itself."""


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteStore]:
    async with opened(path) as store:
        yield store


async def test_the_settings_are_really_in_force(store: SqliteStore) -> None:
    expected = {
        "journal_mode": "wal",
        "synchronous": 2,
        "busy_timeout": 5000,
        "foreign_keys": 1,
        "secure_delete": 1,
        "temp_store": 2,
        "cache_size": -16000,
        "journal_size_limit": 64 * 1024 * 1024,
    }
    for connection in (store._writer, store._reader):
        found = {name: next(iter(await connection.execute_fetchall(f"PRAGMA {name}")))[0] for name in expected}
        assert found == expected
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        await store._reader.execute_fetchall("INSERT INTO heartbeat VALUES (1, 1)")


async def test_every_table_is_strict(store: SqliteStore) -> None:
    lax = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND NOT strict"
    assert [name for (name,) in await store._read(lax) if not name.startswith("sqlite_")] == []


@pytest.mark.parametrize(
    ("sql", "index"),
    [
        (sqlite._CLAIM, "job_run_at"),
        (sqlite._BEHIND, "screen_behind"),
        (sqlite._SCREENS_OF, "screen_watched"),
        (sqlite._SCREENS_IN, "screen_chat"),
        (sqlite._EXPIRE, "challenge_expires"),
        (sqlite._TABLES, "match_follows"),
        (sqlite._MATCHES_OF, "seat_player"),
        (sqlite._TALLY, "seat_player"),
        (sqlite._NAME, "account_player"),
    ],
)
async def test_searches_use_an_index(store: SqliteStore, sql: str, index: str) -> None:
    sql = f"{sql} WHERE m.id = ?" if sql is sqlite._TABLES else sql
    plan = await store._read(f"EXPLAIN QUERY PLAN {sql}", *([1] * sql.count("?")))
    told = "\n".join(str(row[3]) for row in plan)
    assert index in told
    assert "SCAN" not in told


# Nothing is lost.


def test_nothing_acknowledged_is_lost_when_the_writer_is_killed(path: Path) -> None:
    choose = random.Random()
    for _ in range(KILLS):
        saved = _saved_until_killed(path, choose.uniform(0.0, 0.2))
        asyncio.run(_is_kept(path, saved))


def _saved_until_killed(path: Path, seconds: float) -> dict[int, int]:
    """What the writer told to be saved: the last revision of each match."""
    writer = start_writer(path)
    assert writer.stdout
    lines = [writer.stdout.readline()]
    assert lines[0], "the writer did not start"
    time.sleep(seconds)
    writer.kill()
    lines += [line for line in writer.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
    kill(writer)
    return {int(number): int(revision) for number, revision in (line.split() for line in lines)}


async def _is_kept(path: Path, saved: dict[int, int]) -> None:
    async with opened(path) as store:
        for number, revision in saved.items():
            table = await whole(store, match_id(number))
            assert revision <= table.revision <= revision + 1


async def test_a_cancelled_save_has_happened_or_not(store: SqliteStore) -> None:
    faults = list[dict[str, object]]()
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: faults.append(context))
    choose, table, given_up = random.Random(5), await seated(store), 0
    for attempt in range(300):
        if over(table):
            table = await seated(store, attempt + 2)
        try:
            async with asyncio.timeout(choose.choice((0, 0.0002, 0.001, 0.002, 0.004))):
                await store.save(next_of(table, choose))
        except TimeoutError:
            given_up += 1
        except Stale:
            table = await store.load(table.id)  # one that was given up was saved after all
        if attempt % 4 == 0:
            table = await whole(store, table.id)
    await store.save(next_of(await seated(store, 999), choose))
    assert given_up > 30
    assert faults == []


async def test_cancelled_calls_of_all_kinds_leave_the_store_usable(store: SqliteStore) -> None:
    choose, table = random.Random(6), await seated(store)
    for number in range(200):
        calls = (
            store.player("web", str(number), "name"),
            store.seat(seating(1000 + number, table.seats)),
            store.claim(BEGAN, 1, 5),
            store.matches_of(1),
            store.save(next_of(table, choose)),
        )
        tasks = [asyncio.ensure_future(call) for call in calls]
        await asyncio.sleep(choose.choice((0, 0, 0.0005, 0.002)))
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    await store.save(next_of(await store.load(table.id), choose))
    for shown in await store.matches_of(1, 1000):
        await whole(store, shown.id)
        assert await store.seed(shown.id)


async def test_closing_waits_for_what_is_under_way(path: Path) -> None:
    async with opened(path) as store:
        table = await seated(store)
        saving = asyncio.ensure_future(store.save(next_of(table, random.Random(1))))
        await asyncio.sleep(0)
        await store.close()
        await saving
    async with opened(path) as store:
        assert (await store.load(table.id)).revision == 2


async def test_a_delivery_is_remembered_after_opening_again(path: Path) -> None:
    again = Delivery("telegram", "1")
    async with opened(path) as store:
        table = await seated(store)
        first = next_of(table, random.Random(1))
        await store.save(Commit(first.table, first.events, delivery=again))
    async with opened(path) as store:
        second = next_of(first.table, random.Random(1))
        with pytest.raises(Stale, match="already_done"):
            await store.save(Commit(second.table, second.events, delivery=again))


async def test_a_heartbeat_is_kept(path: Path) -> None:
    async with opened(path) as store:
        assert await store.last_beat() is None
        for at in (BEGAN, BEGAN + 10):
            await store.beat(at)
    async with opened(path) as store:
        assert await store.last_beat() == BEGAN + 10


async def test_seeds_and_secrets_are_nowhere_but_in_their_tables(store: SqliteStore) -> None:
    begun = seating(1, (Seat(await store.player("web", "a"), secret="5ec4e7"), Seat(None, level="easy")))
    await store.seat(begun)
    for table in ("match", "event", "job", "result"):
        for row in await store._read(f"SELECT * FROM {table}"):  # noqa: S608 -- one of these four
            assert "5ec4e7" not in str(row)
            assert begun.seed not in row
            assert begun.seed.hex() not in str(row)


async def test_what_a_killed_process_had_leased_is_free_at_the_next_start(path: Path) -> None:
    async with opened(path) as store:
        person = Seat(await store.player("web", "a"))
        for number in range(20):
            begun = seating(number, (person, Seat(None, level="easy")))
            await store.seat(begun)
            if begun.commit.jobs:
                break
        leased = await store.claim(BEGAN + 100, lease=3600, limit=5)
        assert len(leased) == 1
        assert not await store.claim(BEGAN + 101, lease=3600, limit=5)
    async with opened(path) as store:
        again = await store.claim(BEGAN + 101, lease=3600, limit=5)
        assert [(job.match, job.tries) for job in again] == [(leased[0].match, 2)]


async def test_a_clock_that_is_set_back_puts_off_neither_due_jobs_nor_leases(path: Path) -> None:
    async with opened(path) as store:
        person = Seat(await store.player("web", "a"))
        begun = next(
            begun
            for begun in (seating(number, (person, Seat(None, level="easy"))) for number in range(20))
            if begun.commit.jobs
        )
        await store.seat(begun)
        assert await store.claim(BEGAN + 50_000, lease=30, limit=5)
        assert await store.claim(BEGAN + 40_000, lease=30, limit=5), "the lease of a later time holds nobody up"
    early = await open_sqlite(path, lambda: BEGAN - 50_000)
    try:
        assert len(await early.claim(BEGAN - 49_999, lease=30, limit=5)) == 1
    finally:
        await early.close()


# A program ends promptly, however it fails.


@pytest.mark.parametrize("fault", ["folder", "text", "writing", "reading", "cancelled", "unused"])
def test_a_program_whose_store_does_not_open_ends_at_once(tmp_path: Path, fault: str) -> None:
    path = tmp_path / "tavla.db"
    if fault == "folder":
        path.mkdir()
    if fault == "text":
        path.write_text("dear diary " * 500)
    failing = f"sqlite.{fault} = fail" if fault in ("writing", "reading") else ""
    opening = f"open_sqlite({str(path)!r}, lambda: 0.0)"
    if fault == "cancelled":
        opening = f"asyncio.wait_for({opening}, 0.001)"
    if fault == "unused":
        opening = f"close({opening})"
    began = time.monotonic()
    output = run(_FAILING, failing, f"asyncio.run({opening})")
    assert time.monotonic() - began < PROMPTLY
    assert "ResourceWarning" not in output
    expected = {"cancelled": "TimeoutError", "unused": ""}.get(fault, "StoreRefused")
    assert expected in output


_FAILING = """
from storage import sqlite
def fail(file):
    raise sqlite.StoreRefused(file + " failed")
async def close(opening):
    store = await opening
    await store.player("web", "a")
    await store.close()
"""


async def test_a_store_that_does_not_open_lets_go_of_its_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(file: str) -> sqlite3.Connection:
        raise StoreRefused(f"{file} failed")

    with monkeypatch.context() as patched:
        patched.setattr("storage.sqlite.reading", fail)
        await refusal(path)
    async with opened(path) as store:
        await store.probe()


# Figures.


async def test_the_matches_of_somebody_with_ten_thousand_are_found_quickly() -> None:
    async with opened(MEMORY) as store:
        people = Seat(await store.player("web", "a")), Seat(await store.player("web", "b"))
        begun = seating(1, people)
        values = (*sqlite._saved(begun.commit), *sqlite._seated(begun))
        marks = ", ".join("?" * len(values))
        rows = [(match_id(number), *values[1:]) for number in range(10_000)]
        await store._writer.executemany(f"INSERT INTO seating VALUES ({marks})", rows)  # noqa: S608 -- only marks
        began = time.perf_counter()
        assert len(await store.matches_of(1)) == 50
        assert time.perf_counter() - began < 0.5
