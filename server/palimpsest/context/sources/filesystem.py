"""The `filesystem` block: the files around the one being edited.

In: a view, the workspace's listings.  Out: one block with a path on each line, relative to the workspace; a folder's
path ends in a slash.  Listed are the file's folder, the folders above it, its subfolders and its neighbours, as far as
tokens go.  The text depends on the folder alone, so it is the same for all files there.  Reads no file's content.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from palimpsest.context.estimate import estimate
from palimpsest.context.sources.source import Source
from palimpsest.context.values import FILESYSTEM
from palimpsest.context.view import CursorView
from palimpsest.types import Block
from palimpsest.workspace.files import WorkspaceFiles

MAX_FOLDERS = 64
"""The most folders listed for one block."""
MAX_TOKENS = 350
MOST_S = 0.25
"""Seconds for listing folders, checked after each; only folders full of ignored files come near it."""


class FilesystemSource(Source):
    name = "filesystem"
    setting = "filesystem"

    def __init__(self, files: WorkspaceFiles) -> None:
        self._files = files

    def candidates(self, view: CursorView) -> list[Block]:
        if view.path is None or view.root is None:
            return []
        folder = view.path.parent
        lines = self._lines(view.root, folder, min(MAX_TOKENS, view.settings.block_tokens))
        if not lines:
            return []
        name = "root" if folder == view.root else folder.relative_to(view.root).as_posix()
        return [Block("filesystem", name, "\n".join(lines), value=FILESYSTEM, source=self.name)]

    def _lines(self, root: Path, folder: Path, max_tokens: int) -> list[str]:
        taken, used, ends = dict[str, None](), 0, time.monotonic() + MOST_S
        for there in self._folders(root, folder):
            listed = list[str]()
            for entry in self._files.listing(there):
                path = (there / entry.name).relative_to(root).as_posix() + ("/" if entry.is_dir else "")
                tokens = estimate(path) + 1
                if used + tokens > max_tokens:
                    return sorted([*taken, *listed])
                listed.append(path)
                used += tokens
            taken.update(dict.fromkeys(listed))
            if time.monotonic() > ends:
                break
        return sorted(taken)

    def _folders(self, root: Path, folder: Path) -> Iterator[Path]:
        """The folders to list: the file's, those above it, its subfolders, its neighbours."""
        above = [folder, *(parent for parent in folder.parents if parent.is_relative_to(root))]
        near = [there for there in above[:2] for there in self._inside(there)]
        yield from list(dict.fromkeys([*above, *near]))[:MAX_FOLDERS]

    def _inside(self, folder: Path) -> list[Path]:
        return [folder / entry.name for entry in self._files.listing(folder) if entry.is_dir and not entry.is_link]
