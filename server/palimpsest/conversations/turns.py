"""Turns: what was said in a conversation, as a tree of which one branch is shown.

In: what a person, a model or a tool says, whole or as it comes.  Out: the branch that is shown, with its calls.
Nothing is ever overwritten but a turn that is still being written.
"""

import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from palimpsest.conversations.contents import Contents
from palimpsest.conversations.store.database import Database
from palimpsest.errors import InvalidArgument, NotFound
from palimpsest.system.processes import is_there, own_name
from palimpsest.text.tokens import masked

Role = Literal["system", "user", "assistant", "tool"]
State = Literal["writing", "complete", "cut", "failed"]
"""`cut`: stopped by the person, or by the end of who wrote it; `failed`: the engine could not answer."""
BUSY = "it is being answered; stop that first, or wait for its end."
DIED = "Palimpsest ended while this was written."
ROLES = ("system", "user", "assistant", "tool")


@dataclass(frozen=True, slots=True)
class Turn:
    """`number`: in its conversation, `turn-<number>` for a model; a fork's copy has the same.  `descriptor`:
    the one that stands for its text, where that is large."""

    id: int
    conversation: str
    parent: int | None
    number: int
    role: Role
    state: State
    hash: str
    created: float
    source: str = ""
    descriptor: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_unfinished(self) -> bool:
        """A reply that did not come to its end: what it answers can be answered again."""
        return self.role == "assistant" and self.state in ("cut", "failed")


@dataclass(frozen=True, slots=True)
class TurnCall:
    """A call that a turn made, and what came of it.  `result` names its text."""

    turn: int
    number: int
    name: str
    arguments: Mapping[str, Any]
    status: str
    result: str | None
    descriptor: str | None
    created: float


COLUMNS = "id, conversation, parent, number, role, state, hash, created, source, descriptor, details"
_NUMBER = """COALESCE(
    (SELECT MAX(number) FROM turn WHERE conversation = :own),
    (SELECT MAX(number) FROM turn WHERE conversation = (SELECT parent FROM conversation WHERE id = :own)), 0
) + 1"""
"""The next number: behind those of its conversation; for a fresh child, behind those of its parent, whose turns it may
be told of."""
BRANCH = f"""
    WITH RECURSIVE branch (turn, depth) AS (
        SELECT ?, 0 UNION ALL
        SELECT parent, depth + 1 FROM branch JOIN turn ON turn.id = branch.turn WHERE parent IS NOT NULL
    ) SELECT {COLUMNS} FROM branch JOIN turn ON turn.id = branch.turn ORDER BY depth DESC
"""


class _Head:
    """Behind the last turn of the branch that is shown."""


HEAD = _Head()


class Turns:
    """Adds turns to a database, writes them as they come, and says which are shown."""

    def __init__(self, database: Database, contents: Contents) -> None:
        self._database = database
        self._contents = contents

    def add(
        self,
        conversation: str,
        role: Role,
        text: str,
        *,
        state: State = "complete",
        source: str = "",
        parent: int | _Head | None = HEAD,
        descriptor: str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> Turn:
        """A turn, which the branch that is shown ends with from now on.  Raises NotFound, and InvalidArgument behind a
        turn that is still being written, maybe by another window."""
        if role not in ROLES:
            raise InvalidArgument("role", f"one of {', '.join(ROLES)} is wanted, not {role!r}.")
        with self._database.transaction() as rows:
            head = self._head(conversation)
            behind = head if isinstance(parent, _Head) else parent
            if behind is not None and self._own(conversation, behind).state == "writing":
                raise InvalidArgument("conversation", BUSY)
            now, name = time.time(), self._contents.put(text).hash
            added = rows.execute(
                "INSERT INTO turn"
                " (conversation, number, parent, role, state, hash, created, source, descriptor, details, writer)"
                f" VALUES (:own, {_NUMBER}, :parent, :role, :state, :hash, :now, :source, :descriptor, :details,"
                " :writer)",
                {
                    "own": conversation, "parent": behind, "role": role, "state": state, "hash": name, "now": now,
                    "source": source, "descriptor": descriptor, "details": json.dumps(dict(details or {})),
                    "writer": own_name() if state == "writing" else "",
                },
            )  # fmt: skip
            rows.execute(
                "UPDATE conversation SET head = ?, updated = ? WHERE id = ?", (added.lastrowid, now, conversation)
            )
            return self.get(int(added.lastrowid or 0))

    def write(self, turn: int, text: str) -> None:
        """What has come so far of a turn that is being written."""
        with self._database.transaction() as rows:
            before = self._writing(turn)
            rows.execute("UPDATE turn SET hash = ? WHERE id = ?", (self._contents.put(text).hash, turn))
            self._contents.forget_unused(before.hash)

    def finish(self, turn: int, text: str, state: State = "complete", details: Mapping[str, Any] | None = None) -> Turn:
        """The turn as it stays."""
        with self._database.transaction() as rows:
            before = self._writing(turn)
            rows.execute(
                "UPDATE turn SET hash = ?, state = ?, details = ?, writer = '' WHERE id = ?",
                (self._contents.put(text).hash, state, json.dumps({**before.details, **(details or {})}), turn),
            )
            rows.execute("UPDATE conversation SET updated = ? WHERE id = ?", (time.time(), before.conversation))
            self._contents.forget_unused(before.hash)
            return self.get(turn)

    def settle(self) -> int:
        """Turns whose writer has died stay as far as they came; how many there were."""
        found = self._database.rows("SELECT id, writer FROM turn WHERE state = 'writing'")
        dead = [row["id"] for row in found if not is_there(row["writer"])]
        if dead:
            with self._database.transaction() as rows:
                rows.executemany(
                    "UPDATE turn SET state = 'cut', writer = '', details = json_set(details, '$.stopped', 'cancelled',"
                    " '$.why', ?) WHERE id = ? AND state = 'writing'",
                    [(DIED, turn) for turn in dead],
                )
        return len(dead)

    def get(self, turn: int) -> Turn:
        row = self._database.row(f"SELECT {COLUMNS} FROM turn WHERE id = ?", (turn,))
        if row is None:
            raise NotFound("turn", f"there is no turn {turn}.")
        return _turn(row)

    def text(self, turn: Turn) -> str:
        return self._contents.text(turn.hash)

    def branch(self, conversation: str, head: int | _Head | None = HEAD) -> list[Turn]:
        """From the first turn to the last one shown, or to `head`."""
        with self._database.reading():
            last = self._head(conversation) if isinstance(head, _Head) else head
            return [] if last is None else [_turn(row) for row in self._database.rows(BRANCH, (last,))]

    def set_head(self, conversation: str, turn: int | None) -> None:
        """Show the branch that ends with this turn."""
        with self._database.transaction() as rows:
            if turn is not None:
                self._own(conversation, turn)
            rows.execute(
                "UPDATE conversation SET head = ?, updated = ? WHERE id = ?", (turn, time.time(), conversation)
            )

    def add_call(
        self,
        turn: int,
        name: str,
        arguments: Mapping[str, Any],
        status: str,
        result: str | None = None,
        descriptor: str | None = None,
    ) -> TurnCall:
        """A call of a turn's, behind those that it has; of its result secrets are not kept."""
        with self._database.transaction() as rows:
            stored = None if result is None else self._contents.put(masked(result)).hash
            (number,) = rows.execute("SELECT COALESCE(MAX(number) + 1, 0) FROM call WHERE turn = ?", (turn,)).fetchone()
            rows.execute(
                "INSERT INTO call (turn, number, name, arguments, status, result, descriptor, created)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (turn, number, name, json.dumps(dict(arguments)), status, stored, descriptor, time.time()),
            )
        return self.calls(turn)[int(number)]

    def calls(self, turn: int) -> list[TurnCall]:
        return self.calls_of([turn])[turn]

    def called(self, turn: int) -> list[tuple[TurnCall, str]]:
        """Its calls, each with the text of its result."""
        return [(call, self._contents.text(call.result) if call.result else "") for call in self.calls(turn)]

    def calls_of(self, turns: Iterable[int]) -> dict[int, list[TurnCall]]:
        """Those of each turn."""
        found = {turn: list[TurnCall]() for turn in turns}
        for row in self._database.rows(
            "SELECT turn, number, name, arguments, status, result, descriptor, created FROM call"
            " WHERE turn IN (SELECT value FROM json_each(?)) ORDER BY turn, number",
            (json.dumps(list(found)),),
        ):
            found[row[0]].append(TurnCall(row[0], row[1], row[2], json.loads(row[3]), *row[4:]))
        return found

    def _head(self, conversation: str) -> int | None:
        row = self._database.row("SELECT head FROM conversation WHERE id = ?", (conversation,))
        if row is None:
            raise NotFound("conversation", f"there is no conversation {conversation[:40]!r}.")
        head: int | None = row["head"]
        return head

    def _own(self, conversation: str, turn: int) -> Turn:
        found = self.get(turn)
        if found.conversation != conversation:
            raise NotFound("turn", f"turn {turn} is not one of conversation {conversation}.")
        return found

    def _writing(self, turn: int) -> Turn:
        found = self.get(turn)
        if found.state != "writing":
            raise InvalidArgument("turn", f"turn {turn} is {found.state}, and stays as it is.")
        return found


def _turn(row: Any) -> Turn:
    values = dict(row)
    return Turn(**{**values, "details": json.loads(values["details"])})
