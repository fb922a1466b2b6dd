"""Modules of languages whose files say which package or namespace they are in.

In: names of packages, what files declare, the index of the workspace.  Out: files.  A package may have files in several
folders: the index knows them all; where it does not know every file yet, folders with the package's name are looked at.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from palimpsest.languages.source_modules import Item, ModuleFiles, SourceModules, header_words
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Import

_NAME = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
_LONGEST = 256
_MADE = frozenset({"R", "BuildConfig", "Manifest"})
_SHORTEST = 3
_MOST_FILES = 512
_MOST_READ = 64
"""Files of one folder whose declarations are looked at."""


class PackageModules(SourceModules):
    searches_imports = False
    suffixes: tuple[str, ...] = ()

    # A language overrides these
    def packages_in(self, text: str) -> Sequence[str]:
        """The packages that a file declares itself to be in, from its text."""
        return ()

    def folders(self, name: str, near: Path) -> Iterator[Path]:
        """Folders in which files of a package may be, likeliest first, as seen from a file."""
        yield near.parent

    def may_see(self, near: Path, other: Path) -> bool:
        """Whether a file is built with another one at hand."""
        return True

    # What `SourceModules` asks
    def name_of(self, path: Path, root: Path | None) -> str:
        """The package, if the file is in one."""
        return next(iter(self.packages_of(path)), "") or super().name_of(path, root)

    def imported(self, found: Import, module: str, path: Path | None) -> str | None:
        return found.module if len(found.module) <= _LONGEST and _NAME.fullmatch(found.module) else None

    def find(self, name: str, near: Path | None) -> ModuleFiles | None:
        if near is None or self.files.root_of(near) is None or not _NAME.fullmatch(name):
            return None
        every = [path for path in dict.fromkeys(self._files(name, near)) if self.may_see(near, path)]
        folder = near.parent.parts
        every.sort(key=lambda it: (it.parts[:-1] != folder, it.parts[: len(folder)] != folder, it.parts))
        return ModuleFiles(tuple(every[:_MOST_FILES]), inside=name) if every else None

    def is_closed(self, name: str, near: Path | None) -> bool:
        return self._index is not None and self._index.is_complete and super().is_closed(name, near)

    def may_be_made(self, name: str, module: str, known: Collection[str], near: Path | None) -> bool:
        """Such as `DaggerCart` and `R`."""
        return name in _MADE or any(len(one) >= _SHORTEST and one in name for one in known)

    def import_of(self, name: str, path: Path, parsed: Parsed, near: Path | None) -> Import | None:
        packages = self.packages_of(path)
        own = self.packages_of(near) if near is not None else ()
        return Import(packages[0], name, None, 0, -1) if len(packages) == 1 and packages[0] not in own else None

    def is_member_public(self, parsed: Parsed, item: Item) -> bool:
        return "private" not in header_words(parsed, item)

    def implied(self, module: str, path: Path | None) -> Sequence[Import]:
        """The other files of its package."""
        return [Import(name, "*", None, 0, -1) for name in self.packages_of(path)] if path is not None else []

    def packages_of(self, path: Path) -> Sequence[str]:
        if path.suffix.lower() not in self.suffixes:
            return ()
        none: Sequence[str] = ()
        return tuple(dict.fromkeys(self.library.said(path, None, self.packages_in, none)))

    def _files(self, name: str, near: Path) -> Iterator[Path]:
        if name in self.packages_of(near):
            yield near
        if (index := self._index) is not None:
            about = "files of", name, self.languages, index.revision
            yield from self.files.seen(about, lambda: index.files_of(name, self.languages))
        if self._index is None or not self._index.is_complete:
            for folder in dict.fromkeys(self.folders(name, near)):
                listed = (entry for entry in self.files.listing(folder) if not entry.is_dir)
                named = [folder / entry.name for entry in listed if Path(entry.name).suffix.lower() in self.suffixes]
                yield from (path for path in named[:_MOST_READ] if name in self.packages_of(path))
