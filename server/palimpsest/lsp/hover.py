"""textDocument/hover: whoever has something to say of a place is in the table.

In: a place.  Out: what the first one in the table says of it.  Knows no feature's contents.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from palimpsest.errors import PalimpsestError
from palimpsest.lsp import link_hover
from palimpsest.lsp.convert import position_in
from palimpsest.text.snapshot import Position, Snapshot

if TYPE_CHECKING:
    from palimpsest.lsp.server import PalimpsestServer

Hovering = Callable[["PalimpsestServer", Snapshot, Position], Awaitable[lsp.Hover | None]]
HOVERS: tuple[Hovering, ...] = (link_hover.of_id, link_hover.of_link)


def register(server: PalimpsestServer) -> None:
    window = server.window

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    async def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        snapshot = window.session.documents.find(params.text_document.uri)
        if snapshot is None:
            return None
        position = position_in(snapshot, params.position, window.client.encoding)
        for one in HOVERS:
            try:
                found = await one(server, snapshot, position)
            except PalimpsestError:  # there is nothing to be said of it, and nobody asked for an error
                continue
            if found is not None:
                return found
        return None
