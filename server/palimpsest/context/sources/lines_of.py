"""The lines of workspace files, for blocks that show ranges of them.

In: paths.  Out: lines as an editor counts them; none of a file that no block may contain.  Kept while the file is the
same.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from palimpsest.text.snapshot import Snapshot
from palimpsest.workspace.files import WorkspaceFiles
from palimpsest.workspace.kept import Kept

_MOST_KEPT = 32
_MOST_CHARACTERS = 8_000_000


class LinesOf:
    def __init__(self, files: WorkspaceFiles) -> None:
        self._files = files
        self._known = Kept[Path, Sequence[str]](_MOST_KEPT, _MOST_CHARACTERS)

    def of(self, path: Path) -> Sequence[str]:
        source = self._files.source(path)
        if source is None:
            return ()
        return self._known.get(path, source, lambda: Snapshot(source.uri, 0, "", source.text).lines)
