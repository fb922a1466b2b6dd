"""textDocument/documentLink, textDocument/definition: `[[links]]`, and the ids of refs and descriptors in a
conversation.

In: a document.  Out: links with their targets; a section's lines are in its target's fragment, so that an editor
selects them where it opens the link.  `palimpsest.documents.open` selects them in every editor that shows documents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from palimpsest.conversations.lsp import link_ids
from palimpsest.documents.wikilinks import Found
from palimpsest.lsp.convert import position_in, position_out
from palimpsest.lsp.link_places import link_at, links_of, meant, opened_by, target_of
from palimpsest.text.snapshot import Position, Snapshot

if TYPE_CHECKING:
    from palimpsest.lsp.server import PalimpsestServer

TOP = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))


def register(server: PalimpsestServer) -> None:
    window = server.window

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_LINK)
    async def document_link(params: lsp.DocumentLinkParams) -> list[lsp.DocumentLink]:
        session, encoding = window.session, window.client.encoding
        snapshot = session.documents.find(params.text_document.uri)
        if snapshot is None:
            return []
        found = list[lsp.DocumentLink]()
        every = await links_of(session, snapshot) if window.settings.documents.links else []
        for one in await meant(session, snapshot, every):
            if isinstance(one.meaning, Found):
                where = lsp.Range(
                    position_out(snapshot, one.start, encoding), position_out(snapshot, one.end, encoding)
                )
                found.append(lsp.DocumentLink(where, target_of(snapshot, one, one.meaning), one.meaning.document.path))
        return [*found, *link_ids.links(server, snapshot)]

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    async def definition(params: lsp.DefinitionParams) -> list[lsp.Location]:
        snapshot = window.session.documents.find(params.text_document.uri)
        if snapshot is None:
            return []
        position = position_in(snapshot, params.position, window.client.encoding)
        return _of_id(snapshot, position) or await _of_link(server, snapshot, position)


def _of_id(snapshot: Snapshot, position: Position) -> list[lsp.Location]:
    conversation = link_ids.conversation_of(snapshot)
    one = link_ids.id_at(snapshot, position) if conversation else None
    return [lsp.Location(link_ids.uri_of(conversation, one.kind, one.id), TOP)] if one is not None else []


async def _of_link(server: PalimpsestServer, snapshot: Snapshot, position: Position) -> list[lsp.Location]:
    session = server.window.session
    link = await link_at(session, snapshot, position) if server.window.settings.documents.links else None
    found = list[lsp.Location]()
    for one in await meant(session, snapshot, [link] if link is not None else []):
        if isinstance(one.meaning, Found):
            line = one.meaning.heading.start if one.meaning.heading is not None else 0
            there = lsp.Position(line, 0)
            found.append(lsp.Location(opened_by(snapshot, one, one.meaning), lsp.Range(there, there)))
    return found
