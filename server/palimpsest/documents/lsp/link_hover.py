"""What is shown at a link: the document that it means, its summary and its first lines.

In: a place.  Out: LSP's hover, in Markdown.  A text is shown as it is, between fences that it cannot end.
"""

import asyncio

from lsprotocol import types as lsp

from palimpsest.documents.lsp.link_places import LinkAt, is_markdown, link_at, meant
from palimpsest.documents.lsp.link_texts import fenced, plain, told
from palimpsest.documents.passages import passage, summary_of
from palimpsest.documents.wikilinks import Found, Missing
from palimpsest.errors import PalimpsestError
from palimpsest.lsp.convert import position_in, range_out
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.text.snapshot import Position, Snapshot


async def hover(server: PalimpsestServer, params: lsp.HoverParams) -> lsp.Hover | None:
    snapshot = server.window.session.documents.find(params.text_document.uri)
    if snapshot is None:
        return None
    position = position_in(snapshot, params.position, server.window.client.encoding)
    try:
        return await _of_link(server, snapshot, position)
    except PalimpsestError:  # there is nothing to be said of it, and nobody asked for an error
        return None


async def _of_link(server: PalimpsestServer, snapshot: Snapshot, position: Position) -> lsp.Hover | None:
    window, session = server.window, server.window.session
    link = await link_at(session, snapshot, position) if window.settings.documents.links else None
    found = await meant(session, snapshot, [link] if link is not None else [])
    if not found:
        return None
    (one,) = found
    meaning = one.meaning
    if not isinstance(meaning, Found):
        if isinstance(meaning, Missing) and not is_markdown(snapshot):
            return None  # brackets in a comment need not be a link
        return _hover(server, snapshot, one, plain(told(meaning)))
    document = meaning.document
    text = await session.workspace_documents.text(one.place.root, document.path)
    title = document.outline.title or document.path
    parts = [f"**{plain(title)}** · `{document.path.replace('`', '')}`"]
    if text is None:
        why = await session.workspace_documents.why_not(one.place.root, document.path)
        return _hover(server, snapshot, one, "\n\n".join([*parts, plain(f"It {why}.")]))
    if meaning.heading is not None:
        parts.append(f"§ {plain(meaning.heading.title)}")
    most = window.settings.documents.hover_lines
    shown = await asyncio.to_thread(passage, text, meaning.heading, most, document.path)
    summary = await asyncio.to_thread(summary_of, text, document.path) if meaning.heading is None else ""
    if summary and " ".join(summary.rstrip("….").split()) not in " ".join(shown.split()):
        parts.append(plain(summary))
    if shown:
        parts.append(fenced(shown, "markdown"))
    return _hover(server, snapshot, one, "\n\n".join(parts))


def _hover(server: PalimpsestServer, snapshot: Snapshot, one: LinkAt, said: str) -> lsp.Hover:
    where = range_out(snapshot, one.where, server.window.client.encoding)
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, said), where)
