"""The documents of a workspace folder, kept up to date.

In: a workspace's files, a folder.  Out: `DocumentNames`, as they were when they were last looked for.  Reads a bounded
number of documents, each again only when it has changed; keeps their outlines, not their texts.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path, PurePosixPath

from palimpsest.documents.outline import outline
from palimpsest.documents.wikilinks import SUFFIXES, Document, DocumentNames
from palimpsest.workspace.documents_walk import PORTION, DocumentsWalk
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

    def __init__(
        self, files: WorkspaceFiles, look_s: float = LOOK_S, *, most: int = MOST_DOCUMENTS, portion: int = PORTION
    ) -> None:
        self._files = files
        self._most = most
        self._portion = portion
        self._look_s = look_s
        self._lock = threading.Lock()
        self._looked: dict[Path, float] = {}
        self._is_stale = False
        self._walks: dict[Path, tuple[DocumentsWalk, dict[Path, tuple[Stamp | None, Document]]]] = {}
        self._known: dict[Path, dict[Path, tuple[Stamp | None, Document]]] = {}
        self._documents: dict[Path, DocumentNames] = {}

    def documents(self, root: Path) -> DocumentNames:
        """What there is now; what was found within the last `look_s` seconds counts as now.  Where there are too many
        folders to look into for one who waits, the next who asks has more of them looked into."""
        with self._lock:
            if self._is_stale:
                self._is_stale = False
                self._looked.clear()
                self._walks.clear()
            known = self._documents.get(root)
            looked = self._looked.get(root)
            if known is None or looked is None or root in self._walks or time.monotonic() - looked >= self._look_s:
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

    def shows(self, root: Path, document: str) -> bool:
        """Whether there is such a document now that may be read."""
        with self._lock:
            self._files.look_again()
            return PurePosixPath(document).suffix.lower() in SUFFIXES and self._files.shows(root / document)

    def why_not(self, root: Path, document: str) -> str:
        """Why there is no text, as the end of a sentence."""
        with self._lock:
            return self._files.why_not(root / document) or "cannot be read"

    def _looked_at(self, root: Path) -> DocumentNames:
        before = self._known.get(root, {})
        begun = DocumentsWalk(self._files, root, SUFFIXES, MOST_FOLDERS), dict[Path, tuple[Stamp | None, Document]]()
        walk, now = self._walks.pop(root, begun)
        for path in walk.portion(self._portion):
            if len(now) >= self._most:
                walk.end()
                break
            name, known = path.relative_to(root).as_posix(), before.get(path)
            if walk.n_characters > MOST_CHARACTERS:
                now[path] = None, Document(name, _NOTHING)
                continue
            source = self._files.source(path)
            if source is None:
                if self._files.is_too_large(path):
                    now[path] = None, Document(name, _NOTHING)
                continue
            walk.n_characters += len(source.text)
            is_same = known is not None and known[0] == source.stamp
            if known is None or not is_same:
                known = source.stamp, Document(name, outline(source.text, name))
            now[path] = known
        if not walk.is_done:
            self._walks[root] = walk, now
            now = {**before, **now}
        documents = self._documents.get(root)
        if documents is None or now != before:
            documents = self._documents[root] = DocumentNames(document for _, document in now.values())
        self._known[root] = now
        return documents
