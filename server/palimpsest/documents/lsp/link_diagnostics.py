"""Warnings for links in Markdown that lead nowhere, or may mean several documents.

In: documents that open, change and close, files that change.  Out: diagnostics (`Published`), a moment after the
last change.  What a link means is decided in `documents/wikilinks.py`.
"""

import asyncio
import logging
from collections.abc import Sequence

from lsprotocol import types as lsp

from palimpsest.documents.lsp.link_places import LinkAt, is_markdown, links_of, meant
from palimpsest.documents.lsp.link_texts import told
from palimpsest.documents.wikilinks import Found, Several
from palimpsest.errors import PalimpsestError
from palimpsest.lsp.convert import range_out
from palimpsest.lsp.diagnostics import OWN
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.session.session import Session
from palimpsest.text.conversations import is_conversation
from palimpsest.text.snapshot import Snapshot
from palimpsest.window.events import (
    DocumentChanged,
    DocumentClosed,
    DocumentOpened,
    DocumentSaved,
    FilesChanged,
    SettingsChanged,
    WindowClosing,
)

BROKEN, AMBIGUOUS = "broken-link", "ambiguous-link"
PAUSE_S = 0.3
MOST = 500
"""Warnings of one document."""
SAID = "links.said"
"""Which links of a conversation's document stand in what was said: the server repeats them around it."""

logger = logging.getLogger(__name__)


def register(server: PalimpsestServer) -> None:
    warned = set[str]()  # what an editor shows outlives a session
    server.window.session_listeners.append(lambda session: _Warnings(server, session, warned))


class _Warnings:
    """Looks at the links of open documents a moment after the last change, and publishes what is wrong."""

    def __init__(self, server: PalimpsestServer, session: Session, warned: set[str]) -> None:
        self._server, self._session, self._warned = server, session, warned
        self._waiting: dict[str, asyncio.TimerHandle] = {}
        events = session.events
        events.on(DocumentOpened, lambda event: self._look(event.snapshot.uri, 0.0))
        events.on(DocumentChanged, lambda event: self._look(event.new.uri))
        events.on(DocumentSaved, lambda _: self._look_at_all())
        events.on(FilesChanged, lambda _: self._look_at_all())
        events.on(SettingsChanged, lambda event: self._look_at_all() if "documents" in event.parts else None)
        events.on(DocumentClosed, lambda event: self._closed(event.uri))
        events.on(WindowClosing, lambda _: self._close())

    def _look_at_all(self) -> None:
        for snapshot in self._session.documents:
            self._look(snapshot.uri)

    def _look(self, uri: str, pause_s: float = PAUSE_S) -> None:
        snapshot = self._session.documents.find(uri)
        if snapshot is None or not is_markdown(snapshot):
            return
        self._forget(uri)
        self._waiting[uri] = asyncio.get_running_loop().call_later(pause_s, self._begin, uri)

    def _begin(self, uri: str) -> None:
        self._waiting.pop(uri, None)
        self._server.run_beside(self._warn(uri))

    async def _warn(self, uri: str) -> None:
        snapshot, settings = self._session.documents.find(uri), self._server.window.settings.documents
        if snapshot is None:
            return
        found = list[lsp.Diagnostic]()
        try:
            if settings.links and settings.diagnostics:
                links = await links_of(self._session, snapshot)
                if links and is_conversation(snapshot.uri, snapshot.lines):
                    said = await self._server.loader.extension(SAID)
                    links = await asyncio.to_thread(said, snapshot, links) if said is not None else links
                every = await meant(self._session, snapshot, links)
                wrong = [one for one in every if not isinstance(one.meaning, Found)]
                found = [self._diagnostic(snapshot, one) for one in wrong[:MOST]]
        except PalimpsestError as error:
            logger.info("links of %s are not looked at: %s", uri, error)
            return
        now = self._session.documents.find(uri)
        if now is not None and now.version == snapshot.version:
            self._publish(uri, found, snapshot.version)

    def _publish(self, uri: str, found: Sequence[lsp.Diagnostic], version: int | None = None) -> None:
        """Nothing is sent where there was nothing and is nothing still."""
        if found or uri in self._warned:
            self._server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, found, version))
        self._warned.discard(uri)
        if found:
            self._warned.add(uri)

    def _diagnostic(self, snapshot: Snapshot, one: LinkAt) -> lsp.Diagnostic:
        return lsp.Diagnostic(
            range_out(snapshot, one.where, self._server.window.client.encoding),
            f"{snapshot.text[one.link.start : one.link.end]}: {told(one.meaning)}",
            lsp.DiagnosticSeverity.Warning,
            code=AMBIGUOUS if isinstance(one.meaning, Several) else BROKEN,
            source=OWN,
        )

    def _closed(self, uri: str) -> None:
        self._forget(uri)
        self._publish(uri, [])

    def _forget(self, uri: str) -> None:
        if (waiting := self._waiting.pop(uri, None)) is not None:
            waiting.cancel()

    def _close(self) -> None:
        for uri in list(self._waiting):
            self._forget(uri)
