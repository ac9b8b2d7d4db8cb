"""The file of an SQLite store: claimed for one process, checked, brought up to date and set for keeping what it is
told."""

import contextlib
import fcntl
import os
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

MEMORY = ":memory:"
"""The name of a database that is gone when it is closed."""

_MIGRATIONS = Path(__file__).parent / "migrations" / "sqlite"
_OLDEST_SQLITE = (3, 37)
"""Has STRICT tables, RETURNING and JSON."""
_APPLICATION = 0x7461766C
"""Marks a file as ours; the first migration writes it."""
_SETTINGS: Mapping[str, str | int] = {
    "foreign_keys": "ON",
    "synchronous": "FULL",  # what was acknowledged survives a power cut
    "secure_delete": "ON",  # what was forgotten is not left in free pages
    "temp_store": "MEMORY",
    "cache_size": -16000,
    "journal_size_limit": 64 * 1024 * 1024,
}
_WAIT = 5000
"""Milliseconds to wait for another program's lock."""
_REMOTE = frozenset({"nfs", "nfs4", "cifs", "smbfs", "smb3", "9p", "virtiofs", "fuse", "fuseblk"})
_FAULTS: Mapping[int, str] = {
    sqlite3.SQLITE_NOTADB: "is not an SQLite database",
    sqlite3.SQLITE_CORRUPT: "is damaged; put a copy of it back",
    sqlite3.SQLITE_BUSY: "is locked by another program",
    sqlite3.SQLITE_READONLY: "cannot be written",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened",
    sqlite3.SQLITE_PERM: "cannot be opened",
    sqlite3.SQLITE_FULL: "has no room left on its disk",
}


class StoreRefused(Exception):
    """The database cannot be used; the message is one line that says which and why."""


# The place.


def settled(path: Path | str) -> Path:
    """The path with every link followed, as SQLite does: what lies beside the file lies beside the file itself."""
    try:
        return Path(path).resolve()
    except (OSError, RuntimeError) as error:  # a loop of links is a RuntimeError before Python 3.13
        raise StoreRefused(f"{path} leads nowhere: its links go round in a circle") from error


def claimed(file: Path, *, force: bool) -> int:
    """The descriptor of the lock that keeps other processes out as long as it is open; makes folder and file.

    `force`: on any kind of file system. Raises `StoreRefused`.
    """
    try:
        if file.is_dir():
            raise StoreRefused(f"{file} is a folder, not a database")
        file.parent.mkdir(parents=True, exist_ok=True)
        if not force:
            _refuse_remote(file)
        return _locked(file)
    except BlockingIOError as error:
        raise StoreRefused(f"{file} is in use by another tavla") from error
    except OSError as error:
        raise StoreRefused(f"{file} cannot be written: {error.strerror}") from error


def _locked(file: Path) -> int:
    flags, only_ours = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
    with contextlib.ExitStack() as failing:
        lock = os.open(f"{file}-lock", flags, only_ours)
        failing.callback(os.close, lock)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Made here, so that nobody else can read the seeds in it; SQLite gives its other files the same mode.
        os.close(os.open(file, flags, only_ours))
        failing.pop_all()
    return lock


def _refuse_remote(file: Path) -> None:
    mounts = Path("/proc/self/mountinfo")
    kind = _filesystem(file.parent, mounts.read_text("utf-8", "surrogateescape")) if mounts.exists() else ""
    if kind in _REMOTE or kind.startswith("fuse."):
        raise StoreRefused(f"{file} lies on {kind}, where databases get damaged; put it on a local disk")


def _filesystem(folder: Path, mounts: str) -> str:
    """The type of the file system that `folder` lies on, by the text of /proc/self/mountinfo; "" if that says none."""
    deepest, kind = -1, ""
    for line in mounts.splitlines():
        place, _, source = line.partition(" - ")
        point = re.sub(r"\\(\d{3})", lambda code: chr(int(code[1], 8)), place.split()[4])
        if folder.is_relative_to(point) and len(point) >= deepest:  # of mounts on one point the last one counts
            deepest, kind = len(point), source.split()[0]
    return kind


# Connections.


def writing(file: str) -> sqlite3.Connection:
    """A connection to a database that is ours, whole and of the newest schema; raises `StoreRefused`."""
    return _opened(file, _prepare)


def reading(file: str) -> sqlite3.Connection:
    """A connection beside one that writes; raises `StoreRefused`."""
    return _opened(file, _set_reading)


def _opened(file: str, prepare: Callable[[sqlite3.Connection, str], None]) -> sqlite3.Connection:
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        raise StoreRefused(f"SQLite {sqlite3.sqlite_version} is too old, 3.37 is needed")
    with contextlib.ExitStack() as failing:
        try:
            # One thread opens it and another one uses it, never both at once.
            connection = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
            failing.callback(connection.close)
            connection.execute(f"PRAGMA busy_timeout = {_WAIT}")
            prepare(connection, file)
        except sqlite3.Error as error:
            raise StoreRefused(f"{file} {_fault(error)}") from error
        failing.pop_all()
    return connection


def _fault(error: sqlite3.Error) -> str:
    """What an error at the start means, to follow the name of the file."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF  # without the details
    return _FAULTS.get(code, f"cannot be used: {error}")


def _prepare(connection: sqlite3.Connection, file: str) -> None:
    """Asks whose it is before anything is written to it; migrates before foreign keys are enforced."""
    version = _version(connection, file)
    _check(connection, file)
    mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    if mode != "wal" and file != MEMORY:
        raise StoreRefused(f"{file} cannot have a write-ahead log where it lies")
    _migrate(connection, file, version)
    _set(connection)


def _set(connection: sqlite3.Connection) -> None:
    for name, value in _SETTINGS.items():
        connection.execute(f"PRAGMA {name} = {value}")


def _set_reading(connection: sqlite3.Connection, file: str) -> None:
    _set(connection)
    connection.execute("PRAGMA query_only = ON")


def _version(connection: sqlite3.Connection, file: str) -> int:
    """The number of the schema, 0 for an empty file. The lock shows that nobody else writes and that we can."""
    connection.execute("BEGIN IMMEDIATE")
    version, owner, tables = (
        int(connection.execute(sql).fetchone()[0])
        for sql in ("PRAGMA user_version", "PRAGMA application_id", "SELECT count(*) FROM sqlite_schema")
    )
    connection.execute("ROLLBACK")
    if owner != _APPLICATION and (owner or version or tables):
        raise StoreRefused(f"{file} is a database of another program")
    newest = _migrations()[-1][0]
    if version > newest:
        raise StoreRefused(f"{file} was written by a newer tavla (schema {version}, known up to {newest})")
    return version


def _check(connection: sqlite3.Connection, file: str) -> None:
    found = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
    if found != "ok":
        raise StoreRefused(f"{file} is damaged ({found.splitlines()[-1]}); put a copy of it back")


# Migrations.


def _migrations() -> list[tuple[int, Path]]:
    """The files of SQL by their numbers, in order."""
    return sorted((int(file.name.split("_")[0]), file) for file in _MIGRATIONS.glob("*.sql"))


def _migrate(connection: sqlite3.Connection, file: str, version: int) -> None:
    """Applies what is newer than `version`, each file in a transaction. An error closes the connection, which takes
    back what was not committed."""
    wanted = [(number, sql) for number, sql in _migrations() if number > version]
    if wanted and version and file != MEMORY:
        _copy(connection, Path(file), version)
    for number, sql in wanted:
        connection.execute("BEGIN IMMEDIATE")
        for statement in _statements(sql.read_text("utf-8")):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("COMMIT")


def _copy(connection: sqlite3.Connection, file: Path, version: int) -> None:
    """Keeps the file as it is under a name with its schema, where only a whole copy ever lies."""
    copy = file.with_name(f"{file.stem}-schema-{version}{file.suffix}")
    part = copy.with_name(f"{copy.name}-part")
    part.unlink(missing_ok=True)
    part.touch(0o600)
    connection.execute("VACUUM INTO ?", (str(part),))
    with part.open("rb") as written:
        os.fsync(written.fileno())
    part.replace(copy)


def _statements(sql: str) -> Iterator[str]:
    """The statements of a file, each ending with its line. `executescript` would commit before them."""
    statement = ""
    for line in sql.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):  # knows the semicolons inside triggers
            yield statement
            statement = ""
    if statement.strip():
        yield statement
