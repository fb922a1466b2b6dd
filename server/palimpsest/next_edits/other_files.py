"""The workspace's files that are not open and may have to follow an edit, and which imports lead from one to another.

In: folders, paths, words, imports, the index of names.  Out: the files that contain the words, with their trees,
bounded in number and time; whether an import leads to a file, where what files pass on of others is followed; the files
next to a file.  The index says which files have the words; without one, each is read.  Reads through `WorkspaceFiles`,
so nothing secret, ignored or outside is found, and nothing that a program writes; runs on its caller's thread.
"""

import os
import time
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path

from palimpsest.config.settings import ContextSettings
from palimpsest.context.sources.cached import ReadFiles
from palimpsest.languages.modules import Modules, Surroundings
from palimpsest.languages.name_index import NameIndex
from palimpsest.languages.registry import kin_of, language_in, language_of, modules_of
from palimpsest.next_edits.targets import File
from palimpsest.syntax.imports import imports
from palimpsest.syntax.parse import Language, Parsed
from palimpsest.syntax.values import Import
from palimpsest.text.generated import is_generated
from palimpsest.text.uris import path_or_none, relative
from palimpsest.visible import visible
from palimpsest.workspace.files import WorkspaceFiles

MOST_FILES = 2_000
MOST_ENTRIES = 50_000
"""Names of files and folders that are looked at, in whatever folders."""
MOST_S = 1.5
_MOST_OF_MODULE = 32
"""At most this many files of one module are read, and as many of those that one import leads through."""
_MOST_IMPORTS = 500
"""Imports of other files that are looked at for whether they mean a file."""


class OtherFiles:
    """One caller at a time."""

    def __init__(self, files: WorkspaceFiles, read: ReadFiles, index: NameIndex | None = None) -> None:
        self._files, self._kept, self._index = files, read, index

    def having(self, words: Collection[str], language: Language, without: Collection[str]) -> Iterator[File]:
        """The files of a language, and of those that it shares modules with, that have one of the words in their text,
        in order of their paths; not those `without` (URIs: what is open, whose text counts)."""
        self._files.look_again()
        ends, kin = time.monotonic() + MOST_S, kin_of(language)
        index = self._index if self._index is not None and self._index.is_complete else None
        known = chain.from_iterable(index.having(words, one.id) for one in kin) if index is not None else None
        paths = self._paths(kin, ends) if known is None else known
        yield from self._read(paths, [{word} for word in words], without, ends)

    def among(
        self, paths: Iterable[Path], words: Sequence[Collection[str]], language: Language, without: Collection[str]
    ) -> Iterator[File]:
        """The same of these paths, each once: the files that have all the words of one of the lots."""
        self._files.look_again()
        ends, kin, seen = time.monotonic() + MOST_S, kin_of(language), set[str]()
        own = (path for path in paths if language_of("", path.name) in kin)
        for file in self._read(own, words, without, ends):
            if file.uri not in seen:
                seen.add(file.uri)
                yield file

    def _read(
        self, paths: Iterable[Path], words: Sequence[Collection[str]], without: Collection[str], ends: float
    ) -> Iterator[File]:
        some = {max(lot, key=len) for lot in words}
        for path in paths:
            if time.monotonic() > ends:
                return
            source = self._files.source(path, having=some)
            if source is None or source.uri in without:
                continue
            if not any(all(word in source.text for word in lot) for lot in words):
                continue
            root = self._files.root_of(path)
            name = visible(path.name if root is None else relative(path, root))
            if not is_generated(name, source.text):
                yield File(self._kept.parse(path, source, language_in(path.name, source.text)), name, False)

    def _paths(self, kin: Collection[Language], ends: float) -> Iterator[Path]:
        """Nearest the roots first.  `ends` is asked at each folder, since there may be many without a file."""
        folders, n_files, n_entries = deque(self._files.roots), 0, 0
        while folders and n_entries < MOST_ENTRIES and time.monotonic() < ends:
            folder = folders.popleft()
            entries = self._files.listing(folder)
            n_entries += 1 + len(entries)
            for entry in entries:
                path = folder / entry.name
                if entry.is_link:
                    continue  # what it leads to is found where it is
                if entry.is_dir:
                    folders.append(path)
                elif language_of("", entry.name) in kin:
                    n_files += 1
                    if n_files > MOST_FILES:
                        return
                    yield path


class Resolving:
    """Which imports of a file lead to another one, by what the languages know of modules and their projects.  One
    caller at a time, who has the files looked at again."""

    def __init__(
        self, files: WorkspaceFiles, read: ReadFiles, settings: ContextSettings, index: NameIndex | None
    ) -> None:
        self._files, self._kept, self._index = files, read, index
        self._around = Surroundings(files, settings, os.environ, index=index)
        self._modules: dict[str, Modules] = {}

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
            yield from modules.files_of(name, path)[:_MOST_OF_MODULE]

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
        answer = [one for one in modules.files_of(module, path)[:_MOST_OF_MODULE] if one not in seen]
        if to in answer:
            given = modules.offered(home) or {}
            return is_all or given.get(item.name or "", item.name) in names
        seen.update(answer)
        if item.name is None or len(seen) > _MOST_OF_MODULE:
            return False
        wanted = {"*", item.name, *(names if is_all or item.name in names else ())}
        for one in answer:
            text = self._files.source(one)
            if text is None:
                continue
            there = self._kept.parse(one, text, modules.language_at(one))
            for passed in (*modules.reexports(there), *(imports(there) if modules.passes_on else ())):
                is_same = passed.bound == passed.name and passed.bound in wanted
                if is_same and self._leads(there, one, passed, home, to, names, seen):
                    return True
        return False
