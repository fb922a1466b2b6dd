"""The building of the index, shown as progress.

In: how far it is.  Out: LSP's progress, and its end.  A walk that finds nothing new is not shown.
"""

import asyncio
from pathlib import Path

from palimpsest.lsp.progress import progress, report
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.session.session import Session
from palimpsest.text.amounts import amount
from palimpsest.window.events import IndexBuilding, IndexBuilt, WindowClosing

FEWEST = 100
"""Files that are worth showing progress for."""


def register(server: PalimpsestServer) -> None:
    server.window.session_listeners.append(lambda session: _Shown(server, session))


class _Shown:
    """Shows a walk of the index as progress, once it has something new."""

    def __init__(self, server: PalimpsestServer, session: Session) -> None:
        self._server = server
        self._running: dict[Path, asyncio.Queue[IndexBuilding | None]] = {}
        session.events.on(IndexBuilding, self._building)
        session.events.on(IndexBuilt, lambda event: self._end(event.folder))
        session.events.on(WindowClosing, lambda _: self._end_all())

    def _building(self, event: IndexBuilding) -> None:
        if event.folder not in self._running:
            if event.total < FEWEST:
                return
            self._running[event.folder] = asyncio.Queue()
            self._server.run_beside(self._show(event.folder))
        self._running[event.folder].put_nowait(event)

    def _end(self, folder: Path) -> None:
        if (told := self._running.pop(folder, None)) is not None:
            told.put_nowait(None)

    def _end_all(self) -> None:
        for folder in list(self._running):
            self._end(folder)

    async def _show(self, folder: Path) -> None:
        """Cancelled by the person, it is no longer shown; the index is built all the same."""
        told = self._running[folder]
        async with progress(self._server, f"Palimpsest: names in {folder.name}"):
            while (event := await told.get()) is not None:
                report(f"{event.done:,} of {amount(event.total, 'file')}")
