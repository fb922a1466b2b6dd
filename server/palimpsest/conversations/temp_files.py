"""Temporary files: text that a conversation and all that was forked or spawned from it can read.

In: texts.  Out: ids, which every member of the family knows.  Owner of the table `temp_file`.  A family is named by the
conversation that all of it comes from; its files go when they are deleted.
"""

import re
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.conversations.contents import Contents
from palimpsest.conversations.store.database import Database
from palimpsest.errors import AlreadyExists, InvalidArgument, NotFound

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_FAMILY = """
    WITH RECURSIVE above (id, parent) AS (
        SELECT id, parent FROM conversation WHERE id = ?
        UNION SELECT c.id, c.parent FROM conversation AS c JOIN above ON c.id = above.parent
    ) SELECT id FROM above WHERE parent IS NULL
"""


@dataclass(frozen=True, slots=True)
class TempFile:
    """`created` is in seconds since 1970."""

    id: str
    hash: str
    created: float


class TempFiles:
    def __init__(self, database: Database, contents: Contents) -> None:
        self._database = database
        self._contents = contents

    def create(self, conversation_id: str, content: str, name: str = "") -> TempFile:
        """Under a name of one's own, or `temp_` and 8 hex digits.  Raises AlreadyExists, or InvalidArgument for what
        is no name."""
        if name and not _NAME.fullmatch(name):
            raise InvalidArgument("name", f"{name[:40]!r}: letters, digits, '.', '_' and '-' are wanted, 64 at most.")
        with self._database.transaction() as rows:
            family = self._family(conversation_id)
            known = {one.id for one in self._all(family)}
            if name in known:
                raise AlreadyExists("name", f"there is a temporary file {name!r} already.", hint="Delete it first.")
            made = TempFile(name or f"temp_{secrets.token_hex(4)}", self._contents.put(content).hash, time.time())
            rows.execute("INSERT INTO temp_file VALUES (?, ?, ?, ?)", (family, made.id, made.hash, made.created))
        return made

    def list(self, conversation_id: str) -> Sequence[TempFile]:
        """The oldest first."""
        return self._all(self._family(conversation_id))

    def get(self, conversation_id: str, temp_file_id: str) -> TempFile:
        """Raises NotFound, which names those there are."""
        known = self.list(conversation_id)
        found = next((one for one in known if one.id == temp_file_id), None)
        if found is None:
            hint = f"There are: {', '.join(one.id for one in known[:30])}." if known else "There are none."
            raise NotFound("temp_file_id", f"there is no temporary file {temp_file_id[:60]!r}.", hint=hint)
        return found

    def read(self, conversation_id: str, temp_file_id: str) -> str:
        return self._contents.text(self.get(conversation_id, temp_file_id).hash)

    def write(self, conversation_id: str, temp_file_id: str, content: str, *, append: bool = False) -> int:
        """In place of what is in it, or behind that; how many characters it has then.  Raises NotFound."""
        with self._database.transaction() as rows:
            before = self.get(conversation_id, temp_file_id)
            made = self._contents.put((self._contents.text(before.hash) if append else "") + content)
            rows.execute(
                "UPDATE temp_file SET hash = ? WHERE family = ? AND name = ?",
                (made.hash, self._family(conversation_id), before.id),
            )
            if made.hash != before.hash:
                self._contents.forget_unused(before.hash)
        return made.n_chars

    def delete(self, conversation_id: str, temp_file_id: str) -> None:
        with self._database.transaction() as rows:
            gone = self.get(conversation_id, temp_file_id)
            family = self._family(conversation_id)
            rows.execute("DELETE FROM temp_file WHERE family = ? AND name = ?", (family, gone.id))
            self._contents.forget_unused(gone.hash)

    def _all(self, family: str) -> Sequence[TempFile]:
        found = self._database.rows(
            "SELECT name, hash, created FROM temp_file WHERE family = ? ORDER BY created, rowid", (family,)
        )
        return [TempFile(*row) for row in found]

    def _family(self, conversation_id: str) -> str:
        row = self._database.row(_FAMILY, (conversation_id,))
        if row is None:
            raise NotFound("conversation", f"there is no conversation {conversation_id[:40]!r}.")
        return str(row["id"])
