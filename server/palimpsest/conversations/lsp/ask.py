"""`palimpsest.ask`: something is said in a conversation, without a document of it; something is added to it without an
answer; how many tokens it takes.

In: `{text, conversation?, uri?, position?}`.  Out: `{conversation, reply, refs, calls, documents, usage}`.  While the
reply is written, the progress shows its last line.  What comes with a message, and what a descriptor is made of, are
texts, parts of documents and whole files, with what they are (`terminal`, `file:shop/cart.py`).  Of a document that is
not open its file is read, as far as a model may see it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from palimpsest.conversations.budgets import ConversationUsage
from palimpsest.conversations.calls.parsing import calls_in
from palimpsest.conversations.conversations import name_of
from palimpsest.conversations.conversing import Reply, ReplyOptions
from palimpsest.conversations.descriptors.incoming import MessagePart
from palimpsest.conversations.events import TurnText
from palimpsest.conversations.feature import conversations_of
from palimpsest.conversations.memory import Memory
from palimpsest.conversations.prompt_builder import CursorPlace
from palimpsest.conversations.refs.tags import PROBLEMS, extracted
from palimpsest.conversations.turns import Role
from palimpsest.errors import InvalidArgument, PalimpsestError
from palimpsest.languages.registry import language_of
from palimpsest.lsp.arguments import At, Between
from palimpsest.lsp.command import Commands
from palimpsest.lsp.convert import position_in
from palimpsest.lsp.progress import report
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.system.reading import Refused
from palimpsest.text.snapshot import Snapshot
from palimpsest.text.uris import path_or_none
from palimpsest.workspace.files import MAX_BYTES, WorkspaceFiles
from palimpsest.workspace.large_files import pieces

MOST_PARTS = 50


@dataclass(frozen=True, slots=True)
class PartOf:
    """`content`, or the document `uri` with `range`, or all of it.  `name` says what it is, such as a command."""

    kind: Literal["text", "selection", "terminal", "file", "tool"] = "text"
    content: str = ""
    uri: str = ""
    range: Between | None = None
    name: str = ""
    language: str = ""


async def parts_of(server: PalimpsestServer, given: Sequence[PartOf]) -> list[MessagePart]:
    """Raises InvalidArgument."""
    if len(given) > MOST_PARTS:
        raise InvalidArgument("parts", f"{MOST_PARTS} are taken at most, not {len(given)}.")
    return [await _part(server, number, one) for number, one in enumerate(given)]


async def _part(server: PalimpsestServer, number: int, one: PartOf) -> MessagePart:
    if one.uri:
        found, source, language = await text_at(server, one.uri, one.range)
        return MessagePart(found if isinstance(found, str) else "".join(found), source, one.language or language)
    if not one.content:
        raise InvalidArgument(f"parts[{number}].content", "is missing; give a text, or the uri of a document.")
    return MessagePart(one.content, f"{one.kind}:{one.name}" if one.name else one.kind, one.language)


async def text_at(
    server: PalimpsestServer, uri: str, range: Between | None = None
) -> tuple[str | Iterable[str], str, str]:
    """(Text, source, language) of a document or a part of it.  A large file's text comes in pieces; reading them raises
    InvalidArgument where it cannot go on."""
    session = server.window.session
    snapshot = session.documents.find(uri)
    if snapshot is None:
        found = await asyncio.to_thread(_on_disk, server, uri)
        if not isinstance(found, Snapshot):
            if range is not None:
                raise InvalidArgument("range", f"{uri} is too large for a part of it; open it, or take all of it.")
            return found, f"file:{_shown(server, uri)}", ""
        snapshot = found
    else:
        session.services.privacy.check(snapshot)
    language = language_of(snapshot.language_id, str(path_or_none(snapshot.uri) or "")).id
    if range is None:
        return snapshot.text, f"file:{_shown(server, uri)}", language
    encoding = server.window.client.encoding
    start, end = (position_in(snapshot, at.lsp, encoding) for at in (range.start, range.end))
    text = snapshot.text[snapshot.offset(start) : snapshot.offset(end)]
    return text, f"selection:{_shown(server, uri)}", language


def _on_disk(server: PalimpsestServer, uri: str) -> Snapshot | Iterable[str]:
    path, session = path_or_none(uri), server.window.session
    if path is None:
        raise InvalidArgument("uri", f"{uri[:200]} is neither open nor a file.")
    files = WorkspaceFiles(
        session.services.roots.folders, session.services.settings.context.exclude, session.documents.find
    )
    if (found := files.source(path)) is not None:
        return Snapshot(uri, 0, "", found.text)
    try:
        is_large = files.kept_out(path) is None and path.is_file() and path.stat().st_size > MAX_BYTES
    except (OSError, ValueError):
        is_large = False
    if not is_large:
        raise InvalidArgument("uri", f"{uri[:200]} {files.why_not(path) or 'cannot be read'}.")
    return _large(uri, path, files)


def _large(uri: str, path: Path, files: WorkspaceFiles) -> Iterable[str]:
    try:
        yield from pieces(path, files)
    except Refused as error:
        raise InvalidArgument("uri", f"{uri[:200]} {error}.") from None
    except OSError as error:
        raise PalimpsestError(f"{uri[:200]} cannot be read: {error.strerror or error}.") from error


def _shown(server: PalimpsestServer, uri: str) -> str:
    return server.window.session.services.roots.locate(uri)[1]


LONGEST_REPORT = 80
"""Characters of a line of progress."""


@dataclass(frozen=True, slots=True)
class Ask:
    """`uri` and `position`: whose blocks the model sees; without them, those where the cursor was last.  Without
    `text`, what was said last in the conversation is answered again.  `parts`: what comes with it."""

    text: str = ""
    conversation: str = ""
    uri: str = ""
    position: At | None = None
    parts: list[PartOf] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Append:
    conversation: str
    role: Role
    content: str
    source: str = ""
    parts: list[PartOf] = field(default_factory=list)


COMMANDS = Commands()


@COMMANDS.add(
    "palimpsest.ask",
    "an answer in a conversation (a new one without `conversation`), seen with the blocks at the cursor",
    slow="Answering",
)
async def ask(server: PalimpsestServer, asked: Ask) -> dict[str, Any]:
    session = server.window.session
    memory = conversations_of(session).memory.now()
    parts = await parts_of(server, asked.parts)
    if not asked.conversation and not asked.text.strip() and not parts:
        raise InvalidArgument("text", "is empty.")
    talk = asked.conversation
    if not talk:
        workspace = session.services.roots.names
        talk = (await memory.writes.run(memory.conversations.new, name_of(asked.text), workspace=workspace)).id

    def came(event: TurnText) -> None:
        if event.conversation == talk:
            report((event.text or event.thought).rstrip().rpartition("\n")[2][-LONGEST_REPORT:])

    stop = session.events.on(TurnText, came)
    try:
        said = asked.text or ("" if parts else None)
        reply = await conversations_of(session).conversing.send(
            talk, said, ReplyOptions(_cursor(server, asked), parts=parts)
        )
    finally:
        stop()
    taken = await conversations_of(session).conversing.usage(reply.turn.conversation)
    return {**answered(memory, reply), "usage": {"decoded": reply.decoded, **_usage(taken)}}


@COMMANDS.add(
    "palimpsest.conversation.append",
    "a turn made elsewhere (an agent's reply, something pasted) enters as if made here; its calls are not run",
)
async def append(server: PalimpsestServer, turn: Append) -> dict[str, Any]:
    """A turn made elsewhere enters as if made here; what it calls is not run."""
    conversing = conversations_of(server.window.session).conversing
    parts = await parts_of(server, turn.parts)
    said = await conversing.append(turn.conversation, turn.role, turn.content, turn.source, parts)
    memory = conversing.memory
    found = calls_in(turn.content, conversing.tools.parameters()) if turn.role == "assistant" else []
    return {
        "turn": said.id,
        "fd": said.descriptor,
        "refs": [ref.id for ref in memory.refs.list(turn.conversation) if ref.turn == said.id],
        "problems": list(said.details.get(PROBLEMS, ())),
        "documents": [asdict(one) for one in memory.documents.of_turn(said.id)],
        "calls": [{"name": call.name, "status": "not run"} for call in found],
    }


def answered(memory: Memory, reply: Reply) -> dict[str, Any]:
    """A reply as `palimpsest.ask` answers it; the documents that the message links to come before those that were found
    or read for the reply."""
    asked = reply.turns[0].parent if reply.turns else reply.turn.parent
    turns = [*([asked] if asked is not None else []), *(turn.id for turn in reply.turns)]
    tagged = [ref.id for turn in reply.turns for ref in extracted(memory.turns.text(turn), turn.details).refs]
    return {
        "conversation": reply.turn.conversation,
        "turn": reply.turn.id,
        "reply": reply.text,
        "stopped": reply.stopped,
        "refs": list(dict.fromkeys(tagged)),  # also one that is as it was before
        "problems": [problem for turn in reply.turns for problem in turn.details.get(PROBLEMS, ())],
        "calls": [
            {"name": call.name, "arguments": dict(call.arguments), "status": call.status, "fd": call.descriptor}
            for turn in reply.turns
            for call in memory.turns.calls(turn.id)
        ],
        "documents": [{"turn": turn, **asdict(one)} for turn in turns for one in memory.documents.of_turn(turn)],
    }


async def usage_of(server: PalimpsestServer, conversation: str, *, items: bool) -> dict[str, Any]:
    """`items`: with what each message, result, tool and block of it takes."""
    conversing = conversations_of(server.window.session).conversing
    answer = _usage(await conversing.usage(conversation))
    return answer | ({"items": await conversing.usage_items(conversation)} if items else {})


def _usage(found: ConversationUsage) -> dict[str, Any]:
    """With the field names of docs/commands.md.  `compact`: it is time to."""
    parts = {name: asdict(part) | {"percentage": part.percentage} for name, part in found.parts.items()}
    return {
        "total": found.total,
        "used": found.used,
        "available": found.available,
        "parts": {**parts, "blocks": found.blocks},
        "estimated": found.estimated,
        "compact": found.should_compact(),
    }


def _cursor(server: PalimpsestServer, asked: Ask) -> CursorPlace | None:
    """Raises InvalidArgument for a document that is not open."""
    session = server.window.session
    if asked.uri:
        snapshot = session.documents.get(asked.uri)
        where = (asked.position or At(0, 0)).lsp
        return CursorPlace(snapshot.uri, position_in(snapshot, where, server.window.client.encoding))
    return None if session.cursor.code is None else CursorPlace(*session.cursor.code)
