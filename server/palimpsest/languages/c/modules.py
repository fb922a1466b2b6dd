"""C's headers: which file an include means, in the workspace, in the system.

In: includes, the workspace's files, environment variables.  Out: files.  A header of the workspace is called by its
path there, one of the system as it is included, `<zlib.h>`.  A source sees the header of its name.
"""

import os
import re
import sysconfig
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from palimpsest.languages.c import HEADERS, WORDS, flags
from palimpsest.languages.library_files import LibraryFiles
from palimpsest.languages.modules import Surroundings
from palimpsest.languages.source_entries import Item, top_level
from palimpsest.languages.source_modules import ModuleFiles, SourceModules
from palimpsest.syntax.imports import imports
from palimpsest.syntax.parse import Language, Parsed
from palimpsest.syntax.values import Import
from palimpsest.text.uris import is_inside, relative
from palimpsest.workspace.files import WorkspaceFiles

_LONGEST = 512
_WORD = re.compile(r"<[a-z_]+>")
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
_MOST_INCLUDES, _MOST_LOOKED_FOR = 256, 500
"""One file has at most so many includes, and so many are looked for in all: most may be of files that are not there."""
_MOST_STEPS, _MOST_HEADERS = 4, 60
"""Headers that headers include are followed for so many steps from a file, and so many are read for one file."""
_COMMANDS, _FLAGS, _CLANGD = "compile_commands.json", "compile_flags.txt", ".clangd"
_BUILD = ("build", "out", "")
_SYSTEM = ("/usr/local/include", "/usr/include", "/opt/homebrew/include")
_VARIABLES = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH")
T = TypeVar("T")


class IncludeFolders:
    """The folders in which a file's includes are searched for: those of the workspace, then those of the system."""

    def __init__(self, files: WorkspaceFiles, library: LibraryFiles, variables: Mapping[str, str]) -> None:
        self._files = files
        self._library = library
        self._variables = variables

    def own(self, path: Path) -> Sequence[Path]:
        """Those inside the workspace, for includes of one of its files."""
        return self._files.seen(("include folders", path), lambda: tuple(dict.fromkeys(self._own(path))))

    @property
    def system(self) -> Sequence[Path]:
        return self._files.seen(("include folders",), lambda: tuple(dict.fromkeys(self._system())))

    def _own(self, path: Path) -> Iterator[Path]:
        root = self._files.root_of(path)
        around = self._files.folders_around(path)
        named = [
            folder for where in around for folder in self._named(where, path) if is_inside(folder, self._files.roots)
        ]
        yield from (folder for folder in named if self._files.root_of(folder) is not None)
        yield from (folder / "include" for folder in around)
        if root is not None and not named:
            yield from (root, root / "src")

    def _named(self, folder: Path, path: Path) -> Iterator[Path]:
        """What files in a folder say, for one source."""
        for build in _BUILD:
            compiled = self._read(folder / build / _COMMANDS, flags.compile_commands, flags.Compiled())
            given = compiled.by_file.get(path.as_posix(), compiled.every)
            yield from (Path(os.path.normpath(folder / build / one)) for one in given)
        for name in (_FLAGS, _CLANGD):
            given = self._read(folder / name, flags.folders, ())
            yield from (Path(os.path.normpath(folder / one)) for one in given)

    def _read(self, path: Path, parse: Callable[[str], T], missing: T) -> T:
        """What a file says, which git may ignore since tools write it."""
        root = self._files.root_of(path)
        return missing if root is None else self._library.said(path, root, parse, missing)

    def _system(self) -> Iterator[Path]:
        for name in _VARIABLES:
            yield from (Path(one) for one in self._variables.get(name, "").split(os.pathsep) if os.path.isabs(one))
        machine = sysconfig.get_config_var("MULTIARCH")
        for folder in _SYSTEM:
            yield Path(folder)
            if machine:
                yield Path(folder, machine)


class CModules(SourceModules):
    passes_on = True
    separator = ""
    searches_imports = False  # headers of headers are implied
    languages = ("c", "cpp")
    usual = "<stdio.h>"
    """A header that is installed wherever the language's own are."""

    def __init__(self, language: Language, around: Surroundings) -> None:
        super().__init__(language, around)
        self._folders = IncludeFolders(self.files, self.library, self.variables)

    def name_of(self, path: Path, root: Path | None) -> str:
        return relative(path, root) if root is not None else super().name_of(path, root)

    def imported(self, found: Import, module: str, path: Path | None) -> str | None:
        """Looked for once: every name that the code uses may come from each of its headers."""
        return self.files.seen(("include", found.module, path), lambda: self._included(found.module, path))

    def _included(self, name: str, path: Path | None) -> str | None:
        written = name.strip("<>")
        if path is None or not _is_path(written):
            return None
        is_quoted = not name.startswith("<")
        if self.files.root_of(path) is None:
            return self._in_library(written, path, is_quoted=is_quoted)
        folders = [*([path.parent] if is_quoted else []), *self._folders.own(path)]
        for folder in folders:
            there = Path(os.path.normpath(folder / written))
            if self._exists(there):
                return self._name(there)
        return f"<{written}>" if self._of_system(written) is not None else None

    def lacks(self, found: Import, module: str, path: Path | None) -> bool:
        """A header in quotes that is nowhere, unless its first folder may be a library's; one by a word alone, where
        the language's own are installed."""
        name = found.module
        if _WORD.fullmatch(name) is not None:
            return self.find(self.usual, path) is not None and self.find(name, path) is None
        is_own = path is not None and self.files.root_of(path) is not None and not name.startswith("<")
        if path is None or not is_own or not _is_path(name) or self.imported(found, module, path) is not None:
            return False
        top, _, below = name.partition("/")
        return not below or any((folder / top).is_dir() for folder in (path.parent, *self._folders.own(path)))

    def find(self, name: str, near: Path | None) -> ModuleFiles | None:
        if name.startswith("<"):
            return self._of_system(name.strip("<>"))
        root = self.files.root_of(near) if near is not None else None
        for folder in dict.fromkeys([*([root] if root is not None else []), *self.files.roots]):
            if _is_path(name) and self._exists(folder / name):
                return ModuleFiles((folder / name,))
        return None

    def implied(self, module: str, path: Path | None) -> Sequence[Import]:
        """The header that declares what a source defines, and what the headers that it includes include."""
        if path is None:
            return []
        header = self.files.seen(("header of", path), lambda: self._header_of(path))
        nested = self.files.once(("nested", path), lambda: self._nested(path))
        return [Import(name, "*", None, 0, -1) for name in (header, *nested) if name is not None]

    def _nested(self, path: Path) -> Sequence[str]:
        """The headers of the workspace that a file gets by way of others, as it would include them, nearest first."""
        found, waiting, n_left = dict[Path, int](), deque([(path, 0)]), _MOST_LOOKED_FOR
        while waiting and len(found) < _MOST_HEADERS:
            here, steps = waiting.popleft()
            text = self.files.described(here) if steps < _MOST_STEPS else None
            includes = dict.fromkeys(_INCLUDE.findall(text.text)) if text is not None else ()
            for written in list(includes)[: min(_MOST_INCLUDES, n_left)]:
                n_left -= 1
                module = self.imported(Import(written, "*", None, 0, -1), "", here)
                there = self.find(module, path) if module is not None else None
                header = there.files[0] if there is not None and there.is_own else path
                if header not in (path, *found) and header.anchor == path.anchor:  # on Windows, no way leads to a drive
                    found[header] = steps
                    waiting.append((header, steps + 1))
        return [os.path.relpath(there, path.parent).replace(os.sep, "/") for there, steps in found.items() if steps]

    def reexports(self, parsed: Parsed) -> Sequence[Import]:
        """Of a header that is there to include others."""
        return () if top_level(parsed) else imports(parsed)

    def is_public(self, parsed: Parsed, item: Item) -> bool:
        """Names that begin with `_` are for the header itself."""
        return not item.name.startswith("_")

    def is_known(self, name: str) -> bool:
        """The language's own headers."""
        return name.startswith("<") and name.strip("<>") in WORDS["headers"]

    def _exists(self, path: Path) -> bool:
        def look() -> bool:
            is_listed = self.files.root_of(path) is not None and path.name in self._names_in(path.parent)
            return is_listed and is_inside(path, self.files.roots)

        return self.files.seen(("header", path), look)

    def _names_in(self, folder: Path) -> frozenset[str]:
        """What files in a folder are called."""
        listed = self.files.listing(folder)
        return self.files.seen(("names in", folder), lambda: frozenset(it.name for it in listed if not it.is_dir))

    def _name(self, path: Path) -> str:
        return self.name_of(path, self.files.root_of(path))

    def _of_system(self, name: str) -> ModuleFiles | None:
        if not _is_path(name) or ".." in name.split("/"):
            return None
        folders = (folder for folder in self._folders.system if self.files.root_of(folder) is None)
        within = next((folder for folder in folders if self.library.exists(folder / name, folder)), None)
        return None if within is None else ModuleFiles((within / name,), False, within)

    def _in_library(self, written: str, path: Path, *, is_quoted: bool) -> str | None:
        """What a header of the system includes."""
        for folder in self._folders.system:
            if is_quoted and path.is_relative_to(folder):
                there = Path(os.path.normpath(path.parent / written))
                if there.is_relative_to(folder) and self.library.exists(there, folder):
                    return f"<{there.relative_to(folder).as_posix()}>"
        return f"<{written}>" if self._of_system(written) is not None else None

    def _header_of(self, path: Path) -> str | None:
        """As it is included, if one header alone has the source's name: beside it, or in a folder of headers."""
        for folder in (path.parent, *self._folders.own(path)) if path.suffix.lower() not in HEADERS else ():
            begun = [name for name in self._names_in(folder) if name.startswith(path.stem)]
            found = [name for name in begun if Path(name).stem == path.stem and Path(name).suffix.lower() in HEADERS]
            if found:
                return found[0] if len(found) == 1 else None
        return None


def _is_path(name: str) -> bool:
    is_plain = 0 < len(name) <= _LONGEST and not {"\\", "\0"} & set(name)
    return is_plain and not name.startswith("/") and "" not in name.split("/")


MODULES = CModules
