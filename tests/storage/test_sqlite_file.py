"""The file of an SQLite store: how it is made, what is refused, one process at a time."""

import asyncio
import contextlib
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from storage import sqlite_file
from storage.sqlite import MEMORY, StoreRefused, open_sqlite
from tests.storage.files import content, damage, files, kill, mode, opened, refusal, run, seated, start_writer, told
from tests.storage.playing import BEGAN, match_id

NOBODY = 65534


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
    newest = sqlite_file._migrations()[-1][0]
    assert f"newer tavla (schema 99, known up to {newest})" in await refusal(path)


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
    first = start_writer(path)
    try:
        assert first.stdout
        first.stdout.readline()
        second = run(f"asyncio.run(open_sqlite({str(path)!r}, lambda: 0.0))")
        assert "StoreRefused" in second
        assert "is in use by another tavla" in second
    finally:
        kill(first)

    async def alone() -> None:
        async with opened(path) as store:
            await store.probe()

    asyncio.run(alone())
