"""Python's modules: those of the workspace, and those that its interpreter can import.

In: imports, names.  Out: files, descriptions.  There are two catalogs, one of the workspace and one of the
interpreter's folders; what they do not know yet is read in the background.
"""

from __future__ import annotations

import sys
from pathlib import Path

from palimpsest.languages.catalog import Catalog
from palimpsest.languages.modules import Description, Entry, Modules, Surroundings
from palimpsest.languages.python.packages.environment import find_environment
from palimpsest.languages.python.packages.finding import FoundModule, find_module
from palimpsest.languages.python.packages.inspecting import Inspector
from palimpsest.languages.python.packages.library import Library
from palimpsest.languages.python.packages.locations import InstalledModules, WorkspaceModules
from palimpsest.languages.python.packages.names import imported_module, module_of, source_folders
from palimpsest.syntax.parse import Language, Parsed
from palimpsest.syntax.values import Import

_KNOWN = frozenset({"__future__", "typing", "typing_extensions"})
"""Modules whose names need no description."""


class PythonModules(Modules):
    passes_on = True

    def __init__(self, language: Language, around: Surroundings) -> None:
        super().__init__(language, around)
        files, settings, variables = around.files, around.settings, around.variables
        inspector = Inspector(around.cache)

        def open_environment() -> Library | None:
            environment = find_environment(settings.python, files.roots, variables)
            return Library(InstalledModules(environment, inspector)) if environment is not None else None

        def open_workspace() -> Library:
            return Library(WorkspaceModules(files, lambda: self._folders))

        self._files = files
        self._folders: tuple[Path, ...] = ()
        self._revision = 0
        self._installed = Catalog[str](open_environment, around.executor, self._has_read)
        self._own = Catalog[str](open_workspace, around.executor, self._has_read)

    def name_of(self, path: Path, root: Path | None) -> str:
        return self._files.seen(("module name", path, root), lambda: module_of(path, root))

    def imported(self, found: Import, module: str, path: Path | None) -> str | None:
        return imported_module(found, module, is_package=path is not None and path.stem == "__init__")

    def import_of(self, name: str, path: Path, parsed: Parsed, near: Path | None) -> Import | None:
        module = self.name_of(path, self._files.root_of(path))
        return Import(module, name, None, 0, -1) if self.file_of(module, near) == path else None

    def file_of(self, name: str, near: Path | None) -> Path | None:
        found = self._find(name, near)
        return found.path if found is not None and found.kind == "source" else None

    def is_own(self, name: str, near: Path | None) -> bool:
        found = self._find(name, near)
        return found is not None and self._files.root_of(found.path) is not None

    def is_known(self, name: str) -> bool:
        return name in _KNOWN

    def describe(self, name: str, names: frozenset[str], near: Path | None) -> Description | None:
        self._folders = self._near(near)
        catalog = self._own if self.is_own(name, near) else self._installed
        return catalog.describe(name, names)

    def written(self, prefix: str, entry: Entry) -> str:
        lead = "class " if entry.kind == "class" else "async " if entry.is_async else ""
        return lead + super().written(prefix, entry)

    @property
    def revision(self) -> int:
        return self._revision

    def wait(self, seconds: float | None) -> bool:
        return self._installed.wait(seconds) and self._own.wait(seconds)

    def _find(self, name: str, near: Path | None) -> FoundModule | None:
        """The module in the workspace; a name of the standard library is not looked for there."""
        if name.partition(".")[0] in sys.stdlib_module_names:
            return None
        folders = self._near(near)
        return self._files.seen(("module", name, folders), lambda: find_module(name, folders))

    def _near(self, near: Path | None) -> tuple[Path, ...]:
        return self._files.seen(("folders", near), lambda: tuple(source_folders(near, self._files.roots)))

    def _has_read(self) -> None:
        """Called on the thread that reads."""
        self._revision += 1
