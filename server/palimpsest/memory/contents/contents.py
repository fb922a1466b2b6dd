"""Texts, named by their content: each is stored once, in compressed pieces, and read in parts.

In: texts, whole or as they come.  Out: their hashes, and any range of them by characters or lines.  A text of hundreds
of megabytes is never in memory as a whole unless it was given so.  A line ends behind `\\n`; numbers are 0-based.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice

from palimpsest.errors import NotFound
from palimpsest.memory.store.database import Database

PIECE_CHARS = 128 * 1024
"""What is decompressed at least to read one line."""
UNCOMPRESSED_BYTES = 512
"""Shorter pieces gain nothing."""
PIECES_AT_ONCE = 16
"""Written in one transaction, so that others wait for 2 MB at most."""

NAMED_BY = (
    ("turn", "hash"), ("call", "result"), ("ref", "hash"), ("descriptor", "hash"), ("temp_file", "hash"),
    ("fork", "response"),
)  # fmt: skip
"""Tables and columns that hold a text's hash."""


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


class Contents:
    """One database's texts.  Lone surrogates are kept as they are."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, text: str | Iterable[str]) -> Content:
        """Store a text, or find that it is there already.  Raises StorageError; nothing is half there then."""
        if isinstance(text, str) and (known := self.find(hash_of(text))) is not None:
            return known
        writing = _Writing(self._database)
        try:
            return writing.write(_pieces([text] if isinstance(text, str) else text))
        except BaseException:
            writing.give_up()
            raise

    def find(self, name: str) -> Content | None:
        with self._database.reading() as rows:
            row = rows.execute("SELECT hash, n_chars, n_bytes, n_lines FROM content WHERE hash = ?", (name,)).fetchone()
        return None if row is None else Content(*row)

    def info(self, name: str) -> Content:
        """Raises NotFound."""
        if (known := self.find(name)) is None:
            raise NotFound("hash", f"there is no text {name}.")
        return known

    def text(self, name: str) -> str:
        return "".join(self.pieces(name))

    def pieces(self, name: str, start_char: int = 0) -> Iterator[str]:
        """The text in parts, from a character on.  Each is read when it is asked for."""
        info, number = self.info(name), None
        with self._database.reading() as rows:
            found = rows.execute(
                "SELECT id, number, first_char FROM content JOIN piece ON piece.content = content.id"
                " WHERE hash = ? AND first_char <= ? ORDER BY number DESC LIMIT 1",
                (info.hash, start_char),
            ).fetchone()
        if found is None or start_char >= info.n_chars:
            return
        content, number, skipped = found["id"], found["number"], start_char - found["first_char"]
        while (part := self._piece(content, number)) is not None:
            yield part[skipped:] if skipped else part
            number, skipped = number + 1, 0

    def slice(self, name: str, start_char: int, end_char: int | None = None) -> str:
        """Characters `start_char` to `end_char`, as far as there are any."""
        end = self.info(name).n_chars if end_char is None else end_char
        parts: list[str] = []
        left = max(0, end - start_char)
        if not left:
            return ""
        for part in self.pieces(name, max(0, start_char)):
            parts.append(part[:left])
            left -= len(parts[-1])
            if left <= 0:
                break
        return "".join(parts)

    def lines(self, name: str, first: int, last: int) -> str:
        """Lines `first` to `last` (half-open), as far as there are any."""
        return self.slice(name, self.line_start(name, first), self.line_start(name, last))

    def line_start(self, name: str, line: int) -> int:
        """The character a line begins with; the text's end for lines behind the last."""
        info = self.info(name)
        if line <= 0:
            return 0
        if line >= info.n_lines:
            return info.n_chars
        with self._database.reading() as rows:
            row = rows.execute(
                "SELECT id, number, first_char, first_line FROM content JOIN piece ON piece.content = content.id"
                " WHERE hash = ? AND first_line < ? ORDER BY number DESC LIMIT 1",
                (name, line),
            ).fetchone()
        part = self._piece(row["id"], row["number"]) or ""
        at = -1
        for _ in range(line - row["first_line"]):
            at = part.index("\n", at + 1)
        return int(row["first_char"]) + at + 1

    def line_of(self, name: str, char: int) -> int:
        """The line that a character is on."""
        with self._database.reading() as rows:
            row = rows.execute(
                "SELECT id, number, first_char, first_line FROM content JOIN piece ON piece.content = content.id"
                " WHERE hash = ? AND first_char <= ? ORDER BY number DESC LIMIT 1",
                (name, max(0, char)),
            ).fetchone()
        if row is None:
            return 0
        part = self._piece(row["id"], row["number"]) or ""
        return int(row["first_line"]) + part.count("\n", 0, max(0, char - row["first_char"]))

    def forget_unused(self, name: str) -> None:
        """Remove a text that no row names; what a turn was while it was being written is one."""
        with self._database.transaction() as rows:
            if not any(
                rows.execute(f"SELECT 1 FROM {table} WHERE {column} = ? LIMIT 1", (name,)).fetchone()
                for table, column in NAMED_BY
            ):
                rows.execute("DELETE FROM content WHERE hash = ?", (name,))

    def _piece(self, content: int, number: int) -> str | None:
        with self._database.reading() as rows:
            row = rows.execute(
                "SELECT compressed, data FROM piece WHERE content = ? AND number = ?", (content, number)
            ).fetchone()
        if row is None:
            return None
        data = zlib.decompress(row["data"]) if row["compressed"] else row["data"]
        return data.decode("utf-8", "surrogatepass")


def hash_of(text: str) -> str:
    """BLAKE2b of the text's UTF-8 (with lone surrogates), 16 bytes in hex."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _pieces(parts: Iterable[str]) -> Iterator[str]:
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


class _Writing:
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
                "INSERT INTO content (hash, n_chars, n_bytes, n_lines) VALUES ('new-' || hex(randomblob(8)), 0, 0, 0)"
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
