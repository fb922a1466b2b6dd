"""What the tools do that need an engine, or the workspace's documents.

In: nothing.  Out: handlers, which pass the call on.
"""

from __future__ import annotations

from palimpsest.conversations.tools.call import Call, Handlers
from palimpsest.conversations.tools.tool import Answer


async def _fork(call: Call) -> Answer:
    return await call.hands.fork(call.conversation_id, call.texts("tasks"))


async def _spawn(call: Call) -> Answer:
    return await call.hands.spawn(
        call.conversation_id,
        call.text("task"),
        call.text("instruction"),
        call.texts("preload_fds"),
        call.texts("preload_files"),
        call.texts("preload_temp_files"),
    )


async def _gather(call: Call) -> Answer:
    return await call.hands.gather(call.conversation_id, call.is_set("include_history"))


async def _read_document(call: Call) -> Answer:
    return await call.hands.read_document(call.conversation_id, call.text("document"), call.text("heading"))


async def _find_documents(call: Call) -> Answer:
    return await call.hands.find_documents(call.conversation_id, call.text("query"), call.number("limit"))


async def _find_excerpts(call: Call) -> Answer:
    return await call.hands.find_excerpts(call.conversation_id, call.text("query"), call.number("limit"))


HANDLERS: Handlers = {
    "fork": _fork,
    "spawn": _spawn,
    "gather": _gather,
    "read_document": _read_document,
    "find_documents": _find_documents,
    "find_excerpts": _find_excerpts,
}
