"""`palimpsest.documents.open`: shows what a `[[link]]` means.

In: a link as it is written, and where it stands.  Out: the document, shown by the editor, with the passage selected.
"""

import re
from dataclasses import dataclass
from typing import Any

from lsprotocol import types as lsp

from palimpsest.documents.lsp.link_texts import told
from palimpsest.documents.wikilinks import Found, links
from palimpsest.errors import InvalidArgument, NotFound
from palimpsest.lsp.command import Commands
from palimpsest.lsp.convert import TOP, position_out
from palimpsest.lsp.protocol import converter
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.text.snapshot import Position, Snapshot
from palimpsest.text.uris import to_uri

MOST_WORDS = 1_000
"""Characters of a passage that are looked for."""


@dataclass(frozen=True, slots=True)
class ToOpen:
    """A link as it is written, in the document `uri`.  `text`: words of the passage that is meant."""

    link: str
    uri: str = ""
    text: str = ""


COMMANDS = Commands()


@COMMANDS.add("palimpsest.documents.open", "shows what a `[[link]]` means, the passage selected")
async def open_(server: PalimpsestServer, asked: ToOpen) -> dict[str, Any]:
    """Shows what a link means, with the passage selected, and says where that is."""
    session = server.window.session
    link = next(links(asked.link if asked.link.startswith("[[") else f"[[{asked.link}]]"), None)
    place = session.workspace_documents.place(asked.uri)
    if link is None or place is None:
        raise InvalidArgument("link", "is no link to a document, or is in no folder of the workspace.")
    snapshot = session.documents.find(asked.uri)
    (meaning,) = await session.workspace_documents.meant_now(place, [link], snapshot.text if snapshot else "")
    if not isinstance(meaning, Found):
        raise NotFound("link", f"{asked.link}: {told(meaning)}")
    path, here = place.root / meaning.document.path, bool(not link.target and asked.uri)
    uri = asked.uri if here else to_uri(path)
    text = await session.workspace_documents.text(place.root, meaning.document.path) or ""
    shown = snapshot if here and snapshot is not None else Snapshot(uri, 0, "markdown", text)
    where = _passage(server, shown, asked.text, meaning) or _selected(server, shown, meaning)
    if server.window.client.shows:
        params = lsp.ShowDocumentParams(uri, take_focus=True, selection=where)
        server.protocol.send_request(lsp.WINDOW_SHOW_DOCUMENT, params)
    return {"uri": uri, "path": meaning.document.path, "range": converter().unstructure(where)}


def _passage(server: PalimpsestServer, shown: Snapshot, text: str, meaning: Found) -> lsp.Range | None:
    """Where the words stand, however they are broken into lines: under the heading, else anywhere."""
    words = text[:MOST_WORDS].split()
    if not words:
        return None
    pattern = re.compile(r"\s+".join(map(re.escape, words)))
    first = shown.offset(Position(meaning.heading.start, 0)) if meaning.heading is not None else 0
    found = pattern.search(shown.text, first) or pattern.search(shown.text)
    if found is None:
        return None
    ends = (position_out(shown, shown.position(at), server.window.client.encoding) for at in found.span())
    return lsp.Range(*ends)


def _selected(server: PalimpsestServer, shown: Snapshot, meaning: Found) -> lsp.Range:
    if meaning.heading is None:
        return TOP
    last = max(meaning.heading.start, min(meaning.heading.end, shown.line_count) - 1)
    while last > meaning.heading.start and not shown.lines[last].strip():
        last -= 1
    end = Position(last, len(shown.lines[last]) if last < shown.line_count else 0)
    return lsp.Range(lsp.Position(meaning.heading.start, 0), position_out(shown, end, server.window.client.encoding))
