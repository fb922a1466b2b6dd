"""What a conversation hands down: its turns with their calls and documents, refs, descriptors and experiences, as rows
of another conversation's.

In: a connection inside a transaction, two conversations.  Out: rows.  Contents are shared, ids of refs and descriptors
stay; turns keep their numbers.
"""

import json
import sqlite3

from palimpsest.errors import NotFound

_TURN = "number, role, state, hash, created, source, descriptor, details"
_COPIED = _TURN.replace("state", "CASE state WHEN 'writing' THEN 'cut' ELSE state END")
"""Nobody goes on writing the copy."""
_CALL = "number, name, arguments, status, result, descriptor, created"
_DOCUMENT = "number, wikilink, path, fragment, kind, read, summary, snippet, problem"
_OWN = "SELECT 1 FROM turn WHERE id = ? AND conversation = ?"
_BRANCH = """
    WITH RECURSIVE branch (turn, depth) AS (
        SELECT ?, 0 UNION ALL
        SELECT parent, depth + 1 FROM branch JOIN turn ON turn.id = branch.turn WHERE parent IS NOT NULL
    ) SELECT branch.turn FROM branch ORDER BY depth DESC
"""


def copy_turns(rows: sqlite3.Connection, source: str, target: str, head: int | None) -> dict[int, int]:
    """The branch that ends with `head`; the new turn of each old one.  The target shows it.  Raises NotFound."""
    if head is not None and not rows.execute(_OWN, (head, source)).fetchone():
        raise NotFound("turn", f"turn {head} is not one of conversation {source}.")
    new: dict[int, int] = {}
    last: int | None = None
    branch = [] if head is None else [turn for (turn,) in rows.execute(_BRANCH, (head,)).fetchall()]
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
