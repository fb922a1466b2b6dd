"""Asks the index of one workspace folder.

In: names, packages, paths.  Out: rows as they are in the database, by paths relative to the folder.  Any thread may
ask.  A database that cannot be read answers nothing.
"""

import logging
import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from palimpsest.index.rows import DefinitionRow, ImportRow
from palimpsest.index.store import Stamp, connected, noted

MOST = 64
"""Rows of one answer: a name that is defined more often says nothing."""
MOST_FILES = 5_000
WAIT_S = 0.05
PASSING = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
"""Errors of who comes at the wrong moment."""

logger = logging.getLogger(__name__)


class InFile(NamedTuple):
    """The file of a row, in the version that was read."""

    path: str
    stamp: Stamp
    language: str


class IndexReader:
    """`lost` is called, on the thread of who asks, when the database cannot be read any more."""

    def __init__(self, root: Path, path: Path, lost: Callable[[], None] = lambda: None) -> None:
        self.root = root
        self._path = path
        self._lost = lost
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._open()

    @property
    def is_usable(self) -> bool:
        return self._connection is not None

    def definitions(self, name: str) -> list[tuple[InFile, DefinitionRow]]:
        rows = self._rows(
            "SELECT path, mtime_ns, size, language, kind, name, qualified_name, line, signature, doc "
            "FROM definitions JOIN files ON files.id = file WHERE name = ? ORDER BY path, number LIMIT ?",
            (name, MOST),
        )
        return [(_in_file(row), DefinitionRow(*row[4:])) for row in rows]

    def outline(self, path: str) -> tuple[InFile, list[DefinitionRow]] | None:
        found = self._file_of(path)
        if found is None:
            return None
        rows = self._rows(
            "SELECT kind, name, qualified_name, line, signature, doc FROM definitions WHERE file = ? ORDER BY number",
            (found[0],),
        )
        return found[1], [DefinitionRow(*row) for row in rows]

    def packages(self, path: str) -> tuple[InFile, list[str]] | None:
        found = self._file_of(path)
        if found is None:
            return None
        rows = self._rows("SELECT name FROM packages WHERE file = ? ORDER BY name", (found[0],))
        return found[1], [name for (name,) in rows]

    def files_of(self, package: str) -> list[InFile]:
        rows = self._rows(
            "SELECT path, mtime_ns, size, language FROM packages JOIN files ON files.id = file "
            "WHERE name = ? ORDER BY path LIMIT ?",
            (package, MOST_FILES),
        )
        return [_in_file(row) for row in rows]

    def importing(self, last: str) -> list[tuple[InFile, ImportRow]]:
        rows = self._rows(
            "SELECT path, mtime_ns, size, language, module, imports.name, alias, level, line FROM ends "
            "JOIN imports ON imports.file = ends.file AND imports.number = ends.number "
            "JOIN files ON files.id = ends.file WHERE ends.name = ? ORDER BY path, imports.number LIMIT ?",
            (last, MOST_FILES),
        )
        return [(_in_file(row), ImportRow(*row[4:])) for row in rows]

    def words(self, language: str) -> list[tuple[str, Stamp, bytes | None]]:
        """The hashes of the words in each file of a language."""
        rows = self._rows("SELECT path, mtime_ns, size, words FROM files WHERE language = ?", (language,))
        return [(path, (mtime_ns, size), words) for path, mtime_ns, size, words in rows]

    def notes(self) -> dict[str, Any]:
        """What is noted of the whole."""
        with self._lock, suppress(sqlite3.Error, ValueError):  # read as if nothing was noted
            if self._connection is not None:
                return dict(noted(self._connection))
        return {}

    def close(self) -> None:
        with self._lock:
            self._close()

    def _file_of(self, path: str) -> tuple[int, InFile] | None:
        rows = self._rows("SELECT id, path, mtime_ns, size, language FROM files WHERE path = ?", (path,))
        return (rows[0][0], _in_file(rows[0][1:])) if rows else None

    def _rows(self, query: str, values: Sequence[object]) -> list[Any]:
        with self._lock:
            if self._connection is None:
                return []
            try:
                return self._connection.execute(query, values).fetchall()
            except sqlite3.Error as error:
                logger.warning("the index of %s cannot be asked: %s", self.root, error)
                if getattr(error, "sqlite_errorcode", 0) & 0xFF in PASSING:
                    return []
                self._close()
        self._lost()
        return []

    def _open(self) -> None:
        with suppress(sqlite3.Error):  # tried again at the next question
            self._connection = connected(self._path, wait_s=WAIT_S)
            self._connection.execute("PRAGMA query_only = ON")

    def _close(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):  # it is left in any case
                self._connection.close()
            self._connection = None


def _in_file(row: Sequence[Any]) -> InFile:
    return InFile(row[0], (row[1], row[2]), row[3])
