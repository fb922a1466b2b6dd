"""A text on its way into the database: cut into pieces, hashed and compressed as it comes.

In: a text in parts of any size.  Out: `Content`.  Until it is whole it has a name that says who writes it.
"""

import hashlib
import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice

from palimpsest.conversations.store.database import Database
from palimpsest.system.processes import own_name

PIECE_CHARS = 128 * 1024
"""What is decompressed at least to read one line."""
UNCOMPRESSED_BYTES = 512
"""Shorter pieces gain nothing."""
PIECES_AT_ONCE = 16
"""Written in one transaction, so that others wait for 2 MB at most."""
UNFINISHED = "new-"
"""Begins the name of a text that is not whole; its writer's name follows."""


@dataclass(frozen=True, slots=True)
class Content:
    """Sizes of a stored text; `n_bytes` in UTF-8.  A last line without an end counts."""

    hash: str
    n_chars: int
    n_bytes: int
    n_lines: int


@dataclass(frozen=True, slots=True)
class _Piece:
    number: int
    first_char: int
    first_line: int
    data: Future[bytes]
    n_raw: int


def hash_of(text: str) -> str:
    """BLAKE2b of the text's UTF-8 (with lone surrogates), 16 bytes in hex.  A long text is not there twice for it."""
    digest = hashlib.blake2b(digest_size=16)
    for start in range(0, len(text), PIECE_CHARS):
        digest.update(text[start : start + PIECE_CHARS].encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def writer_of(name: str) -> str:
    """The process that writes the text with such a name."""
    return name.removeprefix(UNFINISHED).rpartition("-")[0]


def pieces_of(parts: Iterable[str]) -> Iterator[str]:
    """The same text in pieces of `PIECE_CHARS`, at least one."""
    waiting: list[str] = []
    n_waiting, any_piece = 0, False
    for part in parts:
        waiting.append(part)
        n_waiting += len(part)
        if n_waiting < PIECE_CHARS:
            continue
        whole = "".join(waiting)
        for start in range(0, len(whole) - PIECE_CHARS + 1, PIECE_CHARS):
            any_piece = True
            yield whole[start : start + PIECE_CHARS]
        waiting = [whole[len(whole) - len(whole) % PIECE_CHARS :]]
        n_waiting = len(waiting[0])
    if n_waiting or not any_piece:
        yield "".join(waiting)


class ContentWriting:
    """One text on its way into the database, under a name of its own until it is whole."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._id = 0

    def write(self, pieces: Iterator[str]) -> Content:
        digest = hashlib.blake2b(digest_size=16)
        n_chars = n_bytes = n_newlines = number = 0
        last = ""
        with ThreadPoolExecutor(max_workers=os.cpu_count() or 2) as pool:
            while batch := list(islice(pieces, PIECES_AT_ONCE)):
                rows: list[_Piece] = []
                for text in batch:
                    raw = text.encode("utf-8", "surrogatepass")
                    rows.append(_Piece(number, n_chars, n_newlines, pool.submit(_compressed, raw), len(raw)))
                    digest.update(raw)
                    number, n_chars, n_bytes = number + 1, n_chars + len(text), n_bytes + len(raw)
                    n_newlines += text.count("\n")
                    last = text[-1:] or last
                with self._database.transaction() as connection:
                    self._insert(connection, rows)
        n_lines = n_newlines + (last not in ("", "\n"))
        return self._name(Content(digest.hexdigest(), n_chars, n_bytes, n_lines))

    def _insert(self, connection: sqlite3.Connection, rows: list[_Piece]) -> None:
        if not self._id:
            added = connection.execute(
                "INSERT INTO content (hash, n_chars, n_bytes, n_lines) VALUES (? || hex(randomblob(8)), 0, 0, 0)",
                (f"{UNFINISHED}{own_name()}-",),
            )
            self._id = int(added.lastrowid or 0)
        for row in rows:
            data = row.data.result()
            connection.execute(
                "INSERT INTO piece (content, number, first_char, first_line, compressed, data)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (self._id, row.number, row.first_char, row.first_line, len(data) < row.n_raw, data),
            )

    def _name(self, content: Content) -> Content:
        with self._database.transaction() as connection:
            if connection.execute("SELECT 1 FROM content WHERE hash = ?", (content.hash,)).fetchone():
                connection.execute("DELETE FROM content WHERE id = ?", (self._id,))
            else:
                connection.execute(
                    "UPDATE content SET hash = ?, n_chars = ?, n_bytes = ?, n_lines = ? WHERE id = ?",
                    (content.hash, content.n_chars, content.n_bytes, content.n_lines, self._id),
                )
        return content

    def give_up(self) -> None:
        if self._id:
            with self._database.transaction() as connection:
                connection.execute("DELETE FROM content WHERE id = ?", (self._id,))


def _compressed(raw: bytes) -> bytes:
    """Shorter than `raw`, or `raw` itself."""
    if len(raw) < UNCOMPRESSED_BYTES:
        return raw
    data = zlib.compress(raw, 1)
    return data if len(data) < len(raw) else raw
