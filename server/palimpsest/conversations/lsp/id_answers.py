"""Links, definitions and hovers of the ids of refs and descriptors in a conversation's document.

In: a document of a conversation, a place in it.  Out: links to the documents `palimpsest:/fd/…` and
`palimpsest:/ref/…`, and their first lines.
"""

from lsprotocol import types as lsp

from palimpsest.conversations.lsp.link_ids import IdAt, conversation_of, id_at, ids, uri_of
from palimpsest.documents.lsp.link_texts import fenced, plain
from palimpsest.documents.passages import LONGEST_LINE
from palimpsest.errors import PalimpsestError
from palimpsest.lsp import virtual
from palimpsest.lsp.convert import TOP, position_in, range_out
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.text.snapshot import Range


async def document_link(server: PalimpsestServer, params: lsp.DocumentLinkParams) -> list[lsp.DocumentLink]:
    snapshot, encoding = server.window.session.documents.get(params.text_document.uri), server.window.client.encoding
    conversation, found = conversation_of(snapshot), list[lsp.DocumentLink]()
    for one in ids(snapshot.text) if conversation else ():
        where = range_out(snapshot, Range(snapshot.position(one.start), snapshot.position(one.end)), encoding)
        found.append(lsp.DocumentLink(where, uri_of(conversation, one.kind, one.id), one.id))
    return found


async def definition(server: PalimpsestServer, params: lsp.DefinitionParams) -> list[lsp.Location]:
    one, uri = _id_at(server, params)
    return [lsp.Location(uri, TOP)] if one is not None else []


async def hover(server: PalimpsestServer, params: lsp.HoverParams) -> lsp.Hover | None:
    one, uri = _id_at(server, params)
    if one is None:
        return None
    try:
        lines = (await virtual.text_of(server, uri)).split("\n")
    except PalimpsestError:  # there is nothing to be said of it, and nobody asked for an error
        return None
    most = server.window.settings.documents.hover_lines
    shown = fenced("\n".join(line[:LONGEST_LINE] for line in lines[:most]))
    more = f"\n\n{len(lines)} lines" if len(lines) > most else ""
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, f"[{plain(one.id)}]({uri})\n\n{shown}{more}"))


def _id_at(server: PalimpsestServer, params: lsp.DefinitionParams | lsp.HoverParams) -> tuple[IdAt | None, str]:
    """The id at a place, and the document that it leads to."""
    snapshot = server.window.session.documents.get(params.text_document.uri)
    conversation = conversation_of(snapshot)
    position = position_in(snapshot, params.position, server.window.client.encoding)
    one = id_at(snapshot, position) if conversation else None
    return one, uri_of(conversation, one.kind, one.id) if one is not None else ""
