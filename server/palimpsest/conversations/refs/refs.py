"""The refs of conversations: parts of replies that have an id.

In: what was extracted from a turn.  Out: refs, with every earlier version.  Owner of the table `ref`.  The content is
in `Contents`, stored once.
"""

import json
import sqlite3
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from palimpsest.conversations.contents import Contents
from palimpsest.conversations.refs.kinds import category_of, language_name, suggested_id
from palimpsest.conversations.refs.tags import Extracted, is_id
from palimpsest.conversations.store.database import Database
from palimpsest.documents.markdown import fences
from palimpsest.errors import InvalidArgument, NotFound

MOST_GUESSED = 50
"""Refs of one turn whose language is guessed: each is parsed in every language."""
MOST_NAMED = 30
"""An error lists at most this many ids."""


@dataclass(frozen=True, slots=True)
class Ref:
    """One version of a ref; `n_versions` are there.  `created` is in seconds since 1970."""

    id: str
    version: int
    n_versions: int
    turn: int | None
    hash: str
    created: float
    lines: int
    chars: int
    language: str = ""
    category: str = ""
    path: str = ""
    attributes: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SuggestedRef:
    """A fence that could become a ref; `start` and `end` are those of the whole fence in the text."""

    id: str
    content: str
    language: str
    start: int
    end: int


class Refs:
    def __init__(self, database: Database, contents: Contents) -> None:
        self._database = database
        self._contents = contents

    def store(self, conversation_id: str, turn_id: int | None, extracted: Extracted) -> Sequence[Ref]:
        """Every ref of a turn; one whose id is known becomes its next version, unless nothing changed."""
        with self._database.transaction():
            return [
                self.add(conversation_id, turn_id, ref.id, ref.content, ref.attributes, guess=i < MOST_GUESSED)
                for i, ref in enumerate(extracted.refs)
            ]

    def add(
        self,
        conversation_id: str,
        turn_id: int | None,
        ref_id: str,
        content: str,
        attributes: Mapping[str, str] | None = None,
        *,
        guess: bool = True,
    ) -> Ref:
        """One ref, as its newest version.  `guess` its language from the content, where it does not say."""
        if not is_id(ref_id):
            raise InvalidArgument("ref_id", f"{ref_id[:40]!r} cannot be an id; give it a short name on one line.")
        given = dict(attributes or {})
        language = language_name(content if guess else "", given)
        with self._database.transaction() as rows:
            stored = self._contents.put(content)
            newest = self._newest(rows, conversation_id, ref_id)
            if newest is not None and (newest.hash, newest.turn) == (stored.hash, turn_id):
                return newest
            rows.execute(
                "INSERT INTO ref (conversation, id, version, turn, hash, created, n_lines, n_chars, language, category,"
                " path, attributes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (conversation_id, ref_id, newest.version + 1 if newest else 1, turn_id, stored.hash, time.time(),
                 n_lines(content), len(content), language, category_of(content, language, given),
                 given.get("path", ""), json.dumps(given)),
            )  # fmt: skip
        return self.get(conversation_id, ref_id)

    def list(self, conversation_id: str) -> Sequence[Ref]:
        """The newest version of each, in the order in which their ids were first used."""
        records = self._database.rows(
            f"SELECT {_COLUMNS} FROM ref AS r WHERE conversation = ? AND version = "
            "(SELECT max(version) FROM ref WHERE conversation = r.conversation AND id = r.id) "
            "ORDER BY (SELECT min(rowid) FROM ref WHERE conversation = r.conversation AND id = r.id)",
            (conversation_id,),
        )
        return [_ref(row) for row in records]

    def versions(self, conversation_id: str, ref_id: str) -> Sequence[Ref]:
        """All versions of a ref, the oldest first."""
        records = self._database.rows(
            f"SELECT {_COLUMNS} FROM ref AS r WHERE conversation = ? AND id = ? ORDER BY version",
            (conversation_id, ref_id),
        )
        if not records:
            raise NotFound(
                "ref_id", f"there is no ref {ref_id!r} in this conversation.", hint=self._hint(conversation_id)
            )
        return [_ref(row) for row in records]

    def get(self, conversation_id: str, ref_id: str, version: int | None = None) -> Ref:
        """The newest, or a certain version.  Raises NotFound, which names those there are."""
        versions = self.versions(conversation_id, ref_id)
        if version is None:
            return versions[-1]
        one = next((ref for ref in versions if ref.version == version), None)
        if one is None:
            raise NotFound("version", f"{ref_id!r} has the versions 1 to {len(versions)}, not {version}.")
        return one

    def content(self, ref: Ref) -> str:
        return self._contents.text(ref.hash)

    def suggest(self, conversation_id: str, text: str) -> Sequence[SuggestedRef]:
        """Ids for the code fences of a text that are not refs already."""
        known = {ref.id: ref.hash for ref in self.list(conversation_id)}
        contents = {self._contents.text(hash) for hash in known.values()}
        return [one for one in suggestions(text, known) if one.content not in contents]

    def _newest(self, rows: sqlite3.Connection, conversation_id: str, ref_id: str) -> Ref | None:
        row = rows.execute(
            f"SELECT {_COLUMNS} FROM ref AS r WHERE conversation = ? AND id = ? ORDER BY version DESC LIMIT 1",
            (conversation_id, ref_id),
        ).fetchone()
        return None if row is None else _ref(row)

    def _hint(self, conversation_id: str) -> str:
        ids = [ref.id for ref in self.list(conversation_id)]
        if not ids:
            return "It has no refs yet."
        return f"There are: {', '.join(ids[:MOST_NAMED])}{', …' if len(ids) > MOST_NAMED else ''}."


_COLUMNS = (
    "id, version, turn, hash, created, n_lines AS lines, n_chars AS chars, language, category, path, attributes, "
    "(SELECT max(version) FROM ref WHERE conversation = r.conversation AND id = r.id) AS n_versions"
)


def n_lines(content: str) -> int:
    """Lines, of which the last may have no line end."""
    return content.count("\n") + bool(content and not content.endswith("\n"))


def suggestions(text: str, taken: Mapping[str, object]) -> list[SuggestedRef]:
    """An id for each code fence, from the definition inside."""
    used, suggested = set(taken), list[SuggestedRef]()
    for fence in (one for one in fences(text) if one.is_closed):
        language = language_name(fence.content, {"lang": fence.language})
        id = suggested_id(fence.content, language, used)
        used.add(id)
        suggested.append(SuggestedRef(id, fence.content, language, fence.start, fence.end))
    return suggested


def _ref(row: sqlite3.Row) -> Ref:
    return Ref(**{**dict(row), "attributes": json.loads(row["attributes"])})
