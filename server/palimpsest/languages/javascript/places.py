"""Where the files of JavaScript's modules are: in the workspace, in `node_modules`, where a `tsconfig.json` says.

In: paths with or without a suffix, names of packages.  Out: the files that they are.  Runs nothing; a folder of
packages above the workspace counts only up to the folder of its repository.
"""

import os
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from palimpsest.languages.javascript import packages
from palimpsest.languages.javascript.packages import TsConfig, parsed, tsconfig
from palimpsest.languages.library_files import LibraryFiles
from palimpsest.languages.modules import ModuleFiles
from palimpsest.text.uris import is_inside
from palimpsest.workspace.files import MAX_ENTRIES, WorkspaceFiles

NODE_MODULES, MANIFEST = "node_modules", "package.json"
_FILES = ("tsconfig.json", "jsconfig.json")
_SUFFIX = ".json"
_MOST_CONFIGS = 32
"""Read for one configuration."""
_PNPM = "pnpm-workspace.yaml"
_DEEPEST_FOLDER, _MOST_FOLDERS = 4, 200


class ModulePlaces:
    def __init__(self, files: WorkspaceFiles, library: LibraryFiles) -> None:
        self.files = files
        self._library = library

    def library_of(self, path: Path) -> Path | None:
        """The folder of the package in `node_modules` that a path is in; None for the workspace's own."""
        root = self.files.root_of(path)
        above, parts = (root, path.relative_to(root).parts) if root is not None else (Path(path.anchor), path.parts[1:])
        at = [n for n, part in enumerate(parts) if part == NODE_MODULES]
        if not at:
            return None
        named = parts[at[-1] + 1 :]
        n = 2 if named[:1] and named[0].startswith("@") else 1
        return above.joinpath(*parts[: at[-1] + 1], *named[:n]) if len(named) >= n else None

    def at(self, path: Path) -> ModuleFiles | None:
        """The file that a path means, with another suffix or as a folder."""
        return self.files.once(("js at", path), lambda: self._at(path))

    def file(self, path: Path) -> ModuleFiles | None:
        """The file that a path means, which is no folder."""
        within = self.library_of(path)
        if within is None and self.files.root_of(path) is None:
            return None
        return self._of(path.parent, packages.names(path.name), within)

    def index(self, folder: Path) -> ModuleFiles | None:
        return self._of(folder, packages.indexes(), self.library_of(folder))

    def exists(self, path: Path, within: Path | None) -> bool:
        if within is not None:
            return self._library.exists(path, within)
        listed = self._listed(path.parent)
        return (path.name in listed or len(listed) >= MAX_ENTRIES // 2) and self.files.refusal(path) is None

    def manifest(self, folder: Path) -> Mapping[str, Any] | None:
        """What the `package.json` of a folder says; None if there is none that can be read."""
        return self.files.once(
            ("js manifest", folder),
            lambda: self._library.said(folder / MANIFEST, self.library_of(folder), parsed, None),
        )

    def has_manifest(self, folder: Path) -> bool:
        path = folder / MANIFEST
        if self.library_of(folder) is not None:
            return self.files.seen(("js is there", path), lambda: os.path.lexists(path))
        return MANIFEST in self._listed(folder)

    def above(self, path: Path) -> list[Path]:
        """The folders around a file, up to those of the workspace or of the package that it is in, innermost first."""
        end = self.library_of(path) or self.files.root_of(path)
        return [folder for folder in path.parents if end is not None and folder.is_relative_to(end)]

    def installed(self, package: str, near: Path) -> Iterator[Path]:
        """The folders of an installed package, the nearest first."""
        for folder in self._searched(near):
            there = folder / NODE_MODULES / package
            found = self.files.once(("js package", there), lambda there=there: self._package(there))  # type: ignore[misc]
            if found is not None:
                yield found

    def _at(self, path: Path) -> ModuleFiles | None:
        found = self.file(path) if path != self.files.root_of(path) else None
        if found is not None:
            return found
        within = self.library_of(path)
        if within is None and self.files.root_of(path) is None:
            return None
        if self.has_manifest(path):
            main = packages.entries(_without_exports(self.manifest(path)), packages.WHOLE) or []
            for name in main:
                there = self.file(path / name) or self.index(path / name)
                if there is not None:
                    return there
        return self.index(path)

    def _of(self, folder: Path, names: Iterator[str], within: Path | None) -> ModuleFiles | None:
        name = next((name for name in names if self.exists(folder / name, within)), None)
        return None if name is None else ModuleFiles((folder / name,), within is None, within)

    def _listed(self, folder: Path) -> frozenset[str]:
        """The names in a folder of the workspace."""
        return self.files.once(
            ("js names", folder), lambda: frozenset(entry.name for entry in self.files.listing(folder))
        )

    def _searched(self, near: Path) -> Iterator[Path]:
        root = self.files.root_of(near)
        repository = self.files.seen(("js repository", root), lambda: _repository(root)) if root is not None else None
        end = repository or root or (self.library_of(near) or near).parent
        while end.name and NODE_MODULES in end.parts and root is None:
            end = end.parent
        for folder in near.parents:
            if folder.is_relative_to(end) and folder.name != NODE_MODULES:
                yield folder

    def _package(self, folder: Path) -> Path | None:
        """The folder itself, or what a link there leads to: a package of the workspace, or one among the packages."""
        if not os.path.isdir(folder):  # a `Path` raises for a name that is too long
            return None
        real = Path(os.path.realpath(folder))
        if is_inside(folder, self.files.roots):
            if real == Path(os.path.realpath(folder.parent)) / folder.name:
                return folder
            roots = ((root, Path(os.path.realpath(root))) for root in self.files.roots)
            return next((root / real.relative_to(there) for root, there in roots if real.is_relative_to(there)), None)
        around = next(above for above in folder.parents if above.name == NODE_MODULES)
        is_outside = self.files.root_of(folder) is None and is_inside(around, [around.parent])
        return real if is_outside and is_inside(real, [around]) else None


def _without_exports(data: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Of a folder that is imported by its path, which `exports` says nothing of."""
    return {name: value for name, value in (data or {}).items() if name != "exports"}


def _repository(root: Path) -> Path | None:
    """The folder of the repository that a workspace is in."""
    return next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), None)


class Configs:
    """The `tsconfig.json` or `jsconfig.json` of a file, with what it extends; those of packages are not read."""

    def __init__(self, places: ModulePlaces) -> None:
        self._places = places
        self._files = places.files

    def places(self, name: str, path: Path) -> Iterator[Path]:
        """What the configuration around a file says that a name may be."""
        if self._places.library_of(path) is None:
            for config in self._around(path.parent):
                yield from config.places(name)

    def of_folder(self, folder: Path) -> TsConfig | None:
        """The configuration in a folder."""
        return self._files.once(("js config", folder), lambda: self._in(folder))

    def _around(self, folder: Path) -> tuple[TsConfig, ...]:
        return self._files.once(("js configs", folder), lambda: self._nearest(folder))

    def _nearest(self, folder: Path) -> tuple[TsConfig, ...]:
        """The nearest; where it only refers to others, these."""
        for above in self._places.above(folder / _FILES[0]):
            config = self.of_folder(above)
            if config is not None and config.base is None and config.paths is None:
                referred = (self._referred(Path(os.path.normpath(above / one))) for one in config.references)
                return (config, *(one for one in referred if one is not None))
            if config is not None:
                return (config,)
        return ()

    def _referred(self, path: Path) -> TsConfig | None:
        return self._read(path, set()) if path.suffix == _SUFFIX else self.of_folder(path)

    def _in(self, folder: Path) -> TsConfig | None:
        named = (folder / name for name in _FILES if self._places.exists(folder / name, None))
        return next((found for path in named if (found := self._read(path, set())) is not None), None)

    def _read(self, path: Path, seen: set[Path]) -> TsConfig | None:
        if path in seen or len(seen) >= _MOST_CONFIGS or self._files.root_of(path) is None:
            return None
        seen.add(path)
        text = self._files.described(path)
        if text is None:
            return None
        own, base = tsconfig(text.text, path.parent), TsConfig()
        for name in own.extends:
            there = Path(os.path.normpath(path.parent / name))
            more = self._read(there if name.endswith(_SUFFIX) else Path(f"{there}{_SUFFIX}"), seen)
            base = more.over(base) if name.startswith((".", "/")) and more is not None else base
        return own.over(base)


class PackageWorkspaces:
    """Packages that are developed together in one workspace, where no package manager has linked them: of those only
    what the importing package depends on."""

    def __init__(self, places: ModulePlaces) -> None:
        self._places = places
        self._files = places.files

    def folder_of(self, package: str, near: Path) -> Path | None:
        if self._places.library_of(near) is not None or not self._depends(package, near):
            return None
        return self._files.once(("js developed", package, near.parent), lambda: self._find(package, near))

    def _depends(self, package: str, near: Path) -> bool:
        data = (self._places.manifest(folder) for folder in self._places.above(near))
        return any(packages.depends_on(one, package) for one in data if one is not None)

    def _find(self, package: str, near: Path) -> Path | None:
        for folder in self._places.above(near):
            patterns = self._patterns(folder)
            if not patterns:
                continue
            every = (one for pattern in patterns for one in self._matching(folder, pattern, 0))
            found = dict.fromkeys(islice(every, _MOST_FOLDERS))
            likeliest = sorted(found, key=lambda one: one.name != package.rpartition("/")[2])
            return next((one for one in likeliest if self._is(one, package)), None)
        return None

    def _is(self, folder: Path, package: str) -> bool:
        data = self._places.manifest(folder)
        return data is not None and data.get("name") == package

    def _patterns(self, folder: Path) -> tuple[str, ...]:
        data = self._places.manifest(folder) or {}
        text = self._files.described(folder / _PNPM) if self._places.exists(folder / _PNPM, None) else None
        return packages.workspaces(data) + (packages.pnpm_workspaces(text.text) if text is not None else ())

    def _matching(self, folder: Path, pattern: str, depth: int) -> Iterator[Path]:
        """The folders that `packages/*` or `apps/**` means."""
        first, _, rest = pattern.removeprefix("./").strip("/").partition("/")
        if depth > _DEEPEST_FOLDER or first in ("..", NODE_MODULES) or first.startswith("!"):
            return
        if not first:
            yield folder
        elif first == "**":
            yield from self._matching(folder, rest, depth + 1)
            for inner in self._folders(folder):
                yield from self._matching(inner, pattern, depth + 1)
        elif "*" in first:
            start, _, end = first.partition("*")
            for inner in self._folders(folder):
                if inner.name.startswith(start) and inner.name.endswith(end):
                    yield from self._matching(inner, rest, depth + 1)
        else:
            yield from self._matching(folder / first, rest, depth + 1)

    def _folders(self, folder: Path) -> list[Path]:
        listed = self._files.listing(folder)
        return [folder / one.name for one in listed if one.is_dir and not one.is_link and one.name != NODE_MODULES][
            :_MOST_FOLDERS
        ]
