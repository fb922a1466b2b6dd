"""Where the files of JavaScript's modules are: in the workspace, and in `node_modules`.

In: paths with or without a suffix, names of packages.  Out: the files that they are.  Runs nothing; a folder of
packages above the workspace counts only up to the folder of its repository.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from palimpsest.languages.javascript import packages, resolution
from palimpsest.languages.javascript.tsconfig import parsed
from palimpsest.languages.library_files import LibraryFiles
from palimpsest.languages.modules import ModuleFiles
from palimpsest.text.uris import is_inside
from palimpsest.workspace.files import MAX_ENTRIES, WorkspaceFiles

NODE_MODULES, MANIFEST = "node_modules", "package.json"


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
        return self._of(path.parent, resolution.names(path.name), within)

    def index(self, folder: Path) -> ModuleFiles | None:
        return self._of(folder, resolution.indexes(), self.library_of(folder))

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
