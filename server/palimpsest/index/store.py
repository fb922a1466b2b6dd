"""The index of one workspace folder on disk, as who builds it writes it.

In: rows of files.  Out: a database, and which files it has in which version.  A database that is damaged or was made
with something else is thrown away.  Several processes may write to one; each file's rows are replaced as a whole.
"""

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from palimpsest.index.rows import FileRows, last_names
from palimpsest.index.schema import OF_FILE, TABLES

FOLDER = "index"
"""The index lies in this folder of the user's cache folder."""
WAIT_S = 10.0
"""Another process that writes is waited for this long."""
_PAGES_OF_LOG = 4_000
Stamp = tuple[int, int]
"""A file's time stamp and size."""


def database(cache: Path, root: Path) -> Path:
    """Where the index of a workspace folder is; its name tells nothing of the folder's."""
    name = hashlib.blake2b(os.fsencode(root), digest_size=12).hexdigest()
    return cache / FOLDER / f"{name}.sqlite"


class Store:
    """One connection that writes.  All methods may raise `sqlite3.Error`: the disk is full, the file is damaged."""

    def __init__(self, path: Path, fingerprint: str, root: Path, *, may_begin_anew: bool) -> None:
        """Open what is there.  `may_begin_anew`: replace it if it is damaged or made with something else, and make it
        if there is none; otherwise this raises."""
        self.path = path
        try:
            self._connection = _opened(path, fingerprint)
        except sqlite3.DatabaseError:
            if not may_begin_anew:
                raise
            self._connection = _made(path, fingerprint, root)
        self._file = file_at(path)

    @property
    def is_current(self) -> bool:
        """Whether nobody has thrown the database away since and made another."""
        return self._file == file_at(self.path)

    def stamps(self) -> dict[str, Stamp]:
        rows = self._connection.execute("SELECT path, mtime_ns, size FROM files")
        return {path: (mtime_ns, size) for path, mtime_ns, size in rows}

    def put(self, files: Iterable[tuple[str, Stamp, FileRows]]) -> None:
        """Replace the rows of files, by paths relative to the folder; all of them, or none if this raises."""
        with _writing(self._connection) as connection:
            for path, stamp, rows in files:
                _put(connection, path, stamp, rows)

    def remove(self, paths: Iterable[str]) -> None:
        """Forget files, or what is in folders that are gone."""
        with _writing(self._connection) as connection:
            for path in paths:
                _remove(connection, path)

    @property
    def is_complete(self) -> bool:
        """Whether every file of the folder was in it at some time."""
        return bool(noted(self._connection).get("complete"))

    def n_files(self) -> int:
        n: int = self._connection.execute("SELECT count(*) FROM files").fetchone()[0]
        return n

    def note(self, name: str, value: Any) -> None:
        """Keep something about the whole, as JSON."""
        with _writing(self._connection) as connection:
            connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, json.dumps(value)))

    def close(self) -> None:
        with suppress(sqlite3.Error):  # another process does it
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        with suppress(sqlite3.Error):  # it is left in any case
            self._connection.close()


def connected(path: Path, *, wait_s: float = WAIT_S) -> sqlite3.Connection:
    """A connection to an existing database.  Raises sqlite3.Error if there is none."""
    uri = path.absolute().as_uri() + "?mode=rw"
    return sqlite3.connect(uri, uri=True, timeout=wait_s, check_same_thread=False, isolation_level=None)


@contextmanager
def _writing(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """A transaction that waits for other writers before it reads anything."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:  # cancelled, too: all of it or nothing
        with suppress(sqlite3.Error):  # it has been rolled back
            connection.execute("ROLLBACK")
        raise


def file_at(path: Path) -> tuple[int, int] | None:
    """What tells one file from another that replaced it."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def noted(connection: sqlite3.Connection) -> Mapping[str, Any]:
    return {name: json.loads(value) for name, value in connection.execute("SELECT name, value FROM meta")}


def _opened(path: Path, fingerprint: str) -> sqlite3.Connection:
    connection = connected(path)
    try:
        found = noted(connection).get("fingerprint")
        sound = connection.execute("PRAGMA quick_check(1)").fetchone()
        if found != fingerprint or sound != ("ok",):
            raise sqlite3.DatabaseError("made with something else" if sound == ("ok",) else "damaged")
        _prepare(connection)
    except (sqlite3.Error, ValueError) as error:
        connection.close()
        raise sqlite3.DatabaseError(str(error)) from error
    return connection


def _made(path: Path, fingerprint: str, root: Path) -> sqlite3.Connection:
    """A new database, which only this user may read: it has the workspace's names in it."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
        path.with_name(name).unlink(missing_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    connection = connected(path)
    try:
        _prepare(connection)
        with _writing(connection):
            for statement in TABLES.split(";\n"):
                connection.execute(statement)
            facts = {"fingerprint": fingerprint, "folder": str(root), "complete": False}
            connection.executemany("INSERT INTO meta VALUES (?, ?)", [(k, json.dumps(v)) for k, v in facts.items()])
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    with closing(connection.cursor()) as cursor:
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute("PRAGMA synchronous = NORMAL")
        cursor.execute(f"PRAGMA wal_autocheckpoint = {_PAGES_OF_LOG}")


def _put(connection: sqlite3.Connection, path: str, stamp: Stamp, rows: FileRows) -> None:
    _remove(connection, path)
    file = connection.execute(
        "INSERT INTO files (path, mtime_ns, size, language, words) VALUES (?, ?, ?, ?, ?)",
        (path, *stamp, rows.language, rows.words),
    ).lastrowid
    definitions = [(file, number, *row) for number, row in enumerate(rows.definitions)]
    connection.executemany("INSERT INTO definitions VALUES (?, ?, ?, ?, ?, ?, ?, ?)", definitions)
    connection.executemany("INSERT OR IGNORE INTO packages VALUES (?, ?)", [(name, file) for name in rows.packages])
    imports = [(file, number, *row) for number, row in enumerate(rows.imports)]
    connection.executemany("INSERT INTO imports VALUES (?, ?, ?, ?, ?, ?, ?)", imports)
    ends = [(name, file, n) for n, row in enumerate(rows.imports) for name in last_names(*row[:3])]
    connection.executemany("INSERT INTO ends VALUES (?, ?, ?)", ends)


def _remove(connection: sqlite3.Connection, path: str) -> None:
    """A file, or all of a folder: what begins with its path and a slash ("0" follows "/")."""
    of_path = (path, f"{path}/", f"{path}0")
    found = connection.execute("SELECT id FROM files WHERE path = ? OR (path >= ? AND path < ?)", of_path).fetchall()
    for row in found:
        for table in OF_FILE:
            connection.execute(f"DELETE FROM {table} WHERE file = ?", row)
        connection.execute("DELETE FROM files WHERE id = ?", row)
