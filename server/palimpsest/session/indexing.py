"""The index of the window's folders, kept up to date with what happens in it.

In: documents, saved and changed files, settings.  Out: the same for the index, when a person pauses; `IndexBuilding`
and `IndexBuilt`.  Owner of when the index is begun and ended.
"""

import asyncio
import logging
from contextlib import suppress
from pathlib import Path

from palimpsest.index.messages import BeginIndex, Building, Built, Failed, IndexChanged, Told
from palimpsest.system import folders
from palimpsest.text.snapshot import Snapshot
from palimpsest.window.events import (
    DocumentChanged,
    DocumentClosed,
    DocumentOpened,
    FilesChanged,
    IndexBuilding,
    IndexBuilt,
    RefreshNeeded,
    SettingsChanged,
    WindowClosing,
)
from palimpsest.window.services import Services

PAUSE_S = 0.5
"""After the last change of a document until its names are looked up again."""

logger = logging.getLogger(__name__)


class Indexing:
    """One window's.  Begins with the first document, so that nothing is built for a window that only flashes up."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._index = services.index
        self._pauses: dict[str, asyncio.TimerHandle] = {}
        self._is_begun = False
        self._begun: BeginIndex | None = None
        events = services.events
        events.on(DocumentOpened, lambda event: self._opened(event.snapshot))
        events.on(DocumentClosed, lambda event: self._closed(event.uri))
        events.on(FilesChanged, self._files_changed)
        events.on(SettingsChanged, self._settings_changed)
        events.on(WindowClosing, lambda _: self._end())

    def _opened(self, snapshot: Snapshot) -> None:
        if not self._is_begun:
            self._begin()
        self._read(snapshot)

    def document_changed(self, event: DocumentChanged) -> None:
        uri = event.new.uri
        if (known := self._pauses.pop(uri, None)) is not None:
            known.cancel()
        self._pauses[uri] = asyncio.get_running_loop().call_later(PAUSE_S, self._paused, uri)

    def _paused(self, uri: str) -> None:
        self._pauses.pop(uri, None)
        if (snapshot := self._services.documents.find(uri)) is not None:
            self._read(snapshot)

    def _read(self, snapshot: Snapshot) -> None:
        if (path := self._services.roots.real(snapshot.uri)) is None:
            return
        if self._services.privacy.why_not(snapshot):
            self._index.hide(path)
        else:
            self._index.read(path, snapshot.version, snapshot.language_id, snapshot.text)

    def _closed(self, uri: str) -> None:
        if (pause := self._pauses.pop(uri, None)) is not None:
            pause.cancel()
        if (path := self._services.roots.real(uri)) is not None:
            self._index.closed(path)
            self._index.look([path])

    def _files_changed(self, event: FilesChanged) -> None:
        paths = [path for uri in event.uris if (path := self._services.roots.real(uri)) is not None]
        if paths:
            self._index.look(paths)

    def _settings_changed(self, event: SettingsChanged) -> None:
        if self._is_begun and "index" in event.parts and self._begin():
            for snapshot in self._services.documents:
                self._read(snapshot)

    def _begin(self) -> bool:
        """Begin with the settings and folders as they are now; whether they are others than before."""
        self._is_begun, wanted = True, self._wanted()
        if wanted == self._begun:
            return False
        self._begun = wanted
        self._index.end()
        if wanted is not None:
            loop = asyncio.get_running_loop()

            def told(message: Told) -> None:
                with suppress(RuntimeError):  # the loop has ended meanwhile
                    loop.call_soon_threadsafe(self._told, message)

            self._index.told = told
            self._index.begin(wanted)
        return True

    def _wanted(self) -> BeginIndex | None:
        """What the process is to do; None if there is to be none."""
        settings, given = self._services.settings.index, self._services.roots.folders
        roots = [root for root in given if not folders.is_whole_disk(root)]
        if settings.enabled and len(roots) < len(given):
            logger.warning("there is no index of a home folder or a whole disk; open a project's folder")
        if not settings.enabled or not roots:
            return None
        try:
            cache = folders.cache()
        except OSError as error:
            logger.warning("there is no index: %s", error)
            return None
        return BeginIndex(
            roots=tuple(map(str, roots)),
            cache=str(cache),
            exclude=self._services.settings.context.exclude,
            unindexed=settings.exclude,
            max_files=settings.max_files,
            max_file_bytes=settings.max_file_bytes,
        )

    def _end(self) -> None:
        for pause in self._pauses.values():
            pause.cancel()
        self._pauses.clear()
        self._index.end()

    def _told(self, message: Told) -> None:
        events = self._services.events
        match message:
            case Building(root, done, total):
                events.emit(IndexBuilding(Path(root), done, total))
            case Built(root, _, read):
                events.emit(IndexBuilt(Path(root)))
                if read:
                    events.emit(RefreshNeeded(restart=False))
            case IndexChanged():
                events.emit(RefreshNeeded(restart=False))
            case Failed(root):
                events.emit(IndexBuilt(Path(root)))
