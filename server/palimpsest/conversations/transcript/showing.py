"""A conversation's turns as its document shows them.

In: a memory.  Out: `WrittenTurn`s, and the whole document.  Tags of refs are not shown, their ids are named below.
"""

from palimpsest.conversations.compaction.words import in_words
from palimpsest.conversations.conversations import Conversation
from palimpsest.conversations.documents.reference import DocumentReference
from palimpsest.conversations.memory import Memory
from palimpsest.conversations.refs.tags import PROBLEMS, extracted
from palimpsest.conversations.reply_writer import THOUGHT
from palimpsest.conversations.transcript.writing import WrittenCall, WrittenCompaction, WrittenTurn, written
from palimpsest.conversations.turns import Turn

LONGEST_RESULT = 20_000
"""Characters of a call's result that are shown; all of it is kept."""


def document_of(memory: Memory, conversation_id: str, most_documents: int = 10) -> str:
    """Ends where the person goes on.  Raises NotFound, StorageError."""
    talk = memory.conversations.get(conversation_id)
    turns = [written_turn(memory, turn, most_documents) for turn in memory.turns.branch(talk.id)]
    if not turns or turns[-1].role != "user":
        turns.append(WrittenTurn("user", None, ""))
    return written(front_of(talk), turns)


def front_of(talk: Conversation) -> dict[str, str]:
    """What stands at the head of a conversation's document."""
    return {"id": talk.id, "name": talk.name, "model": talk.model, "workspace": talk.workspace}


def shown_text(memory: Memory, turn: Turn) -> str:
    text = memory.turns.text(turn)
    return extracted(text, turn.details).shown if turn.role == "assistant" else text


def written_turn(memory: Memory, turn: Turn, most_documents: int = 10) -> WrittenTurn:
    calls = [
        WrittenCall(call.name, call.arguments, call.status, _result(memory, call.result))
        for call in memory.turns.calls(turn.id)
    ]
    documents, n_more = written_documents(memory, turn, most_documents)
    refs = [ref.id for ref in extracted(memory.turns.text(turn), turn.details).refs] if turn.role == "assistant" else []
    why = str(turn.details.get("why", "")) if turn.is_unfinished else ""
    problems = [str(one) for one in turn.details.get(PROBLEMS, ())]
    made = memory.compactions.behind(turn.id)
    compacted = None
    if made is not None:
        names = [f"turn-{memory.turns.get(one).number}" for one in made.kept]
        compacted = WrittenCompaction(in_words(made.summary), made.written_by, names)
    text, thought = shown_text(memory, turn), str(turn.details.get(THOUGHT, ""))
    return WrittenTurn(turn.role, turn.id, text, calls, documents, n_more, refs, why, problems, compacted, thought)


def written_documents(memory: Memory, turn: Turn, most: int) -> tuple[list[DocumentReference], int]:
    """What a turn refers to, and how much more."""
    references = memory.documents.of_turn(turn.id)
    return references[:most], max(0, len(references) - most)


def _result(memory: Memory, name: str | None) -> str:
    if name is None:
        return ""
    text = memory.contents.slice(name, 0, LONGEST_RESULT + 1)
    return text if len(text) <= LONGEST_RESULT else f"{text[:LONGEST_RESULT]}\n(cut here)"
