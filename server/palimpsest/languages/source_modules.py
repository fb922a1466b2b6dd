"""Modules that are described by reading their source files' trees.

In: which files a module is, which a language knows how to find.  Out: files, descriptions.  A language derives its
`MODULES` from `SourceModules` and overrides the methods that it begins with.  `find` is called while
somebody types, so it looks at files through `WorkspaceFiles.once` and `LibraryFiles` only and reads little; trees are
read in the background.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from palimpsest.languages.catalog import ModuleCatalog
from palimpsest.languages.library_files import LibraryFiles
from palimpsest.languages.modules import Description, ModuleFiles, Modules, Surroundings
from palimpsest.languages.registry import language_of
from palimpsest.languages.source_describer import SourceDescriber, SourceKey
from palimpsest.languages.source_entries import Item, top_level
from palimpsest.syntax.parse import Language, Parsed
from palimpsest.syntax.scopes import signature
from palimpsest.syntax.values import Scope

__all__ = ["Item", "ModuleFiles", "SourceModules", "header_words"]


def header_words(parsed: Parsed, item: Item) -> list[str]:
    """The words of a definition's header, or of the line of a value: `public` is one of them."""
    return (signature(parsed, item) if isinstance(item, Scope) else parsed.snapshot.lines[item.line]).split()


class SourceModules(Modules):
    starred_without: frozenset[str] = frozenset()
    """Names that an import of everything leaves out."""
    unnamed: frozenset[str] = frozenset()
    """Names by which something is offered that is declared by another name."""

    def __init__(self, language: Language, around: Surroundings) -> None:
        super().__init__(language, around)
        self.files = around.files
        self.library = LibraryFiles(around.files)
        self.variables = around.variables
        self._revision = 0
        self._describer = SourceDescriber(self)
        self._catalog = ModuleCatalog[SourceKey](lambda: self._describer, around.executor, self._has_read)

    # A language overrides these, and `imported`, `implied`, `offered`, `reexports`
    def find(self, name: str, near: Path | None) -> ModuleFiles | None:
        """The files of a module; None if it is not known for certain."""
        return None

    def is_closed(self, name: str, near: Path | None) -> bool:
        texts = [self.files.described(path) for path in self.files_of(name, near)]
        return bool(texts) and all(one is not None and not self.adds(one.text) for one in texts)

    def adds(self, text: str) -> bool:
        """Whether a file may offer what is not written in it."""
        return False

    def items(self, parsed: Parsed) -> Mapping[str, Item]:
        """What a file defines that others may see, by name."""
        return top_level(parsed)

    def is_public(self, parsed: Parsed, item: Item) -> bool:
        """Whether other modules see a definition or a value at the top of a file."""
        return True

    def is_member_public(self, parsed: Parsed, item: Item) -> bool:
        """Whether other modules see a method or an attribute of a class."""
        return not item.name.startswith("_")

    def is_part(self, parsed: Parsed, line: int, found: ModuleFiles) -> bool:
        """Whether what stands on a line at the top of one of a module's files is of the module."""
        return True

    def sees_all(self, found: ModuleFiles, near: Path | None) -> bool:
        """Whether a file sees what the module does not show to others: it is one of its files."""
        return near in found.files

    def language_at(self, path: Path) -> Language:
        found = language_of("", path.name)
        return found if found.grammar is not None else self._language

    # What follows from that
    def found(self, name: str, near: Path | None) -> ModuleFiles | None:
        """`find`, once for each gathering."""
        return self.files.once(("module", self._language.id, name, near), lambda: self.find(name, near))

    def file_of(self, name: str, near: Path | None) -> Path | None:
        return next(iter(self.files_of(name, near)), None)

    def files_of(self, name: str, near: Path | None) -> Sequence[Path]:
        found = self.found(name, near)
        return found.files if found is not None and found.is_own else ()

    def is_own(self, name: str, near: Path | None) -> bool:
        found = self.found(name, near)
        return found is not None and found.is_own

    def describe(self, name: str, names: frozenset[str], near: Path | None) -> Description | None:
        """The module without the file that asks, which knows its own names."""
        found = self.found(name, near)
        others = tuple(path for path in found.files if path != near) if found is not None else ()
        if found is None or not others:
            return None
        self._describer.typed_in = near
        key = SourceKey(name, replace(found, files=others), self.sees_all(found, near))
        return self._catalog.describe(key, names)

    @property
    def revision(self) -> int:
        return self._revision

    def wait(self, seconds: float | None) -> bool:
        return self._catalog.wait(seconds)

    def _has_read(self) -> None:
        """Called on the thread that reads."""
        self._revision += 1
