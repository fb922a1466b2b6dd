"""The folders in which a file's includes are searched for.

In: files of the workspace, environment variables.  Out: folders of the workspace, then those of the system.
"""

import os
import sysconfig
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from palimpsest.languages.c import flags
from palimpsest.languages.library_files import LibraryFiles
from palimpsest.text.uris import is_inside
from palimpsest.workspace.files import WorkspaceFiles

_COMMANDS, _FLAGS, _CLANGD = "compile_commands.json", "compile_flags.txt", ".clangd"
_BUILD = ("build", "out", "")
_SYSTEM = ("/usr/local/include", "/usr/include", "/opt/homebrew/include")
_VARIABLES = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH")
T = TypeVar("T")


class IncludeFolders:
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
