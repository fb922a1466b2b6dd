"""Lua's modules: which file `require` means, in the workspace and among the rocks that are installed in it.

In: names such as `shop.cart`, the workspace's files.  Out: files.  Where a program looks for modules depends on how it
is started: from the workspace's folder or one around the file, there or in its `lua`, `src` or `lib`.  If several
files may be meant, none is, except that a file below `lua` means its own folder, as Neovim has it.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from palimpsest.languages.lua import WORDS, exports
from palimpsest.languages.modules import is_named
from palimpsest.languages.source_modules import ModuleFiles, SourceModules
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Import
from palimpsest.text.uris import is_inside

_NAME = re.compile(r"[\w-]+(?:[./][\w-]+)*")
_LONGEST = 256
_SUFFIX, _INDEX = ".lua", "init"
_PLUGIN = "lua"
_FOLDERS = ("", _PLUGIN, "src", "lib")
_ROCKS = Path("lua_modules", "share", "lua")


class LuaModules(SourceModules):
    separator = ""
    gives_wholes = True
    items = staticmethod(exports.items)
    reexports = staticmethod(exports.reexports)

    def name_of(self, path: Path, root: Path | None) -> str:
        """As the file is required, by its path below the folder in which modules are."""
        if root is None or path.suffix.lower() != _SUFFIX or not path.is_relative_to(root):
            return super().name_of(path, root)
        parts = list(path.relative_to(_plugin(path, root) or root).with_suffix("").parts)
        if len(parts) > 1 and parts[0] in _FOLDERS:
            parts.pop(0)
        if len(parts) > 1 and parts[-1] == _INDEX:
            parts.pop()
        return ".".join(parts)

    def imported(self, found: Import, module: str, path: Path | None) -> str | None:
        is_name = len(found.module) <= _LONGEST and _NAME.fullmatch(found.module)
        return found.module.replace("/", ".") if is_name else None

    def lacks(self, found: Import, module: str, path: Path | None) -> bool:
        """A file inside a folder of modules that the workspace has."""
        name, root = self.imported(found, module, path), self.files.root_of(path) if path is not None else None
        top, *below = name.split(".") if name is not None else [""]
        if path is None or root is None or not below or self._installed([top, *below], path) is not None:
            return False
        folders = list(self._folders(path))
        is_own = any((folder / top).is_dir() for folder in folders)
        return is_own and not any(is_named(folder.joinpath(top, *below)) for folder in folders)

    def find(self, name: str, near: Path | None) -> ModuleFiles | None:
        if len(name) > _LONGEST or not _NAME.fullmatch(name):
            return None
        parts = name.replace("/", ".").split(".")
        first = self.files.root_of(near) if near is not None else None
        plugin = _plugin(near, first) if near is not None and first is not None else None
        if plugin is not None and (own := self._in(plugin, parts)) is not None:
            return ModuleFiles((own,))
        every = (self._in(folder, parts) for folder in self._folders(near))
        meant = list(dict.fromkeys(path for path in every if path is not None))
        if meant:
            return ModuleFiles((meant[0],)) if len(meant) == 1 else None
        return self._installed(parts, near)

    def whole(self, parsed: Parsed) -> str | None:
        return exports.returned(parsed) or None

    def is_known(self, name: str) -> bool:
        """What comes with the language, or with the programs that run it."""
        return name in WORDS["modules"]

    def _folders(self, near: Path | None) -> Iterator[Path]:
        """Where modules may be: around the file, in the workspace's folders."""
        around = self.files.folders_around(near) if near is not None else []
        for folder in dict.fromkeys([*around, *self.files.roots]):
            yield from (folder / name for name in _FOLDERS)

    def _in(self, folder: Path, parts: Sequence[str]) -> Path | None:
        below = folder.joinpath(*parts)
        paths = (below.with_name(parts[-1] + _SUFFIX), below / f"{_INDEX}{_SUFFIX}")
        return next((path for path in paths if self._exists(path)), None)

    def _exists(self, path: Path) -> bool:
        if not any(entry.name == path.name and not entry.is_dir for entry in self.files.listing(path.parent)):
            return False
        return is_inside(path, self.files.roots)

    def _installed(self, parts: Sequence[str], near: Path | None) -> ModuleFiles | None:
        """In the tree of rocks that LuaRocks keeps for a project."""
        for folder in self.files.folders_around(near) if near is not None else ():
            rocks = folder / _ROCKS
            for version in self.library.listing(rocks, rocks):
                below = rocks.joinpath(version.name, *parts)
                for path in (below.with_name(parts[-1] + _SUFFIX), below / f"{_INDEX}{_SUFFIX}"):
                    if version.is_dir and self.library.exists(path, rocks):
                        return ModuleFiles((path,), False, rocks)
        return None


def _plugin(path: Path, root: Path) -> Path | None:
    """The innermost folder `lua` around a file."""
    return next((at for at in path.parents if at.name == _PLUGIN and at != root and at.is_relative_to(root)), None)


MODULES = LuaModules
