"""What the tools for refs do.

In: a conversation's refs.  Out: handlers.
"""

from __future__ import annotations

import asyncio

from palimpsest.conversations.refs import results
from palimpsest.conversations.refs.fences import unfenced
from palimpsest.conversations.refs.refs import Refs
from palimpsest.conversations.tools.call import Call, Handlers
from palimpsest.conversations.tools.tool import Answer
from palimpsest.languages.plain import is_prose
from palimpsest.languages.registry import language_of


def handlers(refs: Refs) -> Handlers:
    def list_refs(call: Call) -> Answer:
        found = refs.list(call.conversation_id)
        return Answer(results.list_xml(found), results.list_fields(found))

    def get_ref(call: Call) -> Answer:
        ref = refs.get(call.conversation_id, call.text("ref_id"), call.number("version"))
        content = refs.content(ref)
        return Answer(results.content_xml(ref, content), results.content_fields(ref, content), content)

    async def ref_to_file(call: Call) -> Answer:
        ref_id, path, mode = call.text("ref_id"), call.text("file_path"), mode_of(call)
        content = await asyncio.to_thread(lambda: refs.content(refs.get(call.conversation_id, ref_id)))
        written = await call.hands.write_file(
            call.conversation_id,
            path,
            for_file(content, path),
            mode,
            call.number("insert_at_line"),
            call.is_set("overwrite"),
        )
        sizes = mode, written.bytes, written.lines
        return Answer(results.write_xml(ref_id, path, *sizes), results.write_fields(ref_id, path, *sizes))

    return {"list_refs": list_refs, "get_ref": get_ref, "ref_to_file": ref_to_file}


def mode_of(call: Call) -> str:
    """A line to insert at says that it is an insertion."""
    return call.text("mode", "write" if call.number("insert_at_line") is None else "insert")


def for_file(content: str, path: str) -> str:
    """A ref's content as a file has it: with an end to its last line, and out of the fence that holds all of it, unless
    the file is one for people, in which fences mean something."""
    kind = language_of("", path).id
    inner = content if kind and is_prose(kind) else unfenced(content)[0]
    return inner if not inner or inner.endswith("\n") else inner + "\n"
