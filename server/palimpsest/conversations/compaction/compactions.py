"""Compactions of a conversation: queued, then applied behind a turn.

In: the seven fields.  Out: the newest compaction on the branch that is shown.  Turns stay as they are: a compaction is
what the model sees in their place.
"""

import json
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from palimpsest.conversations.experiences import MOST_CHARS, Experiences
from palimpsest.conversations.store.database import Database
from palimpsest.errors import InvalidArgument

WrittenBy = Literal["model", "mechanical", "person"]


@dataclass(frozen=True, slots=True)
class Summary:
    """The seven fields of `compact`, and what becomes an experience."""

    goal: str
    instruction: str
    discoveries: list[str]
    completed: list[str]
    current_status: str
    likely_next_work: str
    relevant_files_directories: list[str]
    remember: list[str] = field(default_factory=list)


TEXTS = "goal", "instruction", "current_status", "likely_next_work"
LISTS = "discoveries", "completed", "relevant_files_directories"
"""The seven fields by what they are, in the order in which they are read."""


@dataclass(frozen=True, slots=True)
class Compaction:
    """`turn`: the last turn that it stands for; None while it is queued.  `kept`: turns that the model reads as they
    were all the same."""

    id: int
    conversation: str
    turn: int | None
    summary: Summary
    written_by: WrittenBy
    created: float
    kept: tuple[int, ...] = ()


COLUMNS = "id, conversation, turn, fields, written_by, created"
CURRENT = f"""
    WITH RECURSIVE branch (turn, depth) AS (
        SELECT head, 0 FROM conversation WHERE id = ?1 UNION ALL
        SELECT parent, depth + 1 FROM branch JOIN turn ON turn.id = branch.turn WHERE parent IS NOT NULL
    ) SELECT {", ".join(f"compaction.{name}" for name in COLUMNS.split(", "))}
    FROM compaction JOIN branch ON branch.turn = compaction.turn
    WHERE conversation = ?1 AND state = 'applied' ORDER BY depth, compaction.id DESC LIMIT 1
"""

MOST_SUMMARY = 8_000
"""Characters, so that the conversation still fits behind it."""


class Compactions:
    """Queues compactions in a database, and applies them."""

    def __init__(self, database: Database, experiences: Experiences) -> None:
        self._database = database
        self._experiences = experiences

    def queue(
        self, conversation: str, summary: Summary, written_by: WrittenBy, *, most_chars: int | None = MOST_SUMMARY
    ) -> Compaction:
        """To be applied after the current batch of calls; it takes the place of one that is queued.  Raises
        InvalidArgument, also for one of more than `most_chars`: it stands in every prompt from then on."""
        _check(summary)
        fields = {**asdict(summary), "remember": []}
        n_chars = sum(len(text) for value in fields.values() for text in ([value] if isinstance(value, str) else value))
        if most_chars is not None and n_chars > most_chars:
            raise InvalidArgument(
                "goal", f"the summary has {n_chars:,} characters in all, and at most {most_chars:,} can be."
            )
        with self._database.transaction() as rows:
            rows.execute(
                "UPDATE compaction SET state = 'replaced' WHERE conversation = ? AND state = 'queued'", (conversation,)
            )
            return _added(rows, conversation, summary, written_by)

    def apply(
        self,
        conversation: str,
        summary: Summary,
        written_by: WrittenBy,
        after_turn: int,
        kept: Sequence[int] = (),
    ) -> Compaction:
        """Apply a summary at once, for all turns up to this one but those that are `kept`; one that is queued stays so.
        What it says to remember is remembered; what a model says, for this conversation alone."""
        _check(summary)
        with self._database.transaction() as rows:
            return self._applied(rows, _added(rows, conversation, summary, written_by), after_turn, kept)

    def pending(self, conversation: str) -> Compaction | None:
        row = self._database.row(
            f"SELECT {COLUMNS} FROM compaction WHERE conversation = ? AND state = 'queued'", (conversation,)
        )
        return None if row is None else _compaction(row)

    def apply_pending(self, conversation: str, after_turn: int, kept: Sequence[int] = ()) -> Compaction | None:
        """The queued one, as `apply`.  None where none is queued."""
        with self._database.transaction() as rows:
            queued = self.pending(conversation)
            if queued is None:
                return None
            return self._applied(rows, queued, after_turn, kept)

    def applied(self, conversation: str) -> dict[int, Compaction]:
        """The newest one behind each turn that has one, on whichever branch."""
        records = self._database.rows(
            f"SELECT {COLUMNS} FROM compaction WHERE conversation = ? AND state = 'applied' ORDER BY id",
            (conversation,),
        )
        return {row["turn"]: _compaction(row) for row in records}

    def behind(self, turn: int) -> Compaction | None:
        """The newest one that stands for all up to a turn."""
        row = self._database.row(
            f"SELECT {COLUMNS} FROM compaction WHERE turn = ? AND state = 'applied' ORDER BY id DESC LIMIT 1", (turn,)
        )
        return None if row is None else _compaction(row)

    def current(self, conversation: str) -> Compaction | None:
        """The newest one on the branch that is shown."""
        row = self._database.row(CURRENT, (conversation,))
        return None if row is None else _compaction(row)

    def _applied(self, rows: sqlite3.Connection, made: Compaction, after_turn: int, kept: Sequence[int]) -> Compaction:
        fields = json.dumps(asdict(made.summary) | ({"kept": list(kept)} if kept else {}))
        rows.execute(
            "UPDATE compaction SET state = 'applied', turn = ?, fields = ? WHERE id = ?", (after_turn, fields, made.id)
        )
        (key,) = rows.execute("SELECT memory_key FROM conversation WHERE id = ?", (made.conversation,)).fetchone()
        for text in made.summary.remember:
            if text.strip():
                by_person = made.written_by == "person"
                self._experiences.remember(key, text, made.conversation, alone=not by_person)
        return replace(made, turn=after_turn, kept=tuple(kept))


def _check(summary: Summary) -> None:
    if not summary.goal.strip():
        raise InvalidArgument("goal", "what the conversation is for is wanted.")
    if any(len(text.strip()) > MOST_CHARS for text in summary.remember):
        raise InvalidArgument("remember", f"at most {MOST_CHARS} characters are wanted of each.")


def _added(rows: sqlite3.Connection, conversation: str, summary: Summary, written_by: WrittenBy) -> Compaction:
    """Queued."""
    fields = json.dumps(asdict(summary))
    rows.execute(
        "INSERT INTO compaction (conversation, fields, written_by, state, created) VALUES (?, ?, ?, 'queued', ?)",
        (conversation, fields, written_by, time.time()),
    )
    row = rows.execute(f"SELECT {COLUMNS} FROM compaction WHERE id = last_insert_rowid()").fetchone()
    return _compaction(row)


def _compaction(row: Any) -> Compaction:
    fields = json.loads(row["fields"])
    kept, turn, created = tuple(fields.pop("kept", ())), row["turn"], row["created"]
    return Compaction(row["id"], row["conversation"], turn, Summary(**fields), row["written_by"], created, kept)
