"""One workspace's database: opened, brought up to date, written in transactions.

In: a file.  Out: a connection to write with and one to read with, each to one thread at a time.  Several processes may
have it open: WAL lets them read while one writes, and a writer waits for another, which no reader does.  What a
transaction wrote is there after any crash (`synchronous=FULL`).  A database that is damaged goes under another name,
with its log; beside a file that showed damage while it was in use there is a note, so that it is looked through before
it is used again.  Nothing is deleted.
"""

import itertools
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from palimpsest.conversations.store.schema import STEPS
from palimpsest.errors import InvalidArgument, StorageError
from palimpsest.system import process_lock

BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
FILES = ("", "-wal", "-shm")
WAIT_S, LOOK_S = 15.0, 0.05
"""Another process that puts the same file aside is waited for so long."""
BUSY_S = 15.0
"""Another window's transaction is waited for so long."""
AGAIN_S = 0.02

TOO_NEW = "it was written by a newer version of Palimpsest; update this one"

logger = logging.getLogger(__name__)


class Database:
    """Raises StorageError, whose message is fit for a person, wherever SQLite fails; InvalidArgument for a text that it
    cannot keep."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock, self._reading_lock = threading.RLock(), threading.RLock()
        self._depth = 0
        self._writer: int | None = None
        self._reads: int | None = None
        """The threads whose transaction, and whose reading, are under way."""
        self._is_closed = False
        self.set_aside: Path | None = None
        """Where a damaged database was put, which this one took the place of."""
        self._open()

    def _open(self) -> None:
        try:
            self._connection = self._opened(self.path)
            self._reader = _to_read(self.path)
            self._file = _file(self.path)
        except (sqlite3.Error, OSError) as error:
            raise _storage_error(self.path, error) from error

    def _look(self) -> None:
        """SQLite goes on with a file that was deleted, and with its process all that is written in it is gone."""
        if threading.get_ident() in (self._writer, self._reads) or _file(self.path) == self._file:
            return
        with self._lock, self._reading_lock:
            if _file(self.path) != self._file and not self._is_closed:
                logger.warning("%s was deleted while it was in use; another one begins", self.path)
                self._shut()
                self._open()

    def _opened(self, path: Path) -> sqlite3.Connection:
        try:
            return _opened(path)
        except sqlite3.DatabaseError as error:
            if not _is_broken(error):
                raise
        with _alone(path):
            try:
                return _opened(path)  # another process has put it aside meanwhile
            except sqlite3.DatabaseError as error:
                if not _is_broken(error):
                    raise
                self.set_aside = _put_aside(path)
                logger.error("%s is damaged (%s); it is kept as %s, and a new one begins", path, error, self.set_aside)
            return _opened(path)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Rows as they are now, all of one moment.  Inside a transaction, of that."""
        self._look()
        with self._translated_errors():
            if self._writer == threading.get_ident():
                yield self._connection
                return
            with self._reading_lock:
                is_outer = self._reads is None
                if is_outer:
                    self._reader.execute("BEGIN")
                    self._reads = threading.get_ident()
                try:
                    yield self._reader
                finally:
                    if is_outer:
                        self._reads = None
                        self._reader.execute("COMMIT")

    def row(self, statement: str, values: Sequence[object] = ()) -> Any:
        """The first row of a query, None where there is none."""
        with self.reading() as rows:
            return rows.execute(statement, values).fetchone()

    def rows(self, statement: str, values: Sequence[object] = ()) -> list[Any]:
        with self.reading() as rows:
            return rows.execute(statement, values).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing, on the disk when it ends.  One inside another is part of the outer one.  It may wait for
        another process's: not for the event loop (`write_queue.py`)."""
        self._look()
        with self._lock, self._translated_errors():
            self._depth += 1
            try:
                if self._depth == 1:
                    self._connection.execute("BEGIN IMMEDIATE")
                    self._writer = threading.get_ident()
                yield self._connection
                if self._depth == 1:
                    self._connection.execute("COMMIT")
            except BaseException:  # cancelled, too: all of it or nothing
                if self._depth == 1 and self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
            finally:
                self._depth -= 1
                if not self._depth:
                    self._writer = None

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Transactions of this thread wait for nobody."""
        with self._lock:
            self._connection.execute("PRAGMA busy_timeout=0")
            try:
                yield
            finally:
                self._connection.execute(f"PRAGMA busy_timeout={BUSY_S * 1000:.0f}")

    @contextmanager
    def _translated_errors(self) -> Iterator[None]:
        """SQLite's errors as ours."""
        try:
            yield
        except sqlite3.Error as error:
            raise _storage_error(self.path, error) from error
        except UnicodeEncodeError:
            # SQLite keeps no lone surrogates in a text of its own; contents are kept as bytes
            raise InvalidArgument("text", "half a character (a lone surrogate) is in it, or in an id.") from None

    def close(self) -> None:
        with self._lock, self._reading_lock:
            self._is_closed = True
            self._shut()

    def _shut(self) -> None:
        self._reader.close()
        self._connection.close()


def _file(path: Path) -> tuple[int, int] | None:
    """Which one it is; None where there is none."""
    with suppress(OSError):  # it was deleted, or its folder cannot be read
        status = path.stat()
        return status.st_dev, status.st_ino
    return None


def _connected(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
    connection.row_factory = sqlite3.Row
    return connection


def _to_read(path: Path) -> sqlite3.Connection:
    connection = _connected(path)
    connection.execute("PRAGMA query_only=ON")
    return connection


def _opened(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not path.exists():
        path.touch(mode=0o600)
    connection = _connected(path)
    try:
        _write_ahead(connection)
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA foreign_keys=ON")
        _look_through(path, connection)
        _migrate(connection)
    except BaseException:  # nobody else could close it
        connection.close()
        raise
    return connection


def _write_ahead(connection: sqlite3.Connection) -> None:
    """While others open a new file too, SQLite refuses this at once instead of waiting."""
    end = time.monotonic() + BUSY_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
        time.sleep(AGAIN_S)


def _migrate(connection: sqlite3.Connection) -> None:
    """Bring the tables up to date, each step in a transaction of its own, with the number of steps done in
    `user_version`.  Where all are done, nobody who writes is waited for."""
    if _n_done(connection) == len(STEPS):
        return
    while True:
        connection.execute("BEGIN IMMEDIATE")
        try:
            done = _n_done(connection)
            if done > len(STEPS):
                raise StorageError(f"The conversations' database cannot be used: {TOO_NEW}.")
            if done == len(STEPS):
                connection.execute("COMMIT")
                return
            for statement in STEPS[done].split(";\n"):
                if statement.strip():
                    connection.execute(statement)
            connection.execute(f"PRAGMA user_version={done + 1}")
            connection.execute("COMMIT")
        except BaseException:  # all of a step or nothing
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def _n_done(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _storage_error(path: Path, error: Exception) -> StorageError:
    logger.warning("%s: %s", path, error)
    if _is_broken(error):
        _note_damage(path)
        return StorageError(
            f"The conversations' database is damaged: {error} ({path}).",
            hint="It is looked through when it is opened next, and kept under another name if it cannot be used.",
        )
    return StorageError(f"The conversations' database cannot be used: {error} ({path}).")


def _is_broken(error: Exception) -> bool:
    """Whether the file itself is at fault.  SQLite's longer codes end with the short one."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in BROKEN


def _note_damage(path: Path) -> None:
    """The file showed damage: it is looked through when it is opened next."""
    with suppress(OSError):  # the disk may be full: then only the next opening does not know of it
        _noted(path).touch(mode=0o600)


def _look_through(path: Path, connection: sqlite3.Connection) -> None:
    """Where it was noted.  Raises sqlite3.DatabaseError, as SQLite does."""
    if _noted(path).exists():
        (result,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if result != "ok":
            error = sqlite3.DatabaseError(result)
            error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
            raise error
        _noted(path).unlink(missing_ok=True)


def _put_aside(path: Path) -> Path:
    """Under another name: who can mend it finds it there, with its log."""
    names = (path.with_name(f"{path.stem}.damaged-{number}{path.suffix}") for number in itertools.count(1))
    aside = next(name for name in names if not name.exists())
    for ending in FILES:
        with suppress(FileNotFoundError):  # not every database has a log
            Path(f"{path}{ending}").rename(f"{aside}{ending}")
    _noted(path).unlink(missing_ok=True)
    return aside


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """No other process puts this file aside meanwhile."""
    end, held = time.monotonic() + WAIT_S, None
    while held is None and time.monotonic() < end:
        held = process_lock.take(path.with_name(f"{path.name}.lock"))
        if held is None:
            time.sleep(LOOK_S)
    try:
        yield
    finally:
        if held is not None:
            os.close(held)


def _noted(path: Path) -> Path:
    return path.with_name(f"{path.name}.look-through")
