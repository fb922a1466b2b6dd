"""The two locations of modules: the workspace, and the interpreter's folders.

In: names and paths.  Out: files and their texts; what a module without readable source offers (built in, compiled, or
created at import time).  A module of the workspace is read as it is in the editor, and never imported.  Of the
interpreter's, `inspect_script.py` imports those without source in a separate process; answers are cached on disk by
module, version of its file, and interpreter.
"""

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from palimpsest.errors import InvalidArgument
from palimpsest.json_data import from_json, to_json
from palimpsest.languages.modules import ModuleEntry
from palimpsest.languages.python.packages.environment import Environment, run_python
from palimpsest.languages.python.packages.library import Module
from palimpsest.languages.python.packages.names import FoundModule, find_module
from palimpsest.system.reading import MOST_OF_SOURCE, Refused, read_text, stamp
from palimpsest.text.uris import is_inside
from palimpsest.workspace.files import Stamp, WorkspaceFiles

_NOT_IMPORTED = frozenset({"antigravity", "this", "idlelib", "turtledemo", "lib2to3", "test", "__main__", "site"})
"""Modules of the standard library that have side effects when imported."""
INSPECT_SECONDS = 10.0
_SCRIPT = Path(__file__).with_name("inspect_script.py")
_FORMAT = 2
_MAX_BYTES = 4_000_000


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
        return _inspected(self.environment, name, found.path if found is not None else None, self._cache)

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


def _inspected(environment: Environment, name: str, file: Path | None, cache: Path | None) -> Module | None:
    """None if the module cannot be imported.  Runs a process: too slow for a keystroke."""
    kept = None if cache is None else cache / _key(environment, name, file)
    said = _read(kept) if kept is not None else None
    if said is None:
        request = json.dumps({"module": name, "path": [str(folder) for folder in environment.importable]})
        arguments = (*environment.flags, "-B", str(_SCRIPT))
        answer = run_python(environment.python, arguments, request, INSPECT_SECONDS)
        said = _parsed(answer or "")
        if said is not None and kept is not None:
            _write(kept, said)
    if said is None:
        return None
    return Module(name, said.doc, said.exports, members={entry.name: entry for entry in said.entries})


def _key(environment: Environment, name: str, file: Path | None) -> str:
    """The file's name in the cache."""
    about = [
        _FORMAT,
        str(environment.python),
        environment.version,
        name,
        str(file),
        stamp(environment.python),
        stamp(file) if file is not None else None,
    ]
    key = hashlib.blake2b(json.dumps(about).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return f"{key}.json"


@dataclass(frozen=True, slots=True)
class _Inspected:
    """What `inspect_script.py` writes."""

    entries: tuple[ModuleEntry, ...]
    exports: tuple[str, ...] | None
    doc: str


def _parsed(text: str) -> _Inspected | None:
    try:
        return from_json(json.loads(text), _Inspected) if len(text) < _MAX_BYTES else None
    except (ValueError, RecursionError, InvalidArgument):
        return None


def _read(file: Path) -> _Inspected | None:
    try:
        return _parsed(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError):
        return None


def _write(file: Path, said: _Inspected) -> None:
    """Write atomically; failures are ignored, since this is a cache."""
    part = file.with_suffix(f".{os.getpid()}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(json.dumps(to_json(said)), "utf-8")
        part.replace(file)
    except OSError:
        part.unlink(missing_ok=True)
