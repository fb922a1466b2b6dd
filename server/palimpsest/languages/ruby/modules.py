"""Ruby's files: which one `require` loads.

In: paths as written, `shop/cart`.  Out: files of the workspace, with all that they define.  Where gems are is not
looked for.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from palimpsest.languages.source_modules import ModuleFiles, SourceModules
from palimpsest.syntax.values import Import

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
        return self.name_of(there, root) if self._is_there(there) else None

    def find(self, name: str, near: Path | None) -> ModuleFiles | None:
        root = self.files.root_of(near) if near is not None else None
        if root is None or near is None or not _NAME.fullmatch(name):
            return None
        around = [folder for folder in near.parents if folder.is_relative_to(root)]
        found = next((path for path in self._places(name, around, root) if self._is_there(path)), None)
        return None if found is None else ModuleFiles((found,))

    def _places(self, name: str, around: list[Path], root: Path) -> Iterator[Path]:
        """In `lib` of a folder around, in the folders of `app`, from the top."""
        for folder in around:
            yield _with_suffix(folder / "lib" / name)
        for entry in self.files.listing(root / "app"):
            if entry.is_dir:
                yield _with_suffix(root / "app" / entry.name / name)
                yield _with_suffix(root / "app" / entry.name / "concerns" / name)
        yield _with_suffix(root / name)

    def _is_there(self, path: Path) -> bool:
        return self.files.root_of(path) is not None and self.files.shows(path)


def _with_suffix(path: Path) -> Path:
    return path if path.suffix == ".rb" else Path(f"{path}.rb")


MODULES = RubyModules
