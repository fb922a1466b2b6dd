"""What is in the documents that are open in the editor, in place of their files' rows.

In: paths, versions, rows.  Out: rows by path.  Thread-safe; knows no database.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping

from palimpsest.index.rows import FileRows

_HIDDEN = FileRows("")


class Overlay:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wanted: dict[str, int] = {}
        self._rows: Mapping[str, FileRows] = {}

    @property
    def rows(self) -> Mapping[str, FileRows]:
        """By path; replaced, never changed."""
        return self._rows

    def wants(self, path: str, version: int) -> None:
        """The document is open in this version; until its rows come, the last ones count."""
        with self._lock:
            self._wanted[path] = version

    def put(self, path: str, version: int, rows: FileRows) -> bool:
        """Whether it is still open in this version or an earlier one, so that the rows count."""
        with self._lock:
            if self._wanted.get(path, -1) < version:
                return False
            self._rows = {**self._rows, path: rows}
            return True

    def hide(self, path: str) -> None:
        """Nothing of the document may be known."""
        with self._lock:
            self._wanted.pop(path, None)
            self._rows = {**self._rows, path: _HIDDEN}

    def forget(self, path: str) -> None:
        with self._lock:
            self._wanted.pop(path, None)
            self._rows = {known: rows for known, rows in self._rows.items() if known != path}
