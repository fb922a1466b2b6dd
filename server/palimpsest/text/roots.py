"""The workspace's folders: which documents are inside, and what their paths are called.

In: URIs.  Out: folders, paths shown to a model, refusals.  Reads no file.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from palimpsest.errors import OutsideWorkspace
from palimpsest.text.uris import can_be_written, is_inside, path_or_none, relative
from palimpsest.visible import visible

MOST_LOCATED = 1_000
"""Documents whose place is kept."""


@dataclass(frozen=True, slots=True)
class Roots:
    """Resolved folders in the editor's order; empty if a single file is open."""

    folders: tuple[Path, ...] = ()
    _located: dict[str, tuple[Path | None, str, Path | None]] = field(default_factory=dict, compare=False, repr=False)

    @property
    def names(self) -> str:
        """What a person calls the workspace."""
        return ", ".join(folder.name for folder in self.folders)

    def locate(self, uri: str) -> tuple[Path | None, str]:
        """(folder, path shown to the model); outside of all folders, None and the file's name.  Links are followed
        once until `look_again`."""
        return self._found(uri)[:2]

    def real(self, uri: str) -> Path | None:
        """The file in one of the folders, links followed as in `folders`; None for others.  Once, as `locate`."""
        return self._found(uri)[2]

    def look_again(self) -> None:
        """Links may lead elsewhere."""
        self._located.clear()

    def _found(self, uri: str) -> tuple[Path | None, str, Path | None]:
        if uri not in self._located:
            if len(self._located) >= MOST_LOCATED:
                self._located.clear()
            self._located[uri] = self._locate(uri)
        return self._located[uri]

    def _locate(self, uri: str) -> tuple[Path | None, str, Path | None]:
        path = path_or_none(uri)
        if path is None:
            return None, visible(unquote(uri.partition("#")[0].rpartition("/")[2].rpartition(":")[2])), None
        around = [folder for folder in self.folders if is_inside(path, (folder,))]
        if not around:
            return None, visible(path.name), None
        folder = max(around, key=_depth)
        return folder, visible(relative(path, folder)), path.resolve()

    def may_edit(self, uri: str) -> bool:
        """Whether edits of this document are offered: it is in a folder, there is no folder, or it is no file yet.
        Documents that an editor only shows (`git:`, `output:`, …) are not edited."""
        path = path_or_none(uri)
        if path is None:
            return can_be_written(uri)
        return not self.folders or is_inside(path, self.folders)

    def check_edit(self, uri: str) -> None:
        """Raises OutsideWorkspace if `may_edit` is False."""
        if not can_be_written(uri):
            raise OutsideWorkspace(f"uri: {uri} is only shown by the editor and cannot be edited.")
        if not self.may_edit(uri):
            folders = ", ".join(map(str, self.folders))
            raise OutsideWorkspace(f"uri: {uri} is outside the workspace ({folders}), where nothing is edited.")


def innermost(path: Path, roots: Sequence[Path]) -> Path | None:
    """The folder that has a file, of those that contain its path as written."""
    return max(_around(path, roots), key=_depth, default=None)


def outermost(path: Path, roots: Sequence[Path]) -> Path | None:
    """The one below which all names count in whether the file is secret."""
    return min(_around(path, roots), key=_depth, default=None)


def _around(path: Path, roots: Sequence[Path]) -> list[Path]:
    return [root for root in roots if path.is_relative_to(root)]


def _depth(folder: Path) -> int:
    return len(folder.parts)
