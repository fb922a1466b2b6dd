"""`workspace/textDocumentContent/refresh`: a `palimpsest:` document that the client shows is not as it was (LSP 3.18).

In: what was asked for, `PagesChanged`.  Out: requests to ask again.  A client that does not announce
`workspace.textDocumentContent` is sent none.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from lsprotocol import types as lsp

from palimpsest.errors import PalimpsestError
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.newest import Newest
from palimpsest.window.events import PagesChanged
from palimpsest.wire import text_hash

MOST = 50
"""Documents, those asked for last."""
PAUSE_S = 0.5
"""Many events come together."""


class ShownDocuments:
    """The documents that the client asked for, and what they were then."""

    def __init__(self, server: PalimpsestServer, read: Callable[[str], Awaitable[str]]) -> None:
        self._server = server
        self._read = read
        self._hashes = Newest[str, str](MOST)
        self._something_changed = False
        self._looking: asyncio.Task[None] | None = None
        server.window.session_listeners.append(lambda session: session.events.on(PagesChanged, self._look_soon))

    async def text(self, uri: str) -> str:
        """Raises what reading it raises."""
        text = await self._read(uri)
        if self._server.window.client.has_virtual:
            self._hashes[uri] = text_hash(text)
        return text

    def _look_soon(self, _: Any) -> None:
        self._something_changed = bool(self._hashes)
        if self._something_changed and (self._looking is None or self._looking.done()):
            self._looking = self._server.run_beside(self._look())

    async def _look(self) -> None:
        while self._something_changed:
            await asyncio.sleep(PAUSE_S)
            self._something_changed = False
            for uri, before in list(self._hashes.items()):
                if not await self._is_as(uri, before) and self._hashes.get(uri) == before:
                    del self._hashes[uri]  # one that is still shown is asked for again
                    params = lsp.TextDocumentContentRefreshParams(uri)
                    self._server.protocol.send_request(lsp.WORKSPACE_TEXT_DOCUMENT_CONTENT_REFRESH, params)

    async def _is_as(self, uri: str, before: str) -> bool:
        try:
            return text_hash(await self._read(uri)) == before
        except PalimpsestError:  # it is gone, as who asks again is told
            return False
