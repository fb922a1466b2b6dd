"""textDocument/documentLink: `[[links]]`, and the ids of refs and descriptors in a conversation.

In: a document.  Out: links with their targets; a section's lines are in its target's fragment, so that an editor
selects them where it opens the link.  `palimpsest.documents.open` selects them in every editor that shows documents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from palimpsest.documents.wikilinks import Found
from palimpsest.lsp import link_ids
from palimpsest.lsp.convert import position_out
from palimpsest.lsp.link_places import links_of, meant, target_of

if TYPE_CHECKING:
    from palimpsest.lsp.server import PalimpsestServer


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
