"""The SQLite store and its file: what it refuses, what it survives."""

import asyncio
import contextlib
import os
import random
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from bot.engine import match as engine
from bot.engine.errors import Stale
from bot.service.table import Commit, Delivery, Seat, Table
from storage import sqlite, sqlite_file
from storage.sqlite import MEMORY, SqliteStore, StoreRefused, open_sqlite
from tests.storage.playing import BEGAN, advanced, beginning, match_id, over, seating

KILLS = int(os.environ.get("TAVLA_KILLS", "10"))
ROOT = Path(__file__).parents[2]
PROMPTLY = 10.0
"""Seconds in which a program has to end by itself."""
NOBODY = 65534


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "tavla.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteStore]:
    async with opened(path) as store:
        yield store


@contextlib.asynccontextmanager
async def opened(path: Path | str) -> AsyncIterator[SqliteStore]:
    store = await open_sqlite(path, lambda: BEGAN)
    try:
        yield store
    finally:
        await store.close()


async def seated(store: SqliteStore, number: int = 1) -> Table:
    people = Seat(await store.player("web", "a")), Seat(await store.player("web", "b"))
    begun = seating(number, people)
    await store.seat(begun)
    return begun.commit.table


def next_of(table: Table, choose: random.Random) -> Commit:
    return advanced(table, seating(int(table.id[1:]), table.seats).seed, choose)


async def whole(store: SqliteStore, match: str) -> Table:
    """A match as it is stored; nothing of it is half there."""
    await store.beat(BEGAN)  # what was given up before is written by now
    table, happened = await store.load(match), await store.events(match)
    assert happened[-1][0] == table.revision
    assert engine.replay(beginning(), (event for _, _, event in happened)) == table.match
    return table


async def refusal(path: Path | str) -> str:
    """The one line with which a file is refused; nothing of the attempt is left."""
    with pytest.raises(StoreRefused) as refused:
        await open_sqlite(path, lambda: BEGAN)
    message = str(refused.value)
    assert "\n" not in message
    assert str(path) in message
    return message


def asked(path: Path, sql: str) -> object:
    """The first value of what the file answers."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchone()[0]


def told(path: Path, *statements: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for sql in statements:
            connection.execute(sql)


def files(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def mode(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


def content(file: Path) -> bytes:
    return file.read_bytes()


def damage(file: Path) -> None:
    """Writes over every other page but the first few."""
    pages = file.stat().st_size // 4096
    with file.open("r+b") as written:
        for page in range(3, pages, 2):
            written.seek(4096 * page)
            written.write(b"\xa5" * 4096)


# Opening.


async def test_the_file_and_its_folder_are_made_for_us_alone(path: Path) -> None:
    async with opened(path) as store:
        await seated(store)
        assert len(files(path.parent)) == 4
        assert {mode(path.parent / name) for name in files(path.parent)} == {0o600}
    assert files(path.parent) == ["tavla.db", "tavla.db-lock"]


async def test_what_was_kept_is_there_after_opening_again(path: Path) -> None:
    async with opened(path) as store:
        table = await seated(store)
    async with opened(str(path)) as store:
        assert await store.load(table.id) == table


async def test_a_store_in_memory_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with opened(MEMORY) as store:
        await seated(store)
    assert files(tmp_path) == []


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


# What is refused.


async def test_a_folder_is_refused(tmp_path: Path) -> None:
    assert "is a folder" in await refusal(tmp_path)


async def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "cannot be written" in await refusal(tmp_path / "file" / "tavla.db")


async def test_links_that_go_in_a_circle_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    await refusal(tmp_path / "a")


async def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "tavla.db"
    path.write_text("dear diary " * 500)
    assert "is not an SQLite database" in await refusal(path)
    assert content(path) == b"dear diary " * 500


@pytest.mark.parametrize("mark", ["CREATE TABLE thing (x)", "PRAGMA user_version = 1", "PRAGMA application_id = 5"])
async def test_the_database_of_another_program_is_refused_and_left_as_it_is(path: Path, mark: str) -> None:
    told(path, mark)
    before = content(path)
    assert "another program" in await refusal(path)
    assert content(path) == before


async def test_a_newer_schema_is_refused(path: Path) -> None:
    async with opened(path):
        pass
    told(path, "PRAGMA user_version = 99")
    assert "newer tavla (schema 99, known up to 1)" in await refusal(path)


async def test_a_damaged_database_is_refused(path: Path) -> None:
    async with opened(path) as store:
        for number in range(20):
            await seated(store, number)
    damage(path)
    assert "is damaged" in await refusal(path)


async def test_a_database_cut_short_is_refused(path: Path) -> None:
    async with opened(path) as store:
        await seated(store)
    os.truncate(path, 4096 * 5)
    assert "is damaged" in await refusal(path)


@pytest.mark.parametrize("lock", ["BEGIN EXCLUSIVE", "BEGIN IMMEDIATE"])
async def test_a_locked_database_is_refused(path: Path, lock: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(path):
        pass
    monkeypatch.setattr(sqlite_file, "_WAIT", 50)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute(lock)
        assert "is locked by another program" in await refusal(path)
    async with opened(path):
        pass


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that others may enter; pytest's own are closed to them."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o777)
    yield folder
    folder.chmod(0o777)
    shutil.rmtree(folder)


@pytest.mark.parametrize("what", ["file", "folder", "missing"])
def test_what_may_not_be_written_is_refused(public: Path, what: str) -> None:
    path = public / "tavla.db"
    if what != "missing":
        told(path, "PRAGMA user_version = 0")
    if what == "file":
        path.touch(0o444)
        path.chmod(0o444)
    else:
        public.chmod(0o555)
    with _as_nobody():
        assert "cannot be written: Permission denied" in asyncio.run(refusal(path))


@contextlib.contextmanager
def _as_nobody() -> Iterator[None]:
    """Root may write anything."""
    if os.geteuid() != 0:
        yield
        return
    try:
        os.seteuid(NOBODY)
    except OSError:
        pytest.skip("root here cannot become anybody else")
    try:
        yield
    finally:
        os.seteuid(0)


async def test_a_disk_that_damages_databases_is_refused_unless_forced(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind in ("nfs4", "cifs", "smb3", "fuse.sshfs", "fuse", "9p", "virtiofs"):
        monkeypatch.setattr(sqlite_file, "_filesystem", lambda folder, mounts, kind=kind: kind)
        assert f"lies on {kind}" in await refusal(path)
    assert files(path.parent) == []
    await (await open_sqlite(path, lambda: BEGAN, force=True)).close()


def test_the_file_system_is_that_of_the_deepest_and_latest_mount() -> None:
    mounts = (
        "22 1 254:1 / / rw,relatime - ext4 /dev/vda1 rw\n"
        "30 22 0:40 / /data rw shared:5 - nfs4 server:/data rw,vers=4.2\n"
        "31 30 0:41 / /data/my\\040disk rw - virtiofs share rw\n"
        "32 22 0:42 / /twice rw - tmpfs tmpfs rw\n"
        "33 22 0:43 / /twice rw - fuse.sshfs me@there: rw\n"
    )
    places = {"/": "ext4", "/database": "ext4", "/data": "nfs4", "/data/a/b": "nfs4", "/data/my disk/a": "virtiofs"}
    for folder, kind in (places | {"/twice": "fuse.sshfs"}).items():
        assert sqlite_file._filesystem(Path(folder), mounts) == kind
    assert sqlite_file._filesystem(Path("/"), "") == ""


async def test_an_older_sqlite_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 31, 1))
    with pytest.raises(StoreRefused, match="too old"):
        await open_sqlite(path, lambda: BEGAN)


# One process.


async def test_a_second_store_of_one_file_is_refused(path: Path, tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(path)
    async with opened(path) as store:
        assert "is in use by another tavla" in await refusal(path)
        with pytest.raises(StoreRefused, match="is in use"):
            await open_sqlite(tmp_path / "link.db", lambda: BEGAN)
        await seated(store)
    async with opened(tmp_path / "link.db") as store:
        await store.load(match_id(1))


def test_a_second_process_is_refused_until_the_first_is_gone(path: Path) -> None:
    first = _writer(path)
    try:
        assert first.stdout
        first.stdout.readline()
        second = _run(f"asyncio.run(open_sqlite({str(path)!r}, lambda: 0.0))")
        assert "StoreRefused" in second
        assert "is in use by another tavla" in second
    finally:
        _kill(first)

    async def alone() -> None:
        async with opened(path) as store:
            await store.probe()

    asyncio.run(alone())


# Migrations.


@pytest.fixture
def migrations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of migrations to which more may be added."""
    folder = tmp_path / "migrations"
    shutil.copytree(sqlite_file._MIGRATIONS, folder)
    monkeypatch.setattr(sqlite_file, "_MIGRATIONS", folder)
    return folder


SECOND = """-- a semicolon; in a comment
ALTER TABLE player ADD COLUMN country TEXT NOT NULL DEFAULT 'a;b';
CREATE TRIGGER greet AFTER INSERT ON player BEGIN
    UPDATE player SET country = CASE WHEN NEW.id > 0 THEN 'x;y' ELSE 'END;' END WHERE id = NEW.id;
    SELECT 1;
END;
-- the end
"""


async def test_an_older_file_is_copied_and_then_migrated(path: Path, migrations: Path) -> None:
    async with opened(path) as store:
        table = await seated(store)
    (migrations / "0002_countries.sql").write_text(SECOND)
    async with opened(path) as store:
        assert await store.load(table.id) == table
        await store.player("web", "new")
    assert asked(path, "PRAGMA user_version") == 2
    assert asked(path, "SELECT group_concat(country, ' ') FROM player") == "a;b a;b x;y"
    copy = path.with_name("tavla-schema-1.db")
    assert asked(copy, "PRAGMA user_version") == 1
    assert asked(copy, "PRAGMA application_id") == asked(path, "PRAGMA application_id")
    assert asked(copy, "SELECT count(*) FROM player") == 2
    assert mode(copy) == 0o600
    assert files(path.parent) == ["tavla-schema-1.db", "tavla.db", "tavla.db-lock"]


async def test_a_new_file_and_a_current_one_are_not_copied(path: Path, migrations: Path) -> None:
    (migrations / "0002_countries.sql").write_text(SECOND)
    for _ in range(2):
        async with opened(path):
            pass
    assert files(path.parent) == ["tavla.db", "tavla.db-lock"]


async def test_a_migration_that_fails_changes_nothing(path: Path, migrations: Path) -> None:
    async with opened(path) as store:
        table = await seated(store)
    (migrations / "0002_broken.sql").write_text(f"{SECOND}\nDROP TABLE nothing_of_that_name;\n")
    for _ in range(2):
        assert "no such table" in await refusal(path)
    assert asked(path, "PRAGMA user_version") == 1
    assert asked(path, "SELECT count(*) FROM pragma_table_info('player') WHERE name = 'country'") == 0
    (migrations / "0002_broken.sql").unlink()
    async with opened(path) as store:
        assert await store.load(table.id) == table


def test_migrations_are_numbered_without_a_gap() -> None:
    numbers = [number for number, _ in sqlite_file._migrations()]
    assert numbers == list(range(1, len(numbers) + 1))


# Nothing is lost.


def test_nothing_acknowledged_is_lost_when_the_writer_is_killed(path: Path) -> None:
    choose = random.Random()
    for _ in range(KILLS):
        saved = _saved_until_killed(path, choose.uniform(0.0, 0.2))
        asyncio.run(_is_kept(path, saved))


def _saved_until_killed(path: Path, seconds: float) -> dict[int, int]:
    """What the writer told to be saved: the last revision of each match."""
    writer = _writer(path)
    assert writer.stdout
    lines = [writer.stdout.readline()]
    assert lines[0], "the writer did not start"
    time.sleep(seconds)
    writer.kill()
    lines += [line for line in writer.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
    _kill(writer)
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
    output = _run(_FAILING, failing, f"asyncio.run({opening})")
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


def _writer(path: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.storage.writer", str(path)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)


def _kill(program: subprocess.Popen[str]) -> None:
    program.kill()
    program.communicate()


def _run(*lines: str) -> str:
    """What a program of these lines writes before it ends."""
    program = "\n".join(("import asyncio", "from storage.sqlite import open_sqlite", *lines))
    command = [sys.executable, "-X", "dev", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=60, check=False)
    return done.stdout + done.stderr


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
