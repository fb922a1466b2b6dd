"""The workspace's conversations: what they are called, where they are shown, which branch of theirs is.

In: names, documents.  Out: rows.  A conversation's turns are `turns.py`'s.
"""

import secrets
import time
from dataclasses import dataclass

from palimpsest.conversations.contents import Contents
from palimpsest.conversations.experiences import checked_key
from palimpsest.conversations.store.database import Database
from palimpsest.errors import InvalidArgument, NotFound

MOST_NAMED = 10
"""An error names at most this many of the conversations that there are."""
MOST_NAME = 200
"""Characters of a name."""
LONGEST_LINE = 60
"""Characters of what was said first, as a name."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """`head`: the last turn of the branch that is shown.  `parent`: whose fork it is.  Times in seconds since 1970."""

    id: str
    name: str
    created: float
    updated: float
    uri: str
    model: str
    workspace: str
    memory_key: str
    head: int | None
    parent: str | None


COLUMNS = "id, name, created, updated, uri, model, workspace, memory_key, head, parent"

TEXTS = """
    SELECT hash FROM turn WHERE conversation = ?1
    UNION SELECT result FROM call JOIN turn ON turn.id = call.turn WHERE conversation = ?1 AND result IS NOT NULL
    UNION SELECT hash FROM ref WHERE conversation = ?1
    UNION SELECT hash FROM descriptor WHERE conversation = ?1
    UNION SELECT original FROM descriptor WHERE conversation = ?1 AND original IS NOT NULL
    UNION SELECT hash FROM temp_file WHERE family = ?1
    UNION SELECT response FROM fork WHERE conversation = ?1 AND response IS NOT NULL
    UNION SELECT hash FROM checkpoint_text JOIN checkpoint ON checkpoint.id = checkpoint WHERE conversation = ?1
"""
"""What a conversation's rows name."""


def name_of(text: str) -> str:
    """A conversation's name, from what is said first."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return "".join(char for char in line if char.isprintable())[:LONGEST_LINE].strip()


class Conversations:
    """Makes, finds and changes the conversations in a database."""

    def __init__(self, database: Database, contents: Contents) -> None:
        self._database = database
        self._contents = contents

    def new(
        self, name: str = "", uri: str = "", *, parent: str | None = None, memory_key: str = "main", workspace: str = ""
    ) -> Conversation:
        """A conversation without turns.  Raises InvalidArgument for a name that is none."""
        name, now, identity = _checked(name), time.time(), f"c-{secrets.token_hex(4)}"
        with self._database.transaction() as rows:
            rows.execute(
                "INSERT INTO conversation (id, name, created, updated, uri, workspace, memory_key, parent)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (identity, name, now, now, uri, workspace, memory_key, parent),
            )
            return self.get(identity)

    def get(self, identity: str) -> Conversation:
        """Raises NotFound, whose hint names those that there are."""
        row = self._database.row(f"SELECT {COLUMNS} FROM conversation WHERE id = ?", (identity,))
        if row is None:
            known = self._database.rows("SELECT id FROM conversation ORDER BY updated DESC LIMIT ?", (MOST_NAMED,))
            names = ", ".join(row[0] for row in known)
            hint = f"There are {names}." if names else "There is none yet: palimpsest.conversation.new makes one."
            raise NotFound("conversation", f"there is no conversation {identity[:40]!r}.", hint=hint)
        return Conversation(*row)

    def list(self) -> list[Conversation]:
        """The one changed last first; forks are not among them."""
        found = self._database.rows(
            f"SELECT {COLUMNS} FROM conversation WHERE id NOT IN (SELECT child FROM fork) ORDER BY updated DESC, id"
        )
        return [Conversation(*row) for row in found]

    def rename(self, identity: str, name: str) -> Conversation:
        return self._set(identity, "name", _checked(name))

    def set_uri(self, identity: str, uri: str) -> Conversation:
        """Where it is shown."""
        return self._set(identity, "uri", uri)

    def set_model(self, identity: str, model: str) -> Conversation:
        return self._set(identity, "model", model)

    def set_memory_key(self, identity: str, key: str) -> Conversation:
        """Whose experiences it has.  Raises NotFound, InvalidArgument."""
        return self._set(identity, "memory_key", checked_key(key))

    def delete(self, identity: str) -> None:
        """With its turns, refs, descriptors, checkpoints, forks and temporary files, and all texts that nothing else
        names.  Raises NotFound."""
        with self._database.transaction() as rows:
            self.get(identity)
            texts = rows.execute(TEXTS, (identity,)).fetchall()
            forks = rows.execute("SELECT id, child FROM fork WHERE conversation = ?", (identity,)).fetchall()
            for fork, child in forks:
                self.delete(child)
                rows.execute("DELETE FROM experience WHERE memory_key = ?", (fork,))
            rows.execute("UPDATE conversation SET head = NULL WHERE id = ?", (identity,))
            # SQLite follows no more than 1,000 references from row to row
            rows.execute("UPDATE turn SET parent = NULL WHERE conversation = ?", (identity,))
            rows.execute("DELETE FROM temp_file WHERE family = ?", (identity,))
            rows.execute("DELETE FROM experience WHERE own_to = ?", (identity,))
            rows.execute("DELETE FROM conversation WHERE id = ?", (identity,))
            for (text,) in texts:
                self._contents.forget_unused(text)

    def _set(self, identity: str, column: str, value: str) -> Conversation:
        with self._database.transaction() as rows:
            self.get(identity)
            rows.execute(
                f"UPDATE conversation SET {column} = ?, updated = ? WHERE id = ?", (value, time.time(), identity)
            )
            return self.get(identity)


def _checked(name: str) -> str:
    if len(name) > MOST_NAME or any(ord(char) < 32 for char in name):
        raise InvalidArgument("name", f"one line of at most {MOST_NAME} characters is wanted.")
    return name.strip()
