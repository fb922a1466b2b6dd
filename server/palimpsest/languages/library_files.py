"""Files of libraries: what packages of a language are on this machine, inside the workspace or outside it.

In: paths, and the folder of the library that they belong to.  Out: texts, listings.  A library's folder is trusted to
hold sources, not to hold no links: nothing is read that lies outside of it after links are resolved, and a library in
the workspace may not lead out of the workspace.  Secrets are refused by name and masked in texts; what context.exclude
and `.palimpsestignore` name does not exist.  Git's rules do not count, since libraries are what git ignores.
"""

import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from palimpsest.newest import Newest
from palimpsest.system.reading import Refused, read
from palimpsest.text import tokens
from palimpsest.text.secret_names import is_of_version_control, is_secret
from palimpsest.text.uris import is_inside, to_uri
from palimpsest.workspace.files import MAX_BYTES, MAX_ENTRIES, FileText, FolderEntry, Stamp, WorkspaceFiles, decoded
from palimpsest.workspace.kept import Kept

_MOST_CACHED = 512
_MOST_CHARACTERS = 32_000_000
T = TypeVar("T")


class LibraryFiles:
    """Answers are valid until the workspace's `look_again`; texts are cached by time stamp and size."""

    def __init__(self, files: WorkspaceFiles) -> None:
        self._files = files
        self._texts = Newest[Path, FileText](_MOST_CACHED, lambda _, one: len(one.text), _MOST_CHARACTERS)
        self._said = Kept[tuple[Path, Callable[[str], object]], Any](64_000_000)
        self._lock = threading.Lock()

    def read(self, path: Path, within: Path) -> FileText | None:
        """The text of a file; None if it may not be read or is no text.  `within` is the library's folder."""
        return self._files.seen(("library text", path, within), lambda: self._read(path, within))

    def text(self, path: Path, within: Path | None) -> FileText | None:
        """The same of a file of the workspace too, if `within` is None."""
        if within is not None:
            return self.read(path, within)
        return self._files.once(("described", path), lambda: self._files.described(path))

    def said(self, path: Path, within: Path | None, parse: Callable[[str], T], missing: T) -> T:
        """What `parse` reads of such a file, once for each version of it; `missing` where there is none."""
        text = self.text(path, within)
        if text is None:
            return missing
        found: T = self._said.get((path, parse), text, lambda: parse(text.text))
        return found

    def exists(self, path: Path, within: Path) -> bool:
        """Whether it is a file that `read` may read."""
        return self.stamp(path, within) is not None

    def listing(self, folder: Path, within: Path) -> tuple[FolderEntry, ...]:
        """The entries of a folder, sorted, without secrets; empty if there is no such folder.  A link is listed as what
        it leads to, and does not exist if that is outside the library."""
        return self._files.seen(("library listing", folder, within), lambda: self._listing(folder, within))

    def stamp(self, path: Path, within: Path) -> Stamp | None:
        """The version of a file; None if it does not exist or may not be read."""
        return self._files.seen(("library stamp", path, within), lambda: self._stamp(path, within))

    def _may_read(self, path: Path, within: Path) -> bool:
        """By path alone; the file need not exist."""
        if not _is_below(path, within) or not is_inside(path, [within]):
            return False
        if self._files.root_of(within) is not None and not is_inside(within, self._files.roots):
            return False
        real = Path(os.path.realpath(path))
        below = (
            Path(os.path.abspath(path)).relative_to(os.path.abspath(within)),
            real.relative_to(os.path.realpath(within)),
        )
        if any(is_of_version_control(part) for part in below):
            return False
        secret = is_secret(path, within) or is_secret(real, os.path.realpath(within))
        return not secret and not self._files.is_excluded(path)

    def _stamp(self, path: Path, within: Path) -> Stamp | None:
        try:
            status = path.stat() if _is_below(path, within) else None
        except (OSError, ValueError):
            return None
        if status is None or not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
            return None
        return ("disk", status.st_mtime_ns, status.st_size) if self._may_read(path, within) else None

    def _read(self, path: Path, within: Path) -> FileText | None:
        stamp = self.stamp(path, within)
        if stamp is None:
            return None
        known = self._texts.get(path)
        if known is not None and known.stamp == stamp:
            return known
        try:
            text = decoded(read(path, MAX_BYTES, [within]))
        except (OSError, Refused):
            return None
        if text is None:
            return None
        found = FileText(to_uri(path), tokens.masked(text), stamp)
        with self._lock:
            self._texts[path] = found
        return found

    def _listing(self, folder: Path, within: Path) -> tuple[FolderEntry, ...]:
        if not self._may_read(folder, within):
            return ()
        found = list[FolderEntry]()
        try:
            with os.scandir(folder) as entries:
                for _, entry in zip(range(MAX_ENTRIES), entries, strict=False):
                    if self._may_list(entry, within):
                        found.append(FolderEntry(entry.name, entry.is_dir(), entry.is_symlink()))
        except (OSError, ValueError):
            return ()
        return tuple(sorted(found, key=lambda entry: entry.name))

    def _may_list(self, entry: os.DirEntry[str], within: Path) -> bool:
        return not is_secret(entry.path, within) and (not entry.is_symlink() or self._may_read(Path(entry), within))


def _is_below(path: Path, folder: Path) -> bool:
    """As written: whatever links do is another question."""
    return Path(os.path.abspath(path)).is_relative_to(os.path.abspath(folder))
