"""A database that is damaged: how that is seen, and where it goes.  Nothing is deleted.

In: files, errors of SQLite's.  Out: the file under another name, with its log; a note beside a file that showed damage
while it was in use, so that it is looked through before it is used again.
"""

import itertools
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from palimpsest.system import process_lock

BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
FILES = ("", "-wal", "-shm")
WAIT_S, LOOK_S = 15.0, 0.05
"""Another process that puts the same file aside is waited for so long."""


def is_broken(error: Exception) -> bool:
    """Whether the file itself is at fault.  SQLite's longer codes end with the short one."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in BROKEN


def note(path: Path) -> None:
    """The file showed damage: it is looked through when it is opened next."""
    with suppress(OSError):  # the disk may be full: then only the next opening does not know of it
        _noted(path).touch(mode=0o600)


def look_through(path: Path, connection: sqlite3.Connection) -> None:
    """Where it was noted.  Raises sqlite3.DatabaseError, as SQLite does."""
    if _noted(path).exists():
        (result,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if result != "ok":
            error = sqlite3.DatabaseError(result)
            error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
            raise error
        _noted(path).unlink(missing_ok=True)


def put_aside(path: Path) -> Path:
    """Under another name: who can mend it finds it there, with its log."""
    names = (path.with_name(f"{path.stem}.damaged-{number}{path.suffix}") for number in itertools.count(1))
    aside = next(name for name in names if not name.exists())
    for ending in FILES:
        with suppress(FileNotFoundError):  # not every database has a log
            Path(f"{path}{ending}").rename(f"{aside}{ending}")
    _noted(path).unlink(missing_ok=True)
    return aside


@contextmanager
def alone(path: Path) -> Iterator[None]:
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
