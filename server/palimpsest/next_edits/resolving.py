"""Which imports of a file lead to another one, by what the languages know of modules and their projects.

In: imports, the workspace's files.  Out: yes or no, where what files pass on of others is followed; the files next to a
file.  Owner of the trees of those that pass something on.
"""

import os
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from pathlib import Path

from palimpsest.config.settings import ContextSettings
from palimpsest.languages.modules import Modules, Surroundings
from palimpsest.languages.name_index import NameIndex
from palimpsest.languages.registry import kin_of, language_in, modules_of
from palimpsest.syntax.imports import imports
from palimpsest.syntax.parse import Language, Parsed, parse_file
from palimpsest.syntax.values import Import
from palimpsest.text.uris import path_or_none
from palimpsest.workspace.files import WorkspaceFiles
from palimpsest.workspace.kept import Kept

_MOST_FILES = 32
"""At most this many files of one module are read, and as many of those that one import leads through."""
_MOST_IMPORTS = 500
"""Imports of other files that are looked at for whether they mean a file."""


class Resolving:
    """One caller at a time, who has the files looked at again."""

    def __init__(self, files: WorkspaceFiles, settings: ContextSettings, index: NameIndex | None) -> None:
        self._files, self._index = files, index
        self._around = Surroundings(files, settings, os.environ, index=index)
        self._modules: dict[str, Modules] = {}
        self._parsed = Kept[tuple[Path, str], Parsed](1_000_000)

    def leads(self, parsed: Parsed, item: Import, home: Parsed, names: Collection[str]) -> bool:
        """Whether an import of a file gives what another one defines by one of the names, itself or through files that
        pass it on."""
        path, to = path_or_none(parsed.snapshot.uri), path_or_none(home.snapshot.uri)
        if path is None or to is None:
            return False
        about = "leads", path, item, to, frozenset(names)
        return self._files.once(about, lambda: self._leads(parsed, path, item, home, to, names, set()))

    def implied(self, parsed: Parsed) -> Sequence[Import]:
        """What a file sees without an import, as imports."""
        path = path_or_none(parsed.snapshot.uri)
        if path is None:
            return ()
        modules = self._of(parsed.language)
        name = modules.name_of(path, self._files.root_of(path))
        return self._files.once(("implied", path), lambda: modules.implied(name, path))

    def near(self, parsed: Parsed) -> Iterator[Path]:
        """The files that a file imports or sees without an import, then those that import it, as far as the index
        knows them.  Some come twice."""
        path = path_or_none(parsed.snapshot.uri)
        if path is None:
            return
        for item in (*imports(parsed), *self.implied(parsed)):
            yield from self._meant(item, parsed.language, path)
        if self._index is None:
            return
        name = self._of(parsed.language).name_of(path, self._files.root_of(path))
        kin = [one.id for one in kin_of(parsed.language)]
        found = (one for last in dict.fromkeys((name, path.stem)) for one in self._index.importing(last, kin))
        for one in islice(found, _MOST_IMPORTS):
            if path in self._meant(one.item, language_in(one.path.name, ""), one.path):
                yield one.path

    def _meant(self, item: Import, language: Language, path: Path) -> Iterator[Path]:
        """The files that an import of a file may mean."""
        modules = self._of(language)
        module = modules.imported(item, modules.name_of(path, self._files.root_of(path)), path)
        if module is None:
            return
        below = modules.below(module, item.name) if item.name not in (None, "*") else None
        for name in filter(None, (below, module)):
            yield from modules.files_of(name, path)[:_MOST_FILES]

    def _of(self, language: Language) -> Modules:
        if language.id not in self._modules:
            self._modules[language.id] = modules_of(language, self._around)
        return self._modules[language.id]

    def _leads(
        self, parsed: Parsed, path: Path, item: Import, home: Parsed, to: Path, names: Collection[str], seen: set[Path]
    ) -> bool:
        modules = self._of(parsed.language)
        module = modules.imported(item, modules.name_of(path, self._files.root_of(path)), path)
        if module is None:
            return False
        is_all = item.name is None or item.name == "*"
        below = modules.below(module, item.name) if item.name is not None and not is_all else None
        if below is not None and to in modules.files_of(below, path):
            return True
        answer = [one for one in modules.files_of(module, path)[:_MOST_FILES] if one not in seen]
        if to in answer:
            given = modules.offered(home) or {}
            return is_all or given.get(item.name or "", item.name) in names
        seen.update(answer)
        if item.name is None or len(seen) > _MOST_FILES:
            return False
        wanted = {"*", item.name, *(names if is_all or item.name in names else ())}
        for one in answer:
            there = self._parse(one, modules.language_at(one))
            if there is None:
                continue
            for passed in (*modules.reexports(there), *(imports(there) if modules.passes_on else ())):
                is_same = passed.bound == passed.name and passed.bound in wanted
                if is_same and self._leads(there, one, passed, home, to, names, seen):
                    return True
        return False

    def _parse(self, path: Path, language: Language) -> Parsed | None:
        text = self._files.source(path)
        if text is None:
            return None
        return self._parsed.get((path, language.id), text, lambda: parse_file(text.text, language, text.uri))
