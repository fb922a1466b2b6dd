"""The `filesystem` block: the files around the one being edited.

In: a view, the workspace's listings.  Out: one block with a path on each line, relative to the workspace; a folder's
path ends in a slash.  Listed are the file's folder, the folders above it, its subfolders, its neighbours and what is in
the subfolders' folders, as far as tokens go.  Of a crowded folder a part is listed, then `shop/… 1,960 more`.

The text depends on the folder alone, so it is the same for all files there; where that folder is crowded, it also
depends on which page of it the file is on (`nearest`), and going from file to file changes it once in some dozens of
files.  Reads no file's content.
"""

import time
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from palimpsest.context.estimate import estimate
from palimpsest.context.sources.source import Source
from palimpsest.context.values import FILESYSTEM
from palimpsest.context.view import CursorView
from palimpsest.newest import Newest
from palimpsest.types import Block
from palimpsest.visible import visible
from palimpsest.workspace.files import MAX_ENTRIES, FolderEntry, WorkspaceFiles

MAX_FOLDERS = 64
"""The most folders listed for one block."""
MAX_TOKENS = 350
MOST_HERE = 40
"""Entries listed of the file's folder."""
MOST_ABOVE = 24
MOST_NEAR = 12
"""At most this many files of each folder below or beside it are listed."""
_LEAST_TOKENS = 12
"""Where fewer are left, no further folder is begun."""
_OF_HERE = 0.6
"""The part of the tokens that the file's own folder may take."""
MOST_S = 0.25
"""Seconds for listing folders, checked after each; only folders full of ignored files come near it."""
_OF_OTHERS = 4
"""One entry in so many is of another kind."""


class FilesystemSource(Source):
    name = "filesystem"
    setting = "filesystem"

    def __init__(self, files: WorkspaceFiles) -> None:
        self._files = files
        self._known = Newest[tuple[Path, Path, str, int, int], tuple[Sequence[FolderEntry], list[str]]]()

    def candidates(self, view: CursorView) -> list[Block]:
        if view.path is None or view.root is None:
            return []
        folder = view.path.parent
        lines = self._lines(view.root, view.path, min(MAX_TOKENS, view.settings.block_tokens))
        if not lines:
            return []
        name = "root" if folder == view.root else folder.relative_to(view.root).as_posix()
        return [Block("filesystem", name, "\n".join(lines), value=FILESYSTEM, source=self.name)]

    def _lines(self, root: Path, path: Path, max_tokens: int) -> list[str]:
        taken, remaining, ends = dict[str, None](), max_tokens, time.monotonic() + MOST_S
        for there, name, most in self._folders(root, path):
            room = remaining if there != path.parent else int(remaining * _OF_HERE)
            lines, used = self._listed(root, there, name, most, room)
            taken.update(dict.fromkeys(lines))
            remaining -= used
            if remaining < _LEAST_TOKENS or time.monotonic() > ends:
                break
        return sorted(taken)

    def _listed(self, root: Path, folder: Path, name: str, most: int, max_tokens: int) -> tuple[list[str], int]:
        """The lines of a folder, and how many tokens they take: as many entries near `name` as there is room for.
        Kept while the folder's listing is the same."""
        entries, key = self._files.listing(folder), (root, folder, name, most, max_tokens)
        known = self._known.get(key)
        if known is None or known[0] is not entries:
            known = self._known[key] = entries, _lines(root, folder, entries, name, most, max_tokens)
        return known[1], sum(estimate(line) + 1 for line in known[1])

    def _folders(self, root: Path, path: Path) -> Iterator[tuple[Path, str, int]]:
        """The folders to list, each with the name to list it around and the most entries: the file's, those above it,
        its subfolders, its neighbours, the folders in its subfolders."""
        yield path.parent, path.name, MOST_HERE
        above = [there for there in path.parents if there.is_relative_to(root)]
        for below, there in pairwise(above):
            yield there, below.name, MOST_ABOVE
        inside = self._inside(path.parent)
        near = [*inside, *(self._inside(above[1]) if len(above) > 1 else [])]
        done, n_left = set(above), MAX_FOLDERS - len(above)
        for there in [*near, *(deep for folder in inside[:MOST_NEAR] for deep in self._inside(folder))]:
            if there not in done and n_left > 0:
                done.add(there)
                n_left -= 1
                yield there, "", MOST_NEAR

    def _inside(self, folder: Path) -> list[Path]:
        return [folder / entry.name for entry in self._files.listing(folder) if entry.is_dir and not entry.is_link]


def _lines(
    root: Path, folder: Path, entries: Sequence[FolderEntry], name: str, most: int, max_tokens: int
) -> list[str]:
    before = "" if folder == root else visible(folder.relative_to(root).as_posix()) + "/"
    costs = sum(estimate(before + entry.name) + 1 for entry in entries)
    if len(entries) > most or costs > max_tokens:
        room = max_tokens - estimate(_more(before, len(entries))) - 1
        most = min(most, int(room * len(entries) / max(1, costs)), len(entries) - 1)
    listed = nearest(entries, name, most) if most > 0 else []
    lines = [before + visible(entry.name) + ("/" if entry.is_dir else "") for entry in listed]
    if listed and len(listed) < len(entries):
        lines.append(_more(before, len(entries) - len(listed), at_least=len(entries) >= MAX_ENTRIES))
    return lines


def _more(before: str, number: int, *, at_least: bool = False) -> str:
    return f"{before}… {number:,}{' or' if at_least else ''} more"


def nearest(entries: Sequence[FolderEntry], name: str, most: int) -> list[FolderEntry]:
    """At most `most` of the entries, sorted as they are; `name` need not be among them, "" is before all others.

    The entries of the same kind (folders, or files with the same suffix) are divided into pages in order of their
    names, and the page with the name is shown, then what shares a stem with an entry of the page, folders, and the
    first others.  So the answer is the same for all names of a page, and most often while a person works on related
    files.
    """
    if len(entries) <= most:
        return list(entries)
    there = next((entry for entry in entries if entry.name == name), None)
    kind = _kind(there) if there is not None else (False, _suffix(name))
    kin = [entry for entry in entries if _kind(entry) == kind] if name else list(entries)
    others = [entry for entry in entries if _kind(entry) != kind] if name else []
    page = _page(kin, name, max(1, most - min(len(others), most // _OF_OTHERS)))
    stems = {_stem(entry.name) for entry in page}
    others.sort(key=lambda entry: (_stem(entry.name) not in stems, not entry.is_dir))
    names = {entry.name for entry in [*page, *others[: most - len(page)]]}
    return [entry for entry in entries if entry.name in names]


def _page(kin: list[FolderEntry], name: str, size: int) -> list[FolderEntry]:
    """The last page is filled from the one before."""
    before = sum(entry.name < name for entry in kin)
    start = max(0, min(before // size * size, len(kin) - size))
    return kin[start : start + size]


def _kind(entry: FolderEntry) -> tuple[bool, str]:
    return entry.is_dir, "" if entry.is_dir else _suffix(entry.name)


def _suffix(name: str) -> str:
    return name[1:].rpartition(".")[2].lower() if "." in name[1:] else ""


def _stem(name: str) -> str:
    return name[:1] + name[1:].partition(".")[0]
