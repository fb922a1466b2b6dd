"""The workspace's files that are not open and may have to follow an edit, parsed.

In: folders, paths, words, the index of names.  Out: the files that contain the words, with their trees; bounded in
number and time.  The index says which files have the words; without one, each is read.  Reads through `WorkspaceFiles`,
so nothing secret, ignored or outside is found, and nothing that a program writes; runs on its caller's thread.
"""

import time
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

from palimpsest.languages.name_index import NameIndex
from palimpsest.languages.registry import kin_of, language_in, language_of
from palimpsest.next_edits.targets import File
from palimpsest.syntax.parse import Language, Parsed, parse_file
from palimpsest.text.generated import is_generated
from palimpsest.text.uris import relative
from palimpsest.visible import visible
from palimpsest.workspace.files import WorkspaceFiles
from palimpsest.workspace.kept import Kept

MOST_FILES = 2_000
MOST_ENTRIES = 50_000
"""Names of files and folders that are looked at, in whatever folders."""
MOST_S = 1.5
KEPT_CHARACTERS = 4_000_000
"""Trees are kept as long as the sources have at most this many characters together."""


class OtherFiles:
    """Owner of the trees of files that are not open.  One caller at a time."""

    def __init__(
        self,
        files: WorkspaceFiles,
        index: NameIndex | None = None,
    ) -> None:
        self._files = files
        self._index = index
        self._parsed = Kept[str, Parsed](KEPT_CHARACTERS)

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
                parse = partial(parse_file, source.text, language_in(path.name, source.text), source.uri)
                yield File(self._parsed.get(source.uri, source, parse), name, False)

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
