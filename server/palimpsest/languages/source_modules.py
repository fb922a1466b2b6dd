"""Modules that are described by reading their source files' trees.

In: which files a module is, which a language knows how to find.  Out: files, descriptions.  A language derives its
`MODULES` from `SourceModules` and overrides methods of its `Rules`.  `find` is called while somebody types, so it looks
at files through `WorkspaceFiles.once` and `LibraryFiles` only and reads little; trees are read in the background.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from palimpsest.languages.catalog import ModuleCatalog
from palimpsest.languages.modules import Description, ModuleFiles, Surroundings
from palimpsest.languages.source_describer import Rules, SourceDescriber, SourceKey
from palimpsest.languages.source_entries import Item
from palimpsest.syntax.parse import Language, Parsed
from palimpsest.syntax.scopes import signature
from palimpsest.syntax.values import Scope

__all__ = ["Item", "ModuleFiles", "SourceModules", "header_words"]


def header_words(parsed: Parsed, item: Item) -> list[str]:
    """The words of a definition's header, or of the line of a value: `public` is one of them."""
    return (signature(parsed, item) if isinstance(item, Scope) else parsed.snapshot.lines[item.line]).split()


class SourceModules(Rules):
    def __init__(self, language: Language, around: Surroundings) -> None:
        super().__init__(language, around)
        self._describer = SourceDescriber(self)
        self._catalog = ModuleCatalog[SourceKey](lambda: self._describer, around.executor, self._has_read)

    def is_closed(self, name: str, near: Path | None) -> bool:
        texts = [self.files.described(path) for path in self.files_of(name, near)]
        return bool(texts) and all(one is not None and not self.adds(one.text) for one in texts)

    def adds(self, text: str) -> bool:
        """Whether a file may offer what is not written in it."""
        return False

    def sees_all(self, found: ModuleFiles, near: Path | None) -> bool:
        """Whether a file sees what the module does not show to others: it is one of its files."""
        return near in found.files

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

    def wait(self, seconds: float | None) -> bool:
        return self._catalog.wait(seconds)
