"""What is shown at a link: the document that it means, its summary and its first lines; at an id, its preview.

In: a place.  Out: LSP's hover, in Markdown.  A text is shown as it is, between fences that it cannot end.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from palimpsest.documents.passages import passage, summary_of
from palimpsest.documents.wikilinks import Found, Missing, Resolved
from palimpsest.lsp import link_ids
from palimpsest.lsp.convert import position_out
from palimpsest.lsp.link_places import LinkAt, is_markdown, link_at, meant
from palimpsest.text.snapshot import Position, Snapshot

if TYPE_CHECKING:
    from palimpsest.lsp.server import PalimpsestServer

MOST_CANDIDATES = 20
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~&])")


async def of_link(server: PalimpsestServer, snapshot: Snapshot, position: Position) -> lsp.Hover | None:
    window, session = server.window, server.window.session
    link = link_at(session, snapshot, position) if window.settings.documents.links else None
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
    text = await session.workspace_documents.text(one.place.root, document.path) or ""
    title = document.outline.title or document.path
    parts = [f"**{plain(title)}** · `{document.path.replace('`', '')}`"]
    if meaning.heading is not None:
        parts.append(f"§ {plain(meaning.heading.title)}")
    elif summary := summary_of(text):
        parts.append(plain(summary))
    shown = passage(text, meaning.heading, window.settings.documents.hover_lines)
    if shown.text:
        parts.append(fenced(shown.text, "markdown"))
    return _hover(server, snapshot, one, "\n\n".join(parts))


async def of_id(server: PalimpsestServer, snapshot: Snapshot, position: Position) -> lsp.Hover | None:
    """In a conversation's document."""
    conversation = link_ids.conversation_of(snapshot)
    one = link_ids.id_at(snapshot, position) if conversation else None
    if one is None:
        return None
    uri = link_ids.uri_of(conversation, one)
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, f"[{plain(one.id)}]({uri})"))


def told(meaning: Resolved) -> str:
    """What is wrong with a link, in a sentence; "" where nothing is."""
    if isinstance(meaning, Found):
        return ""
    if isinstance(meaning, Missing):
        if meaning.document is None:
            return "No document is called so, and none has it as its path, alias or only heading."
        return f"{meaning.document.path} has no such heading."
    paths = [document.path for document in meaning.documents]
    more = f" and {len(paths) - MOST_CANDIDATES} more" if len(paths) > MOST_CANDIDATES else ""
    return f"This may mean {', '.join(paths[:MOST_CANDIDATES])}{more}: write which, by its path."


def plain(text: str) -> str:
    """A text as Markdown shows it, whatever is in it."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def fenced(text: str, language: str = "") -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _hover(server: PalimpsestServer, snapshot: Snapshot, one: LinkAt, said: str) -> lsp.Hover:
    encoding = server.window.client.encoding
    where = lsp.Range(position_out(snapshot, one.start, encoding), position_out(snapshot, one.end, encoding))
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, said), where)
