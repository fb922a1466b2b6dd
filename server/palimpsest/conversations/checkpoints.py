"""Checkpoints of a whole conversation: turns, experiences, refs, descriptors, forks, what stands for older turns.

In: a conversation.  Out: states to go back to.  Turns and contents are never deleted, so a checkpoint says which of
them count; going back makes a checkpoint of what is there first.  Those that somebody asked for stay for ever, of the
automatic ones the newest.
"""

import json
import secrets
import sqlite3
import time
from dataclasses import dataclass
from typing import Any

from palimpsest.conversations.contents import Contents
from palimpsest.conversations.conversations import Conversations
from palimpsest.conversations.experiences import Experiences
from palimpsest.conversations.store.database import Database
from palimpsest.errors import NotFound

MOST_AUTOMATIC = 20
"""A conversation keeps at most this many automatic checkpoints: each is as large as the list of its refs and
descriptors."""
MOST_NAMED = 10
"""Checkpoints in an error."""
COLUMNS = "id, conversation, name, automatic, created, head"
BEFORE_RESTORE = "before going back"
KEPT = {
    "ref": "id, version, turn, hash, created, n_lines, n_chars, language, category, path, attributes",
    "descriptor": "id, name, hash, source, language, created, page_size, closed, summary, original",
    "section": "descriptor, name, start_line, end_line, created",
}
"""Tables whose rows of a conversation a checkpoint holds, with the columns besides `conversation`."""
KEEP_TEXTS = """
    INSERT INTO checkpoint_text SELECT DISTINCT checkpoint.id, content.hash
    FROM checkpoint, json_tree(checkpoint.state) AS kept JOIN content ON content.hash = kept.atom
    WHERE checkpoint.id = ?
"""
"""The texts of these rows stay, although no other row may name them."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """`head`: the last turn.  `automatic`: nobody asked for it."""

    id: str
    conversation: str
    name: str
    automatic: bool
    created: float
    head: int | None


class ConversationCheckpoints:
    """Makes checkpoints in a database, and goes back to them."""

    def __init__(
        self, database: Database, conversations: Conversations, experiences: Experiences, contents: Contents
    ) -> None:
        self._database = database
        self._contents = contents
        self._conversations = conversations
        self._experiences = experiences

    def create(self, conversation: str, name: str = "", *, automatic: bool = False) -> Checkpoint:
        """An automatic one takes the place of the oldest where there are many.  Raises NotFound."""
        with self._database.transaction() as rows:
            made = self._create(conversation, name, automatic)
            self._thin(rows, conversation)
        return made

    def _create(self, conversation: str, name: str, automatic: bool) -> Checkpoint:
        identity = f"cp_{secrets.token_hex(4)}"
        with self._database.transaction() as rows:
            talk = self._conversations.get(conversation)
            experiences = [one.id for one in self._experiences.list(talk.memory_key, conversation)]
            compactions = "SELECT id FROM compaction WHERE conversation = ? AND state = 'applied'"
            forks = "SELECT id FROM fork WHERE conversation = ? AND NOT aside"
            state: dict[str, Any] = {
                "memory_key": talk.memory_key,
                "experiences": experiences,
                "forks": [one for (one,) in rows.execute(forks, (conversation,)).fetchall()],
                "compactions": [one for (one,) in rows.execute(compactions, (conversation,)).fetchall()],
                **{table: _rows(rows, table, conversation) for table in KEPT},
            }
            rows.execute(
                "INSERT INTO checkpoint (id, conversation, name, automatic, created, head, state)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (identity, conversation, name.strip(), automatic, time.time(), talk.head, json.dumps(state)),
            )
            rows.execute(KEEP_TEXTS, (identity,))
        return self.get(identity)

    def get(self, checkpoint: str) -> Checkpoint:
        row = self._database.row(f"SELECT {COLUMNS} FROM checkpoint WHERE id = ?", (checkpoint,))
        if row is None:
            raise NotFound("checkpoint_id", f"there is no checkpoint {checkpoint[:40]!r}.")
        return _checkpoint(row)

    def restore(self, conversation: str, checkpoint: str) -> Checkpoint:
        """Go back; returns the checkpoint of what was there before.  Descriptors made since keep their numbers.
        Raises NotFound, whose hint names those that there are."""
        with self._database.transaction() as rows:
            self._conversations.get(conversation)
            known = self.list(conversation)
            wanted = next((one for one in known if checkpoint in (one.id, one.name) and checkpoint), None)
            if wanted is None:
                names = ", ".join(one.id for one in known[:MOST_NAMED])
                hint = f"There are {names}." if names else "There is none."
                raise NotFound(
                    "checkpoint_id", f"there is no checkpoint {checkpoint[:40]!r} of this conversation.", hint=hint
                )
            checkpoint = wanted.id
            before = self._create(wanted.conversation, BEFORE_RESTORE, automatic=True)
            (text,) = rows.execute("SELECT state FROM checkpoint WHERE id = ?", (checkpoint,)).fetchone()
            state = json.loads(text)
            for table in reversed(KEPT):
                rows.execute(f"DELETE FROM {table} WHERE conversation = ?", (wanted.conversation,))
            for table in KEPT:
                _put_back(rows, table, wanted.conversation, state[table])
            self._experiences.go_back(state["memory_key"], set(state["experiences"]), conversation)
            rows.execute(
                "UPDATE compaction SET state = 'replaced' WHERE conversation = ? AND state IN ('applied', 'queued')",
                (wanted.conversation,),
            )
            rows.executemany(
                "UPDATE compaction SET state = 'applied' WHERE id = ?", [(one,) for one in state["compactions"]]
            )
            if "forks" in state:
                rows.execute("UPDATE fork SET aside = 1 WHERE conversation = ?", (wanted.conversation,))
                rows.executemany("UPDATE fork SET aside = 0 WHERE id = ?", [(one,) for one in state["forks"]])
            rows.execute(
                "UPDATE conversation SET head = ?, memory_key = ?, updated = ? WHERE id = ?",
                (wanted.head, state["memory_key"], time.time(), wanted.conversation),
            )
            self._thin(rows, conversation)
        return before

    def _thin(self, rows: sqlite3.Connection, conversation: str) -> None:
        """The oldest automatic ones go, with the texts that nothing else names."""
        old = [one.id for one in self.list(conversation) if one.automatic][MOST_AUTOMATIC:]
        for one in old:
            texts = rows.execute("SELECT hash FROM checkpoint_text WHERE checkpoint = ?", (one,)).fetchall()
            rows.execute("DELETE FROM checkpoint WHERE id = ?", (one,))
            for (text,) in texts:
                self._contents.forget_unused(text)

    def list(self, conversation: str) -> list[Checkpoint]:
        """The newest first."""
        found = self._database.rows(
            f"SELECT {COLUMNS} FROM checkpoint WHERE conversation = ? ORDER BY created DESC, rowid DESC",
            (conversation,),
        )
        return [_checkpoint(row) for row in found]


def _rows(rows: sqlite3.Connection, table: str, conversation: str) -> list[list[Any]]:
    found = rows.execute(f"SELECT {KEPT[table]} FROM {table} WHERE conversation = ?", (conversation,)).fetchall()
    return [list(row) for row in found]


def _put_back(rows: sqlite3.Connection, table: str, conversation: str, kept: list[list[Any]]) -> None:
    """What an older version kept may lack the last columns."""
    columns = KEPT[table].split(", ")
    marks = ", ".join("?" * (len(columns) + 1))
    rows.executemany(
        f"INSERT INTO {table} (conversation, {KEPT[table]}) VALUES ({marks})",
        [(conversation, *row, *[None] * (len(columns) - len(row))) for row in kept],
    )


def _checkpoint(row: Any) -> Checkpoint:
    values = dict(row)
    return Checkpoint(**{**values, "automatic": bool(values["automatic"])})
