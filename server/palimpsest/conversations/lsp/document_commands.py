"""`palimpsest.documents.*`: which documents conversations refer to, which are related, their graph, and offering
those that may matter for the turn being written: what the person chooses is linked to in it, and nothing else.

In: arguments.  Out: answers, with the same as XML for a model; an edit of the document.  What is referred to is known
in `conversations/documents/`.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from palimpsest.conversations.answers import element, listed, time_written
from palimpsest.conversations.documents.document_references import DocumentUse
from palimpsest.conversations.documents.graph import graph_of, svg
from palimpsest.conversations.documents.reference import DocumentReference, wikilink_to
from palimpsest.conversations.feature import conversations_of
from palimpsest.conversations.lsp.transcript_sending import conversation_of
from palimpsest.conversations.lsp.transcript_showing import replaced
from palimpsest.conversations.transcript.reading import DocumentTurn, Transcript, parse
from palimpsest.errors import InvalidArgument, StaleDocument
from palimpsest.lsp.arguments import Count, Uri
from palimpsest.lsp.asking import chosen
from palimpsest.lsp.command import Commands
from palimpsest.lsp.server import PalimpsestServer

OFFER = "palimpsest.documents.offer"
NONE = "No documents of the workspace have words of this turn."


@dataclass(frozen=True, slots=True)
class OfConversation:
    """Without a conversation, of all."""

    conversation: str = ""


@dataclass(frozen=True, slots=True)
class RelatedTo:
    """`most`: `documents.related` where it is left out."""

    text: str
    conversation: str = ""
    most: Count | None = None


COMMANDS = Commands()


@COMMANDS.add(
    "palimpsest.documents.list",
    "the documents that a conversation refers to, or of all conversations those used most and those only found",
)
async def list_(server: PalimpsestServer, asked: OfConversation) -> dict[str, Any]:
    session = server.window.session
    memory, uris = conversations_of(session).memory.now(), session.workspace_documents.uris
    if asked.conversation:
        memory.conversations.get(asked.conversation)
        kept = await asyncio.to_thread(memory.documents.of_conversation, asked.conversation)
        known = await uris({one.path for _, one in kept if one.path})
        rows = [{"turn": turn, **asdict(one), "uri": known.get(one.path or "", "")} for turn, one in kept]
        xml = _xml("document_references", [_reference_xml(turn, one) for turn, one in kept])
        return {"count": len(rows), "documents": rows, "xml": xml}
    usage = await asyncio.to_thread(memory.documents.usage)
    known = await uris(one.path for one in usage)
    used, never = [one for one in usage if one.is_used], [one for one in usage if not one.is_used]
    xml = _xml("documents", [_use_xml(one) for one in usage])
    return {
        "count": len(used),
        "documents": [_use(one, known) for one in used],
        "never_used": [_use(one, known) for one in never],
        "xml": xml,
    }


@COMMANDS.add("palimpsest.documents.related", "documents that may matter for the turn that is being written")
async def related(server: PalimpsestServer, asked: RelatedTo) -> dict[str, Any]:
    session = server.window.session
    most = server.window.settings.documents.related if asked.most is None else min(asked.most, 50)
    found = await conversations_of(session).document_tools.related(asked.text, most, conversation_id=asked.conversation)
    uris = await session.workspace_documents.uris(one.path for one in found)
    rows = [{**asdict(one), "wikilink": wikilink_to(one.path), "uri": uris.get(one.path, "")} for one in found]
    lines = [element("document", {"path": one.path, "title": one.title, "why": one.why}, one.summary) for one in found]
    return {"count": len(rows), "documents": rows, "xml": _xml("related_documents", lines)}


@COMMANDS.add("palimpsest.documents.graph", "conversations and documents as nodes and edges, and as a picture (SVG)")
async def graph(server: PalimpsestServer, asked: OfConversation) -> dict[str, Any]:
    session = server.window.session
    known = await graph_of(conversations_of(session).memory.now(), session.workspace_documents, asked.conversation)
    lines = [element("edge", {"from": one.source, "to": one.target, "kind": one.kind}) for one in known.edges]
    return {
        "nodes": [asdict(node) for node in known.nodes],
        "edges": [asdict(edge) for edge in known.edges],
        "left_out": known.n_left_out,
        "svg": svg(known),
        "xml": _xml("document_graph", lines),
    }


async def graph_svg(server: PalimpsestServer) -> str:
    """The virtual document `palimpsest:/documents/graph.svg`."""
    session = server.window.session
    return svg(await graph_of(conversations_of(session).memory.now(), session.workspace_documents))


def _use(one: DocumentUse, uris: Mapping[str, str]) -> dict[str, Any]:
    return {
        "path": one.path,
        "uri": uris.get(one.path, ""),
        "conversations": one.n_conversations,
        "turns": one.n_turns,
        "linked": one.n_direct,
        "found": one.n_found,
        "read": one.n_read,
        "last": time_written(one.last),
    }


def _reference_xml(turn: int, one: DocumentReference) -> str:
    where = {"path": one.path} if one.path is not None else {"problem": one.problem or "broken"}
    about = {"turn": turn, "link": one.wikilink, **where, "kind": one.kind, "read": one.read}
    return element("document", about, one.summary)


def _use_xml(one: DocumentUse) -> str:
    about = {"path": one.path, "conversations": one.n_conversations, "turns": one.n_turns, "used": one.is_used}
    return element("document", about)


def _xml(name: str, rows: Sequence[str]) -> str:
    return listed(name, {"count": len(rows)}, rows)


@COMMANDS.add(OFFER, "offers documents that may matter for the turn being written; one is linked to")
async def offer(server: PalimpsestServer, asked: Uri) -> dict[str, Any]:
    """Raises InvalidArgument where nothing is being written, StaleDocument where the editor does not add the link."""
    session = server.window.session
    snapshot = session.documents.get(asked.uri)
    transcript = parse(snapshot.text)
    turn = being_written(transcript)
    if turn is None:
        raise InvalidArgument("uri", "there is no turn being written: write something below the last “## user”.")
    talk = conversation_of(conversations_of(session).memory.now(), transcript)
    most, known = server.window.settings.documents.related, talk.id if talk is not None else ""
    found = await conversations_of(session).document_tools.related(turn.text, most, conversation_id=known)
    links = [wikilink_to(one.path) for one in found]
    links = [link for link in links if link not in turn.text]
    if not links:
        server.window.report.tell(NONE)
        return {"offered": [], "added": None}
    answer = await chosen(server, "Which document does your message refer to?", links)
    if answer not in links:
        return {"offered": links, "added": None}
    now = session.documents.get(asked.uri)
    if now.version != snapshot.version or not await replaced(server, now, with_link(now.text, turn, answer)):
        raise StaleDocument("The document has changed meanwhile, so the link was not added.")
    return {"offered": links, "added": answer}


def being_written(transcript: Transcript) -> DocumentTurn | None:
    """The last turn, where it is the person's and not said yet."""
    last = transcript.turns[-1] if transcript.turns else None
    return last if last is not None and last.role == "user" and last.id is None and last.text.strip() else None


def with_link(text: str, turn: DocumentTurn, link: str) -> str:
    """The document's text with the link behind the turn's last words."""
    lines = text.split("\n")
    last = turn.text_end - 1
    while last > turn.text_start and not lines[last].strip():
        last -= 1
    lines[last] = f"{lines[last].rstrip()} {link}"
    return "\n".join(lines)
