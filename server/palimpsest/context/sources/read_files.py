"""The texts of workspace files as lines and as trees, made once for each version of a file.

In: paths, texts.  Out: lines as an editor counts them, parses; nothing of a file that no block may contain.  Shared by
the sources, so that each file is parsed once.
"""

from collections.abc import Sequence
from pathlib import Path

from palimpsest.syntax.parse import Language, Parsed, parse_file
from palimpsest.text.snapshot import Snapshot
from palimpsest.workspace.files import FileText, WorkspaceFiles
from palimpsest.workspace.kept import Kept


class ReadFiles:
    def __init__(self, files: WorkspaceFiles) -> None:
        self._files = files
        self._lines = Kept[Path, Sequence[str]](8_000_000)
        self._parses = Kept[tuple[Path, Language], Parsed]()

    def lines(self, path: Path) -> Sequence[str]:
        source = self._files.source(path)
        if source is None:
            return ()
        return self._lines.get(path, source, lambda: Snapshot(source.uri, 0, "", source.text).lines)

    def parse(self, path: Path, source: FileText, language: Language) -> Parsed:
        return self._parses.get((path, language), source, lambda: parse_file(source.text, language, source.uri))
