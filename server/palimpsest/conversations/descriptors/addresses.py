"""What can stand where a descriptor is asked for: its id, its name, a turn, a result, a ref.

In: a conversation and an address.  Out: the text that it names.  A fork's family shares turns and their results.
"""

import re
import sqlite3
from dataclasses import dataclass

from palimpsest.conversations.store.database import Database
from palimpsest.errors import NotFound

DEFAULT_PAGE_SIZE = 4_000
MOST_NAMED = 30
_OWN = re.compile(r"fd-\d+")
_TURN = re.compile(r"turn-(\d{1,15})")
_RESULT = re.compile(r"result-(\d{1,15})-(\d{1,6})")
_REF = "ref:"
_RESERVED = re.compile(r"(?:fd-\d+|turn-\d+|result-\d+-\d+|ref:.*)", re.DOTALL)
COLUMNS = "conversation, id, name, hash, source, language, created, page_size, closed, summary, original"
_NUMBERED = """
    WITH RECURSIVE above (id, parent, depth) AS (
        SELECT id, parent, 0 FROM conversation WHERE id = ?
        UNION SELECT c.id, c.parent, depth + 1 FROM conversation AS c JOIN above ON c.id = above.parent
    ) SELECT turn.id FROM above JOIN turn ON turn.conversation = above.id WHERE number = ? ORDER BY depth LIMIT 1
"""


@dataclass(frozen=True, slots=True)
class Addressed:
    """`is_descriptor`: it has a row of its own; else `id` is the address of something else.  `original`: the text as it
    was given, where `hash` has it on lines."""

    id: str
    hash: str
    page_size: int = DEFAULT_PAGE_SIZE
    name: str = ""
    source: str = ""
    language: str = ""
    created: float = 0.0
    summary: str = ""
    original: str | None = None
    is_descriptor: bool = False


def is_own(id: str) -> bool:
    """Whether an id is a descriptor's own, not the address of a turn, a result or a ref."""
    return _OWN.fullmatch(id) is not None


def is_free(name: str) -> bool:
    """Whether a name cannot be taken for an address of another kind."""
    return _RESERVED.fullmatch(name) is None


def addressed(database: Database, conversation_id: str, address: str) -> Addressed:
    """Raises NotFound, which names what there is."""
    with database.reading() as rows:
        meant = _descriptor(rows, conversation_id, address, closed=False)
        if meant is None and (turn := _TURN.fullmatch(address)):
            meant = _turn(rows, address, _at(rows, conversation_id, int(turn[1])))
        if meant is None and (result := _RESULT.fullmatch(address)):
            meant = _result(rows, address, _at(rows, conversation_id, int(result[1])), int(result[2]))
        if meant is None and address.startswith(_REF):
            meant = _ref(rows, conversation_id, address)
        if meant is None:
            hint = _hint(rows, conversation_id)
            if (closed := _descriptor(rows, conversation_id, address, closed=True)) is not None:
                raise NotFound("fd", f"{closed.id} is closed.", hint=hint)
            raise NotFound("fd", f"there is no descriptor {address[:60]!r} in this conversation.", hint=hint)
    return meant


def _descriptor(rows: sqlite3.Connection, conversation_id: str, address: str, *, closed: bool) -> Addressed | None:
    """The one that has this id, or got this name last."""
    row = rows.execute(
        f"SELECT {COLUMNS} FROM descriptor WHERE conversation = ?1 AND (id = ?2 OR name = ?2) AND closed = ?3"
        " AND ?2 <> '' ORDER BY id = ?2 DESC, created DESC LIMIT 1",
        (conversation_id, address, closed),
    ).fetchone()
    return None if row is None else of_row(row)


def of_row(row: sqlite3.Row) -> Addressed:
    return Addressed(
        row["id"], row["hash"], row["page_size"], row["name"], row["source"], row["language"], row["created"],
        row["summary"], row["original"], is_descriptor=True,
    )  # fmt: skip


def _at(rows: sqlite3.Connection, conversation_id: str, number: int) -> int | None:
    """The turn that has the number, in this conversation or else in the nearest above it."""
    row = rows.execute(_NUMBERED, (conversation_id, number)).fetchone()
    return None if row is None else int(row["id"])


def _turn(rows: sqlite3.Connection, address: str, turn: int | None) -> Addressed | None:
    row = rows.execute("SELECT hash, created, role FROM turn WHERE id = ?", (turn,)).fetchone()
    return (
        None if row is None else Addressed(address, row["hash"], source=f"turn:{row['role']}", created=row["created"])
    )


def _result(rows: sqlite3.Connection, address: str, turn: int | None, number: int) -> Addressed | None:
    row = rows.execute(
        "SELECT COALESCE((SELECT hash FROM descriptor AS d WHERE d.conversation = turn.conversation AND"
        " d.id = call.descriptor), result) AS result, call.created, name FROM call JOIN turn ON turn.id = call.turn"
        " WHERE call.turn = ? AND call.number = ? AND result IS NOT NULL",
        (turn, number),
    ).fetchone()
    if row is None:
        return None
    return Addressed(address, row["result"], source=f"tool:{row['name']}", created=row["created"])


def _ref(rows: sqlite3.Connection, conversation_id: str, address: str) -> Addressed | None:
    row = rows.execute(
        "SELECT hash, created, language FROM ref WHERE conversation = ? AND id = ? ORDER BY version DESC LIMIT 1",
        (conversation_id, address.removeprefix(_REF)),
    ).fetchone()
    if row is None:
        return None
    return Addressed(address, row["hash"], source=address, language=row["language"], created=row["created"])


def _hint(rows: sqlite3.Connection, conversation_id: str) -> str:
    named = rows.execute(
        "SELECT id, name FROM descriptor WHERE conversation = ? AND NOT closed ORDER BY created DESC LIMIT ?",
        (conversation_id, MOST_NAMED),
    ).fetchall()
    if not named:
        return "It has none; turn-<n>, result-<n>-<m> and ref:<id> can be read like one."
    names = [f"{row['id']} ({row['name']})" if row["name"] else str(row["id"]) for row in named]
    return f"There are: {', '.join(names)}."
