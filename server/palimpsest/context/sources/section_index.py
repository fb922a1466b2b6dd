"""Sections of documents, found by their words.

In: the sections of each document.  Out: those that have some of the words, the best first: Okapi BM25 as SQLite's FTS5
computes it (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009).  In memory; nothing is written.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

MOST_WORDS = 48
"""At most this many words of one question are looked for."""
_TABLE = """
CREATE VIRTUAL TABLE sections USING fts5(
    title, body, path UNINDEXED, number UNINDEXED, tokenize = "{} remove_diacritics 0 tokenchars '_'"
)
"""
TITLE_WEIGHT = 3.0
"""A word of the title counts as often: what a section is called is what it is about."""


@dataclass(frozen=True, slots=True)
class FoundSection:
    path: Path
    title: str
    text: str


class SectionIndex:
    """Sections in memory, for any thread, but one at a time.  By `stems`, a word is found in its other forms, too:
    `prices` and `pricing` where `price` stands (Porter's stemmer, made for English)."""

    def __init__(self, *, stems: bool = False) -> None:
        self._connection = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        self._connection.execute(_TABLE.format("porter unicode61" if stems else "unicode61"))
        self._paths = set[Path]()

    @property
    def paths(self) -> frozenset[Path]:
        return frozenset(self._paths)

    def put(self, path: Path, sections: Iterable[tuple[str, Sequence[str]]]) -> None:
        """Title and lines of each section, in place of what was known of the document."""
        self.remove(path)
        rows = [(title, "\n".join(lines), str(path), number) for number, (title, lines) in enumerate(sections)]
        self._connection.executemany("INSERT INTO sections VALUES (?, ?, ?, ?)", rows)
        self._paths.add(path)

    def remove(self, path: Path) -> None:
        if path in self._paths:
            self._connection.execute("DELETE FROM sections WHERE path = ?", (str(path),))
            self._paths.discard(path)

    def search(self, words: Collection[str], most: int) -> list[FoundSection]:
        """The sections with at least one of the words."""
        quoted = ['"' + word.replace('"', '""') + '"' for word in sorted(words)[:MOST_WORDS]]
        if not quoted:
            return []
        rows = self._connection.execute(
            f"SELECT path, title, body FROM sections WHERE sections MATCH ? "
            f"ORDER BY bm25(sections, {TITLE_WEIGHT}, 1.0), path, number LIMIT ?",
            (" OR ".join(quoted), most),
        )
        return [FoundSection(Path(path), title, body) for path, title, body in rows]
