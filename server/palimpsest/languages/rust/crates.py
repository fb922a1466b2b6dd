"""Which crate a name or a file belongs to: the workspace's own, dependencies' in Cargo's registry, Rust's own.

In: names, files, `Cargo.toml`, `Cargo.lock`, environment variables, which say where Cargo keeps the sources of packages
and rustup those of Rust's own crates.  Out: `Crate`s.  Runs no `cargo`; a dependency's folder outside of the workspace
that a manifest names is not looked at.

The library or only binary of the package in a workspace folder itself is `crate`, another package's has its name, and
any other target is named after its file: `tests/shop`.
"""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from palimpsest.languages.library_files import LibraryFiles
from palimpsest.languages.rust.manifests import Dependency, Lock, Manifest, lock, manifest
from palimpsest.text.uris import is_inside
from palimpsest.workspace.files import WorkspaceFiles

OWN = "crate"
SUFFIX = ".rs"
_MANIFEST, _LOCK, _VENDOR = "Cargo.toml", "Cargo.lock", "vendor"
_TARGETS = ("tests", "benches", "examples", "src/bin")
_LIBRARY, _BINARY = "src/lib.rs", "src/main.rs"
STANDARD = frozenset({"std", "core", "alloc", "proc_macro"})
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_VERSION = re.compile(r"[0-9A-Za-z.+-]{1,128}")
_SOURCES = Path("lib/rustlib/src/rust/library")
_MOST = 32
"""Toolchains and registries that are looked at."""


@dataclass(frozen=True, slots=True)
class Crate:
    """`name` is the first part of its modules' names, `file` its root; `within` is a library's folder."""

    name: str
    file: Path
    within: Path | None = None


@dataclass(frozen=True, slots=True)
class Package:
    folder: Path
    manifest: Manifest
    within: Path | None = None


class Toolchain:
    def __init__(self, files: WorkspaceFiles, library: LibraryFiles, variables: Mapping[str, str]) -> None:
        self._files = files
        self._library = library
        self._variables = variables

    def packages(self, name: str, version: str, vendor: Path) -> Iterator[tuple[Path, Path]]:
        """The folders that may hold a version of a package, each with the library's folder that it must not leave."""
        if _NAME.fullmatch(name) is None or _VERSION.fullmatch(version) is None:
            return
        for folder in (vendor / f"{name}-{version}", vendor / name):
            if self._files.has_folder(folder):
                yield folder, folder
        for registry in self._registries():
            folder = registry / f"{name}-{version}"
            if is_inside(folder, [registry]):
                yield folder, folder

    def package_around(self, path: Path) -> Path | None:
        """The folder of the downloaded or vendored package that a file is in, or of the crate of Rust's own."""
        for above in (*self._registries(), *self._libraries()):
            if path.is_relative_to(above) and path.parent != above:
                return above / path.relative_to(above).parts[0]
        return None

    def crate(self, name: str) -> tuple[Path, Path] | None:
        """The root file of one of Rust's own crates, and the folder of all of them."""
        for folder in self._libraries():
            file = folder / name / "src" / "lib.rs"
            if self._library.exists(file, folder):
                return file, folder
        return None

    def _registries(self) -> tuple[Path, ...]:
        return self._files.seen(("rust", "registries"), self._find_registries)

    def _find_registries(self) -> tuple[Path, ...]:
        home = self._home("CARGO_HOME", ".cargo")
        above = home / "registry" / "src" if home is not None else None
        return tuple(_folders(above)) if above is not None else ()

    def _libraries(self) -> tuple[Path, ...]:
        return self._files.seen(("rust", "libraries"), self._find_libraries)

    def _find_libraries(self) -> tuple[Path, ...]:
        home = self._home("RUSTUP_HOME", ".rustup")
        toolchains = sorted(_folders(home / "toolchains"), key=_least_stable) if home is not None else []
        found = (folder / _SOURCES for folder in (*toolchains, Path("/usr"), Path("/usr/local")))
        return tuple(folder for folder in found if (folder / "core").is_dir())

    def _home(self, variable: str, usual: str) -> Path | None:
        if given := self._variables.get(variable):
            return Path(given)
        home = self._variables.get("HOME") or self._variables.get("USERPROFILE")
        return Path(home) / usual if home else None


class Crates:
    def __init__(self, files: WorkspaceFiles, library: LibraryFiles, toolchain: Toolchain) -> None:
        self._files = files
        self._library = library
        self._toolchain = toolchain

    def of_file(self, path: Path) -> Crate | None:
        """The crate that a file of the workspace is of."""
        root, package = self._files.root_of(path), self.package_of(path)
        if root is None:
            return None
        folder = package.folder if package is not None else root
        main = self._main(package or Package(root, Manifest()))
        below = path.relative_to(folder).as_posix()
        target = self._target(folder, below, package.manifest.targets if package is not None else ())
        if target is None and main is not None and path.is_relative_to(main.file.parent):
            is_second = below == _BINARY and main.file.name != path.name
            return Crate(self._named(root, path), path) if is_second else main
        file = folder / target if target is not None else path
        return Crate(self._named(root, file), file)

    def named(self, name: str, near: Path | None) -> Crate | None:
        """The crate that `near` calls so; `crate` is that of the workspace's folder."""
        if name in STANDARD:
            found = self._toolchain.crate(name)
            return Crate(name, *found) if found is not None else None
        package = self.package_of(near) if near is not None else None
        root = self._files.root_of(near) if near is not None else next(iter(self._files.roots), None)
        if name == OWN or "/" in name:
            return self._of_root(name, root) if root is not None else None
        if package is None:
            return self._member(name, near)
        if name == package.manifest.library:
            return self._main(package)
        needed = self._dependency(package, name)
        if needed is None:
            return self._member(name, near) if package.within is None else None
        return self._of_dependency(name, *needed, package)

    def package_of(self, path: Path) -> Package | None:
        """The package around a file of the workspace or of a library."""
        for folder in self._files.folders_around(path):
            said = self._manifest(folder)
            if said.package:
                return Package(folder, said)
        within = self._toolchain.package_around(path)
        return Package(within, self._manifest(within, within), within) if within is not None else None

    # The workspace's own
    def _main(self, package: Package) -> Crate | None:
        """The library of a package, else its binary."""
        for file in (package.manifest.library_file or _LIBRARY, _BINARY):
            path = Path(os.path.normpath(package.folder / file))
            if not path.is_relative_to(package.folder):
                continue
            if package.within is not None:
                if self._library.exists(path, package.within):
                    return Crate(package.manifest.library, path, package.within)
            elif self._files.shows(path):
                is_root = package.folder in self._files.roots
                return Crate(OWN if is_root else package.manifest.library, path)
        return None

    def _target(self, folder: Path, below: str, named: tuple[str, ...]) -> str | None:
        """The root file of the test, example or binary that a file of a package is of."""
        if below in named or below == "build.rs":
            return below
        for kind in _TARGETS:
            if not below.startswith(f"{kind}/"):
                continue
            first, *deeper = below.removeprefix(f"{kind}/").split("/")
            if not deeper:
                return below
            main = f"{kind}/{first}/main.rs"
            beside = f"{kind}/{first}{SUFFIX}"
            return next((file for file in (main, beside) if self._files.shows(folder / file)), None) or below
        return None

    def _named(self, root: Path, file: Path) -> str:
        """A crate by its file, `tests/shop`; one that lies in the workspace's folder itself is `./build`."""
        below = file.relative_to(root).with_suffix("").as_posix()
        return below if "/" in below else f"./{below}"

    def _of_root(self, name: str, root: Path) -> Crate | None:
        if name == OWN:
            return self._main(Package(root, self._manifest(root)))
        file = root.joinpath(*name.split("/")).with_suffix(SUFFIX)
        return Crate(name, file) if ".." not in file.parts and self._files.shows(file) else None

    def _member(self, name: str, near: Path | None) -> Crate | None:
        """A package of the same workspace, by its library's name."""
        for folder in self._workspace_folders(near):
            for member in self._members(folder):
                said = self._manifest(member)
                if said.library == name:
                    return self._main(Package(member, said))
        return None

    def _workspace_folders(self, near: Path | None) -> Iterator[Path]:
        folders = self._files.folders_around(near) if near is not None else self._files.roots
        return (folder for folder in folders if self._manifest(folder).is_workspace)

    def _members(self, folder: Path) -> Iterator[Path]:
        """The folders of a workspace's packages; the last part of one may be `*`."""
        for member in self._manifest(folder).members:
            parent, _, last = member.rstrip("/").rpartition("/")
            there = Path(os.path.normpath(folder / parent))
            if not self._files.has_folder(there):
                continue
            if "*" in last:
                yield from (there / entry.name for entry in self._files.listing(there) if entry.is_dir)
            elif self._files.has_folder(there / last):
                yield Path(os.path.normpath(there / last))

    # Dependencies
    def _dependency(self, package: Package, name: str) -> tuple[Dependency, Path] | None:
        """What a package's manifest says of a crate, and the folder that its path starts from."""
        found = package.manifest.dependencies.get(name)
        if found is None or not found.is_inherited:
            return None if found is None else (found, package.folder)
        for folder in self._workspace_folders(package.folder / _MANIFEST):
            shared = self._manifest(folder).shared.get(name)
            if shared is not None:
                return shared, folder
        return None

    def _of_dependency(self, name: str, needed: Dependency, start: Path, package: Package) -> Crate | None:
        if needed.path:
            folder = Path(os.path.normpath(start / needed.path))
            is_own = package.within is None and self._files.has_folder(folder)
            return self._main(Package(folder, self._manifest(folder))) if is_own else None
        for locked, beside in self._locks(package):
            version = locked.version(needed.package, package.manifest.package)
            if version is None:
                continue
            for folder, within in self._toolchain.packages(needed.package, version, beside / _VENDOR):
                said = self._manifest(folder, within)
                if said.package == needed.package:
                    return self._main(Package(folder, said, within))
        return None

    def _locks(self, package: Package) -> Iterator[tuple[Lock, Path]]:
        """The lock files that say which versions a package uses, each with its folder; a library's are the
        workspace's."""
        is_own = package.within is None
        for folder in self._files.folders_around(package.folder / _MANIFEST) if is_own else self._files.roots:
            found = self._library.said(folder / _LOCK, None, lock, Lock())
            if found.versions:
                yield found, folder

    def _manifest(self, folder: Path, within: Path | None = None) -> Manifest:
        return self._library.said(folder / _MANIFEST, within, manifest, Manifest())


def _folders(above: Path) -> list[Path]:
    try:
        return [path for _, path in zip(range(_MOST), sorted(above.iterdir()), strict=False) if path.is_dir()]
    except OSError:
        return []


def _least_stable(toolchain: Path) -> tuple[bool, str]:
    return not toolchain.name.startswith("stable"), toolchain.name
