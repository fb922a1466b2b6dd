"""Python's modules: those of the workspace, and those that its interpreter can import.

In: imports, names.  Out: files, descriptions.  There are two catalogs, one of the workspace and one of the
interpreter's folders; what they do not know yet is read in the background.
"""

import os
import re
import sys
from collections.abc import Collection, Hashable, Iterator
from pathlib import Path

from palimpsest.languages.catalog import ModuleCatalog
from palimpsest.languages.modules import Description, ModuleEntry, Modules, Surroundings
from palimpsest.languages.python.packages.environment import deciding, find_environment, stamps
from palimpsest.languages.python.packages.library import PythonLibrary
from palimpsest.languages.python.packages.locations import InstalledModules, WorkspaceModules
from palimpsest.languages.python.packages.names import (
    FoundModule,
    find_module,
    imported_module,
    module_of,
    source_folders,
)
from palimpsest.syntax.imports import imports
from palimpsest.syntax.parse import Language, Parsed, parse_text
from palimpsest.syntax.scopes import scopes
from palimpsest.syntax.values import Import, Keywords
from palimpsest.text.alike import n_alike

_KNOWN = frozenset({"__future__", "typing", "typing_extensions"})
"""Modules whose names need no description."""


_ADDS = re.compile(r"\b(?:globals|vars|setattr|exec|extend_path)\s*\(|sys\.modules|__path__|__getattr__|lazy")
"""What may give a module names while it runs."""
_CALLED = "f"
_ENVIRONMENT, _ANY = "python environment", "builtins"
_DECLARATIONS = ("pyproject.toml", "requirements.txt", "setup.cfg", "setup.py")


class PythonModules(Modules):
    passes_on = True

    def __init__(self, language: Language, around: Surroundings) -> None:
        super().__init__(language, around)
        files, settings, variables = around.files, around.settings, around.variables

        self._opened: InstalledModules | None = None

        def open_environment() -> PythonLibrary | None:
            environment = find_environment(settings.python, files.roots, variables)
            self._opened = InstalledModules(environment, around.cache) if environment is not None else None
            return PythonLibrary(self._opened) if self._opened is not None else None

        def decides() -> Hashable:
            return files.seen(_ENVIRONMENT, lambda: deciding(settings.python, files.roots, variables))

        def holds() -> Hashable:
            place = self._opened
            return None if place is None else files.seen((_ENVIRONMENT, place), lambda: stamps(place.environment.site))

        def open_workspace() -> PythonLibrary:
            return PythonLibrary(WorkspaceModules(files, lambda: self._folders))

        self._files = files
        self._folders: tuple[Path, ...] = ()
        self._chosen = bool(settings.python or variables.get("VIRTUAL_ENV"))
        self._installed = ModuleCatalog[str](
            open_environment, around.executor, self._has_read, decides=decides, holds=holds
        )
        self._own = ModuleCatalog[str](open_workspace, around.executor, self._has_read)

    @property
    def _place(self) -> InstalledModules | None:
        """None until the environment that is there now is opened, in the background."""
        if self._installed.is_current():
            return self._opened
        self._installed.describe(_ANY, frozenset())
        return None

    def name_of(self, path: Path, root: Path | None) -> str:
        return self._files.seen(("module name", path, root), lambda: module_of(path, root))

    def imported(self, found: Import, module: str, path: Path | None) -> str | None:
        return imported_module(found, module, is_package=path is not None and path.stem == "__init__")

    def import_of(self, name: str, path: Path, parsed: Parsed, near: Path | None) -> Import | None:
        module = self.name_of(path, self._files.root_of(path))
        if self.file_of(module, near) != path:
            return None
        if near is None or not any(item.level for item in imports(parsed)):
            return Import(module, name, None, 0, -1)
        own = self.name_of(near, self._files.root_of(near)).split(".")
        package, parts = own if near.stem == "__init__" else own[:-1], module.split(".")
        n_common = n_alike(package, parts)
        if n_common == 0:
            return Import(module, name, None, 0, -1)
        return Import(".".join(parts[n_common:]), name, None, len(package) - n_common + 1, -1)

    def lacks(self, found: Import, module: str, path: Path | None) -> bool:
        name = self.imported(found, module, path)
        if not name or (found.level and path is None):
            return False
        return self._files.once(("lacks", name, path), lambda: self._lacks(name, path))

    def is_closed(self, name: str, near: Path | None) -> bool:
        found = self._find(name, near)
        if found is not None:
            return not self._may_add(found, own=True)
        place = self._place
        if place is None:
            return False
        if name.partition(".")[0] in place.environment.stdlib_names:
            return True  # its interpreter is asked
        found = place.find(name)
        return found is not None and not self._may_add(found, own=False)

    def may_be_made(self, name: str, module: str, known: Collection[str], near: Path | None) -> bool:
        """Also what the text of an installed module has, which its own `__getattr__` may give."""
        found = self._find(module, near)
        if found is not None:
            return found.is_package and _is_beside(found, name)
        if name.startswith("_"):  # a stub may have it
            return True
        place = self._place
        there = place.find(module) if place is not None else None
        read = place.read(there.path) if place is not None and there is not None else None
        return read is not None and re.search(rf"\b{re.escape(name)}\b", read[0]) is not None

    def _lacks(self, name: str, near: Path | None) -> bool:
        """Whether no module is called so, neither in the workspace nor, where that is known, in the environment: what
        is installed elsewhere is known where the environment is the workspace's or was chosen."""
        if self._find(name, near) is not None:
            return False
        around, _, last = name.rpartition(".")
        own = self._find(around, near) if around else None
        if own is not None:
            return own.is_package and not _is_beside(own, last) and not self._may_add(own, own=True)
        top, place = name.partition(".")[0], self._place
        if place is None:
            return False
        environment = place.environment
        if name in environment.builtin or find_module(name, environment.path, environment.suffixes) is not None:
            return False
        if around:
            outer = find_module(around, environment.path, environment.suffixes)
            if outer is None:
                return around not in environment.builtin and self._lacks(around, near)
            if top in environment.stdlib_names and (read := place.read(outer.path)) is not None:
                return name not in read[0]
            return not _is_beside(outer, last) and not self._may_add(outer, own=False)
        if top in environment.stdlib_names or top in sys.stdlib_module_names:
            return False
        is_known = self._chosen or not environment.trusted
        return is_known and not place.has_hooks() and not any(top in text for text in self._declared())

    def _declared(self) -> Iterator[str]:
        """What the workspace says that it needs, with the marks of names as in code."""
        for root in self._files.roots:
            for file in _DECLARATIONS:
                if (text := self._files.described(root / file)) is not None:
                    yield text.text.replace("-", "_")

    def _may_add(self, found: FoundModule, *, own: bool) -> bool:
        """Whether a module may have names that are not written in its file."""
        if found.kind == "namespace":  # it may be any folder: of a project, say
            listed = frozenset(_listed(found.path) or ())
            is_project = not listed.isdisjoint((*_DECLARATIONS, found.path.name))
            return is_project or not any(name.endswith(".py") for name in listed)
        if found.kind != "source":
            return True
        if own:
            text = self._files.described(found.path)
            return text is None or _ADDS.search(text.text) is not None
        place = self._place
        read = place.read(found.path) if place is not None else None
        return read is None or _ADDS.search(read[0]) is not None or "import *" in read[0]

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

    def keywords(self, module: str, entry: ModuleEntry) -> Keywords | None:
        """Of Python's own modules: in others a decorator may change how something is called."""
        place, written = self._place, [entry.signature, *(one.signature for one in entry.overloads)]
        is_own = place is not None and module.partition(".")[0] in place.environment.stdlib_names
        if not is_own or entry.bases or entry.kind not in ("class", "function"):
            return None
        found = set[str]()
        for text in written:
            parsed = parse_text(f"def {_CALLED}{text}: ...", self._language)
            scope = next((one for one in scopes(parsed) if one.name == _CALLED), None)
            known = None if scope is None or not text else self._language.keywords(parsed, scope)
            if known is None:
                return None
            found |= known.names
        return Keywords(frozenset(found))

    def written(self, prefix: str, entry: ModuleEntry) -> str:
        lead = "class " if entry.kind == "class" else "async " if entry.is_async else ""
        return lead + super().written(prefix, entry)

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


def _is_beside(package: FoundModule, name: str) -> bool:
    """Whether the folder of a package has anything of that name, as what a module is built from."""
    listed = _listed(package.path if package.kind == "namespace" else package.path.parent)
    return listed is None or any(entry.partition(".")[0] == name for entry in listed)


def _listed(folder: Path) -> list[str] | None:
    try:
        return os.listdir(folder)
    except OSError:
        return None


MODULES = PythonModules
