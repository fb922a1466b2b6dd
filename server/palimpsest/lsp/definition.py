"""textDocument/definition: to the document that a `[[link]]` means, and to what an id in a conversation stands for.

In: a place.  Out: where it leads to.  Editors that give links to the system's opener follow them by this one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from palimpsest.documents.wikilinks import Found
from palimpsest.lsp import link_ids
from palimpsest.lsp.convert import position_in
from palimpsest.lsp.link_places import link_at, meant, opened_by
from palimpsest.text.snapshot import Position, Snapshot

if TYPE_CHECKING:
    from palimpsest.lsp.server import PalimpsestServer

TOP = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))


def register(server: PalimpsestServer) -> None:
    window = server.window

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
    link = link_at(session, snapshot, position) if server.window.settings.documents.links else None
    found = list[lsp.Location]()
    for one in await meant(session, snapshot, [link] if link is not None else []):
        if isinstance(one.meaning, Found):
            line = one.meaning.heading.start if one.meaning.heading is not None else 0
            there = lsp.Position(line, 0)
            found.append(lsp.Location(opened_by(snapshot, one, one.meaning), lsp.Range(there, there)))
    return found
