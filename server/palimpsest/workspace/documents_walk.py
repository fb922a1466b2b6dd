"""The documents below a folder, looked for a portion at a time: a workspace's folder may be all of the disk.

In: the workspace's files, a folder, suffixes.  Out: paths, those nearest the top first; links are not followed.  Reads
folders only.
"""

from collections import deque
from collections.abc import Collection, Iterator
from pathlib import Path

from palimpsest.workspace.files import WorkspaceFiles

PORTION = 500
"""Folders, which take about a second."""


class DocumentsWalk:
    """One way through all folders, at most `most_folders`."""

    def __init__(self, files: WorkspaceFiles, root: Path, suffixes: Collection[str], most_folders: int) -> None:
        self._files = files
        self._suffixes = suffixes
        self._folders = deque([root])
        self._n_left = most_folders
        self.n_characters = 0
        """Of what was read on the way, for who walks."""

    @property
    def is_done(self) -> bool:
        return not self._folders or self._n_left <= 0

    def end(self) -> None:
        self._folders.clear()

    def portion(self, n_folders: int = PORTION) -> Iterator[Path]:
        """The paths in so many more folders."""
        for _ in range(n_folders):
            if self.is_done:
                return
            folder = self._folders.popleft()
            self._n_left -= 1
            for entry in self._files.listing(folder):
                path = folder / entry.name
                if entry.is_link:
                    continue
                if entry.is_dir:
                    self._folders.append(path)
                elif path.suffix.lower() in self._suffixes:
                    yield path
