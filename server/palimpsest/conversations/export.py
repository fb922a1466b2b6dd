"""All of a conversation that a person may want elsewhere: turns, calls, references, refs, descriptors.

In: a memory, a conversation.  Out: values that JSON can hold.  Reads, and changes nothing.
"""

from dataclasses import asdict
from typing import Any

from palimpsest.conversations.memory import Memory
from palimpsest.conversations.refs.results import fields_of
from palimpsest.conversations.reply_writer import THOUGHT
from palimpsest.conversations.turns import Turn

FORMAT = "palimpsest-conversation-1"
MOST_CHARS = 1_000_000
"""A text longer than this is cut, and says so."""


def gathered(memory: Memory, conversation_id: str) -> dict[str, Any]:
    """The branch that is shown, with everything that belongs to the conversation.  Raises NotFound, StorageError."""
    talk = memory.conversations.get(conversation_id)
    return {
        "format": FORMAT,
        "conversation": {"id": talk.id, "name": talk.name, "model": talk.model, "workspace": talk.workspace,
                         "created": talk.created, "updated": talk.updated},
        "turns": [_turn(memory, turn) for turn in memory.turns.branch(talk.id)],
        "refs": [_ref(memory, talk.id, ref.id) for ref in memory.refs.list(talk.id)],
        "descriptors": _descriptors(memory, talk.id),
        "experiences": [{"id": one.id, "text": one.text} for one in memory.experiences.list(talk.memory_key, talk.id)],
    }  # fmt: skip


def descriptor_text(memory: Memory, conversation_id: str, descriptor: str) -> str:
    """As much as is shown at once of a descriptor, also a closed one, or of what can be read like one.  Raises
    NotFound."""
    talk = memory.conversations.get(conversation_id).id
    found = memory.database.row(
        "SELECT hash FROM descriptor WHERE conversation = ? AND (id = ? OR name = ?) ORDER BY id = ? DESC",
        (talk, descriptor, descriptor, descriptor),
    )
    one = _text(memory, memory.descriptors.get(talk, descriptor).hash if found is None else found["hash"])
    return f"{one['text']}\n(cut here)\n" if one["truncated"] else str(one["text"])


def _turn(memory: Memory, turn: Turn) -> dict[str, Any]:
    return {
        "id": turn.id,
        "role": turn.role,
        "state": turn.state,
        "created": turn.created,
        "descriptor": turn.descriptor,
        **_text(memory, turn.hash),
        "thought": turn.details.get(THOUGHT, ""),
        "calls": [
            {"name": call.name, "arguments": dict(call.arguments), "status": call.status,
             "descriptor": call.descriptor,
             **(_text(memory, call.result, "result") if call.result is not None else {"result": ""})}
            for call in memory.turns.calls(turn.id)
        ],
        "documents": [asdict(one) for one in memory.documents.of_turn(turn.id)],
    }  # fmt: skip


def _ref(memory: Memory, conversation_id: str, ref_id: str) -> dict[str, Any]:
    versions = memory.refs.versions(conversation_id, ref_id)
    every = [{**fields_of(one), **_text(memory, one.hash, "content")} for one in versions]
    return {"id": ref_id, "versions": every}


def _descriptors(memory: Memory, conversation_id: str) -> list[dict[str, Any]]:
    with memory.database.reading() as rows:
        found = rows.execute(
            "SELECT id, name, source, language, created, closed, summary, hash FROM descriptor WHERE conversation = ?"
            " ORDER BY created, id",
            (conversation_id,),
        ).fetchall()
        sections = rows.execute(
            "SELECT descriptor, name, start_line, end_line FROM section WHERE conversation = ? ORDER BY created, name",
            (conversation_id,),
        ).fetchall()
    return [
        {
            **{name: row[name] for name in ("id", "name", "source", "language", "created", "summary")},
            "closed": bool(row["closed"]),
            "sections": [
                {"name": one["name"], "start_line": one["start_line"], "end_line": one["end_line"]}
                for one in sections
                if one["descriptor"] == row["id"]
            ],
            **_text(memory, row["hash"], "content"),
        }
        for row in found
    ]


def _text(memory: Memory, name: str, field: str = "text") -> dict[str, Any]:
    info = memory.contents.info(name)
    text = memory.contents.text(name) if info.n_chars <= MOST_CHARS else memory.contents.slice(name, 0, MOST_CHARS)
    return {field: text, "chars": info.n_chars, "truncated": info.n_chars > MOST_CHARS}
