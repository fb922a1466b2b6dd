"""What the tools for experiences and compaction do, and what they answer.

In: the memory's owners.  Out: handlers, and answers that the editor's commands give as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from palimpsest.memory.compaction.compactions import Compaction, Compactions, Summary
from palimpsest.memory.conversations.conversations import Conversations
from palimpsest.memory.conversations.turns import Turns
from palimpsest.memory.experiences.experiences import Experience, Experiences
from palimpsest.memory.tools.call import Call, Handlers
from palimpsest.memory.tools.results import answered, element, listed
from palimpsest.memory.tools.tool import Answer


def handlers(
    conversations: Conversations, turns: Turns, experiences: Experiences, compactions: Compactions
) -> Handlers:
    def key(call: Call) -> str:
        return conversations.get(call.conversation_id).memory_key

    def remember(call: Call) -> Answer:
        known = experiences.remember(key(call), call.text("text"), call.conversation_id)
        return remembered(known)

    def forget(call: Call) -> Answer:
        known = experiences.forget(key(call), call.text("experience_id"), call.conversation_id)
        return forgotten(known)

    def compact(call: Call) -> Answer:
        summary = Summary(
            goal=call.text("goal"),
            instruction=call.text("instruction"),
            discoveries=call.texts("discoveries"),
            completed=call.texts("completed"),
            current_status=call.text("current_status"),
            likely_next_work=call.text("likely_next_work"),
            relevant_files_directories=call.texts("relevant_files_directories"),
            remember=call.texts("remember"),
        )
        return compacted(compactions.queue(call.conversation_id, summary, "model"))

    def inspect(call: Call) -> Answer:
        branch = turns.branch(call.conversation_id)
        known, current = experiences.list(key(call)), compactions.current(call.conversation_id)
        return inspected(key(call), len(branch), known, current, compactions.pending(call.conversation_id))

    return {"remember": remember, "forget": forget, "compact": compact, "inspect": inspect}


def remembered(known: Experience) -> Answer:
    return Answer(_written(known), {"id": known.id, "text": known.text})


def forgotten(known: Experience) -> Answer:
    return Answer(element("forgotten", {"id": known.id}, known.text), {"forgotten": known.id})


def compacted(one: Compaction) -> Answer:
    """Queued or, with a turn, applied."""
    status = "queued" if one.turn is None else "applied"
    message = "The conversation is compacted when the reply that is being written, with its calls, is done."
    if one.turn is not None:
        message = "A summary stands for all turns so far; they can still be read."
    xml = listed("compaction", {"status": status, "written_by": one.written_by}, [element("message", {}, message)])
    fields = {"status": status, "written_by": one.written_by, "turn": one.turn, "summary": asdict(one.summary)}
    return Answer(xml, fields)


def inspected(
    key: str, n_turns: int, known: Sequence[Experience], current: Compaction | None, pending: Compaction | None
) -> Answer:
    summary = None if current is None else asdict(current.summary)
    about = {"memory_key": key, "messages": n_turns, "has_pending_compaction": pending is not None}
    rows = [_written(one) for one in known]
    if summary is not None:
        rows += [listed("summary", {}, [element(name, {}, _text(value)) for name, value in summary.items()])]
    fields = {**about, "experiences": [{"id": one.id, "text": one.text} for one in known], "summary": summary}
    return Answer(listed("context", about, rows), fields)


def _written(known: Experience) -> str:
    return answered("exp", {"id": known.id}, known.text).xml


def _text(value: str | list[str]) -> str:
    return value if isinstance(value, str) else "\n".join(f"- {one}" for one in value)
