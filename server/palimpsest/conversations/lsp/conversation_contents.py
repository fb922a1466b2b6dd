"""`palimpsest.conversation.contents`: what a conversation has besides its turns, as rows that an editor lists.

In: a conversation's id.  Out: its refs, descriptors, documents and checkpoints, each with what a row shows of it and
what the other commands want to know of it.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from palimpsest.conversations.checkpoints import Checkpoint
from palimpsest.conversations.descriptors.descriptors import Descriptor
from palimpsest.conversations.descriptors.results import FROM_USER
from palimpsest.conversations.documents.reference import DocumentReference, wikilink_to, without_repeats
from palimpsest.conversations.feature import conversations_of
from palimpsest.conversations.lsp.link_ids import uri_of
from palimpsest.conversations.refs.refs import Ref
from palimpsest.conversations.refs.results import time_written
from palimpsest.lsp.arguments import ConversationArguments
from palimpsest.lsp.command import Command
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.text.amounts import amount


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


COMMANDS = (
    Command(
        "palimpsest.conversation.contents",
        ConversationArguments,
        contents,
        "a conversation's refs, descriptors, documents and checkpoints, as rows that an editor lists",
    ),
)
