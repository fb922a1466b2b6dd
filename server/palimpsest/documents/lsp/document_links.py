"""textDocument/documentLink, textDocument/definition: `[[links]]`.

In: a document.  Out: links with their targets; a section's lines are in its target's fragment, so that an editor
selects them where it opens the link.  `palimpsest.documents.open` selects them in every editor that shows documents.
"""

from lsprotocol import types as lsp

from palimpsest.documents.lsp.link_places import link_at, links_of, meant, opened_by, target_of
from palimpsest.documents.wikilinks import Found
from palimpsest.lsp.convert import position_in, range_out
from palimpsest.lsp.server import PalimpsestServer


async def document_link(server: PalimpsestServer, params: lsp.DocumentLinkParams) -> list[lsp.DocumentLink]:
    window, session = server.window, server.window.session
    snapshot = session.documents.find(params.text_document.uri)
    if snapshot is None:
        return []
    found, encoding = list[lsp.DocumentLink](), window.client.encoding
    every = await links_of(session, snapshot) if window.settings.documents.links else []
    for one in await meant(session, snapshot, every):
        if isinstance(one.meaning, Found):
            where = range_out(snapshot, one.where, encoding)
            found.append(lsp.DocumentLink(where, target_of(snapshot, one, one.meaning), one.meaning.document.path))
    return found


async def definition(server: PalimpsestServer, params: lsp.DefinitionParams) -> list[lsp.Location]:
    session = server.window.session
    snapshot = session.documents.find(params.text_document.uri)
    if snapshot is None or not server.window.settings.documents.links:
        return []
    position = position_in(snapshot, params.position, server.window.client.encoding)
    link = await link_at(session, snapshot, position)
    found = list[lsp.Location]()
    for one in await meant(session, snapshot, [link] if link is not None else []):
        if isinstance(one.meaning, Found):
            line = one.meaning.heading.start if one.meaning.heading is not None else 0
            there = lsp.Position(line, 0)
            found.append(lsp.Location(opened_by(snapshot, one, one.meaning), lsp.Range(there, there)))
    return found
