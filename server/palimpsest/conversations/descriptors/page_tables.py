"""The pages of stored texts, kept with them: page 5,000 is found without reading those before it.

In: a text's hash and the size of a page.  Out: where pages begin.  Owner of the table `page_start`.
"""

from __future__ import annotations

import struct
from itertools import chain

from palimpsest.conversations.contents import Contents
from palimpsest.conversations.descriptors.pages import PageStart, page_starts
from palimpsest.conversations.store.database import Database
from palimpsest.errors import OutOfRange

_ENTRY = struct.Struct("<QQ")


class PageTables:
    def __init__(self, database: Database, contents: Contents) -> None:
        self._database = database
        self._contents = contents

    def n_pages(self, hash: str, size: int) -> int:
        """Reads the whole text once, the first time that it is asked for."""
        with self._database.reading() as rows:
            row = rows.execute(
                "SELECT length(starts) FROM page_start WHERE hash = ? AND page_size = ?", (hash, size)
            ).fetchone()
        return self._make(hash, size) if row is None else int(row[0]) // _ENTRY.size

    def bounds(self, hash: str, size: int, page: int) -> tuple[PageStart, int]:
        """(Where a page begins, the character behind it); pages are counted from 1.  Raises OutOfRange."""
        n_pages = self.n_pages(hash, size)
        if not 1 <= page <= n_pages:
            there = "is page 1 only" if n_pages == 1 else f"are pages 1 to {n_pages}"
            raise OutOfRange("page", f"there is no page {page}.", hint=f"There {there}.")
        with self._database.reading() as rows:
            (data,) = rows.execute(
                "SELECT substr(starts, ?, ?) FROM page_start WHERE hash = ? AND page_size = ?",
                (1 + (page - 1) * _ENTRY.size, 2 * _ENTRY.size, hash, size),
            ).fetchone()
        starts = [PageStart(*one) for one in _ENTRY.iter_unpack(data)]
        end = starts[1].char if len(starts) > 1 else self._contents.info(hash).n_chars
        return starts[0], end

    def page_of(self, hash: str, size: int, char: int) -> int:
        """The page that has a character."""
        low, high = 1, self.n_pages(hash, size)
        while low < high:
            middle = (low + high + 1) // 2
            if self.bounds(hash, size, middle)[0].char <= char:
                low = middle
            else:
                high = middle - 1
        return low

    def _make(self, hash: str, size: int) -> int:
        starts = list(page_starts(self._contents.pieces(hash), size))
        data = struct.pack(f"<{2 * len(starts)}Q", *chain.from_iterable(starts))
        with self._database.transaction() as rows:
            rows.execute("INSERT OR REPLACE INTO page_start VALUES (?, ?, ?)", (hash, size, data))
        return len(starts)
