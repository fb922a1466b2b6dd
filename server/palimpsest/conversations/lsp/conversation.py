"""The workspace's conversations: begun, listed, opened as documents, called otherwise, deleted; what they have besides
their turns, as rows that an editor lists.

In: names, ids.  Out: fields; a conversation's document as text, for the client to show; of refs, descriptors, documents
and checkpoints what a row shows and what the other commands want to know.
"""

import asyncio
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from palimpsest.conversations.answers import time_written
from palimpsest.conversations.checkpoints import Checkpoint
from palimpsest.conversations.conversations import Conversation as Talk
from palimpsest.conversations.descriptors.descriptors import Descriptor
from palimpsest.conversations.descriptors.results import FROM_USER
from palimpsest.conversations.documents.reference import DocumentReference, wikilink_to, without_repeats
from palimpsest.conversations.events import ConversationChanged
from palimpsest.conversations.experiences import MAIN, checked_key
from palimpsest.conversations.feature import conversations_of
from palimpsest.conversations.lsp.link_ids import conversation_of, uri_of
from palimpsest.conversations.memory import Memory
from palimpsest.conversations.refs.refs import Ref
from palimpsest.conversations.transcript.showing import document_of
from palimpsest.errors import NotFound, StaleDocument
from palimpsest.json_data import Range
from palimpsest.lsp.arguments import ConversationArguments, Nothing
from palimpsest.lsp.command import Commands
from palimpsest.lsp.convert import TOP, position_out
from palimpsest.lsp.document_edits import ANSWER_S, applied
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.lsp.tolerance import LARGEST
from palimpsest.system.reading import MOST_OF_SOURCE, Refused, read_text
from palimpsest.text.amounts import amount
from palimpsest.text.conversations import SUFFIX
from palimpsest.text.snapshot import Snapshot
from palimpsest.text.uris import path_or_none

_UNFIT = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True)
class New:
    """`existing`: the one that is called so, or has this id, if there is one."""

    name: str = ""
    memory_key: str = MAIN
    existing: bool = False


@dataclass(frozen=True, slots=True)
class ForkArguments:
    """Up to `turn`, or all that is shown.  `uri`: the document that it is asked from."""

    conversation: str
    turn: Annotated[int, Range(1, LARGEST)] | None = None
    uri: str = ""


@dataclass(frozen=True, slots=True)
class RenameArguments:
    conversation: str
    name: str


COMMANDS = Commands()


@COMMANDS.add(
    "palimpsest.conversation.new",
    "begins a conversation, with `existing` only where none is called so; answers its document's name and text",
)
async def new(server: PalimpsestServer, asked: New) -> dict[str, Any]:
    session = server.window.session
    memory = conversations_of(session).memory.now()
    if asked.existing:
        every = await asyncio.to_thread(memory.conversations.list)
        if (known := next((one for one in every if asked.name in (one.id, one.name)), None)) is not None:
            return await asyncio.to_thread(_opened, server, memory, known)

    def made() -> dict[str, Any]:
        workspace = session.services.roots.names
        talk = memory.conversations.new(asked.name, memory_key=checked_key(asked.memory_key), workspace=workspace)
        return _opened(server, memory, talk)

    return await memory.writes.run(made)


@COMMANDS.add("palimpsest.conversation.list", "the workspace's conversations, those changed last first")
async def listed(server: PalimpsestServer, _: Nothing) -> dict[str, Any]:
    conversing = conversations_of(server.window.session).conversing
    memory = conversations_of(server.window.session).memory.now()
    found = await asyncio.to_thread(memory.conversations.list)
    return {"conversations": [{**_fields(one), "answering": conversing.is_running(one.id)} for one in found]}


@COMMANDS.add("palimpsest.conversation.open", "a conversation as a document: where it is, and its text")
async def opened(server: PalimpsestServer, asked: ConversationArguments) -> dict[str, Any]:
    memory = conversations_of(server.window.session).memory.now()
    return await asyncio.to_thread(lambda: _opened(server, memory, memory.conversations.get(asked.conversation)))


@COMMANDS.add(
    "palimpsest.conversation.fork",
    "a copy of a conversation, up to a turn, that goes on by itself, with the same refs and descriptors; with "
    "`uri` its document is made beside that one",
)
async def forked(server: PalimpsestServer, asked: ForkArguments) -> dict[str, Any]:
    """With `uri`, the copy's document is made beside that one, by the editor, and shown."""
    session = server.window.session
    memory = conversations_of(session).memory.now()

    def made() -> dict[str, Any]:
        talk = memory.conversations.get(asked.conversation)
        head = talk.head if asked.turn is None else asked.turn
        if asked.turn is not None and asked.turn not in [turn.id for turn in memory.turns.branch(talk.id)]:
            raise NotFound("turn", f"the conversation shows no turn {asked.turn}.")
        return _opened(server, memory, memory.forks.copied(talk.id, head, f"{talk.name or talk.id} (fork)"))

    answer = await memory.writes.run(made)
    if asked.uri:
        answer["uri"] = await _shown(server, asked.uri, answer)
        await memory.writes.run(memory.conversations.set_uri, answer["conversation"], answer["uri"])
    session.events.emit(ConversationChanged(asked.conversation))
    return answer


@COMMANDS.add("palimpsest.conversation.rename", "calls a conversation otherwise")
async def renamed(server: PalimpsestServer, asked: RenameArguments) -> dict[str, Any]:
    session = server.window.session
    memory = conversations_of(session).memory.now()
    answer = _fields(await memory.writes.run(memory.conversations.rename, asked.conversation, asked.name))
    session.events.emit(ConversationChanged(asked.conversation))
    return answer


@COMMANDS.add("palimpsest.conversation.delete", "deletes a conversation with its turns, refs and descriptors")
async def deleted(server: PalimpsestServer, asked: ConversationArguments) -> dict[str, Any]:
    session = server.window.session
    memory = conversations_of(session).memory.now()
    memory.conversations.get(asked.conversation)
    await conversations_of(session).conversing.check_idle(asked.conversation)  # nor in another window
    await conversations_of(session).forking.stop(asked.conversation)
    await memory.writes.run(memory.conversations.delete, asked.conversation)
    session.events.emit(ConversationChanged(asked.conversation))
    return {"deleted": asked.conversation}


async def _shown(server: PalimpsestServer, beside: str, answer: dict[str, Any]) -> str:
    """A new file beside a document.  Raises StaleDocument where the editor does not make it."""
    uri = f"{beside.rpartition('/')[0]}/{answer['conversation']}{SUFFIX}"
    changes: list[Any] = [
        lsp.CreateFile(uri, options=lsp.CreateFileOptions(ignore_if_exists=True)),
        lsp.TextDocumentEdit(
            lsp.OptionalVersionedTextDocumentIdentifier(uri, None), [lsp.TextEdit(TOP, answer["text"])]
        ),
    ]
    edit = lsp.WorkspaceEdit(document_changes=changes)
    try:
        async with asyncio.timeout(ANSWER_S):
            done = await applied(server, lsp.ApplyWorkspaceEditParams(edit, label="Fork of a conversation"))
    except TimeoutError:
        done = lsp.ApplyWorkspaceEditResult(applied=False, failure_reason="it did not answer")
    if not done.applied:
        why = f" ({done.failure_reason})" if done.failure_reason else ""
        raise StaleDocument(f"The editor did not make the fork's document{why}; palimpsest.conversation.open has it.")
    last = Snapshot(uri, 0, "markdown", answer["text"])
    end = position_out(last, last.position(len(last.text)), server.window.client.encoding)
    with suppress(JsonRpcException, TimeoutError):  # some editors show none
        async with asyncio.timeout(ANSWER_S):
            params = lsp.ShowDocumentParams(uri, take_focus=True, selection=lsp.Range(end, end))
            await server.window_show_document_async(params)
    return uri


def _opened(server: PalimpsestServer, memory: Memory, talk: Talk) -> dict[str, Any]:
    text = document_of(memory, talk.id, server.window.settings.documents.most_listed)
    return {**_fields(talk), "uri": _uri(talk), "text": text, "is_file": _is_file(talk)}


def _uri(talk: Talk) -> str:
    """Where it is shown; else an untitled document that is called as it is."""
    return talk.uri or f"untitled:{_UNFIT.sub('-', talk.name).strip('-') or talk.id}{SUFFIX}"


def _is_file(talk: Talk) -> bool:
    """Whether the file that it was shown in last still shows it."""
    if (path := path_or_none(talk.uri)) is None:
        return False
    try:
        text = read_text(path, MOST_OF_SOURCE)
    except (OSError, Refused):
        return False
    return conversation_of(Snapshot(talk.uri, 0, "markdown", text)) == talk.id


def _fields(talk: Talk) -> dict[str, Any]:
    return {
        "conversation": talk.id,
        "name": talk.name,
        "created": time_written(talk.created),
        "updated": time_written(talk.updated),
        "uri": talk.uri,
        "model": talk.model,
        "memory_key": talk.memory_key,
    }


@dataclass(frozen=True, slots=True)
class Row:
    """`about` stands beside the label, `more` is for who looks closer.  `uri`: where its text is; of a document, whose
    passage `link` and `text` say to `palimpsest.documents.open`.  `path`: the file that a ref is meant for."""

    id: str
    label: str
    about: str
    more: str = ""
    uri: str = ""
    language: str = ""
    category: str = ""
    path: str = ""
    link: str = ""
    text: str = ""
    problem: str = ""


@COMMANDS.add(
    "palimpsest.conversation.contents",
    "a conversation's refs, descriptors, documents and checkpoints, as rows that an editor lists",
)
async def contents(server: PalimpsestServer, asked: ConversationArguments) -> dict[str, Any]:
    """Raises NotFound, StorageError."""
    session = server.window.session
    memory = conversations_of(session).memory.now()
    talk = await asyncio.to_thread(memory.conversations.get, asked.conversation)

    def rows() -> tuple[list[Row], list[Row], list[DocumentReference], list[Row]]:
        return (
            [_ref(talk.id, one) for one in memory.refs.list(talk.id)],
            [_descriptor(talk.id, one) for one in memory.descriptors.list(talk.id)],
            without_repeats(one for _, one in memory.documents.of_conversation(talk.id)),
            [_checkpoint(one) for one in memory.checkpoints.list(talk.id)],
        )

    refs, descriptors, found, checkpoints = await asyncio.to_thread(rows)
    uris = await session.workspace_documents.uris({one.path for one in found if one.path})
    every = {
        "refs": refs,
        "descriptors": descriptors,
        "documents": [_document(one, uris) for one in found],
        "checkpoints": checkpoints,
    }
    named = {"conversation": talk.id, "name": talk.name}
    return named | {kind: [asdict(row) for row in them] for kind, them in every.items()}


def _ref(conversation: str, one: Ref) -> Row:
    versions = amount(one.n_versions, "version") if one.n_versions > 1 else ""
    about = _joined(one.language or one.category, amount(one.lines, "line"), versions)
    path = f", for {one.path}" if one.path else ""
    more = f"{one.id}: {amount(one.chars, 'character')}, turn {one.turn or '–'}{path}"
    uri = uri_of(conversation, "ref", one.id)
    return Row(one.id, one.id, about, more, uri, one.language, one.category, one.path)


def _descriptor(conversation: str, one: Descriptor) -> Row:
    source = "your message" if one.source == FROM_USER else one.source
    about = (one.id if one.name else "", amount(one.total_lines, "line"), amount(one.pages, "page"), source)
    more = one.summary or f"{one.id}: {amount(one.n_chars, 'character')}, from {source}"
    uri = uri_of(conversation, "fd", one.id)
    return Row(one.id, one.name or one.id, _joined(*about), more, uri, one.language)


def _document(one: DocumentReference, uris: Mapping[str, str]) -> Row:
    name, uri = one.path or one.wikilink, uris.get(one.path or "", "")
    problem = one.problem or ("" if uri else "it is not there any more")
    how = "read" if one.read else "linked" if one.kind == "direct" else "found"
    about = problem or _joined(how, one.wikilink)
    link = wikilink_to(one.path, one.fragment) if one.path else one.wikilink
    return Row(name, name, about, one.summary or about, uri, link=link, text=one.snippet, problem=problem)


def _checkpoint(one: Checkpoint) -> Row:
    about = _joined(time_written(one.created).replace("T", " "), "automatic" if one.automatic else "")
    return Row(one.id, one.name or one.id, about)


def _joined(*words: str) -> str:
    return " · ".join(filter(None, words))
