"""Go's packages: which folder an import means, in the workspace, in `vendor/`, in the module cache, in Go itself.

In: paths of packages, `go.mod`, `go.work`.  Out: the files of packages.  A package is a folder, and each of its files
sees what the others define.  Test files belong to a package only for its tests, and files for another system to none.
Runs no `go`; a folder outside of the workspace that a `go.mod` names is not looked at.
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from palimpsest.languages.go import building
from palimpsest.languages.go.building import ModFile, Replaced, escaped, is_path, mod_file, used_folders
from palimpsest.languages.source_modules import Item, ModuleFiles, SourceModules
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.values import Import
from palimpsest.text.uris import is_inside
from palimpsest.workspace.files import FolderEntry

_MOD, _WORK, _VENDOR, _INTERNAL = "go.mod", "go.work", "vendor", "internal"
_SUFFIX = ".go"
_C = "C"
"""What `cgo` makes of code in C."""
_PLACES = ("/usr/local/go", "/usr/lib/go", "/opt/homebrew/opt/go/libexec")


class GoModules(SourceModules):
    separator = ""

    # What `SourceModules` asks
    def name_of(self, path: Path, root: Path | None) -> str:
        """The path that imports the file's package."""
        if root is None or path.suffix.lower() != _SUFFIX:
            return super().name_of(path, root)
        folder = self._module_folder(path)
        if folder is None:
            return path.parent.relative_to(root).as_posix() if path.parent != root else root.name
        below = path.parent.relative_to(folder)
        return "/".join([self._mod(folder).path, *below.parts])

    def imported(self, found: Import, module: str, path: Path | None) -> str | None:
        return found.module if found.module == module or is_path(found.module) else None

    def find(self, name: str, near: Path | None) -> ModuleFiles | None:
        own = self.name_of(near, self.files.root_of(near)) if near is not None else ""
        if name == own and near is not None:
            return self._package(near.parent, None, near)
        if not is_path(name) or not _may_import(own, name):
            return None
        folder = self._module_folder(near) if near is not None else None
        folders = [folder] if folder is not None else list(self._root_folders())
        for here in folders:
            if (found := self._of_module(name, here, near)) is not None:
                return found
        return self._of_go(name) if "." not in name.partition("/")[0] else None

    def lacks(self, found: Import, module: str, path: Path | None) -> bool:
        """A package of the workspace's own modules, or of Go itself, without a folder."""
        name = found.module
        if path is None or found.name is not None or not is_path(name) or self.found(name, path) is not None:
            return False
        folder = self._module_folder(path)
        known = self._own_modules(folder) if folder is not None else {}
        own = next((one for one in _prefixes(name) if one in known), None)
        if own is not None:
            return not known[own].joinpath(*_below(name, own)).exists()
        is_of_go = folder is not None and "." not in name.partition("/")[0] and name != _C
        vendored = folder is not None and (folder / _VENDOR / name).exists()
        return is_of_go and not vendored and self._sources is not None and not (self._sources / name).exists()

    def implied(self, module: str, path: Path | None) -> Sequence[Import]:
        """The other files of the package; a test that is a package of its own imports what it tests."""
        text = self.files.described(path) if path is not None and path.suffix.lower() == _SUFFIX else None
        if text is None or building.package_of(text.text).endswith(building.TEST):
            return []
        return [Import(module, "*", None, 0, -1)]

    def adding(self, cls: str, module: str, path: Path) -> Sequence[Path]:
        return [file for file in self.files_of(module, path) if file != path]

    def is_public(self, parsed: Parsed, item: Item) -> bool:
        return item.name[:1].isupper()

    def is_member_public(self, parsed: Parsed, item: Item) -> bool:
        return item.name.rpartition(".")[2][:1].isupper()

    def is_part(self, parsed: Parsed, line: int, found: ModuleFiles) -> bool:
        return parsed.once(_is_built)

    def sees_all(self, found: ModuleFiles, near: Path | None) -> bool:
        return near is not None and any(path.parent == near.parent for path in found.files)

    # Modules
    def _module_folder(self, path: Path) -> Path | None:
        """The innermost folder around a file of the workspace with a `go.mod` that names a module."""
        around = self.files.folders_around(path)
        return self.files.once(
            ("go module of", path.parent), lambda: next((folder for folder in around if self._mod(folder).path), None)
        )

    def _root_folders(self) -> Iterator[Path]:
        return (root for root in self.files.roots if self._mod(root).path)

    def _mod(self, folder: Path) -> ModFile:
        return self.library.said(folder / _MOD, None, mod_file, ModFile())

    def _of_module(self, name: str, folder: Path, near: Path | None) -> ModuleFiles | None:
        """A package as the module in a folder imports it: its own, one of the workspace's, one that it requires."""
        known = self._own_modules(folder)
        path = next((path for path in _prefixes(name) if path in known), None)
        if path is not None:
            return self._package(known[path].joinpath(*_below(name, path)), None, near)
        mod = self._mod(folder)
        path = next((path for path in _prefixes(name) if path in mod.required or path in mod.replaced), None)
        replaced = mod.replacement(path, mod.required.get(path, "")) if path is not None else None
        if path is not None and replaced is not None and not replaced.version:
            return self._of_folder(_below(name, path), folder, replaced, near)
        vendored = self._package(folder / _VENDOR / name, folder / _VENDOR, near)
        if vendored is not None or path is None:
            return vendored
        version = mod.required.get(path, "")
        module, version = (path, version) if replaced is None else (replaced.path, replaced.version)
        return self._of_cache(module, version, _below(name, path), near) if version else None

    def _own_modules(self, folder: Path) -> dict[str, Path]:
        """The modules of the workspace that a module sees without a version, itself first."""
        found = {self._mod(folder).path: folder}
        for around in self.files.folders_around(folder / _MOD):
            for used in self.library.said(around / _WORK, None, used_folders, list[str]()):
                there = Path(os.path.normpath(around / used))
                if self.files.has_folder(there) and (path := self._mod(there).path):
                    found.setdefault(path, there)
        return found

    def _of_folder(self, below: Sequence[str], folder: Path, to: Replaced, near: Path | None) -> ModuleFiles | None:
        """A package of a module that a folder of the workspace stands in for."""
        there = Path(os.path.normpath(folder / to.path))
        return self._package(there.joinpath(*below), None, near) if self.files.has_folder(there) else None

    def _of_cache(self, module: str, version: str, below: Sequence[str], near: Path | None) -> ModuleFiles | None:
        cache = self._cache()
        if cache is None or not is_path(version):
            return None
        folder = cache / f"{escaped(module)}@{escaped(version)}"
        return self._package(folder.joinpath(*below), folder, near) if is_inside(folder, [cache]) else None

    def _cache(self) -> Path | None:
        """The folder of downloaded modules."""
        if set_ := self.variables.get("GOMODCACHE"):
            return Path(set_)
        paths = (self.variables.get("GOPATH") or "").split(os.pathsep)[0]
        home = self.variables.get("HOME") or self.variables.get("USERPROFILE")
        folder = Path(paths) if paths else Path(home) / "go" if home else None
        return folder / "pkg" / "mod" if folder is not None else None

    def _of_go(self, name: str) -> ModuleFiles | None:
        """A package of the standard library, where its sources are installed."""
        sources = self._sources
        if sources is None or _INTERNAL in name.split("/"):
            return None
        return self._package(sources / name, sources, None)

    @property
    def _sources(self) -> Path | None:
        return self.files.seen(("go", "sources"), self._installed)

    def _installed(self) -> Path | None:
        program = shutil.which("go", path=self.variables.get("PATH") or "")
        given = self.variables.get("GOROOT")
        folders = [Path(given)] if given else []
        folders += [Path(os.path.realpath(program)).parent.parent] if program else []
        folders += [Path(place) for place in _PLACES]
        sources = (folder / "src" for folder in folders if self.files.root_of(folder) is None)
        return next((folder for folder in sources if (folder / "fmt").is_dir()), None)

    def _package(self, folder: Path, within: Path | None, near: Path | None) -> ModuleFiles | None:
        """The files of a folder that are built together; for a test, or for a file of one system, with others of its
        kind."""
        listed = self.files.listing(folder) if within is None else self.library.listing(folder, within)
        names = [name for name in _go_files(listed) if _belongs(name, near if near and near.parent == folder else None)]
        files = tuple(folder / name for name in sorted(names, key=lambda name: (building.is_test(name), name)))
        return ModuleFiles(files, within is None, within) if files else None


def _go_files(listed: Sequence[FolderEntry]) -> Iterator[str]:
    names = (entry.name for entry in listed if not entry.is_dir and entry.name.endswith(_SUFFIX))
    return (name for name in names if name[0] not in "_.")


def _belongs(name: str, near: Path | None) -> bool:
    """Whether a file is built with what is in `near`, or with its package if that is elsewhere."""
    if building.is_test(name) and (near is None or not building.is_test(near.name)):
        return False
    wanted = building.asks_for(near.name) if near is not None else frozenset()
    return building.asks_for(name) <= wanted if wanted else building.is_for_here(name)


def _may_import(own: str, name: str) -> bool:
    """What is below `internal` is for what is beside it."""
    parts = name.split("/")
    if _INTERNAL not in parts:
        return True
    around = "/".join(parts[: len(parts) - 1 - parts[::-1].index(_INTERNAL)])
    return own == around or own.startswith(f"{around}/")


def _prefixes(name: str) -> list[str]:
    """`a/b/c`, `a/b`, `a`."""
    parts = name.split("/")
    return ["/".join(parts[:end]) for end in range(len(parts), 0, -1)]


def _below(name: str, module: str) -> list[str]:
    return [part for part in name[len(module) :].split("/") if part]


def _is_built(parsed: Parsed) -> bool:
    return building.is_built(parsed.snapshot.text)


MODULES = GoModules
