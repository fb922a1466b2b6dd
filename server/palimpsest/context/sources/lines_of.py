"""The lines of workspace files, for blocks that show ranges of them.

In: paths.  Out: lines as an editor counts them; none of a file that no block may contain.  Kept while the file is the
same.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from palimpsest.text.bounded import forget_oldest
from palimpsest.text.snapshot import Snapshot
from palimpsest.workspace.files import Stamp, WorkspaceFiles

_MOST_KEPT = 32
_MOST_LINES = 200_000


class LinesOf:
    def __init__(self, files: WorkspaceFiles) -> None:
        self._files = files
        self._known: dict[Path, tuple[Stamp, Sequence[str]]] = {}

    def of(self, path: Path) -> Sequence[str]:
        source = self._files.source(path)
        if source is None:
            self._known.pop(path, None)
            return ()
        known = self._known.pop(path, None)
        if known is None or known[0] != source.stamp:
            known = source.stamp, Snapshot(source.uri, 0, "", source.text).lines
        self._known[path] = known
        forget_oldest(self._known, _MOST_KEPT, lambda kept: len(kept[1]), _MOST_LINES)
        return known[1]
