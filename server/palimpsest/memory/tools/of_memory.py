"""What the tools for experiences and compaction do.

In: the memory's owners.  Out: handlers.
"""

from __future__ import annotations

from dataclasses import asdict

from palimpsest.memory.compaction.compactions import Compactions, Summary
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
        known = experiences.remember(key(call), call.text("text"))
        return Answer(_written(known), {"id": known.id, "text": known.text})

    def forget(call: Call) -> Answer:
        known = experiences.forget(key(call), call.text("experience_id"))
        return Answer(element("forgotten", {"id": known.id}, known.text), {"forgotten": known.id})

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
        queued = compactions.queue(call.conversation_id, summary, "model")
        message = "The conversation is compacted when the calls of this reply are done."
        xml = listed("compaction", {"status": "queued"}, [element("message", {}, message)])
        return Answer(xml, {"status": "queued", "summary": asdict(queued.summary)})

    def inspect(call: Call) -> Answer:
        known = experiences.list(key(call))
        current, pending = compactions.current(call.conversation_id), compactions.pending(call.conversation_id)
        n_turns = len(turns.branch(call.conversation_id))
        summary = None if current is None else asdict(current.summary)
        about = {"memory_key": key(call), "messages": n_turns, "has_pending_compaction": pending is not None}
        rows = [_written(one) for one in known]
        if summary is not None:
            rows += [listed("summary", {}, [element(name, {}, _text(value)) for name, value in summary.items()])]
        fields = {**about, "experiences": [{"id": one.id, "text": one.text} for one in known], "summary": summary}
        return Answer(listed("context", about, rows), fields)

    return {"remember": remember, "forget": forget, "compact": compact, "inspect": inspect}


def _written(known: Experience) -> str:
    return answered("exp", {"id": known.id}, known.text).xml


def _text(value: str | list[str]) -> str:
    return value if isinstance(value, str) else "\n".join(f"- {one}" for one in value)
