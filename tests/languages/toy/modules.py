"""Modules of the made-up language: `./money` is the file beside, `%tools` a library's in `lib/tools`, and a file sees
what others in its folder define."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from palimpsest.languages.source_modules import Item, ModuleFiles, SourceModules
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Import

_GIVEN = re.compile(r"^give (.+) (?:of|from) (\S+);$", re.MULTILINE)
_DEFAULT = re.compile(r"^give (\w+);$", re.MULTILINE)


class ToyModules(SourceModules):
    separator = "/"
    starred_without = frozenset({"default"})

    def name_of(self, path: Path, root: Path | None) -> str:
        return (path.relative_to(root) if root is not None else path).with_suffix("").as_posix()

    def find(self, name: str, near: Path | None) -> ModuleFiles | None:
        if name.startswith("%"):
            folder = self.files.roots[0] / "lib" / name[1:]
            path = folder / "main.toy"
            return ModuleFiles((path,), False, folder) if self.library.exists(path, folder) else None
        if name.endswith("/*"):
            folder = self.files.roots[0] / name[:-2]
            return ModuleFiles(tuple(folder / e.name for e in self.files.listing(folder) if e.name.endswith(".toy")))
        path = self.files.roots[0] / f"{name}.toy"
        return ModuleFiles((path,)) if path.is_file() else None

    def imported(self, found: Import, module: str, path: Path | None) -> str | None:
        if not found.module.startswith("./"):
            return found.module
        return str(PurePosixPath(module).parent / found.module[2:])

    def implied(self, module: str, path: Path | None) -> Sequence[Import]:
        return [Import(f"{PurePosixPath(module).parent}/*", "*", None, 0, -1)]

    def is_public(self, parsed: Parsed, item: Item) -> bool:
        return not item.name.startswith("_")

    def offered(self, parsed: Parsed) -> Mapping[str, str] | None:
        default = _DEFAULT.search(parsed.snapshot.text)
        return {"default": default[1]} if default is not None else None

    def reexports(self, parsed: Parsed) -> Sequence[Import]:
        found = list[Import]()
        for names, module in _GIVEN.findall(parsed.snapshot.text):
            name, _, alias = names.partition(" as ")
            found.append(Import(module, name if name != "all" else None, alias or None, 0, 0))
        return found


MODULES = ToyModules
