"""Migrations: an older file is copied, then brought up to date, and what is in it goes on."""

import random
import shutil
from pathlib import Path

import pytest

from bot.engine.errors import Stale
from bot.engine.match import Shape
from bot.service.lobby import Lobby
from bot.service.table import Challenge, Delivery, Seat, Shown, Table, Terms, Who
from storage import sqlite_file
from storage.sqlite import SqliteStore
from tests.storage.files import asked, files, mode, opened, refusal, seated, told, whole
from tests.storage.playing import BEGAN, match_id, next_of

NEWEST = sqlite_file._migrations()[-1][0]
NEXT = f"{NEWEST + 1:04}"
"""The number of a migration that there is not yet."""
MORE = """-- a semicolon; in a comment
ALTER TABLE player ADD COLUMN country TEXT NOT NULL DEFAULT 'a;b';
CREATE TRIGGER greet AFTER INSERT ON player BEGIN
    UPDATE player SET country = CASE WHEN NEW.id > 0 THEN 'x;y' ELSE 'END;' END WHERE id = NEW.id;
    SELECT 1;
END;
-- the end
"""


@pytest.fixture
def migrations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of migrations to which more may be added."""
    folder = tmp_path / "migrations"
    shutil.copytree(sqlite_file._MIGRATIONS, folder)
    monkeypatch.setattr(sqlite_file, "_MIGRATIONS", folder)
    return folder


def test_migrations_are_numbered_without_a_gap() -> None:
    assert [number for number, _ in sqlite_file._migrations()] == list(range(1, NEWEST + 1))


async def test_an_older_file_is_copied_and_then_migrated(path: Path, migrations: Path) -> None:
    async with opened(path) as store:
        table = await seated(store)
    (migrations / f"{NEXT}_countries.sql").write_text(MORE)
    async with opened(path) as store:
        assert await store.load(table.id) == table
        await store.player("web", "new")
    assert asked(path, "PRAGMA user_version") == NEWEST + 1
    assert asked(path, "SELECT group_concat(country, ' ') FROM player") == "a;b a;b x;y"
    copy = path.with_name(f"tavla-schema-{NEWEST}.db")
    assert asked(copy, "PRAGMA user_version") == NEWEST
    assert asked(copy, "PRAGMA application_id") == asked(path, "PRAGMA application_id")
    assert asked(copy, "SELECT count(*) FROM player") == 2
    assert mode(copy) == 0o600
    assert files(path.parent) == [copy.name, "tavla.db", "tavla.db-lock"]


async def test_a_new_file_and_a_current_one_are_not_copied(path: Path, migrations: Path) -> None:
    (migrations / f"{NEXT}_countries.sql").write_text(MORE)
    for _ in range(2):
        async with opened(path):
            pass
    assert files(path.parent) == ["tavla.db", "tavla.db-lock"]


async def test_a_migration_that_fails_changes_nothing(path: Path, migrations: Path) -> None:
    async with opened(path) as store:
        table = await seated(store)
    broken = migrations / f"{NEXT}_broken.sql"
    broken.write_text(f"{MORE}\nDROP TABLE nothing_of_that_name;\n")
    for _ in range(2):
        assert "no such table" in await refusal(path)
    assert asked(path, "PRAGMA user_version") == NEWEST
    assert asked(path, "SELECT count(*) FROM pragma_table_info('player') WHERE name = 'country'") == 0
    broken.unlink()
    async with opened(path) as store:
        assert await store.load(table.id) == table


# From the first schema: a file as a bot wrote it that knew no chats.

CHALLENGE = Challenge("challenge1", 3, Terms(shape=Shape(target=7)), Seat(1, "Ayşe"), 2, "web", BEGAN, BEGAN + 60)
TAKEN = Challenge("challenge2", 2, Terms(), Seat(1), None, "web", BEGAN, BEGAN + 60, "accepted", match_id(1))
_CHALLENGES = """
    INSERT INTO challenge
    VALUES
        ('challenge1', 3, '{"game":"tavla","rules":{},"shape":["points",7],"clock":"none","rated":false}',
            1, 'Ayşe', NULL, '', 2, 'web', 1700000000.25, 1700000060.25, 'open', NULL),
        ('challenge2', 2, '{"game":"tavla","rules":{},"shape":["points",5],"clock":"none","rated":false}',
            1, '', NULL, '', NULL, 'web', 1700000000.25, 1700000060.25, 'accepted', 'm000000001')"""

_JOBS = """
    INSERT INTO job
    VALUES
        ('m000000001', 'computer', 1700000000.25, 2, 0, 4),
        ('m000000001', 'deadline', 1700000060.25, 2, 0, 0)"""


@pytest.fixture
async def old(path: Path, migrations: Path) -> Table:
    """The match in a file of schema 1, beside two challenges and two jobs; the file is closed."""
    for _, file in sqlite_file._migrations()[1:]:
        file.unlink()
    async with opened(path) as store:
        table = await seated(store)
        played = next_of(table, random.Random(1))
        await store.save(played)
    told(path, _CHALLENGES, "DELETE FROM job", _JOBS)
    shutil.rmtree(migrations)
    shutil.copytree(Path(sqlite_file.__file__).parent / "migrations" / "sqlite", migrations)
    assert asked(path, "PRAGMA user_version") == 1
    return played.table


async def test_what_the_first_schema_kept_is_kept(path: Path, old: Table) -> None:
    async with opened(path) as store:
        assert await whole(store, old.id) == old
        assert [await store.challenge(each.id) for each in (CHALLENGE, TAKEN)] == [CHALLENGE, TAKEN]
        jobs = await store.claim(BEGAN + 60, 30, 9)
        assert [(job.kind, job.expect_revision, job.tries) for job in jobs] == [("computer", 2, 5), ("deadline", 2, 1)]
        assert (await store.player("web", "a"), await store.player("web", "b")) == (1, 2)
    assert asked(path, "PRAGMA user_version") == NEWEST
    assert asked(path.with_name("tavla-schema-1.db"), "SELECT revision FROM match") == old.revision
    assert asked(path, "PRAGMA integrity_check") == "ok"
    assert asked(path, "SELECT count(*) FROM pragma_foreign_key_check") == 0


async def test_a_match_of_the_first_schema_plays_on_in_chats(path: Path, old: Table) -> None:
    async with opened(path) as store:
        screen = await store.put_screen(Shown(old.id, "telegram", "-100", shown_revision=old.revision))
        commit = next_of(old, random.Random(2))
        await store.save(commit)
        assert await whole(store, old.id) == commit.table
        assert await store.behind("telegram") == [screen]
        assert await store.claim(BEGAN + 99, 30, 9) == [], "a save takes the jobs of the board before away"


async def test_a_challenge_of_the_first_schema_is_changed_and_accepted(path: Path, old: Table) -> None:
    async with opened(path) as store:
        lobby, ayse = _lobby(store), Who(1)
        changed = await lobby.change("challenge1", 3, ayse, Terms(shape=Shape(target=2)))
        assert changed == await store.challenge("challenge1")
        table = await lobby.accept("challenge1", Seat(2, "Mehmet"), revision=4)
        assert table.match.shape.target == 2
        assert (await store.challenge("challenge1")).match == table.id
        assert {found.id for found in await store.matches_of(2)} == {table.id, old.id}
        with pytest.raises(Stale, match="challenge_gone"):
            await lobby.withdraw("challenge2", ayse)


async def test_a_challenge_of_the_first_schema_runs_out(path: Path, old: Table) -> None:
    async with opened(path) as store:
        assert await store.expire(BEGAN + 60) == ["challenge1"]
        assert (await store.challenge("challenge1")).state == "expired"
        await store.put_challenge(
            Challenge("new", 1, Terms(), Seat(1), None, "web", BEGAN, BEGAN), Delivery("web", "1")
        )
        assert await store.delivered(Delivery("web", "1")) == "new"


def _lobby(store: SqliteStore) -> Lobby:
    return Lobby(store, lambda: BEGAN, lambda table: None, lambda id: None)
