"""The documents of a workspace folder, kept up to date.

In: a workspace's files, a folder.  Out: `DocumentNames`, as they were when they were last looked for.  Reads a bounded
number of documents, each again only when it has changed; keeps their outlines, not their texts.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from palimpsest.documents.outline import outline
from palimpsest.documents.wikilinks import SUFFIXES, Document, DocumentNames
from palimpsest.workspace.files import Stamp, WorkspaceFiles

MOST_DOCUMENTS = 10_000
MOST_FOLDERS = 5_000
MOST_CHARACTERS = 50_000_000
"""Of the documents that are read for one catalogue; of those behind, only the path is known, and of one that is too
large to be read."""
LOOK_S = 20.0
"""At most this often documents are looked for again."""
_NOTHING = outline("")


class Catalog:
    """One workspace's; `files` is this object's own, since it is looked at by any thread, one at a time."""

    def __init__(self, files: WorkspaceFiles, look_s: float = LOOK_S, *, most: int = MOST_DOCUMENTS) -> None:
        self._files = files
        self._most = most
        self._look_s = look_s
        self._lock = threading.Lock()
        self._looked: dict[Path, float] = {}
        self._is_stale = False
        self._known: dict[Path, dict[Path, tuple[Stamp | None, Document]]] = {}
        self._documents: dict[Path, DocumentNames] = {}

    def documents(self, root: Path) -> DocumentNames:
        """What there is now; what was found within the last `look_s` seconds counts as now."""
        with self._lock:
            if self._is_stale:
                self._is_stale = False
                self._looked.clear()
            known = self._documents.get(root)
            looked = self._looked.get(root)
            if known is None or looked is None or time.monotonic() - looked >= self._look_s:
                self._files.look_again()
                known = self._looked_at(root)
                self._looked[root] = time.monotonic()
            return known

    def look_again_soon(self) -> None:
        """Something has changed: what is asked next is looked for.  Never waits for a look that is under way."""
        self._is_stale = True

    def text(self, root: Path, document: str) -> str | None:
        """A document's text as it is now; None for one that is not let through (`workspace/files.py`)."""
        with self._lock:
            self._files.look_again()
            source = self._files.source(root / document)
            return None if source is None else source.text

    def why_not(self, root: Path, document: str) -> str:
        """Why there is no text, as the end of a sentence."""
        with self._lock:
            return self._files.why_not(root / document) or "cannot be read"

    def _looked_at(self, root: Path) -> DocumentNames:
        before, now, n_characters = self._known.get(root, {}), dict[Path, tuple[Stamp | None, Document]](), 0
        for path in self._paths(root):
            if len(now) >= self._most:
                break
            name, known = path.relative_to(root).as_posix(), before.get(path)
            if n_characters > MOST_CHARACTERS:
                now[path] = None, Document(name, _NOTHING)
                continue
            source = self._files.source(path)
            if source is None:
                if self._files.is_too_large(path):
                    now[path] = None, Document(name, _NOTHING)
                continue
            n_characters += len(source.text)
            is_same = known is not None and known[0] == source.stamp
            now[path] = known if known is not None and is_same else (source.stamp, Document(name, outline(source.text)))
        documents = self._documents.get(root)
        if documents is None or now != before:
            documents = self._documents[root] = DocumentNames(document for _, document in now.values())
        self._known[root] = now
        return documents

    def _paths(self, root: Path) -> Iterator[Path]:
        """Documents, those nearest the top first; links are not followed."""
        folders, n_folders = deque([root]), 0
        while folders and n_folders < MOST_FOLDERS:
            folder = folders.popleft()
            n_folders += 1
            for entry in self._files.listing(folder):
                path = folder / entry.name
                if entry.is_link:
                    continue
                if entry.is_dir:
                    folders.append(path)
                elif path.suffix.lower() in SUFFIXES:
                    yield path
