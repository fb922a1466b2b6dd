"""The refs of conversations: listed, read, written to files.

In: a conversation, ids, paths.  Out: fields, and XML as a model reads it.  What is kept is
`conversations/refs/`'s to know.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Protocol

from palimpsest.conversations.refs import results
from palimpsest.conversations.tools.ref_tools import for_file
from palimpsest.errors import AlreadyExists, NotFound
from palimpsest.json_data import Range
from palimpsest.lsp.arguments import LARGEST, Conversation
from palimpsest.lsp.asking import confirmed
from palimpsest.lsp.command import Command
from palimpsest.lsp.file_writing import write_file
from palimpsest.workspace.changes import Mode
from palimpsest.workspace.writing import Written

if TYPE_CHECKING:
    from palimpsest.conversations.memory import Memory
    from palimpsest.lsp.server import PalimpsestServer

WRITE = "palimpsest.refs.write"
Line = Annotated[int, Range(1, LARGEST)]
OVERWRITE = "{} exists already. Replace what is in it?"


@dataclass(frozen=True, slots=True)
class GetRef:
    conversation: str
    ref_id: str
    version: Line | None = None


@dataclass(frozen=True, slots=True)
class AddRef:
    """`turn`: which has it; the last one that is shown, if none is named.  `tell`: the person is told."""

    conversation: str
    ref_id: str
    content: str
    attributes: dict[str, str] = field(default_factory=dict)
    turn: Line | None = None
    tell: bool = False


@dataclass(frozen=True, slots=True)
class WriteRef:
    """`ask`: where the file is there already, the person is asked whether it may be replaced."""

    conversation: str
    ref_id: str
    file_path: str
    mode: Mode = "write"
    insert_at_line: Line | None = None
    overwrite: bool = False
    version: Line | None = None
    ask: bool = False


async def list_refs(server: PalimpsestServer, asked: Conversation) -> dict[str, Any]:
    return await asyncio.to_thread(_listed, server.window.session.conversing.memory, asked)


async def get_ref(server: PalimpsestServer, asked: GetRef) -> dict[str, Any]:
    return await asyncio.to_thread(_got, server.window.session.conversing.memory, asked)


async def add_ref(server: PalimpsestServer, asked: AddRef) -> dict[str, Any]:
    """As if a turn of the conversation had marked it."""
    made = await asyncio.to_thread(_added, server.window.session.conversing.memory, asked)
    if asked.tell:
        server.window.report.tell(f"{made['id']} is a ref now.")
    return made


async def write_ref(server: PalimpsestServer, asked: WriteRef) -> dict[str, Any]:
    wanted = GetRef(asked.conversation, asked.ref_id, asked.version)
    content = (await get_ref(server, wanted))["content"]
    done = await write_asking(server, asked, for_file(content, asked.file_path))
    told = asked.ref_id, done.shown, asked.mode, done.bytes, done.lines
    return {**results.write_fields(*told), "xml": results.write_xml(*told)}


class Asked(Protocol):
    """How a text is to be written."""

    @property
    def file_path(self) -> str: ...
    @property
    def mode(self) -> Mode: ...
    @property
    def insert_at_line(self) -> int | None: ...
    @property
    def overwrite(self) -> bool: ...
    @property
    def ask(self) -> bool: ...


async def write_asking(server: PalimpsestServer, asked: Asked, text: str) -> Written:
    """`ask`: a file that is there already is replaced if the person says so."""
    options: dict[str, Any] = {"mode": asked.mode, "insert_at_line": asked.insert_at_line}
    try:
        return await write_file(server, asked.file_path, text, overwrite=asked.overwrite, **options)
    except AlreadyExists:
        if not asked.ask or not await confirmed(server, OVERWRITE.format(asked.file_path), "Replace"):
            raise
    return await write_file(server, asked.file_path, text, overwrite=True, **options)


def _listed(memory: Memory, asked: Conversation) -> dict[str, Any]:
    memory.conversations.get(asked.conversation)
    found = memory.refs.list(asked.conversation)
    return {**results.list_fields(found), "xml": results.list_xml(found)}


def _got(memory: Memory, asked: GetRef) -> dict[str, Any]:
    memory.conversations.get(asked.conversation)
    ref = memory.refs.get(asked.conversation, asked.ref_id, asked.version)
    content = memory.refs.content(ref)
    return {**results.content_fields(ref, content), "xml": results.content_xml(ref, content)}


def _added(memory: Memory, asked: AddRef) -> dict[str, Any]:
    turn = memory.conversations.get(asked.conversation).head if asked.turn is None else asked.turn
    if asked.turn is not None and asked.turn not in [one.id for one in memory.turns.branch(asked.conversation)]:
        raise NotFound("turn", f"the conversation shows no turn {asked.turn}.")
    ref = memory.refs.add(asked.conversation, turn, asked.ref_id, asked.content, asked.attributes)
    return {**results.fields_of(ref), "xml": results.content_xml(ref, asked.content)}


ADD = Command(
    "palimpsest.refs.add",
    AddRef,
    add_ref,
    "keeps a text as a ref of a conversation, as if a turn had marked it; the same id again makes a new version",
    changes=True,
)
COMMANDS = (
    Command("palimpsest.refs.list", Conversation, list_refs, "the refs of a conversation, each in its newest version"),
    Command("palimpsest.refs.get", GetRef, get_ref, "a ref's content, of its newest version or of another one"),
    ADD,
    Command(
        WRITE,
        WriteRef,
        write_ref,
        "writes a ref to a file of the workspace: a new one, behind what is in it (`append`) or at a line (`insert`, "
        "from 1); where the file is open through the editor, so that it can be undone. A file that exists is replaced "
        "only with `overwrite`, or, with `ask`, when the person says so",
    ),
)
