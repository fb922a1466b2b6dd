"""Operations on descriptors and their sections (docs/formats.md, "Calls by the model")."""

import asyncio

from palimpsest.conversations.answers import Answer, answered
from palimpsest.conversations.descriptors import results
from palimpsest.conversations.descriptors.addresses import is_own
from palimpsest.conversations.descriptors.descriptors import MOST_CONTEXT, Descriptor, Descriptors
from palimpsest.conversations.descriptors.reader import WAYS, PageReading, PartWanted, name_of_unit
from palimpsest.conversations.operations.operation import (
    Operation,
    OperationCall,
    OperationParameter,
    of_programs,
    required,
)
from palimpsest.conversations.operations.refs import ASK, WRITING, file_of
from palimpsest.conversations.refs.results import file_written
from palimpsest.errors import InvalidArgument

CONTEXT = 2
"""Lines around a match."""

FD = OperationParameter("fd", "text", "id or name of the descriptor; turn-<n>, result-<n>-<m> and ref:<id> work too")
NAME = OperationParameter("name", "text", "the descriptor's name, instead of fd")
_ID = required("fd", "text", "id or name of the descriptor", may_omit=True)
_NAME = of_programs("name", "text", "its name, instead of fd")
_REF_ID = required("ref_id", "text", "name of the section", also=("section",))
_SEARCHED = ("search", "find", "look", "error", "grep", "log", "where", "which")
_SECTIONS = ("section", "mark", "bookmark", "part", "passage")


def create_fd(call: OperationCall) -> Answer:
    content = call.arguments.get("content", "")
    if not content:
        raise InvalidArgument("content", "is missing; give a text, or the uri of a document that has one.")
    made = call.memory.descriptors.create(
        call.conversation_id,
        content,
        call.text("source", "selection"),
        call.text("name"),
        call.text("language"),
        page_size=call.page_size,
        pretty=call.pretty,
    )
    return _preview(call, made)


def list_fds(call: OperationCall) -> Answer:
    return results.descriptors(call.memory.descriptors.list(call.conversation_id))


async def read_fd(call: OperationCall) -> Answer:
    """Where a model reads a part of a long text for the first time, with a sentence on the whole."""
    part, one = await asyncio.to_thread(_read, call)
    if part is None:
        return await asyncio.to_thread(_preview, call, one)
    is_new = is_own(one.id) and not one.summary and one.pages > 1 and len(part.content) < one.n_chars
    asks = call.by == "model" and is_new
    summary = await call.outside.summary(call.conversation_id, one.id) if asks else ""
    return results.read(part, {"summary": summary} if summary else None)


def _read(call: OperationCall) -> tuple[PageReading | None, Descriptor]:
    """The part, none where a new descriptor is made of it."""
    descriptors, fd, talk = call.memory.descriptors, _fd(call), call.conversation_id
    ways = {name: value for name, value in call.arguments.items() if name in WAYS}
    about = (call.text(name) for name in ("fd", "name", "unit", "name_of_unit"))
    wanted = PartWanted(**{**ways, "name_of_unit": name_of_unit(*about)})
    if call.is_set("extract"):
        return None, descriptors.extract(talk, fd, wanted)
    return descriptors.read(talk, fd, wanted, most=call.most_chars), descriptors.get(talk, fd)


def search_fd(call: OperationCall) -> Answer:
    context = call.number("context")
    answer = call.memory.descriptors.search(
        call.conversation_id,
        _fd(call),
        call.text("query"),
        regex=call.is_set("regex"),
        case_sensitive=call.is_set("case_sensitive"),
        context=CONTEXT if context is None else context,
    )
    return results.found(answer)


def rename_fds(call: OperationCall) -> Answer:
    names = call.arguments.get("names")
    if names is None and "fd" in call.arguments:
        names = {call.text("fd"): call.text("name")}
    if names is None:
        raise InvalidArgument("names", "is missing; give fd and name, or names with a name for each fd.")
    return results.renamed(call.memory.descriptors.rename(call.conversation_id, names))


def close_fds(call: OperationCall) -> Answer:
    fds = call.arguments.get("fds")
    if fds is None and "fd" in call.arguments:
        fds = [call.text("fd")]
    if fds is None:
        raise InvalidArgument("fds", "is missing: the ids of the descriptors.")
    return results.closed(call.memory.descriptors.close(call.conversation_id, fds))


async def summarize_fd(call: OperationCall) -> Answer:
    """Have the model say what a descriptor is about, by the beginning of its text."""
    fd = _fd(call)
    await call.outside.summarize(call.conversation_id, fd)
    return results.descriptors([await asyncio.to_thread(call.memory.descriptors.get, call.conversation_id, fd)])


def mark_section(call: OperationCall) -> Answer:
    lines = call.arguments["start_line"], call.arguments["end_line"]
    return answered(
        "fd_section_marked",
        results.section_fields(
            call.memory.descriptors.mark(call.conversation_id, _fd(call), call.text("ref_id"), *lines)
        ),
    )


def get_section(call: OperationCall) -> Answer:
    name = call.text("ref_id")
    part = call.memory.descriptors.section(call.conversation_id, _fd(call), name, most=call.most_chars)
    return results.section_read(part, name)


def list_sections(call: OperationCall) -> Answer:
    descriptors, of = call.memory.descriptors, (call.conversation_id, _fd(call))
    return results.sections(descriptors.id_of(*of), descriptors.sections(*of))


def delete_section(call: OperationCall) -> Answer:
    gone = call.memory.descriptors.unmark(call.conversation_id, _fd(call), call.text("ref_id"))
    return answered("fd_section_deleted", {"fd": gone.fd, "ref_id": gone.name})


async def fd_to_file(call: OperationCall) -> Answer:
    descriptors, fd = call.memory.descriptors, _fd(call)
    file = file_of(call, await asyncio.to_thread(descriptors.text, call.conversation_id, fd))
    done = await call.outside.host.write_file(call.conversation_id, file)
    id = await asyncio.to_thread(descriptors.id_of, call.conversation_id, fd)
    message = f"Content of {id} successfully written to {done.shown}"
    return file_written("fd_write", {"fd": id}, done.shown, file.mode, done.bytes, done.lines, message)


def wrapped(
    descriptors: Descriptors, conversation_id: str, text: str, source: str, threshold: int, page_size: int, pretty: bool
) -> tuple[str, Answer]:
    """A text that is too long to be shown as a descriptor, with its preview."""
    made = descriptors.create(conversation_id, text, source, page_size=page_size, pretty=pretty)
    return made.id, results.created(made, descriptors.read(conversation_id, made.id), threshold)


def _preview(call: OperationCall, made: Descriptor) -> Answer:
    return results.created(made, call.memory.descriptors.read(call.conversation_id, made.id))


def _fd(call: OperationCall) -> str:
    """The descriptor that the call names by `fd` or by `name`.  Raises InvalidArgument where it names none."""
    given = call.text("fd") or call.text("name")
    if not given:
        hint = 'As in read_fd(fd="fd-3").' if call.by == "model" else ""
        raise InvalidArgument("fd", "is missing: the id or name of the descriptor.", hint=hint)
    return given


OPERATIONS = (
    Operation(
        "create_fd",
        "Put a long text into a conversation, where the local model reads it page by page.",
        create_fd,
        (
            required("content", "text", "the text", may_omit=True),
            of_programs("uri", "text", "a document or file, instead of content", use="document"),
            of_programs("range", "range", "the part of it", use="part"),
            of_programs("source", "text", "what it is"),
            OperationParameter("name", "text", "a name for it"),
            of_programs("language", "text", "where the document does not say it"),
            of_programs("tell", "true or false", "the person is told its id", use="tell"),
        ),
        command="fd.create",
        does="puts a text, or an open document or a part of it, into a descriptor of a conversation",
        tell="The descriptor {fd} has it now.",
        changes=True,
        agents=("content", "name"),
    ),
    Operation(
        "read_fd",
        "Read a descriptor: a page, all of it, lines, characters, or a paragraph, function or class.",
        read_fd,
        (
            FD,
            OperationParameter("page", "whole number", "page, from 1", least=1),
            OperationParameter("read_all", "true or false", "everything at once"),
            OperationParameter("start_line", "whole number", "first line, from 1", least=1),
            OperationParameter("end_line", "whole number", "last line", least=1),
            OperationParameter("start_char", "whole number", "first character, from 0", least=0),
            OperationParameter("end_char", "whole number", "character behind the last", least=0),
            OperationParameter("unit", "text", "a part by what it is", choices=("paragraph", "function", "class")),
            OperationParameter("index", "whole number", "which one of these, from 1", least=1),
            OperationParameter("name_of_unit", "text", "its name, for functions and classes"),
            OperationParameter("extract", "true or false", "make a new descriptor of what is read"),
            NAME,
        ),
        'read_fd(fd="fd-3", page=2)',
        ("read", "page", "more", "rest", "output", "content", "whole", "log"),
        always=True,
        pages=True,
        command="fd.read",
        does="a part of a descriptor: a page, lines, characters, a paragraph, a function or class, or all; with "
        "`extract` it becomes a descriptor of its own",
        changes_with="extract",
        agents=("fd", "page", "read_all", "start_line", "end_line"),
        told_agents="A page of a descriptor (the first one unless another is asked for), some of its lines, or all of "
        "it.",
    ),
    Operation(
        "search_fd",
        "Find text in a descriptor without reading all of it.",
        search_fd,
        (
            FD,
            required("query", "text", "what to find", also=("pattern", "text")),
            OperationParameter("regex", "true or false", "the query is a regular expression of RE2 (no look-around)"),
            OperationParameter("case_sensitive", "true or false", "tell capital letters apart"),
            OperationParameter("context", "whole number", "lines around each match", least=0, most=MOST_CONTEXT),
            NAME,
        ),
        'search_fd(fd="fd-3", query="ERROR")',
        _SEARCHED,
        always=True,
        command="fd.search",
        does="where a text or a regular expression is in a descriptor",
        agents=("fd", "query", "regex", "context"),
        told_agents="The lines of a descriptor that have a text, or match a regular expression, with some around them.",
    ),
    Operation(
        "list_fds",
        "List a conversation's descriptors: long texts that are read in pages.",
        list_fds,
        command="fd.list",
        does="the descriptors of a conversation",
        agents=(),
    ),
    Operation(
        "rename_fd",
        "Give a descriptor a name, which then works like its id.",
        rename_fds,
        (_ID, required("name", "text", "the new name", also=("new_name",))),
        'rename_fd(fd="fd-3", name="error_logs")',
        ("rename", "name", "call"),
        stores=True,
    ),
    Operation(
        "rename_fds",
        "Give several descriptors names.",
        rename_fds,
        (
            of_programs("fd", "text", "one alone"),
            of_programs("name", "text", "its new name"),
            required("names", "texts by name", "id and new name of each", also=("fds",), may_omit=True),
        ),
        'rename_fds({"fd-3": "error_logs", "fd-4": "config"})',
        ("rename", "name", "names"),
        command="fd.rename",
        does="gives descriptors names, which then stand for their ids",
        changes=True,
        stores=True,
    ),
    Operation(
        "close_fds",
        "Close descriptors that are not needed any more.",
        close_fds,
        (
            of_programs("fd", "text", "one alone"),
            required("fds", "list of texts", "ids or names", also=("fd",), may_omit=True),
        ),
        'close_fds(["fd-3", "fd-4"])',
        ("close", "clean", "forget", "drop"),
        command="fd.close",
        does="takes descriptors off the list; their ids are not given again",
        changes=True,
        stores=True,
    ),
    Operation(
        "mark_fd_section",
        "Give lines of a descriptor a name, to find them again.",
        mark_section,
        (
            _ID,
            _NAME,
            required("start_line", "whole number", "first line, from 1", least=1),
            required("end_line", "whole number", "last line", least=1),
            _REF_ID,
        ),
        'mark_fd_section(fd="fd-3", start_line=45, end_line=52, ref_id="bug_details")',
        _SECTIONS,
        command="fd.mark",
        does="gives lines of a descriptor a name: a section",
        changes=True,
        stores=True,
    ),
    Operation(
        "get_fd_section",
        "Read a section that was marked.",
        get_section,
        (_ID, _NAME, _REF_ID),
        'get_fd_section(fd="fd-3", ref_id="bug_details")',
        _SECTIONS,
        pages=True,
        command="fd.section",
        does="a section's text",
    ),
    Operation(
        "list_fd_sections",
        "List the sections that were marked in a descriptor.",
        list_sections,
        (_ID, _NAME),
        'list_fd_sections(fd="fd-3")',
        _SECTIONS,
        command="fd.sections",
        does="the sections of a descriptor",
    ),
    Operation(
        "delete_fd_section",
        "Remove a section's mark.",
        delete_section,
        (_ID, _NAME, _REF_ID),
        'delete_fd_section(fd="fd-3", ref_id="bug_details")',
        _SECTIONS,
        command="fd.unmark",
        does="takes a section's name away; the text stays",
        changes=True,
        stores=True,
    ),
    Operation(
        "summarize_fd",
        "Have the model say in a sentence what a descriptor is about.",
        summarize_fd,
        (_ID, _NAME),
        command="fd.summarize",
        does="has the model say in a sentence what a descriptor is about; kept with it",
        slow="Summarizing",
        changes=True,
    ),
    Operation(
        "fd_to_file",
        "Write a descriptor's content to a file of the workspace.",
        fd_to_file,
        (
            _ID,
            _NAME,
            required("file_path", "text", "the file, relative to the workspace", also=("path", "file")),
            *WRITING,
            ASK,
        ),
        'fd_to_file(fd="fd-3", file_path="build.log")',
        ("write", "save", "file", "export", "append", "insert"),
        writes=True,
        command="fd.write",
        does="writes a descriptor to a file, as `palimpsest.refs.write` does",
    ),
)
