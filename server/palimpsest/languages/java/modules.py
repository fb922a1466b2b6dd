"""Java's packages, which Kotlin shares: which files an import means.

In: names of packages, the workspace's files.  Out: files.  Files of one package may be in several source sets; those of
tests see the others, not the other way round.  Archives of libraries are not looked into.

    src/main/java/shop/cart/Cart.java, src/test/java/shop/cart/CartTest.java     package shop.cart
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from palimpsest.languages.java import SOURCES
from palimpsest.languages.package_modules import PackageModules
from palimpsest.languages.source_modules import Item, header_words
from palimpsest.syntax.parse import Parsed

_DECLARED = re.compile(
    r"^[ \t]*package[ \t]+([^\W\d]\w*(?:\.[^\W\d]\w*)*)[ \t]*(?:;[ \t]*)?(?://.*)?\r?$", re.MULTILINE
)
_MAIN, _SRC, _TEST = "main", "src", "test"


class JvmModules(PackageModules):
    languages = ("java", "kotlin")
    suffixes = (".java", ".kt")

    def packages_in(self, text: str) -> Sequence[str]:
        found = _DECLARED.search(text)
        return [found.group(1)] if found is not None else ()

    def folders(self, name: str, near: Path) -> Iterator[Path]:
        """In the file's own source set, then in others of its project, then in those below the workspace's folders."""
        parts = name.split(".")
        if name in self.packages_of(near):
            yield near.parent
        for root in self._roots(near):
            yield root.joinpath(*parts)

    def may_see(self, near: Path, other: Path) -> bool:
        """Whatever is not for tests: a program for several platforms has a source set for each and one for all."""
        return not _is_of_tests(other) or _is_of_tests(near)

    def is_public(self, parsed: Parsed, item: Item) -> bool:
        """For other packages: in Java what says so, in Kotlin what does not say otherwise."""
        words = header_words(parsed, item)
        return "public" in words if parsed.language.id == "java" else "private" not in words

    def _roots(self, near: Path) -> Iterator[Path]:
        """Folders in which packages begin."""
        own = next(iter(self.packages_of(near)), "")
        depth = own.count(".") + 1 if own else 0
        above = near.parents[depth] if depth < len(near.parents) else near.parent
        if ".".join(near.parent.parts[len(near.parent.parts) - depth :]) == own:
            yield above
        project = self._project(near)
        for folder in dict.fromkeys([*([project] if project is not None else []), *self.files.roots]):
            sets = [entry.name for entry in self.files.listing(folder / _SRC) if entry.is_dir]
            for name in sorted(sets, key=lambda name: name != _MAIN):
                yield from (folder / _SRC / name / language for language in ("java", "kotlin"))
            yield from (folder / _SRC, folder)

    def _project(self, near: Path) -> Path | None:
        """The folder around `src/main/java`."""
        around = self.files.folders_around(near)[:-1]
        return next((folder.parent for folder in around if folder.name == _SRC), None)


def _source_set(path: Path) -> str:
    """`test` for `src/test/java/…`; "" outside of one."""
    parts = path.parts
    found = (n for n in range(len(parts) - 3, -1, -1) if parts[n] == _SRC and parts[n + 2] in SOURCES)
    return next((parts[n + 1] for n in found), "")


def _is_of_tests(path: Path) -> bool:
    return _TEST in _source_set(path).lower()


MODULES = JvmModules
