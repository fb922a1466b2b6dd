"""Operations on refs (docs/formats.md, "Refs" and "Calls by the model")."""

import asyncio
from dataclasses import replace
from functools import partial

from palimpsest.conversations.answers import Answer
from palimpsest.conversations.operations.operation import (
    Operation,
    OperationCall,
    OperationParameter,
    of_programs,
    required,
)
from palimpsest.conversations.refs import results
from palimpsest.documents.markdown import unfenced
from palimpsest.errors import InvalidArgument, NotFound
from palimpsest.languages.placeholders import placeholder_between
from palimpsest.languages.registry import is_prose, language_of
from palimpsest.workspace.changes import MODES, FileWrite

WRITING = (
    OperationParameter("mode", "text", "how it is written", choices=MODES),
    OperationParameter("insert_at_line", "whole number", "with mode=insert: the line, from 1", least=1, also=("line",)),
    OperationParameter("overwrite", "true or false", "with mode=write: replace a file that exists"),
)
ASK = of_programs(
    "ask", "true or false", "where the file exists, the person is asked whether it may be replaced", use="ask"
)
_REF_ID = required("ref_id", "text", "id of the ref", also=("id", "ref"))


def list_refs(call: OperationCall) -> Answer:
    return results.refs(call.memory.refs.list(call.conversation_id))


def get_ref(call: OperationCall) -> Answer:
    ref = call.memory.refs.get(call.conversation_id, call.text("ref_id"), call.number("version"))
    return results.content(ref, call.memory.refs.content(ref))


def add_ref(call: OperationCall) -> Answer:
    """Keep a text as a ref, as if a turn of the conversation had marked it."""
    memory, turn, talk = call.memory, call.number("turn"), call.conversation_id
    if turn is None:
        turn = memory.conversations.get(talk).head
    elif turn not in [one.id for one in memory.turns.branch(talk)]:
        raise NotFound("turn", f"the conversation shows no turn {turn}.")
    content = call.text("content")
    ref = memory.refs.add(talk, turn, call.text("ref_id"), content, call.arguments.get("attributes", {}))
    return Answer(results.content(ref, content).xml, results.fields_of(ref))


async def ref_to_file(call: OperationCall) -> Answer:
    ref_id, content = call.text("ref_id"), (await asyncio.to_thread(get_ref, call)).text
    file = file_of(call, for_file(content, call.text("file_path")))
    file = replace(file, may_replace=partial(_check_replaces, file.path, file.text))
    done = await call.outside.host.write_file(call.conversation_id, file)
    return results.written(ref_id, done.shown, file.mode, done.bytes, done.lines)


def file_of(call: OperationCall, text: str) -> FileWrite:
    """A line to insert at, given by a model, says that it is an insertion."""
    line = call.number("insert_at_line")
    mode = call.arguments.get("mode", "insert" if call.by == "model" and line is not None else "write")
    return FileWrite(call.text("file_path"), text, mode, line, call.is_set("overwrite"))


def _check_replaces(path: str, text: str, before: str) -> None:
    """Raises InvalidArgument for a text that leaves code out where the file has it."""
    if left_out := placeholder_between(before, text, language_of("", path)):
        raise InvalidArgument("ref_id", f"{left_out!r} in it stands in place of code that {path} has; write all of it.")


def for_file(content: str, path: str) -> str:
    """A ref's content as a file has it: with an end to its last line, and out of the fence that holds all of it, unless
    the file is one for people, in which fences mean something."""
    kind = language_of("", path).id
    inner = content if kind and is_prose(kind) else unfenced(content)[0]
    return inner if not inner or inner.endswith("\n") else inner + "\n"


OPERATIONS = (
    Operation(
        "ref_to_file",
        "Write a ref's content to a file of the workspace: write, append, or insert at a line.",
        ref_to_file,
        (
            _REF_ID,
            required("file_path", "text", "the file, relative to the workspace", also=("path", "file")),
            *WRITING,
            of_programs("version", "whole number", "an earlier version, from 1", least=1),
            ASK,
        ),
        'ref_to_file(ref_id="example_code", file_path="hello.py")',
        ("write", "save", "file", "export", "append", "insert", "create"),
        writes=True,
        always=True,
        command="refs.write",
        does="writes a ref to a file of the workspace: a new one, behind what is in it (`append`) or at a line "
        "(`insert`, from 1); where the file is open through the editor, so that it can be undone. A file that exists "
        "is replaced only with `overwrite`, or, with `ask`, when the person says so",
    ),
    Operation(
        "list_refs",
        "List the refs of this conversation.",
        list_refs,
        (),
        "list_refs()",
        ("ref", "refs", "reference", "list"),
        command="refs.list",
        does="the refs of a conversation, each in its newest version",
        agents=(),
        told_agents="The parts of a conversation's replies that have an id: lines, language, versions.",
    ),
    Operation(
        "get_ref",
        "Read a ref's content.",
        get_ref,
        (_REF_ID, OperationParameter("version", "whole number", "an earlier version, from 1", least=1)),
        'get_ref(ref_id="example_code")',
        ("ref", "refs", "reference", "earlier", "again", "reuse", "version"),
        command="refs.get",
        does="a ref's content, of its newest version or of another one",
        agents=("ref_id", "version"),
        told_agents="A ref's content, of its newest version or of another one.",
    ),
    Operation(
        "add_ref",
        "Keep a text under an id in a conversation; the same id again makes a new version.",
        add_ref,
        (
            _REF_ID,
            required("content", "text", "the text"),
            of_programs("attributes", "texts by name", "of its tag"),
            of_programs("turn", "whole number", "which has it; the last one that is shown, if none is named", least=1),
            of_programs("tell", "true or false", "the person is told", use="tell"),
        ),
        command="refs.add",
        does="keeps a text as a ref of a conversation, as if a turn had marked it; the same id again makes a new "
        "version",
        tell="{id} is a ref now.",
        changes=True,
        agents=("ref_id", "content"),
        stores=True,
    ),
)
