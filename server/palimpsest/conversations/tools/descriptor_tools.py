"""What the tools for descriptors do.

In: a conversation's descriptors.  Out: handlers.
"""

from __future__ import annotations

import asyncio

from palimpsest.conversations.descriptors import results
from palimpsest.conversations.descriptors.addresses import is_own
from palimpsest.conversations.descriptors.descriptors import Descriptor, Descriptors
from palimpsest.conversations.descriptors.pages import Reading
from palimpsest.conversations.descriptors.reader import WAYS, Wanted, name_of_unit
from palimpsest.conversations.tools.call import Call, Handlers
from palimpsest.conversations.tools.ref_tools import mode_of
from palimpsest.conversations.tools.tool import Answer
from palimpsest.errors import InvalidArgument


def handlers(descriptors: Descriptors) -> Handlers:
    async def read_fd(call: Call) -> Answer:
        """Where a part of a long text is read for the first time, with a sentence on the whole."""
        if call.is_set("extract"):
            return await asyncio.to_thread(extracted, call)
        part, one = await asyncio.to_thread(read, call)
        is_new = is_own(one.id) and not one.summary and one.pages > 1 and len(part.content) < one.n_chars
        summary = await call.hands.summary(call.conversation_id, one.id) if is_new else ""
        return _answer(results.read(part, {"summary": summary} if summary else None))

    def read(call: Call) -> tuple[Reading, Descriptor]:
        fd = _fd(call)
        part = descriptors.read(call.conversation_id, fd, wanted(call), most=call.most_chars)
        return part, descriptors.get(call.conversation_id, fd)

    def extracted(call: Call) -> Answer:
        made = descriptors.extract(call.conversation_id, _fd(call), wanted(call))
        return _answer(results.created(made, descriptors.read(call.conversation_id, made.id)))

    def wanted(call: Call) -> Wanted:
        ways = {name: value for name, value in call.arguments.items() if name in WAYS}
        about = (call.text(name) for name in ("fd", "name", "unit", "name_of_unit"))
        return Wanted(**{**ways, "name_of_unit": name_of_unit(*about)})

    def search_fd(call: Call) -> Answer:
        context = call.number("context")
        found = descriptors.search(
            call.conversation_id,
            _fd(call),
            call.text("query"),
            regex=call.is_set("regex"),
            case_sensitive=call.is_set("case_sensitive"),
            context=2 if context is None else context,
        )
        return _answer(results.found(found))

    def rename_fd(call: Call) -> Answer:
        names = {call.text("fd"): call.text("name")}
        return _answer(results.renamed(descriptors.rename(call.conversation_id, names)))

    def rename_fds(call: Call) -> Answer:
        return _answer(results.renamed(descriptors.rename(call.conversation_id, call.arguments["names"])))

    def close_fds(call: Call) -> Answer:
        return _answer(results.closed(descriptors.close(call.conversation_id, call.texts("fds"))))

    async def fd_to_file(call: Call) -> Answer:
        fd, path, mode = call.text("fd"), call.text("file_path"), mode_of(call)
        text = await asyncio.to_thread(descriptors.text, call.conversation_id, fd)
        line, overwrite = call.number("insert_at_line"), call.is_set("overwrite")
        done = await call.hands.write_file(call.conversation_id, path, text, mode, line, overwrite)
        id = descriptors.id_of(call.conversation_id, fd)
        return _answer(results.written(id, path, mode, done.bytes, done.lines))

    return {
        "read_fd": read_fd,
        "search_fd": search_fd,
        "rename_fd": rename_fd,
        "rename_fds": rename_fds,
        "close_fds": close_fds,
        "fd_to_file": fd_to_file,
        **_of_sections(descriptors),
    }


def _of_sections(descriptors: Descriptors) -> Handlers:
    def mark(call: Call) -> Answer:
        lines = call.arguments["start_line"], call.arguments["end_line"]
        made = descriptors.mark(call.conversation_id, call.text("fd"), call.text("ref_id"), *lines)
        return _answer(results.marked(made))

    def get(call: Call) -> Answer:
        fd, name = call.text("fd"), call.text("ref_id")
        part = descriptors.section(call.conversation_id, fd, name, most=call.most_chars)
        return _answer(results.section_read(part, call.text("ref_id")))

    def listed(call: Call) -> Answer:
        of = call.conversation_id, call.text("fd")
        return _answer(results.sections(descriptors.id_of(*of), descriptors.sections(*of)))

    def delete(call: Call) -> Answer:
        gone = descriptors.unmark(call.conversation_id, call.text("fd"), call.text("ref_id"))
        return _answer(results.unmarked(gone))

    return {"mark_fd_section": mark, "get_fd_section": get, "list_fd_sections": listed, "delete_fd_section": delete}


def wrapped(
    descriptors: Descriptors, conversation_id: str, text: str, source: str, threshold: int, page_size: int, pretty: bool
) -> tuple[str, Answer]:
    """A text that is too long to be shown as a descriptor, with its preview."""
    made = descriptors.create(conversation_id, text, source, page_size=page_size, pretty=pretty)
    return made.id, _answer(results.created(made, descriptors.read(conversation_id, made.id), threshold))


def _fd(call: Call) -> str:
    """By `fd` or by `name`."""
    given = call.text("fd") or call.text("name")
    if not given:
        raise InvalidArgument("fd", "is missing: the id or name of the descriptor.", hint='As in read_fd(fd="fd-3").')
    return given


def _answer(result: results.Result) -> Answer:
    fields, xml = result
    return Answer(xml, fields)
