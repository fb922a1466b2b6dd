"""Where Cargo keeps the sources of packages, and rustup those of Rust's own crates.

In: names and versions of packages, environment variables.  Out: folders and files on this machine.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from palimpsest.languages.library_files import LibraryFiles
from palimpsest.text.uris import is_inside
from palimpsest.workspace.files import WorkspaceFiles

STANDARD = frozenset({"std", "core", "alloc", "proc_macro"})
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_VERSION = re.compile(r"[0-9A-Za-z.+-]{1,128}")
_SOURCES = Path("lib/rustlib/src/rust/library")
_MOST = 32
"""Toolchains and registries that are looked at."""


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


def _folders(above: Path) -> list[Path]:
    try:
        return [path for _, path in zip(range(_MOST), sorted(above.iterdir()), strict=False) if path.is_dir()]
    except OSError:
        return []


def _least_stable(toolchain: Path) -> tuple[bool, str]:
    return not toolchain.name.startswith("stable"), toolchain.name
