"""The two locations of modules: the workspace, and the interpreter's folders.

In: names and paths.  Out: files and their texts.  A module of the workspace is read as it is in the editor, and never
imported; built-in and compiled modules of the interpreter are imported in a separate process.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from palimpsest.languages.python.packages.environment import Environment
from palimpsest.languages.python.packages.finding import FoundModule, find_module
from palimpsest.languages.python.packages.inspecting import inspect
from palimpsest.languages.python.packages.model import Module
from palimpsest.system.reading import MOST_OF_SOURCE, Refused, read_text
from palimpsest.text.uris import is_inside
from palimpsest.workspace.files import Stamp, WorkspaceFiles

_NOT_IMPORTED = frozenset({"antigravity", "this", "idlelib", "turtledemo", "lib2to3", "test", "__main__", "site"})
"""Modules of the standard library that have side effects when imported."""


class WorkspaceModules:
    """`folders()` contain the workspace's top-level modules."""

    def __init__(self, files: WorkspaceFiles, folders: Callable[[], Sequence[Path]]) -> None:
        self._files = files
        self._folders = folders

    def find(self, name: str) -> FoundModule | None:
        return find_module(name, self._folders())

    def read(self, path: Path) -> tuple[str, Stamp] | None:
        source = self._files.described(path)
        return (source.text, source.stamp) if source is not None else None

    def stamp(self, path: Path) -> Stamp | None:
        source = self._files.described(path)
        return source.stamp if source is not None else None

    def inspect(self, name: str, found: FoundModule | None) -> Module | None:
        return None

    def canonical(self, target: str) -> str:
        return target


class InstalledModules:
    """An interpreter's standard library and installed packages."""

    def __init__(self, environment: Environment, cache: Path | None) -> None:
        """`cache` is the folder of what modules said that were imported; None for none."""
        self.environment = environment
        self._cache = cache

    def find(self, name: str) -> FoundModule | None:
        found = find_module(name, self.environment.path, self.environment.suffixes)
        return found if found is None or self._may_read(found.path) else None

    def has_hooks(self) -> bool:
        """Whether packages are installed that are elsewhere, which only running their hooks would tell."""
        return any(True for folder in self.environment.site for _ in folder.glob("__editable__*"))

    def _may_read(self, path: Path) -> bool:
        """Whether the path may be read: an environment in the workspace may not link outside it."""
        environment = self.environment
        in_site = any(path.is_relative_to(folder) for folder in environment.site)
        return environment.trusted or not in_site or is_inside(path, environment.strangers)

    def read(self, path: Path) -> tuple[str, Stamp] | None:
        stamp = self.stamp(path)
        try:
            return None if stamp is None or not self._may_read(path) else (read_text(path, MOST_OF_SOURCE), stamp)
        except (OSError, Refused):
            return None

    def stamp(self, path: Path) -> Stamp | None:
        try:
            status = os.stat(path)
        except OSError:
            return None
        return "disk", status.st_mtime_ns, status.st_size

    def inspect(self, name: str, found: FoundModule | None) -> Module | None:
        if not self._may_import(name, found):
            return None
        return inspect(self.environment, name, found.path if found is not None else None, self._cache)

    def _may_import(self, name: str, found: FoundModule | None) -> bool:
        environment, top = self.environment, name.partition(".")[0]
        if top in _NOT_IMPORTED:
            return False
        if found is None:
            return name in environment.builtin
        if is_inside(found.path, environment.strangers):
            return False
        if any(found.path.is_relative_to(folder) for folder in environment.site):
            return environment.trusted and found.kind == "compiled"
        return top in environment.stdlib_names

    def canonical(self, target: str) -> str:
        if target in ("os.path", "posixpath", "ntpath"):
            return self.environment.os_path
        return target
