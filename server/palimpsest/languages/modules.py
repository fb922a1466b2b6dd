"""Modules of a language: which file an import means, and what a module offers.

In: imports, names, the workspace's files.  Out: names, files, `Description`s.  `Modules` is the default for a language:
no import is resolved and no module described.  A language that knows more defines a subclass as `MODULES` in its folder
(`registry.modules_of`).
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from palimpsest.config.settings import ContextSettings
from palimpsest.syntax.parse import Language
from palimpsest.syntax.values import Import
from palimpsest.text.uris import relative
from palimpsest.workspace.files import Stamp, WorkspaceFiles

EntryKind = Literal["function", "class", "value", "module"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One name of a module.  `signature` follows the name as the language writes it.

    `doc` is the first line of its documentation.  `members` are a class's public methods and attributes.  `target` is
    the module's own name if `kind` is `module`.  `is_async` is for functions.
    """

    name: str
    kind: EntryKind
    signature: str = ""
    doc: str = ""
    members: tuple[Entry, ...] = ()
    bases: tuple[str, ...] = ()
    target: str = ""
    is_async: bool = False


@dataclass(frozen=True, slots=True)
class Description:
    """`public` is in the module's order; `looked_up` has the names requested in addition (None: there is no such name).

    `path` is the module's own file and `stamp` the version of it that was read, None if there is no file.
    """

    module: str
    doc: str = ""
    public: Mapping[str, Entry] = field(default_factory=dict)
    looked_up: Mapping[str, Entry | None] = field(default_factory=dict)
    path: Path | None = None
    stamp: Stamp | None = None

    def entry(self, name: str) -> Entry | None:
        return self.public.get(name) or self.looked_up.get(name)

    def knows(self, names: frozenset[str]) -> bool:
        return all(name in self.public or name in self.looked_up for name in names)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where modules are searched for.  `variables` are the environment variables; slow reads run on `executor`, or
    immediately if it is None; `cache` is a folder for answers worth keeping."""

    files: WorkspaceFiles
    settings: ContextSettings
    variables: Mapping[str, str]
    executor: Executor | None = None
    cache: Path | None = None


class Modules:
    """The modules of one workspace.  `near` is the file that refers to a module, None for a document without a file."""

    def __init__(self, language: Language, around: Surroundings) -> None:
        self._language = language

    def name_of(self, path: Path, root: Path | None) -> str:
        """The module name of a file; `root` is the workspace folder that contains it."""
        return self._language.module_name(relative(path, root) if root is not None else path.name)

    def imported(self, found: Import, module: str, path: Path | None) -> str | None:
        """The full name of the module that an import in `module`, whose file is `path`, refers to; None if unknown."""
        return None

    def file_of(self, name: str, near: Path | None) -> Path | None:
        """The source file of a module of the workspace; None for any other."""
        return None

    def is_own(self, name: str, near: Path | None) -> bool:
        """Whether it is a module of the workspace."""
        return False

    def is_known(self, name: str) -> bool:
        """Whether the module is so common that a description would not tell a model anything new."""
        return False

    def describe(self, name: str, names: frozenset[str], near: Path | None) -> Description | None:
        """What a module offers, with `names` even if they are not public; None if it is unknown or still being read."""
        return None

    def written(self, prefix: str, entry: Entry) -> str:
        """The declaration of a name on one line; `prefix` is what the code calls its module or class."""
        return f"{prefix}.{entry.name}{entry.signature}"

    @property
    def revision(self) -> int:
        """A number that increases when a module is read for the first time."""
        return 0

    def wait(self, seconds: float | None) -> bool:
        """Wait until all requested modules have been read; False on a timeout."""
        return True
