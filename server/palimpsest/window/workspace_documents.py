"""The workspace's documents as a window knows them: what links mean, and the texts of those that may be read.

In: URIs, links.  Out: what they mean, texts.  Owner of the catalogue; reads in a thread of its own, and only what
`workspace/files.py` lets through.  Knows no LSP and no conversation.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TypeVar

from palimpsest.context.sources.retrieval import SearchedDocuments as FoundByWords
from palimpsest.documents.catalog import LOOK_S, MOST_DOCUMENTS, DocumentCatalog
from palimpsest.documents.outline import outline
from palimpsest.documents.wikilinks import SUFFIXES, Document, DocumentNames, Found, Link, Missing, Resolved, resolve
from palimpsest.errors import InvalidArgument
from palimpsest.text.uris import path_or_none, to_uri
from palimpsest.window.events import (
    DocumentClosed,
    DocumentOpened,
    DocumentSaved,
    FilesChanged,
    SettingsChanged,
    WindowClosing,
)
from palimpsest.window.services import Services
from palimpsest.workspace.files import WorkspaceFiles

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LinkPlace:
    """A workspace folder, and the path in it of the file that links are in; "" for one that is in none yet."""

    root: Path
    near: str


class WorkspaceDocuments:
    """Resolves links and reads documents of the window's folders."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._reader = ThreadPoolExecutor(1, "documents")
        self._begin()
        events = services.events
        events.on(DocumentOpened, lambda event: self._changed([event.snapshot.uri]))
        events.on(DocumentClosed, lambda event: self._changed([event.uri]))
        events.on(DocumentSaved, lambda event: self._changed([event.uri]))
        events.on(FilesChanged, lambda event: self._changed(event.uris))
        events.on(SettingsChanged, lambda event: self._begin() if "documents" in event.parts else None)
        events.on(WindowClosing, lambda _: self._reader.shutdown(wait=False, cancel_futures=True))

    def _begin(self) -> None:
        self._catalog = DocumentCatalog(self._files())
        self._by_words = FoundByWords(self._files(), LOOK_S, stems=True)

    def _files(self) -> WorkspaceFiles:
        services = self._services
        roots, exclude, find = services.roots.folders, services.settings.context.exclude, services.documents.find
        return WorkspaceFiles(roots, exclude, find, most_entries=MOST_DOCUMENTS)  # notes often lie in one folder

    def _changed(self, uris: Sequence[str]) -> None:
        if any(PurePosixPath(uri).suffix.lower() in SUFFIXES for uri in uris):
            self._catalog.look_again_soon()

    @property
    def folders(self) -> tuple[Path, ...]:
        return self._services.roots.folders

    def place(self, uri: str = "") -> LinkPlace | None:
        """Where the links of a document are resolved: its own folder, or the first one for what is no file.  None for a
        file outside of all folders, and where no folder is open."""
        folders = self._services.roots.folders
        if not folders:
            return None
        if path_or_none(uri) is None:
            return LinkPlace(folders[0], "")
        root, near = self._services.roots.locate(uri)
        return None if root is None else LinkPlace(root, near)

    async def names(self, root: Path) -> DocumentNames:
        return await self._read(lambda: self._catalog.documents(root))

    async def meant(self, place: LinkPlace, links: Sequence[Link], text: str = "") -> list[Resolved]:
        """What each link means; `text` is what the file that they are in says now, for links within it."""
        if not links:
            return []
        return await self._read(lambda: self._meant(place, links, text))

    async def meant_now(self, place: LinkPlace, links: Sequence[Link], text: str = "") -> list[Resolved]:
        """The same for somebody who waits for an answer: where a link leads nowhere, or to what is gone, documents are
        looked for again first."""
        if not links:
            return []

        def look() -> list[Resolved]:
            found = self._meant(place, links, text)
            if not any(_is_stale(place.root, one) for one in found):
                return found
            self._catalog.look_again_soon()
            return self._meant(place, links, text)

        return await self._read(look)

    def _meant(self, place: LinkPlace, links: Sequence[Link], text: str) -> list[Resolved]:
        names, known = self._catalog.documents(place.root), dict[Link, Resolved]()
        here = DocumentNames([Document(place.near or "?", outline(text, place.near))]) if text else names
        for link in links:
            about = link.unplaced
            if about not in known:
                meaning = resolve(link, place.near or "?", here if not link.target else names)
                is_nothing = link.target and isinstance(meaning, Missing) and meaning.document is None
                known[about] = self._catalog.elsewhere(place.root, place.near, link) if is_nothing else meaning
        return [known[link.unplaced] for link in links]

    async def text(self, root: Path, document: str) -> str | None:
        """A document's text; None for one that may not be read, is not there, or is no document."""
        if PurePosixPath(document).suffix.lower() not in SUFFIXES:
            return None
        return await self._read(lambda: self._catalog.text(root, document))

    async def uris(self, documents: Iterable[str]) -> dict[str, str]:
        """Of those that are there, by path; in several folders, the first one counts."""

        def look() -> dict[str, str]:
            found = {}
            for document in documents:
                root = next((root for root in self.folders if self._catalog.shows(root, document)), None)
                if root is not None:
                    found[document] = to_uri(root / document)
            return found

        return await self._read(look)

    async def why_not(self, root: Path, document: str) -> str:
        """Why a document's text cannot be had, as the end of a sentence."""
        return await self._read(lambda: self._catalog.why_not(root, document))

    async def found_by_words(self, root: Path, words: frozenset[str], most: int) -> list[tuple[str, str, str]]:
        """Path, title and text of sections that have some of the words, in whatever form, the best first."""

        def look() -> list[tuple[str, str, str]]:
            self._by_words.look(root)
            found = self._by_words.search(root, words, most)
            known = self._catalog.documents(root).by_path
            if any(one.path.relative_to(root).as_posix() not in known for one in found):
                self._catalog.look_again_soon()
            return [(one.path.relative_to(root).as_posix(), one.title, one.text) for one in found]

        return await self._read(look)

    async def _read(self, look: Callable[[], T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._reader, look)
        except RuntimeError as error:  # the window is closing
            raise InvalidArgument("documents", "the window is closing.") from error


def _is_stale(root: Path, meaning: Resolved) -> bool:
    """Whether it may be otherwise by now."""
    if isinstance(meaning, Found):
        return not (root / meaning.document.path).is_file()
    return isinstance(meaning, Missing)
