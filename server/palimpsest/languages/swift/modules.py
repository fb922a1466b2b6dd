"""Swift's modules: the files of a target, which see one another, and the targets that they import.

In: paths, names of targets.  Out: files of the workspace.  A target is a folder in `Sources` or `Tests`; elsewhere a
folder stands for one.  `Package.swift` is a program, so it is not read.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from palimpsest.languages.source_modules import Item, ModuleFiles, SourceModules, header_words
from palimpsest.languages.swift import TARGETS
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Import, Scope

_SUFFIX = ".swift"
_NAME = re.compile(r"[^\W\d]\w*")
_HIDDEN = frozenset({"private", "fileprivate"})
_PUBLIC = frozenset({"public", "open"})
_MOST_FILES = 256
_DEEPEST = 5


class SwiftModules(SourceModules):
    separator = ""
    searches_imports = False

    def name_of(self, path: Path, root: Path | None) -> str:
        folder = self._folder(path)
        return folder.name if root is not None and folder != root else super().name_of(path, root)

    def imported(self, found: Import, module: str, path: Path | None) -> str | None:
        return found.module if _NAME.fullmatch(found.module) else None

    def find(self, name: str, near: Path | None) -> ModuleFiles | None:
        if near is None or self.files.root_of(near) is None or not _NAME.fullmatch(name):
            return None
        folder = self._folder(near)
        if folder.name != name:
            folders = (place / target / name for place in self.files.folders_around(near) for target in TARGETS)
            folder = next((place for place in folders if self.files.listing(place)), folder)
        files = self.files.seen(("target", folder), lambda: tuple(self._files(folder))) if folder.name == name else ()
        return ModuleFiles(files) if files else None

    def implied(self, module: str, path: Path | None) -> Sequence[Import]:
        return [Import(module, "*", None, 0, -1)] if path is not None and path.suffix == _SUFFIX else []

    def is_public(self, parsed: Parsed, item: Item) -> bool:
        return not _PUBLIC.isdisjoint(header_words(parsed, item))

    def is_member_public(self, parsed: Parsed, item: Item) -> bool:
        line = item.def_line if isinstance(item, Scope) else item.line
        return not _HIDDEN & set(parsed.snapshot.lines[line].split())

    def adding(self, cls: str, module: str, path: Path) -> Sequence[Path]:
        """Extensions are in any file of the target."""
        return [file for file in self.files_of(module, path) if file != path]

    def _folder(self, path: Path) -> Path:
        """The target's folder."""

        def look() -> Path:
            inside = [folder for folder in self.files.folders_around(path) if folder.parent.name in TARGETS]
            return inside[-1] if inside else path.parent

        return self.files.seen(("target of", path), look)

    def _files(self, folder: Path) -> Iterator[Path]:
        folders, n = [(folder, 0)], 0
        while folders:
            here, depth = folders.pop(0)
            for entry in self.files.listing(here):
                if entry.is_dir and not entry.is_link and depth < _DEEPEST:
                    folders.append((here / entry.name, depth + 1))
                elif entry.name.endswith(_SUFFIX) and not entry.is_dir:
                    n += 1
                    if n > _MOST_FILES:
                        return
                    yield here / entry.name


MODULES = SwiftModules
