"""Which file tests a file, and which file a test is of, by how languages name them.

In: a path, the folders around it.  Out: paths of files that exist, likeliest first.  What a test is called is in the
table of its language (`Language.test_names`); where it lies is the same everywhere: beside the file, in a folder of
tests there or above, with the folders of the source below it, or in a tree of its own beside that of the sources
(`src/main/java` and `src/test/java`).  Where two files are equally likely to be the one tested, none is.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from palimpsest.languages.registry import language_of
from palimpsest.syntax.parse import Language
from palimpsest.workspace.files import WorkspaceFiles

TEST_FOLDERS = frozenset({"test", "tests", "testing", "spec", "specs", "__tests__"})
"""Folders with these names, in lower case, have tests."""
KINDS = frozenset({"unit", "integration", "functional", "e2e", "feature"})
"""Folders between one of those and the tests."""
SOURCE_FOLDERS = ("src", "lib", "app", "source", "sources", "include", "pkg")
"""Folders with these names, in lower case, have sources; the likeliest stands first."""
MAIN, TEST = "main", "test"
_ENDS = (".Tests", "Tests", ".Test", "Test", "-tests", "_tests")
"""What a module's or project's folder of tests ends in."""
_MOST_FOLDERS = 48
"""Searched one level below a folder."""


def of_test(stem: str, names: Sequence[str]) -> str:
    """What `test_cart` is the test of, by the first of these names that fits; "" if it is none."""
    for name in names:
        before, _, after = name.partition("{}")
        inside = stem[len(before) : len(stem) - len(after)]
        if inside and stem == f"{before}{inside}{after}":
            return inside
    return ""


class Counterparts:
    """Finds tests and what they are of in a workspace."""

    def __init__(self, files: WorkspaceFiles) -> None:
        self._files = files

    def is_test(self, path: Path, language: Language) -> bool:
        """Whether a file is a test, by its name or by the folder that it is in."""
        return bool(of_test(path.stem, language.test_names)) or self._split(path) is not None

    def tests_of(self, path: Path, language: Language) -> list[Path]:
        """The tests of a file."""
        tests = dict[Path, None]()
        for folder in self._test_folders(path):
            in_tests = folder != path.parent
            for name in self._names(folder):
                there = folder / name
                if there.suffix not in _suffixes(language) or there == path:
                    continue
                if of_test(there.stem, language.test_names) == path.stem or (in_tests and there.stem == path.stem):
                    tests[there] = None
        return list(tests)

    def source_of(self, path: Path, language: Language) -> Path | None:
        """The file that a test is of."""
        stems = [stem for stem in (of_test(path.stem, language.test_names), path.stem) if stem]
        for folder in self._source_folders(path):
            if (only := self._only([folder], stems, path, language)) is not None:
                return only
        split = self._split(path)
        if split is None:
            return None
        base, inner = split
        deeper = [deep for top in self._bases(base) for deep in self._below(top)]
        within = [there for deep in deeper for there in self._ways(deep, inner)]
        return self._only(within, stems, path, language)

    def _only(self, folders: Sequence[Path], stems: Sequence[str], test: Path, language: Language) -> Path | None:
        """The only file of one of these names, the first name that there is a file of."""
        for stem in stems:
            paths = {
                folder / name
                for folder in folders
                for name in self._names(folder)
                if Path(name).stem == stem and Path(name).suffix in _suffixes(language) and folder / name != test
            }
            if paths:
                return min(paths) if len({there.with_suffix("") for there in paths}) == 1 else None
        return None

    def _test_folders(self, path: Path) -> Iterator[Path]:
        """Folders that may have a file's tests, the nearest first."""
        yield path.parent
        root = self._files.root_of(path)
        for above in (path.parent, *path.parent.parents):
            if root is None or not above.is_relative_to(root):
                return
            between = path.parent.relative_to(above).parts
            for name in self._folders(above):
                if name.lower() in TEST_FOLDERS:
                    yield from self._mirrored(above / name, between)
                elif any(name == f"{first}{end}" for first in between[:1] for end in _ENDS):
                    yield from self._mirrored(above / name, between[1:])
            if MAIN in between[:1] and TEST in self._folders(above):
                yield from self._mirrored(above / TEST, between[1:])

    def _mirrored(self, folder: Path, between: Sequence[str]) -> Iterator[Path]:
        """A folder of tests, and in it the folders that the source is in, all or the inner ones of them."""
        tops = [folder, *(folder / name for name in self._folders(folder) if name.lower() in KINDS)]
        for top in tops:
            yield from self._ways(top, between, _ENDS)

    def _ways(self, top: Path, between: Sequence[str], ends: Sequence[str] = ()) -> Iterator[Path]:
        """The folders below `top` by all of the names, and by the inner ones of them alone; a folder's name may have
        one of the ends."""
        for skipped in range(len(between) + 1):
            there: Path | None = top
            for part in between[skipped:]:
                there = self._inside(there, (part, *(f"{part}{end}" for end in ends))) if there is not None else None
            if there is not None:
                yield there

    def _source_folders(self, path: Path) -> Iterator[Path]:
        """Folders that may have what a test is of, the likeliest first."""
        if of_test(path.stem, language_of("", path.name).test_names):
            yield path.parent
        split = self._split(path)
        if split is None:
            return
        base, inner = split
        for top in (self._inside(base, (MAIN,)), *self._bases(base)):
            if top is not None:
                yield from self._ways(top, inner)

    def _bases(self, base: Path) -> Iterator[Path]:
        """Where the sources beside a folder of tests begin."""
        yield from (there for name in SOURCE_FOLDERS if (there := self._inside(base, (name,))) is not None)
        yield base

    def _split(self, path: Path) -> tuple[Path, tuple[str, ...]] | None:
        """The folder with the innermost folder of tests around a file, and the folders in that one; None if there is
        no such folder."""
        root = self._files.root_of(path)
        inner, module = list[str](), None
        for folder in (path.parent, *path.parent.parents):
            if root is None or folder == root or not folder.is_relative_to(root):
                break
            if folder.name.lower() in TEST_FOLDERS:
                return folder.parent, tuple(name for name in reversed(inner) if name.lower() not in KINDS)
            plain = _without_end(folder.name)
            inner += plain or (folder.name,)
            if plain and module is None:
                module = folder.parent, tuple(reversed(inner))
        return module

    def _below(self, folder: Path) -> list[Path]:
        return [folder / name for name in self._folders(folder)[:_MOST_FOLDERS] if name.lower() not in TEST_FOLDERS]

    def _inside(self, folder: Path, names: Sequence[str]) -> Path | None:
        """The first of these folders that is there, in whatever case."""
        known = {name.lower(): name for name in reversed(self._folders(folder))}
        return next((folder / known[name.lower()] for name in names if name.lower() in known), None)

    def _folders(self, folder: Path) -> list[str]:
        return [it.name for it in self._files.listing(folder) if it.is_dir and not it.is_link]

    def _names(self, folder: Path) -> list[str]:
        return [it.name for it in self._files.listing(folder) if not it.is_dir]


def _suffixes(language: Language) -> frozenset[str]:
    return frozenset((*language.suffixes, *language.tested_beside))


def _without_end(name: str) -> tuple[str, ...]:
    """`Shop` of `ShopTests`, which is empty for most names."""
    return tuple(name.removesuffix(end) for end in _ENDS if name.endswith(end) and name != end)[:1]
