"""What the tools for experiences and compaction do, and what they answer.

In: the memory's owners.  Out: handlers, and answers that the editor's commands give as well.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from palimpsest.conversations.compaction.compactions import Compaction, Compactions, Summary
from palimpsest.conversations.conversations import Conversations
from palimpsest.conversations.experiences import Experience, Experiences
from palimpsest.conversations.tools.call import Call, Handlers
from palimpsest.conversations.tools.results import answered, element, listed
from palimpsest.conversations.tools.tool import Answer
from palimpsest.conversations.turns import Turns
from palimpsest.errors import Denied
from palimpsest.text.previews import preview

#: The person reads the text, since a model may have it from a comment or a document.
REMEMBER = "The model wants to remember in all conversations, not only in this one: {}"
FORGET = "The model wants to forget what is remembered in all conversations: {}"


def handlers(
    conversations: Conversations, turns: Turns, experiences: Experiences, compactions: Compactions
) -> Handlers:
    def key(call: Call) -> str:
        return conversations.get(call.conversation_id).memory_key

    async def remember(call: Call) -> Answer:
        kept = await asyncio.to_thread(_remember, call, alone=True)
        question = REMEMBER.format(preview(kept.text))
        if kept.alone and await others_have_it(call) and await agrees(call, question, "Remember", "Only here"):
            kept = await asyncio.to_thread(_remember, call, alone=False)
        return remembered(kept)

    def _remember(call: Call, *, alone: bool) -> Experience:
        return experiences.remember(key(call), call.text("text"), call.conversation_id, alone=alone)

    async def forget(call: Call) -> Answer:
        wanted, by = call.text("experience_id"), call.conversation_id
        known = await asyncio.to_thread(lambda: experiences.list(key(call), by))
        found = next((one for one in known if one.id == wanted and not one.alone), None)
        is_others = found is not None and await others_have_it(call)
        if found and is_others and not await agrees(call, FORGET.format(preview(found.text)), "Forget", "Keep it"):
            raise Denied("The person did not agree that it is forgotten.")
        return forgotten(await asyncio.to_thread(lambda: experiences.forget(key(call), wanted, by)))

    async def others_have_it(call: Call) -> bool:
        """Not what a fork has under its own key."""
        return not await asyncio.to_thread(lambda: experiences.is_fork(key(call)))

    async def agrees(call: Call, question: str, yes: str, no: str) -> bool:
        return await call.hands.agrees(call.conversation_id, question, yes, no)

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
        known, current = experiences.list(key(call), call.conversation_id), compactions.current(call.conversation_id)
        return inspected(key(call), len(branch), known, current, compactions.pending(call.conversation_id))

    return {"remember": remember, "forget": forget, "compact": compact, "inspect": inspect}


def remembered(known: Experience) -> Answer:
    return Answer(_written(known), _fields(known))


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
    fields = {**about, "experiences": [_fields(one) for one in known], "summary": summary}
    return Answer(listed("context", about, rows), fields)


def _fields(known: Experience) -> dict[str, Any]:
    return {"id": known.id, "text": known.text, **({"alone": True} if known.alone else {})}


def _written(known: Experience) -> str:
    alone = {"kept": "in this conversation"} if known.alone else {}
    return answered("exp", {"id": known.id, **alone}, known.text).xml


def _text(value: str | list[str]) -> str:
    return value if isinstance(value, str) else "\n".join(f"- {one}" for one in value)
