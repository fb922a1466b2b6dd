"""JavaScript's and TypeScript's modules: which file an import means.

In: imports as written, the workspace's files, `node_modules`.  Out: files of modules.  A module of the workspace is
called by its path, `src/cart`; one of a package as it is imported, `money/fp`; another file of a package by its whole
path, which no import can write.
"""

import os
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from palimpsest.languages.catalog import FORGET_SECONDS
from palimpsest.languages.javascript import exports, module_name, packages
from palimpsest.languages.javascript.places import NODE_MODULES, Configs, ModulePlaces, PackageWorkspaces
from palimpsest.languages.modules import Surroundings, is_named
from palimpsest.languages.source_modules import Item, ModuleFiles, SourceModules
from palimpsest.newest import Newest
from palimpsest.syntax.imports import imports
from palimpsest.syntax.parse import Language, Parsed
from palimpsest.syntax.values import Import, Scope
from palimpsest.text.uris import relative

_INSTALLED = f"{NODE_MODULES}/"
_PRIVATE = ("private ", "protected ", "#")
_SOURCES = "src"
_NODE_TYPES = "@types/node"
_MOST_KNOWN = 1024
SUFFIX_RUN = {".ts": ".js", ".tsx": ".js", ".jsx": ".js", ".mts": ".mjs", ".cts": ".cjs"}
"""What a file is imported as, where imports have suffixes."""
SCRIPTS = frozenset({*SUFFIX_RUN, *SUFFIX_RUN.values()})
_ADDS = re.compile(r"\bexports\b|\bexport\s*=|\bdeclare\s+(?:global|module)\b")
"""What gives a module names in other ways than `export`."""
_MADE = ("dist", "lib", "build", "out")


class JavaScriptModules(SourceModules):
    separator = ""
    languages = ("javascript", "typescript", "tsx")
    gives_wholes = True
    starred_without = frozenset({exports.DEFAULT})
    unnamed = frozenset({exports.DEFAULT})
    offered = staticmethod(exports.offered)
    whole = staticmethod(exports.whole)
    reexports = staticmethod(exports.reexports)

    def __init__(self, language: Language, around: Surroundings) -> None:
        super().__init__(language, around)
        self._places = ModulePlaces(around.files, self.library)
        self._configs = Configs(self._places)
        self._workspaces = PackageWorkspaces(self._places)
        self._known = Newest[tuple[packages.Specifier, Path], tuple[ModuleFiles, float]](_MOST_KNOWN)

    # What `SourceModules` asks
    def name_of(self, path: Path, root: Path | None) -> str:
        if self._places.library_of(path) is not None:
            return str(path)
        return module_name(relative(path, root) if root is not None else path.name)

    def imported(self, found: Import, module: str, path: Path | None) -> str | None:
        files = self._resolved(found.module, path) if path is not None else None
        if files is None or path is None:
            return None
        is_path = found.module.startswith((".", "#"))
        if files.is_own:
            name = self.name_of(files.files[0], self.files.root_of(files.files[0]))
        elif is_path or self._places.library_of(path) is not None:
            return str(files.files[0])
        else:
            name = found.module if self._own(found.module, path) is None else _INSTALLED + found.module
        meant = self.found(name, path)
        return name if meant is not None and meant.files == files.files else None

    def import_of(self, name: str, path: Path, parsed: Parsed, near: Path | None) -> Import | None:
        """By the way from file to file, with a suffix where the document's imports have one."""
        if near is None or self._places.library_of(path) is not None:
            return None
        way = Path(os.path.relpath(path, near.parent)).as_posix()
        way = way if way.startswith("../") else f"./{way}"
        others = [item.module for item in imports(parsed) if item.module.startswith(".")]
        runs = SUFFIX_RUN.get(path.suffix, path.suffix)
        is_whole = any(other.endswith(runs) for other in others) if others else path.suffix in (".mjs", ".cjs")
        return Import(f"{module_name(way)}{runs}" if is_whole else module_name(way), name, None, 0, -1)

    def adds(self, text: str) -> bool:
        return _ADDS.search(text) is not None

    def lacks(self, found: Import, module: str, path: Path | None) -> bool:
        """A path without a suffix of a script may be anything that a bundler knows, and a package is what the nearest
        `package.json` says or a folder below it is called."""
        text = found.module
        if path is None or self.files.root_of(path) is None or self._resolved(text, path) is not None:
            return False
        return self.files.once(("js lacks", text, path.parent), lambda: self._lacks(text, path))

    def _lacks(self, text: str, path: Path) -> bool:
        if text.startswith("."):
            place = Path(os.path.normpath(path.parent / text))
            is_script = not place.suffix or place.suffix in SCRIPTS
            bare = place.with_suffix("") if place.suffix in SCRIPTS else place
            return is_script and self.files.root_of(place) is not None and not is_named(bare)
        if text.startswith("node:") or packages.builtin(text):
            return not packages.builtin(text)
        asked = packages.specifier(text)
        if asked is None or ":" in text or self._places.library_of(path) is not None:
            return False
        manifests = [(folder, self._places.manifest(folder)) for folder in self._places.above(path)]
        known = [(folder, data) for folder, data in manifests if data is not None]
        top = asked.package.partition("/")[0]
        return bool(known) and not (
            any(True for _ in self._configs.places(text, path))
            or any(True for _ in self._places.installed(asked.package, path))
            or any(True for _ in self._places.installed(packages.types_of(asked.package), path))
            or any(packages.depends_on(data, asked.package) or data.get("name") == asked.package for _, data in known)
            or any((folder / below / top).exists() for folder, _ in known for below in ("", _SOURCES))
        )

    def find(self, name: str, near: Path | None) -> ModuleFiles | None:
        if os.path.isabs(name):
            return self._of_library(Path(name))
        own = self._own(name, near)
        if own is not None or near is None or name.startswith("."):
            return own
        return self._resolved(name.removeprefix(_INSTALLED), near)

    def is_part(self, parsed: Parsed, line: int, found: ModuleFiles) -> bool:
        """A file may declare several modules: `declare module "fs"`."""
        return not found.inside or exports.declared_at(parsed, line) in (found.inside, f"node:{found.inside}")

    def is_member_public(self, parsed: Parsed, item: Item) -> bool:
        line = parsed.snapshot.lines[item.def_line if isinstance(item, Scope) else item.line].strip()
        return not item.name.startswith(("_", "#")) and not line.startswith(_PRIVATE)

    # Names of modules
    def _own(self, name: str, near: Path | None) -> ModuleFiles | None:
        """The file of the workspace with a module name."""
        if {"", ".", "..", NODE_MODULES} & set(name.split("/")):
            return None
        first = self.files.root_of(near) if near is not None else None
        roots = sorted(self.files.roots, key=lambda root: root != first)
        for root in roots:
            found = self._places.file(root / name) or self._places.index(root / name)
            if found is not None and found.is_own and self.name_of(found.files[0], root) == name:
                return found
        return None

    def _of_library(self, path: Path) -> ModuleFiles | None:
        within = self._places.library_of(path)
        if within is None or not packages.is_source(path.name) or not self.library.exists(path, within):
            return None
        return ModuleFiles((path,), False, within)

    # Imports
    def _resolved(self, text: str, path: Path) -> ModuleFiles | None:
        """The file that an import in another one means."""
        return self.files.once(("js import", text, path.parent), lambda: self._resolve(text, path))

    def _resolve(self, text: str, path: Path) -> ModuleFiles | None:
        if "\0" in text or "\\" in text or os.path.isabs(text):
            return None
        if text.startswith("."):
            return self._relative(text, path)
        if text.startswith("#") and (inner := self._inner(text, path)) is not None:
            return inner
        for place in self._configs.places(text, path):
            if (found := self._places.at(Path(os.path.normpath(place)))) is not None:
                return found
        if name := packages.builtin(text):
            return self._of_node(name, path)
        asked = packages.specifier(text)
        return self._of_package(asked, path) if asked is not None else None

    def _of_node(self, name: str, path: Path) -> ModuleFiles | None:
        """A module of Node.js, as the types that are installed declare it."""
        folder = next(self._places.installed(_NODE_TYPES, path), None)
        found = self._places.file(folder / name) if folder is not None else None
        return replace(found, inside=name) if found is not None and not found.is_own else None

    def _relative(self, text: str, path: Path) -> ModuleFiles | None:
        if text.split("/", 1)[0] not in (".", ".."):
            return None
        place = Path(os.path.normpath(path.parent / text))
        within = self._places.library_of(path)
        if within is not None and not place.is_relative_to(within):
            return None
        is_folder = text.endswith("/") or text.rpartition("/")[2] in (".", "..")
        return self._folder(place) if is_folder else self._places.at(place)

    def _folder(self, place: Path) -> ModuleFiles | None:
        found = self._places.at(place)
        return found if found is not None and found.files[0].is_relative_to(place) else self._places.index(place)

    def _inner(self, name: str, path: Path) -> ModuleFiles | None:
        """`#name`, as the package around a file says."""
        folder = next((one for one in self._places.above(path) if self._places.has_manifest(one)), None)
        data = self._places.manifest(folder) if folder is not None else None
        if folder is None or data is None:
            return None
        for target in packages.inner(data, name):
            asked = packages.specifier(target) if not target.startswith(".") else None
            found = self._of_package(asked, path) if asked else self._entry(folder, target.removeprefix("./"))
            if found is not None:
                return found
        return None

    # Packages
    def _of_package(self, asked: packages.Specifier, path: Path) -> ModuleFiles | None:
        """What was found of an installed package is remembered while its file is there, for a while."""
        found, at = self._known.get((asked, path.parent), (None, 0.0))
        is_recent = time.monotonic() - at < FORGET_SECONDS
        if found is not None and is_recent and self._places.exists(found.files[0], found.within):
            return found
        found = self._search(asked, path)
        if found is not None and not found.is_own:
            self._known[asked, path.parent] = found, time.monotonic()
        return found

    def _search(self, asked: packages.Specifier, path: Path) -> ModuleFiles | None:
        found = next((one for one in self._in_packages(asked, path) if one is not None), None)
        if found is not None and (found.is_own or packages.is_typed(found.files[0].name)):
            return found
        typed = packages.Specifier(packages.types_of(asked.package), asked.part)
        types = [self._in_folder(folder, typed) for folder in self._places.installed(typed.package, path)]
        return next((one for one in types if one is not None), found)

    def _in_packages(self, asked: packages.Specifier, path: Path) -> Iterator[ModuleFiles | None]:
        """Of the nearest package of that name: the one around the file, an installed one, one of the workspace."""
        around = next((one for one in self._places.above(path) if self._places.has_manifest(one)), None)
        data = self._places.manifest(around) if around is not None else None
        if around is not None and data is not None and data.get("name") == asked.package and "exports" in data:
            yield self._in_folder(around, asked)
            return
        installed = next(self._places.installed(asked.package, path), None)
        if installed is not None:
            yield self._in_folder(installed, asked)
            return
        developed = self._workspaces.folder_of(asked.package, path)
        if developed is not None:
            yield self._in_folder(developed, asked)

    def _in_folder(self, folder: Path, asked: packages.Specifier) -> ModuleFiles | None:
        """The part of a package that is in a folder; None if what the package says cannot be read or leads nowhere."""
        data = self._places.manifest(folder)
        if data is None and self._places.has_manifest(folder):
            return None
        named = packages.entries(data or {}, asked.part)
        if named is not None:
            found = (self._entry(folder, name) for name in named)
            return next((one for one in found if one is not None), None)
        if asked.part != packages.WHOLE:
            return self._places.at(folder / asked.part) or self._source(folder, asked.part.removeprefix("./"))
        return self._places.index(folder) or self._source(folder, f"{_MADE[0]}/{packages.INDEX}.js")

    def _entry(self, folder: Path, name: str) -> ModuleFiles | None:
        return self._places.file(folder / name) or self._places.index(folder / name) or self._source(folder, name)

    def _source(self, folder: Path, name: str) -> ModuleFiles | None:
        """What a file of a package of the workspace is built from, which need not be there."""
        if self._places.library_of(folder) is not None:
            return None
        config, path = self._configs.of_folder(folder), folder / _built(name)
        made = config.made if config is not None and config.made is not None else folder / name.split("/", 1)[0]
        is_made = made.name in _MADE or (config is not None and config.made is not None)
        made = Path(os.path.normpath(made))
        if not is_made or not path.is_relative_to(made):
            return None
        sources = [config.sources] if config is not None and config.sources is not None else []
        places = (place / path.relative_to(made) for place in (*sources, folder / _SOURCES, folder))
        found = (self._places.file(Path(os.path.normpath(place))) for place in places)
        return next((one for one in found if one is not None and one.is_own), None)


def _built(name: str) -> str:
    """A file as it runs, `cart.js`, for the types of it, `cart.d.ts`."""
    for types, runs in ((".d.ts", ".js"), (".d.mts", ".mjs"), (".d.cts", ".cjs")):
        if name.endswith(types):
            return name.removesuffix(types) + runs
    return name


MODULES = JavaScriptModules
