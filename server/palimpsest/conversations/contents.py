"""Texts, named by their content: each is stored once, in compressed pieces, and read in parts.

In: texts, whole or as they come.  Out: their hashes, and any range of them by characters or lines.  A text of hundreds
of megabytes is never in memory as a whole unless it was given so.  A line ends behind `\\n`; numbers are 0-based.
Until a text is whole it has a name that says who writes it.
"""

import hashlib
import json
import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby, islice
from operator import itemgetter
from threading import Lock
from typing import Any

from palimpsest.conversations.store.database import Database
from palimpsest.errors import NotFound
from palimpsest.newest import Newest
from palimpsest.system.processes import is_there, own_name

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


MOST_CHARS, LONGEST = 4_000_000, 50_000
"""Texts are kept as long as they have so many characters together, and each of them so many: longer ones are read in
parts anyway."""
NAMED_BY = (
    ("turn", "hash"), ("call", "result"), ("ref", "hash"), ("descriptor", "hash"), ("descriptor", "original"),
    ("temp_file", "hash"), ("fork", "response"), ("checkpoint_text", "hash"),
)  # fmt: skip
"""Tables and columns that hold a text's hash."""


class KeptTexts:
    """Texts that were read lately, by their hashes: a conversation's turns are read again for each reply.  The least
    recently read go first; a hash names one text for ever, so none can be out of date.  Any thread."""

    def __init__(self, most_chars: int = MOST_CHARS, longest: int = LONGEST) -> None:
        self._longest = longest
        self._texts = Newest[str, str](None, lambda _, text: len(text), most_chars)
        self._lock = Lock()

    def find(self, name: str) -> str | None:
        with self._lock:
            return self._texts.used(name)

    def keep(self, name: str, text: str) -> str:
        """The text."""
        if len(text) <= self._longest:
            with self._lock:
                self._texts[name] = text
        return text

    def forget(self, name: str) -> None:
        with self._lock:
            self._texts.pop(name, None)


class Contents:
    """One database's texts.  Lone surrogates are kept as they are."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._kept = KeptTexts()

    def put(self, text: str | Iterable[str]) -> Content:
        """Store a text, or find that it is there already.  Raises StorageError; nothing is half there then."""
        if isinstance(text, str) and (known := self.find(hash_of(text))) is not None:
            return known
        writing = ContentWriting(self._database)
        try:
            return writing.write(pieces_of([text] if isinstance(text, str) else text))
        except BaseException:  # cancelled, too: nothing stays half there
            writing.give_up()
            raise

    def find(self, name: str) -> Content | None:
        row = self._database.row("SELECT hash, n_chars, n_bytes, n_lines FROM content WHERE hash = ?", (name,))
        return None if row is None else Content(*row)

    def info(self, name: str) -> Content:
        """Raises NotFound."""
        if (known := self.find(name)) is None:
            raise NotFound("hash", f"there is no text {name}.")
        return known

    def text(self, name: str) -> str:
        """The whole of it.  Raises NotFound."""
        kept = self._kept.find(name)
        return self._kept.keep(name, "".join(self.pieces(name))) if kept is None else kept

    def read_ahead(self, names: Iterable[str]) -> None:
        """At once, so that `text` has them: as many as are kept."""
        wanted = json.dumps([name for name in dict.fromkeys(names) if self._kept.find(name) is None])
        found = self._database.rows(
            "SELECT hash, compressed, data FROM content JOIN piece ON piece.content = content.id"
            " WHERE n_chars <= ? AND hash IN (SELECT value FROM json_each(?)) ORDER BY content, number",
            (LONGEST, wanted),
        )
        for name, pieces in groupby(found, key=itemgetter(0)):
            self._kept.keep(name, "".join(_text(compressed, data) for _, compressed, data in pieces))

    def pieces(self, name: str, start_char: int = 0) -> Iterator[str]:
        """The text in parts, from a character on.  Each is read when it is asked for."""
        info = self.info(name)
        found = self._last_piece(name, "first_char <= ?", start_char)
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
        row = self._last_piece(name, "first_line < ?", line)
        part = self._piece(row["id"], row["number"]) or ""
        at = -1
        for _ in range(line - row["first_line"]):
            at = part.index("\n", at + 1)
        return int(row["first_char"]) + at + 1

    def line_of(self, name: str, char: int) -> int:
        """The line that a character is on."""
        row = self._last_piece(name, "first_char <= ?", max(0, char))
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
                self._kept.forget(name)

    def settle(self) -> int:
        """Removes what processes that have died had begun to write; how many texts that were."""
        begun = self._database.rows("SELECT id, hash FROM content WHERE hash GLOB ?", (f"{UNFINISHED}*",))
        dead = [row["id"] for row in begun if not is_there(writer_of(row["hash"]))]
        if dead:
            with self._database.transaction() as rows:
                rows.executemany("DELETE FROM content WHERE id = ?", [(id,) for id in dead])
        return len(dead)

    def _last_piece(self, name: str, where: str, value: int) -> Any:
        """Where the last piece of a text is of which this holds; None for none."""
        return self._database.row(
            "SELECT id, number, first_char, first_line FROM content JOIN piece ON piece.content = content.id"
            f" WHERE hash = ? AND {where} ORDER BY number DESC LIMIT 1",
            (name, value),
        )

    def _piece(self, content: int, number: int) -> str | None:
        row = self._database.row(
            "SELECT compressed, data FROM piece WHERE content = ? AND number = ?", (content, number)
        )
        return None if row is None else _text(row["compressed"], row["data"])


def _text(compressed: int, data: bytes) -> str:
    return (zlib.decompress(data) if compressed else data).decode("utf-8", "surrogatepass")
