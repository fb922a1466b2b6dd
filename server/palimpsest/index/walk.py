"""The files of a workspace folder that belong into its index.

In: a folder, limits.  Out: paths with their versions, and what was left out for which reason.  Everything is asked of
`WorkspaceFiles`, so nothing ignored, secret or outside is found; links are not followed, since what they lead to is
found by its own path.
"""

import os
import stat
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from palimpsest.index.messages import BeginIndex
from palimpsest.index.store import Stamp
from palimpsest.languages.registry import language_of
from palimpsest.text.patterns import Patterns
from palimpsest.workspace.files import MAX_BYTES, MAX_ENTRIES, WorkspaceFiles

MOST_FOLDERS = 200_000
_FOLDERS_AT_ONCE = 64
"""Listed before what was looked up is forgotten."""


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file of code in a language with a grammar.  `name` is its path relative to the folder, with `/`."""

    path: Path
    name: str
    stamp: Stamp


class Walk:
    """One look at all folders, nearest the top first.  `unindexed` has patterns of what is left out."""

    def __init__(self, files: WorkspaceFiles, root: Path, begin: BeginIndex, unindexed: Patterns) -> None:
        self._files = files
        self._root = root
        self._begin = begin
        self._unindexed = unindexed
        self.left_out: Counter[str] = Counter()
        self.n_found = 0

    def __iter__(self) -> Iterator[FoundFile]:
        folders, n_folders = deque([self._root]), 0
        while folders:
            folder = folders.popleft()
            n_folders += 1
            if n_folders > MOST_FOLDERS:
                self.left_out[f"folders beyond the first {MOST_FOLDERS:,}"] += 1 + len(folders)
                return
            if n_folders % _FOLDERS_AT_ONCE == 0:
                self._files.look_again()
            entries = self._files.listing(folder)
            if len(entries) >= MAX_ENTRIES:
                self.left_out[f"files beyond the first {MAX_ENTRIES:,} of a folder"] += 1
            for entry in entries:
                path = folder / entry.name
                if entry.is_link:
                    continue
                name = path.relative_to(self._root).as_posix()
                if entry.is_dir:
                    if not self._unindexed.ignores(name + "/"):
                        folders.append(path)
                elif (found := self.file(path, name)) is not None:
                    if self.n_found >= self._begin.max_files:
                        self.left_out[f"beyond index.max_files ({self._begin.max_files:,})"] += 1
                        continue
                    self.n_found += 1
                    yield found

    def file(self, path: Path, name: str) -> FoundFile | None:
        """A file as the index takes it; None for one that it leaves out, as any whose name hides something, which no
        code spells.  Does not ask whether the file is ignored."""
        if not is_indexed(path) or not name.isprintable():
            return None
        if self._unindexed.ignores(name):
            self.left_out["index.exclude"] += 1
            return None
        try:
            status = os.lstat(path)
        except OSError:
            return None
        if not stat.S_ISREG(status.st_mode):
            return None
        if status.st_size > min(self._begin.max_file_bytes, MAX_BYTES):
            self.left_out[f"larger than index.max_file_bytes ({self._begin.max_file_bytes:,})"] += 1
            return None
        return FoundFile(path, name, (status.st_mtime_ns, status.st_size))


def is_indexed(path: Path) -> bool:
    """Whether a file is code: data and prose define no names that code uses."""
    language = language_of("", path.name)
    return not language.whole_file and language.grammar is not None
