"""What sources share, made once: what is derived from a parse, the texts of workspace files as lines and as trees.

In: a parse and what of it is wanted; paths, texts.  Out: the same value each time; lines as an editor counts them,
parses, nothing of a file that no block may contain.  `visible` and `children` are those of `syntax.names` and
`syntax.scopes`.
"""

from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from palimpsest.syntax import names, scopes
from palimpsest.syntax.names import Visible
from palimpsest.syntax.parse import Language, Parsed, parse_file
from palimpsest.syntax.values import Scope
from palimpsest.text.snapshot import Snapshot
from palimpsest.workspace.files import FileText, WorkspaceFiles
from palimpsest.workspace.kept import Kept

T = TypeVar("T")


def cached(parsed: Parsed, key: Hashable, make: Callable[[], T]) -> T:
    known = parsed.once(_values)
    if key not in known:
        known[key] = make()
    value: T = known[key]
    return value


def visible(parsed: Parsed, scope: Scope) -> list[Visible]:
    return cached(parsed, ("visible", scope), lambda: names.visible(parsed, scope))


def children(parsed: Parsed, scope: Scope) -> list[Scope]:
    return cached(parsed, ("children", scope), lambda: scopes.children(parsed, scope))


def _values(_: Parsed) -> dict[Hashable, Any]:
    return {}


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
