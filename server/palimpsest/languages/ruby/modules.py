"""Ruby's files: which one `require` loads.

In: paths as written, `shop/cart`.  Out: files of the workspace, with all that they define.  Where gems are is not
looked for.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from palimpsest.languages.modules import is_named
from palimpsest.languages.source_modules import ModuleFiles, SourceModules
from palimpsest.syntax.values import Import

_SUFFIX, _LIB = ".rb", "lib"
_NAME = re.compile(r"[\w-]+(?:/[\w.-]+)*")


class RubyModules(SourceModules):
    passes_on = True
    separator = ""

    def imported(self, found: Import, module: str, path: Path | None) -> str | None:
        root = self.files.root_of(path) if path is not None else None
        if root is None or path is None or not found.module:
            return None
        if not found.level:
            return found.module if _NAME.fullmatch(found.module) else None
        there = _with_suffix(Path(os.path.normpath(path.parent / found.module)))
        return self.name_of(there, root) if self.files.shows_own(there) else None

    def lacks(self, found: Import, module: str, path: Path | None) -> bool:
        """A file beside this one, or one inside a folder of the project's own `lib`."""
        root = self.files.root_of(path) if path is not None else None
        if root is None or path is None or not found.module:
            return False
        if found.level:
            there = Path(os.path.normpath(path.parent / found.module))
            return self.files.root_of(there) is not None and not is_named(_without_suffix(there))
        top, _, below = found.module.partition("/")
        places = list(self._places(path, root))
        is_own = bool(below) and any((folder / top).is_dir() for folder in places if folder.name == _LIB)
        return is_own and not any(is_named(_without_suffix(folder / found.module)) for folder in places)

    def find(self, name: str, near: Path | None) -> ModuleFiles | None:
        root = self.files.root_of(near) if near is not None else None
        if root is None or near is None or not _NAME.fullmatch(name):
            return None
        files = (_with_suffix(folder / name) for folder in self._places(near, root))
        found = next((path for path in files if self.files.shows_own(path)), None)
        return None if found is None else ModuleFiles((found,))

    def _places(self, near: Path, root: Path) -> Iterator[Path]:
        """`lib` of a folder around, the folders of `app`, the top."""
        yield from (folder / _LIB for folder in self.files.folders_around(near))
        for entry in self.files.listing(root / "app"):
            if entry.is_dir:
                yield root / "app" / entry.name
                yield root / "app" / entry.name / "concerns"
        yield root


def _with_suffix(path: Path) -> Path:
    return path if path.suffix == _SUFFIX else Path(f"{path}{_SUFFIX}")


def _without_suffix(path: Path) -> Path:
    return path.with_suffix("") if path.suffix == _SUFFIX else path


MODULES = RubyModules
