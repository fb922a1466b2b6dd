"""What one level of indentation is in a file that has none yet.

In: a document, the workspace's files, edits.  Out: a tab or spaces, as `.editorconfig` says, else as the files beside
it of the same kind are indented; edits with these.  Read on a thread, and again when files have changed.  Owner of what
is known.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path

from palimpsest.config.settings import Settings
from palimpsest.system.reading import Refused, read_text
from palimpsest.system.repository import top_of
from palimpsest.text.editorconfig import level
from palimpsest.text.generated import is_generated
from palimpsest.text.levels import is_indented, level_of, with_level
from palimpsest.text.roots import Roots
from palimpsest.text.snapshot import Snapshot
from palimpsest.text.uris import path_or_none
from palimpsest.types import DocumentChange
from palimpsest.workspace.files import WorkspaceFiles

NAME = ".editorconfig"
MOST_BYTES = 128_000
MOST_SIBLINGS = 8
MOST_LINES = 500
"""At most this many lines of a file beside it are looked at."""


class Levels:
    """One window's.  `settings` and `roots` are read each time, because they change."""

    def __init__(
        self,
        settings: Callable[[], Settings],
        roots: Callable[[], Roots],
        open_document: Callable[[str], Snapshot | None],
    ) -> None:
        self._settings, self._roots, self._open_document = settings, roots, open_document
        self._known: dict[tuple[Path, tuple[Path, ...], Sequence[str]], str | None] = {}

    def look_again(self) -> None:
        """Files may have changed."""
        self._known.clear()

    async def of(self, snapshot: Snapshot) -> str | None:
        """What one level is in a document; None where it has indentation of its own, and where nobody says."""
        path = path_or_none(snapshot.uri)
        if path is None or is_indented(snapshot.lines):
            return None
        roots, exclude = self._roots().folders, self._settings().context.exclude
        key = path, roots, exclude
        if key not in self._known:
            files = WorkspaceFiles(roots, exclude, self._open_document)
            self._known[key] = await asyncio.to_thread(_look_up, path, files)
        return self._known.get(key)

    async def applied(self, change: DocumentChange, snapshot: Snapshot) -> DocumentChange:
        """An edit of the document, indented so."""
        level = await self.of(snapshot)
        if level is None:
            return change
        written = with_level("\n".join(line for edit in change.edits for line in edit.lines), level, at_start=True)
        lines = iter(written.split("\n"))
        edits = tuple(replace(edit, lines=tuple(islice(lines, len(edit.lines)))) for edit in change.edits)
        return replace(change, edits=edits)


def _look_up(path: Path, files: WorkspaceFiles) -> str | None:
    root = files.root_of(path)
    return None if root is None else level(_read_configurations(path, top_of(root))) or _beside(path, root, files)


def _read_configurations(path: Path, top: Path) -> Iterator[tuple[str, str]]:
    """The texts of the files that say it, up to the top of the repository, each with the path from there."""
    for folder in path.parents:
        with suppress(OSError, Refused):  # there is none, or none that may be read
            yield read_text(folder / NAME, MOST_BYTES, [top]), path.relative_to(folder).as_posix()
        if folder == top:
            return


def _beside(path: Path, root: Path, files: WorkspaceFiles) -> str | None:
    names = [one.name for one in files.listing(path.parent) if not one.is_dir and not one.is_link]
    alike = [path.with_name(name) for name in names if Path(name).suffix == path.suffix and name != path.name]
    counts = Counter[str]()
    for other in alike[:MOST_SIBLINGS]:
        source = files.source(other)
        if source is not None and not is_generated(other.relative_to(root).as_posix(), source.text):
            counts.update(filter(None, [level_of(source.text.split("\n", MOST_LINES)[:MOST_LINES])]))
    return max(counts, key=lambda one: counts[one]) if counts else None
