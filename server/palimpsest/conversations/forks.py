"""Forks of conversations: children that see what was said before the fork, work for themselves, and are gathered.

In: tasks.  Out: forks with the children's conversations.  A child has copies of its parent's rows, experiences included
(under a memory key of its own, the fork's id), so that nothing it does changes the parent.
"""

import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from palimpsest.conversations.contents import Contents
from palimpsest.conversations.conversations import Conversation, Conversations
from palimpsest.conversations.fork_copies import (
    copy_descriptors,
    copy_experiences,
    copy_own_experiences,
    copy_refs,
    copy_turn,
    copy_turns,
)
from palimpsest.conversations.store.database import Database
from palimpsest.errors import InvalidArgument, NotFound
from palimpsest.system.processes import is_there, own_name

Status = Literal["running", "completed", "failed", "cancelled"]
DIED = "Palimpsest ended while it worked."
MOST_TASK = 200
"""Characters of a task, which is the child's name."""


@dataclass(frozen=True, slots=True)
class Fork:
    """`child` is its conversation.  `response` names a text."""

    id: str
    conversation: str
    child: str
    task: str
    status: Status
    response: str | None
    created: float


COLUMNS = "id, conversation, child, task, status, response, created"


class Forks:
    """Keeps in a database which conversation is a fork of which turn, and how far it is."""

    def __init__(self, database: Database, contents: Contents, conversations: Conversations) -> None:
        self._database = database
        self._contents = contents
        self._conversations = conversations

    def spawn(
        self,
        conversation: str,
        task: str,
        instruction: str,
        *,
        before_turn: int | None = None,
        fresh: bool = False,
        descriptors: Sequence[str] = (),
    ) -> Fork:
        """A child that has the turns up to `before_turn` (None: none), all refs and descriptors; a `fresh` one has no
        turns and only these descriptors.  Raises NotFound, InvalidArgument."""
        if not task.strip():
            raise InvalidArgument("task", "what the child is to do is wanted.")
        identity, now = f"fork_{secrets.token_hex(4)}", time.time()
        with self._database.transaction() as rows:
            parent = self._conversations.get(conversation)
            child = self._child(parent, task, identity)
            copy_experiences(rows, parent.memory_key, identity, conversation)
            turns = copy_turns(rows, conversation, child.id, None if fresh else before_turn)
            if not fresh:
                copy_refs(rows, conversation, child.id, turns)
            copy_descriptors(rows, conversation, child.id, list(descriptors) if fresh else None)
            rows.execute(
                "INSERT INTO fork (id, conversation, child, task, instruction, fresh, status, created, writer)"
                " VALUES (?, ?, ?, ?, ?, ?, 'running', ?, ?)",
                (identity, conversation, child.id, task, instruction, fresh, now, own_name()),
            )
        return self.get(identity)

    def copied(self, conversation: str, head: int | None, name: str) -> Conversation:
        """A conversation of its own that goes on from a turn of this one ("Fork here").  Raises NotFound."""
        with self._database.transaction() as rows:
            parent = self._conversations.get(conversation)
            child = self._child(parent, name, parent.memory_key)
            copy_own_experiences(rows, conversation, child.id)
            turns = copy_turns(rows, conversation, child.id, head)
            copy_refs(rows, conversation, child.id, turns)
            copy_descriptors(rows, conversation, child.id)
        return self._conversations.get(child.id)

    def behind(self, conversation: str, turn: int) -> int:
        """A turn of another branch once more, behind those that are shown: the new one.  Raises NotFound."""
        with self._database.transaction() as rows:
            new = copy_turn(rows, turn, conversation, self._conversations.get(conversation).head)
            rows.execute("UPDATE conversation SET head = ?, updated = ? WHERE id = ?", (new, time.time(), conversation))
        return new

    def finish(self, fork: str, status: Status, response: str) -> Fork:
        """What came of it; a fork that has ended stays as it is."""
        with self._database.transaction() as rows:
            if self.get(fork).status == "running":
                rows.execute(
                    "UPDATE fork SET status = ?, response = ?, writer = '' WHERE id = ?",
                    (status, self._contents.put(response).hash, fork),
                )
        return self.get(fork)

    def settle(self) -> None:
        """Children whose window has died have failed."""
        found = self._database.rows("SELECT id, writer FROM fork WHERE status = 'running'")
        for row in found:
            if not is_there(row["writer"]):
                self.finish(row["id"], "failed", DIED)

    def response(self, fork: Fork) -> str:
        return "" if fork.response is None else self._contents.text(fork.response)

    def get(self, fork: str) -> Fork:
        row = self._database.row(f"SELECT {COLUMNS} FROM fork WHERE id = ?", (fork,))
        if row is None:
            raise NotFound("fork_id", f"there is no fork {fork[:40]!r}.")
        return Fork(*row)

    def of(self, conversation: str) -> list[Fork]:
        """In the order in which they were made; those that a restored checkpoint does not know are put aside."""
        found = self._database.rows(
            f"SELECT {COLUMNS} FROM fork WHERE conversation = ? AND NOT aside ORDER BY created, rowid", (conversation,)
        )
        return [Fork(*row) for row in found]

    def depth(self, conversation: str) -> int:
        """How many forks led to it: 0 for what is no fork's child."""
        (found,) = self._database.row(
            "WITH RECURSIVE above (id, n) AS (SELECT ?, 0 UNION ALL"
            " SELECT fork.conversation, n + 1 FROM fork JOIN above ON fork.child = above.id)"
            " SELECT MAX(n) FROM above",
            (conversation,),
        )
        return int(found)

    def _child(self, parent: Conversation, name: str, memory_key: str) -> Conversation:
        line = "".join(char if char.isprintable() else " " for char in name)[:MOST_TASK]
        return self._conversations.new(line, parent=parent.id, memory_key=memory_key, workspace=parent.workspace)
