"""The documents that turns refer to, and what is known of documents by their contents' hash.

In: references of a turn, summaries.  Out: the same; how documents are used over all conversations.  Owner of the tables
`document_reference` and `document_summary`; reads no document.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from palimpsest.conversations.documents.reference import DocumentReference, without_repeats
from palimpsest.conversations.store.database import Database
from palimpsest.errors import NotFound
from palimpsest.text.tokens import masked_block

LONGEST_SUMMARY = 2_000
_FIRST = """NOT EXISTS (
    SELECT 1 FROM turn AS earlier JOIN document_reference AS e ON e.turn = earlier.id
    WHERE earlier.hash = t.hash AND earlier.created = t.created AND earlier.id < t.id AND e.path = d.path
)"""
"""True for the turn `t` that referred to a document first, not for the copy of it that a fork has: nobody used a
document again by forking."""
_COLUMNS = "wikilink, path, kind, fragment, read, summary, snippet, problem"


@dataclass(frozen=True, slots=True)
class DocumentUse:
    """How often turns of all conversations refer to a document."""

    path: str
    n_conversations: int
    n_turns: int
    n_direct: int
    n_found: int
    n_read: int
    last: float

    @property
    def is_used(self) -> bool:
        """Found by a search, never linked to nor read, it was not used."""
        return self.n_direct > 0 or self.n_read > 0


class DocumentReferences:
    """Keeps in a database which turns refer to which documents."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, turn: int, references: Iterable[DocumentReference]) -> list[DocumentReference]:
        """What a turn refers to besides what is known already; all of it.  Raises NotFound for no turn."""
        with self._database.transaction() as rows:
            row = rows.execute("SELECT conversation FROM turn WHERE id = ?", (turn,)).fetchone()
            if row is None:
                raise NotFound("turn", f"there is no turn {turn}.")
            every = without_repeats([*self.of_turn(turn), *references])
            rows.execute("DELETE FROM document_reference WHERE turn = ?", (turn,))
            rows.executemany(
                f"INSERT INTO document_reference (conversation, turn, number, {_COLUMNS})"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [(row["conversation"], turn, number, *_values(one)) for number, one in enumerate(every)],
            )
        return every

    def of_turn(self, turn: int) -> list[DocumentReference]:
        found = self._database.rows(
            f"SELECT {_COLUMNS} FROM document_reference WHERE turn = ? ORDER BY number", (turn,)
        )
        return [_reference(row) for row in found]

    def of_conversation(self, conversation: str) -> list[tuple[int, DocumentReference]]:
        """With the turn of each, in the order of the turns, those of every branch."""
        found = self._database.rows(
            f"SELECT turn, {_COLUMNS} FROM document_reference WHERE conversation = ? ORDER BY turn, number",
            (conversation,),
        )
        return [(int(row["turn"]), _reference(row)) for row in found]

    def by_conversation(self) -> dict[str, list[DocumentReference]]:
        """Of every conversation, each document once."""
        found = self._database.rows(
            f"SELECT conversation, {_COLUMNS} FROM document_reference ORDER BY conversation, turn, number"
        )
        every = dict[str, list[DocumentReference]]()
        for row in found:
            every.setdefault(row["conversation"], []).append(_reference(row))
        return {conversation: without_repeats(references) for conversation, references in every.items()}

    def usage(self) -> list[DocumentUse]:
        """Documents of all conversations, those used in most of them first."""
        found = self._database.rows(
            "SELECT path, COUNT(DISTINCT d.conversation), COUNT(DISTINCT d.turn), "
            " COUNT(DISTINCT CASE kind WHEN 'direct' THEN d.turn END),"
            " SUM(kind = 'search'), SUM(read), MAX(t.created)"
            f" FROM document_reference d JOIN turn t ON t.id = d.turn WHERE path IS NOT NULL AND {_FIRST}"
            " GROUP BY path"
        )
        uses = [DocumentUse(*row) for row in found]
        return sorted(uses, key=lambda one: (not one.is_used, -one.n_conversations, -one.n_turns, one.path))

    def together(self, paths: Sequence[str]) -> dict[str, int]:
        """Other documents of the conversations that refer to one of these, with the number of such conversations."""
        counts, wanted = dict[str, int](), set(paths)
        found = self._database.rows(
            "SELECT d.conversation, d.path FROM document_reference d JOIN turn t ON t.id = d.turn"
            f" WHERE d.path IS NOT NULL AND (d.kind = 'direct' OR d.read) AND {_FIRST}"
        )
        used = dict[str, set[str]]()
        for conversation, path in found:
            used.setdefault(conversation, set()).add(path)
        for here in used.values():
            if here & wanted:
                for path in here - wanted:
                    counts[path] = counts.get(path, 0) + 1
        return counts

    def summary(self, content_hash: str) -> str | None:
        row = self._database.row("SELECT text FROM document_summary WHERE hash = ?", (content_hash,))
        return None if row is None else str(row["text"])

    def keep_summary(self, content_hash: str, text: str) -> None:
        """The model's."""
        with self._database.transaction() as rows:
            rows.execute(
                "INSERT OR REPLACE INTO document_summary VALUES (?, ?, TRUE)", (content_hash, text[:LONGEST_SUMMARY])
            )


def _values(one: DocumentReference) -> tuple[object, ...]:
    summary, snippet = masked_block(one.summary)[:LONGEST_SUMMARY], masked_block(one.snippet)
    return one.wikilink, one.path, one.kind, one.fragment, int(one.read), summary, snippet, one.problem


def _reference(row: sqlite3.Row) -> DocumentReference:
    return DocumentReference(**{name: row[name] for name in _COLUMNS.split(", ")} | {"read": bool(row["read"])})
