"""Modules that are described by reading their source files' trees.

In: which files a module is, which a language knows how to find.  Out: files, descriptions, re-exports followed.  A
language derives its `MODULES` from `SourceModules` and overrides methods of its `Rules`.  `find` is called while
somebody types, so it looks at files through `WorkspaceFiles.once` and `LibraryFiles` only and reads little; trees are
read in the background, for one description a bounded number of files in a bounded number of steps.  Owner of the
parses.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from palimpsest.languages.catalog import ModuleCatalog
from palimpsest.languages.library_files import LibraryFiles
from palimpsest.languages.modules import Description, ModuleEntry, ModuleFiles, Modules, Surroundings
from palimpsest.languages.registry import language_of
from palimpsest.languages.source_entries import Item, entry, renamed, top_level
from palimpsest.newest import Newest
from palimpsest.syntax.parse import Language, Parsed, parse_file
from palimpsest.syntax.scopes import additions, children, docstring, file_scope, signature
from palimpsest.syntax.values import Import, Scope
from palimpsest.workspace.files import FileText, Stamp
from palimpsest.workspace.kept import Kept

__all__ = ["Item", "ModuleFiles", "SourceModules", "header_words"]
MAX_FILES = 60
"""Files read for one description."""
MAX_PUBLIC = 2_000
MAX_STEPS = 10
"""At most this many steps lead from a module to the one whose names it offers."""
_MOST_WATCHED = 24
"""Files whose changes outdate a description."""
_MOST_KNOWN = 4096
_WORDS = re.compile(r"\w+")


class Rules(Modules):
    """What a description depends on in a language, which overrides these, and `imported`, `implied`, `offered`,
    `reexports`."""

    starred_without: frozenset[str] = frozenset()
    """Names that an import of everything leaves out."""
    unnamed: frozenset[str] = frozenset()
    """Names of exports that are not the declared ones, such as `default`."""

    def __init__(self, language: Language, around: Surroundings) -> None:
        super().__init__(language, around)
        self.files = around.files
        self.library = LibraryFiles(around.files)
        self.variables = around.variables
        self._index = around.index

    def find(self, name: str, near: Path | None) -> ModuleFiles | None:
        """The files of a module; None if it is not known for certain."""
        return None

    def found(self, name: str, near: Path | None) -> ModuleFiles | None:
        """`find`, once for each gathering."""
        return self.files.once(("module", self._language.id, name, near), lambda: self.find(name, near))

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

    def language_at(self, path: Path) -> Language:
        found = language_of("", path.name)
        return found if found.grammar is not None else self._language


@dataclass(frozen=True, slots=True)
class SourceKey:
    """A module; `all`: with what it does not show to other modules."""

    name: str
    found: ModuleFiles
    all: bool = False


@dataclass(frozen=True, slots=True)
class _Offer:
    """A definition of a file, or a module under a name (`module`)."""

    name: str
    parsed: Parsed | None = None
    item: Item | None = None
    module: str = ""
    added: tuple[tuple[Parsed, Scope], ...] = ()
    """Members that other files of the module give a class."""


class SourceDescriber:
    """Not thread-safe, except for `stamp` and `typed_in`."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._parsed = Kept[Path, Parsed](8_000_000)
        self._read = Newest[Path, tuple[Path | None, Stamp]](_MOST_KNOWN)  # what seems outdated then is read again
        self.typed_in: Path | None = None
        """A file that does not outdate what was read of it, since every keystroke would."""

    def describe(self, module: SourceKey, names: frozenset[str], /) -> Description | None:
        search = _Search(self, self._rules, names)
        offers = search.offers(module.name, module.found, module.all)
        if not search.read:
            return None
        first = next(iter(search.read.values()))[1]
        hidden = search.own(module.found) if names - offers.keys() else {}
        looked_up = {name: self._entry(offers.get(name) or hidden.get(name)) for name in sorted(names)}
        public = dict[str, ModuleEntry]()
        for name, offer in list(offers.items())[:MAX_PUBLIC]:
            found = looked_up.get(name) or self._entry(offer)
            if found is not None:
                public[name] = found
        text = "" if module.found.inside else docstring(first, file_scope(first)) or ""
        doc = next((line for line in text.split("\n") if line.strip()), "")
        read = tuple((path, text.stamp) for path, (text, _) in list(search.read.items())[:_MOST_WATCHED])
        return Description(module.name, doc, public, looked_up, read)

    def stamp(self, path: Path) -> Stamp | None:
        within, last = self._read.get(path, (None, None))
        if path == self.typed_in:
            return last
        if within is not None:
            return self._rules.library.stamp(path, within)
        source = self._rules.files.described(path)
        return None if source is None else source.stamp

    def parsed(self, path: Path, within: Path | None) -> tuple[FileText, Parsed] | None:
        """A file of the workspace if `within` is None, else of the library there."""
        text = self._rules.library.text(path, within)
        if text is None:
            return None
        self._read[path] = within, text.stamp
        return text, self._parsed.get(
            path, text, lambda: parse_file(text.text, self._rules.language_at(path), text.uri)
        )

    def _entry(self, offer: _Offer | None) -> ModuleEntry | None:
        if offer is None or offer.parsed is None or offer.item is None:
            return None if offer is None else ModuleEntry(offer.name, "module", target=offer.module)
        found = entry(offer.parsed, offer.item, self._rules.is_member_public, offer.added)
        return replace(found, name=offer.name) if offer.name in self._rules.unnamed else renamed(found, offer.name)


class _Search:
    """For one description: files do not change meanwhile, and no module is searched twice."""

    def __init__(self, describer: SourceDescriber, rules: Rules, wanted: frozenset[str]) -> None:
        self._describer = describer
        self._rules = rules
        self._wanted = wanted
        self._offers: dict[tuple[str, ...], dict[str, _Offer]] = {}
        self._asked = set[Path]()
        self.read: dict[Path, tuple[FileText, Parsed]] = {}

    def offers(self, name: str, found: ModuleFiles, every: bool = False, steps: int = 0) -> dict[str, _Offer]:
        """What a module offers, its own names before those of others."""
        key = (name, str(every), *map(str, found.files))
        if key not in self._offers and steps <= MAX_STEPS:
            self._offers[key] = {}  # for modules that offer each other's names
            own, others = self._every(found, every), dict[str, _Offer]()
            for path, parsed in self._files(found):
                for item in sorted(self._rules.reexports(parsed), key=self._is_aside):
                    if not self._rules.is_part(parsed, item.line, found):
                        continue
                    for offer in self._others(item, name, path, steps):
                        others.setdefault(offer.name, offer)
            self._offers[key] = own | {name: offer for name, offer in others.items() if name not in own}
        return self._offers.get(key, {})

    def _is_aside(self, item: Import) -> bool:
        """Whether it does not look like what is asked for, `format`: `export * from "./format.js"`."""
        return item.bound not in self._wanted and self._wanted.isdisjoint(_WORDS.findall(item.module))

    def own(self, found: ModuleFiles) -> dict[str, _Offer]:
        """The module's own definitions, whether others see them or not."""
        return self._every(found, True)

    def _every(self, found: ModuleFiles, every: bool) -> dict[str, _Offer]:
        """What the module's own files define, its classes with what other files add to them."""
        offers, added = dict[str, _Offer](), defaultdict[str, list[tuple[Parsed, Scope]]](list)
        for _, parsed in self._files(found):
            for offer in self._own(parsed, found, every):
                offers.setdefault(offer.name, offer)
            for name, scopes in additions(parsed).items():
                for scope in scopes:
                    inner = children(parsed, scope) if scope.kind == "class" else [scope]
                    added[name] += ((parsed, child) for child in inner if child.kind == "function")
        for name in offers.keys() & added.keys():
            offers[name] = replace(offers[name], added=tuple(added[name]))
        return offers

    def _own(self, parsed: Parsed, found: ModuleFiles, every: bool) -> list[_Offer]:
        items = {name: item for name, item in self._rules.items(parsed).items() if self._is_part(parsed, item, found)}
        given = self._rules.offered(parsed)
        if given is not None and not every:
            return [_Offer(name, parsed, items[local]) for name, local in given.items() if local in items]
        return [
            _Offer(name, parsed, item) for name, item in items.items() if every or self._rules.is_public(parsed, item)
        ]

    def _is_part(self, parsed: Parsed, item: Item, found: ModuleFiles) -> bool:
        return self._rules.is_part(parsed, item.def_line if isinstance(item, Scope) else item.line, found)

    def _others(self, item: Import, name: str, path: Path, steps: int) -> list[_Offer]:
        """What a re-export offers."""
        module = self._rules.imported(item, name, path)
        found = self._rules.found(module, path) if module is not None else None
        if module is None or found is None:
            return []
        if item.name is None:
            return [_Offer(item.bound, module=module)]
        offers = self.offers(module, found, steps=steps + 1)
        if item.name == "*":
            return [offer for offer in offers.values() if offer.name not in self._rules.starred_without]
        there = offers.get(item.name)
        if there is not None:
            return [_Offer(item.bound, there.parsed, there.item, there.module)]
        below = self._rules.below(module, item.name)
        is_module = below is not None and self._rules.found(below, path) is not None
        return [_Offer(item.bound, module=below or "")] if is_module else []

    def _files(self, found: ModuleFiles) -> list[tuple[Path, Parsed]]:
        files = list[tuple[Path, Parsed]]()
        for path in found.files:
            if path not in self._asked and len(self._asked) >= MAX_FILES:
                break
            self._asked.add(path)
            known = self._describer.parsed(path, found.within)
            if known is not None:
                self.read[path] = known
                files.append((path, known[1]))
        return files


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
