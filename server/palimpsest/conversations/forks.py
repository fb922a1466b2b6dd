"""Forks of conversations: children that see what was said before the fork, work for themselves, and are gathered.

In: tasks.  Out: forks with the children's conversations.  A child has copies of its parent's rows, experiences included
(under a memory key of its own, the fork's id), so that nothing it does changes the parent: turns with their calls and
documents, refs, descriptors.  Contents are shared, ids of refs and descriptors stay; turns keep their numbers.
"""

import json
import secrets
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from palimpsest.conversations.contents import Contents
from palimpsest.conversations.conversations import Conversation, Conversations
from palimpsest.conversations.store.database import Database
from palimpsest.conversations.turns import BRANCH
from palimpsest.errors import InvalidArgument, NotFound
from palimpsest.system.processes import is_there, own_name

_TURN = "number, role, state, hash, created, source, descriptor, details"
_COPIED = _TURN.replace("state", "CASE state WHEN 'writing' THEN 'cut' ELSE state END")
"""Nobody goes on writing the copy."""
_CALL = "number, name, arguments, status, result, descriptor, created"
_DOCUMENT = "number, wikilink, path, fragment, kind, read, summary, snippet, problem"
_OWN = "SELECT 1 FROM turn WHERE id = ? AND conversation = ?"


def copy_turns(rows: sqlite3.Connection, source: str, target: str, head: int | None) -> dict[int, int]:
    """The branch that ends with `head`; the new turn of each old one.  The target shows it.  Raises NotFound."""
    if head is not None and not rows.execute(_OWN, (head, source)).fetchone():
        raise NotFound("turn", f"turn {head} is not one of conversation {source}.")
    new: dict[int, int] = {}
    last: int | None = None
    branch = [] if head is None else [row["id"] for row in rows.execute(BRANCH, (head,)).fetchall()]
    for turn in branch:
        last = new[turn] = copy_turn(rows, turn, target, last)
    rows.execute("UPDATE conversation SET head = ? WHERE id = ?", (last, target))
    _copy_compaction(rows, source, target, new)
    return new


def copy_turn(rows: sqlite3.Connection, turn: int, target: str, parent: int | None) -> int:
    """The new one, with the same calls and documents, behind `parent`."""
    added = rows.execute(
        f"INSERT INTO turn (conversation, parent, {_TURN}) SELECT ?, ?, {_COPIED} FROM turn WHERE id = ?",
        (target, parent, turn),
    )
    new = int(added.lastrowid or 0)
    rows.execute(f"INSERT INTO call (turn, {_CALL}) SELECT ?, {_CALL} FROM call WHERE turn = ?", (new, turn))
    rows.execute(
        f"INSERT INTO document_reference (conversation, turn, {_DOCUMENT}) SELECT ?, ?, {_DOCUMENT}"
        " FROM document_reference WHERE turn = ?",
        (target, new, turn),
    )
    return new


def copy_refs(rows: sqlite3.Connection, source: str, target: str, turns: dict[int, int]) -> None:
    """Every version; those of turns that were not handed down are of no turn."""
    columns = "id, version, hash, created, n_lines, n_chars, language, category, path, attributes"
    rows.execute(
        f"INSERT INTO ref (conversation, turn, {columns}) SELECT ?, turn, {columns} FROM ref WHERE conversation = ?",
        (target, source),
    )
    for (turn,) in rows.execute("SELECT DISTINCT turn FROM ref WHERE conversation = ?", (target,)).fetchall():
        rows.execute("UPDATE ref SET turn = ? WHERE conversation = ? AND turn = ?", (turns.get(turn), target, turn))


def copy_descriptors(rows: sqlite3.Connection, source: str, target: str, only: list[str] | None = None) -> None:
    """With their names and sections; `only` these ids."""
    columns = "id, name, hash, source, language, created, page_size, closed, summary, original"
    marks = "" if only is None else f" AND id IN ({', '.join('?' * len(only))})"
    rows.execute(
        f"INSERT INTO descriptor (conversation, {columns}) SELECT ?, {columns} FROM descriptor"
        f" WHERE conversation = ?{marks}",
        (target, source, *(only or ())),
    )
    rows.execute(
        "INSERT INTO section (conversation, descriptor, name, start_line, end_line, created)"
        " SELECT ?, descriptor, section.name, start_line, end_line, section.created FROM section"
        " WHERE conversation = ? AND descriptor IN (SELECT id FROM descriptor WHERE conversation = ?)",
        (target, source, target),
    )
    rows.execute(
        "UPDATE conversation SET n_descriptors = (SELECT n_descriptors FROM conversation WHERE id = ?) WHERE id = ?",
        (source, target),
    )


def copy_experiences(rows: sqlite3.Connection, source: str, target: str, conversation: str) -> None:
    """From one memory key, and what this conversation alone has of it, to another, with their ids."""
    rows.execute(
        "INSERT INTO experience (memory_key, number, text, created, forgotten)"
        " SELECT ?, number, text, created, forgotten FROM experience WHERE memory_key = ? AND own_to IN ('', ?)",
        (target, source, conversation),
    )


def copy_own_experiences(rows: sqlite3.Connection, source: str, target: str) -> None:
    """What one conversation alone has, for another with its memory key, under new ids."""
    rows.execute(
        "INSERT INTO experience (memory_key, number, text, created, made_by, own_to)"
        " SELECT memory_key, number + (SELECT MAX(number) FROM experience AS every WHERE memory_key = one.memory_key),"
        " text, created, ?1, ?1 FROM experience AS one WHERE own_to = ?2 AND NOT forgotten",
        (target, source),
    )


def _copy_compaction(rows: sqlite3.Connection, source: str, target: str, turns: dict[int, int]) -> None:
    """Those that stand for turns which were handed down."""
    found = rows.execute(
        "SELECT turn, fields, written_by, created FROM compaction"
        " WHERE conversation = ? AND state = 'applied' ORDER BY id",
        (source,),
    ).fetchall()
    for row in found:
        if row["turn"] in turns:
            fields = json.loads(row["fields"])
            if "kept" in fields:
                fields["kept"] = [turns[one] for one in fields["kept"]]
            rows.execute(
                "INSERT INTO compaction (conversation, turn, fields, written_by, state, created)"
                " VALUES (?, ?, ?, ?, 'applied', ?)",
                (target, turns[row["turn"]], json.dumps(fields), row["written_by"], row["created"]),
            )


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
