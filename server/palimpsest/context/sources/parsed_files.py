"""Parses of workspace files that are not the one at the cursor.

In: paths.  Out: parses of the text as it is now, in the editor or on disk; none of a file that no block may contain, or
that is too long to be parsed while somebody waits.  Kept while the file is the same.
"""

from __future__ import annotations

from pathlib import Path

from palimpsest.languages.registry import language_in
from palimpsest.syntax.parse import Parsed, parse_snapshot
from palimpsest.text.bounded import forget_oldest
from palimpsest.text.snapshot import Snapshot
from palimpsest.workspace.files import Stamp, WorkspaceFiles

LONGEST = 200_000
"""Characters."""
_MOST_KEPT = 32
_MOST_CHARACTERS = 2_000_000


class ParsedFiles:
    def __init__(self, files: WorkspaceFiles) -> None:
        self._files = files
        self._known: dict[Path, tuple[Stamp, Parsed]] = {}

    def of(self, path: Path) -> Parsed | None:
        source = self._files.source(path)
        known = self._known.pop(path, None)
        if source is None or len(source.text) > LONGEST:
            return None
        if known is None or known[0] != source.stamp:
            language = language_in(path.name, source.text)
            known = source.stamp, parse_snapshot(Snapshot(source.uri, 0, language.id, source.text), language)
        self._known[path] = known
        forget_oldest(self._known, _MOST_KEPT, lambda kept: len(kept[1].snapshot.text), _MOST_CHARACTERS)
        return known[1]
