"""Changes of an index that are written together.

In: rows of files, files that are gone.  Out: transactions of a store.
"""

from __future__ import annotations

import time

from palimpsest.index.rows import FileRows
from palimpsest.index.store import Stamp, Store

BATCH = 200
BATCH_S = 0.5
"""Files, and seconds, of one transaction."""


class Batch:
    """Of one store.  All methods may raise `sqlite3.Error`.  `wrote`: whether there was anything to write so far."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._files = list[tuple[str, Stamp, FileRows]]()
        self._gone = list[str]()
        self._since = time.monotonic()
        self.wrote = False

    def put(self, name: str, stamp: Stamp, rows: FileRows) -> None:
        self._files.append((name, stamp, rows))
        if len(self._files) >= BATCH or time.monotonic() - self._since > BATCH_S:
            self.write()

    def remove(self, name: str) -> None:
        self._gone.append(name)

    def write(self) -> None:
        files, gone = self._files, self._gone
        self._files, self._gone = [], []
        if files:
            self._store.put(files)
        if gone:
            self._store.remove(gone)
        self._since = time.monotonic()
        self.wrote |= bool(files or gone)
