"""Modules of a language: which file an import means, and what a module offers.

In: imports, names, the workspace's files.  Out: names, files, `Description`s.  `Modules` is the default for a language:
no import is resolved and no module described.  A language that knows more defines a subclass as `MODULES` in its
folder's `modules.py` (`registry.modules_of`).
"""

import os
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from palimpsest.config.settings import ContextSettings
from palimpsest.languages.name_index import NameIndex
from palimpsest.syntax.parse import Language, Parsed
from palimpsest.syntax.values import Import, Keywords, Scope
from palimpsest.text.uris import relative
from palimpsest.workspace.files import Stamp, WorkspaceFiles

EntryKind = Literal["function", "class", "value", "module"]


@dataclass(frozen=True, slots=True)
class ModuleEntry:
    """One name of a module.  `signature` follows the name as the language writes it; `declaration` is the whole of it
    on one line, where that is not the name and the signature.

    `doc` is the first line of its documentation; of a function, `summary` is the first paragraph if that is longer.
    `overloads` are the same function with other signatures.
    `members` are a class's public methods and attributes.  `target` is the module's own name if `kind` is `module`.
    `is_async` is for functions.
    """

    name: str
    kind: EntryKind
    signature: str = ""
    doc: str = ""
    members: "tuple[ModuleEntry, ...]" = ()
    bases: tuple[str, ...] = ()
    target: str = ""
    is_async: bool = False
    declaration: str = ""
    summary: str = ""
    overloads: "tuple[ModuleEntry, ...]" = ()


@dataclass(frozen=True, slots=True)
class Description:
    """`public` is in the module's order; `looked_up` has the names requested in addition (None: there is no such name).

    `read` are the files that outdate it when they change, each with the version that was read.
    """

    module: str
    doc: str = ""
    public: Mapping[str, ModuleEntry] = field(default_factory=dict)
    looked_up: Mapping[str, ModuleEntry | None] = field(default_factory=dict)
    read: tuple[tuple[Path, Stamp | None], ...] = ()

    def entry(self, name: str) -> ModuleEntry | None:
        return self.public.get(name) or self.looked_up.get(name)

    def knows(self, names: frozenset[str]) -> bool:
        return all(name in self.public or name in self.looked_up for name in names)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where modules are searched for.  `variables` are the environment variables; slow reads run on `executor`, or
    immediately if it is None; `cache` is a folder for answers worth keeping; `index` knows the names of the whole
    workspace."""

    files: WorkspaceFiles
    settings: ContextSettings
    variables: Mapping[str, str]
    executor: Executor | None = None
    cache: Path | None = None
    index: NameIndex | None = None


@dataclass(frozen=True, slots=True)
class ModuleFiles:
    """The source files of a module, likeliest first.  `is_own`: they are the workspace's; else they are a library's,
    whose folder is `within`.  `inside`: the qualified name of the part of its file that the module is, where a file may
    have several."""

    files: tuple[Path, ...]
    is_own: bool = True
    within: Path | None = None
    inside: str = ""


def is_named(place: Path) -> bool:
    """Whether anything is there that is called so, with any suffix; also where nobody can look."""
    try:
        return any(name == place.name or name.startswith(f"{place.name}.") for name in os.listdir(place.parent))
    except FileNotFoundError:
        return False
    except OSError:
        return True


class Modules:
    """The modules of one workspace.  `near` is the file that refers to a module, None for a document without a file."""

    separator = "."
    """Between the names of a module and of one inside it; empty if a module's names are never modules."""
    passes_on = False
    """Whether what a file imports can be imported from it."""
    searches_imports = True
    """Whether a class that a file lacks is looked for in what it imports, and not only in what it re-exports."""
    gives_wholes = False
    """Whether what is imported as a whole may be a class (`whole`)."""

    languages: tuple[str, ...] = ()
    """The ids of the languages whose definitions can be used, where they are more than the one."""

    def __init__(self, language: Language, around: Surroundings) -> None:
        self._language = language
        self.languages = self.languages or (language.id,)
        self.revision = 0
        """A number that increases when a module is read for the first time."""

    def _has_read(self) -> None:
        """Called on the thread that reads."""
        self.revision += 1

    def name_of(self, path: Path, root: Path | None) -> str:
        """The module name of a file; `root` is the workspace folder that contains it."""
        return self._language.module_name(relative(path, root) if root is not None else path.name)

    def imported(self, found: Import, module: str, path: Path | None) -> str | None:
        """The full name of the module that an import in `module`, whose file is `path`, refers to; None if unknown."""
        return None

    def below(self, module: str, name: str) -> str | None:
        """The module that `name` would be in another one; whether it exists is another question."""
        return f"{module}{self.separator}{name}" if self.separator else None

    def lacks(self, found: Import, module: str, path: Path | None) -> bool:
        """Whether what an import in `module` is from, which the file `path` is, certainly does not exist."""
        return False

    def is_closed(self, name: str, near: Path | None) -> bool:
        """Whether all that a module offers is found in what is read of it: nothing adds to it while it is built or
        runs."""
        return False

    def file_of(self, name: str, near: Path | None) -> Path | None:
        """The source file of a module of the workspace; None for any other."""
        return None

    def files_of(self, name: str, near: Path | None) -> Sequence[Path]:
        """The source files of a module of the workspace, likeliest first; empty for any other."""
        path = self.file_of(name, near)
        return () if path is None else (path,)

    def language_at(self, path: Path) -> Language:
        """The language that a module's file is written in."""
        return self._language

    def offered(self, parsed: Parsed) -> Mapping[str, str] | None:
        """The names that a file gives to its own definitions for others, each with the definition's name; None if a
        definition is offered by its own name or not at all."""
        return None

    def reexports(self, parsed: Parsed) -> Sequence[Import]:
        """What a file offers of other modules without using it itself, under the names that these imports bind."""
        return ()

    def import_of(self, name: str, path: Path, parsed: Parsed, near: Path | None) -> Import | None:
        """How the document `parsed`, at `near`, imports what the file `path` defines; None where it need not, cannot,
        or nobody can tell."""
        return None

    def implied(self, module: str, path: Path | None) -> Sequence[Import]:
        """What the file `path` of `module` sees without an import, as imports: other files of its package, say."""
        return ()

    def whole(self, parsed: Parsed) -> str | None:
        """The class of a file, by its name there, that importing all of the file gives; None if that is no class."""
        return None

    def adding(self, cls: str, module: str, path: Path) -> Sequence[Path]:
        """Other files of the workspace that may add members to a class that the file `path` of `module` declares."""
        return ()

    def parts(self, parsed: Parsed, cls: str, module: str) -> Sequence[Scope]:
        """The parts of a class of `module` that a file declares, where several files declare one class together."""
        return ()

    def is_own(self, name: str, near: Path | None) -> bool:
        """Whether it is a module of the workspace."""
        return False

    def is_known(self, name: str) -> bool:
        """Whether the module is so common that a description would not tell a model anything new."""
        return False

    def describe(self, name: str, names: frozenset[str], near: Path | None) -> Description | None:
        """What a module offers, with `names` even if they are not public; None if it is unknown or still being read."""
        return None

    def may_be_made(self, name: str, module: str, known: Collection[str], near: Path | None) -> bool:
        """Whether a tool may make something of that name in a module, by the names that it has or the files beside."""
        return False

    def keywords(self, module: str, entry: ModuleEntry) -> Keywords | None:
        """The names by which a call of what a module offers may pass arguments; None where nobody can tell."""
        return None

    def written(self, prefix: str, entry: ModuleEntry) -> str:
        """The declaration of a name on one line; `prefix` is what the code calls its module or class."""
        return entry.declaration or f"{prefix}.{entry.name}{entry.signature}"

    def wait(self, seconds: float | None) -> bool:
        """Wait until all requested modules have been read; False on a timeout."""
        return True
