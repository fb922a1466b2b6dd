"""The documents of a workspace folder, kept up to date.

In: a workspace's files, a folder.  Out: `DocumentNames`, as they were when they were last looked for; of a link to none
of them, why what is there may not be read.  Reads a bounded number of documents, each again only when it has changed;
keeps their outlines, not their texts.
"""

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from palimpsest.documents.outline import outline
from palimpsest.documents.wikilinks import (
    SUFFIXES,
    Document,
    DocumentNames,
    Found,
    Link,
    Missing,
    Resolved,
    State,
    resolve,
)
from palimpsest.text.roots import innermost
from palimpsest.workspace.documents_walk import PORTION, DocumentsWalk
from palimpsest.workspace.files import OUTSIDE, Stamp, WorkspaceFiles

MOST_DOCUMENTS = 10_000
MOST_FOLDERS = 5_000
MOST_CHARACTERS = 50_000_000
"""One catalogue reads documents of at most this many characters together. Of those behind, and of one that is too large
to be read, only the path is known."""
LOOK_S = 20.0
"""Documents are looked for again at most this often."""
_NOTHING = outline("")
_NONE = DocumentNames(())


class DocumentCatalog:
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
        self._kept_back: dict[Path, DocumentNames] = {}

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

    def elsewhere(self, root: Path, near: str, link: Link) -> Resolved:
        """What a link means that leads to none of `documents`: a file that its path names, or why that may not be read.
        Of what is outside of the workspace the same is said whether it is there or not."""
        with self._lock:
            named, why = resolve(Link(link.target), near, self._kept_back.get(root, _NONE)), ""
            found = [root / named.document.path] if isinstance(named, Found) else _paths(root, near, link.target)
            for path in found:
                if self._is_outside(path):
                    why = f"{link.target} {OUTSIDE}"
                elif path.is_relative_to(root) and path.suffix.lower() in SUFFIXES and os.path.lexists(path):
                    return self._at(root, path, link)
            return Missing(why=why)

    def _is_outside(self, path: Path) -> bool:
        """Whether the path leads outside, by itself or by the links in it that are in the workspace."""
        root = innermost(path, self._files.roots)
        if root is None:
            return True
        below = [folder for folder in reversed(path.parents) if folder != root and folder.is_relative_to(root)]
        return any(self._files.is_outside(one) for one in (*below, path))

    def _at(self, root: Path, path: Path, link: Link) -> Resolved:
        name, source = path.relative_to(root).as_posix(), self._files.source(path)
        if source is None:
            return Missing(why=f"{name} {self._files.why_not(path) or 'cannot be read'}")
        return resolve(Link(name, link.heading), "", DocumentNames([Document(name, outline(source.text, name))]))

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
                now[path] = None, Document(name, _NOTHING, "unread")
                continue
            source = self._files.source(path)
            if source is None:
                if self._files.is_there(path):
                    state: State = "unread" if self._files.is_too_large(path) else "kept back"
                    now[path] = None, Document(name, _NOTHING, state)
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
            every = [document for _, document in now.values()]
            documents = self._documents[root] = DocumentNames(one for one in every if one.state != "kept back")
            self._kept_back[root] = DocumentNames(one for one in every if one.state == "kept back")
        self._known[root] = now
        return documents


def _paths(root: Path, near: str, target: str) -> Iterator[Path]:
    """Where the file may be that a target names as a path, the likelier first, with each suffix of documents."""
    if not target.isprintable():
        return
    target = target.replace("\\", "/")
    if target.startswith("~") and "/" in target:
        target = f"/{target}"  # a home, of whoever it is, is not looked for
    own, relative = root / PurePosixPath(near).parent, target.startswith(("./", "../"))
    for folder in (own,) if relative else (own, root):
        place = os.path.normpath(folder / target)
        yield from (Path(f"{place}{suffix}") for suffix in ("", *sorted(SUFFIXES)))
