"""What is known of the names of a whole workspace, as sources and languages ask for it.

In: names, packages, paths.  Out: definitions, files and imports with their places.  `index/` keeps them; here are only
the questions, each but the last answered in well under a millisecond, and never with a file that a model may not see.

An answer may be incomplete while the index is being built, but what it says was so when the file last changed.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from palimpsest.syntax.values import Import


@dataclass(frozen=True, slots=True)
class IndexedDefinition:
    """A definition of a file, or of a class or namespace in it; what functions define inside is left out.

    `kind`: "method" for a function of a class, else the kind of its scope.  `language` is the language's id.  `line` is
    0-based; `signature` and `doc`, the first line of its documentation, may be cut.
    """

    path: Path
    language: str
    kind: str
    name: str
    qualified_name: str
    line: int
    signature: str
    doc: str


@dataclass(frozen=True, slots=True)
class IndexedImport:
    """An import as it is written in a file."""

    path: Path
    language: str
    item: Import


class NameIndex(Protocol):
    """The names of one workspace.  Any thread may ask."""

    @property
    def is_complete(self) -> bool:
        """Whether every file was looked at, so that what is not found is not there."""

    @property
    def revision(self) -> int:
        """Rises when a question may have another answer."""

    def definitions(self, name: str, languages: Sequence[str] = ()) -> Sequence[IndexedDefinition]:
        """The definitions of a name, in order of path and line; `languages`: only in files of these.  Of very many,
        only the first."""

    def outline(self, path: Path) -> Sequence[IndexedDefinition] | None:
        """The definitions of a file in order; None if the file is not in the index."""

    def packages(self, path: Path) -> Sequence[str]:
        """The packages or namespaces that a file declares itself to be in."""

    def files_of(self, package: str, languages: Sequence[str] = ()) -> Sequence[Path]:
        """The files that declare themselves to be in a package or namespace, in order of their paths."""

    def importing(self, module: str, languages: Sequence[str] = ()) -> Sequence[IndexedImport]:
        """The imports that may mean a module or a name: whose module as written, whose name, or whose alias ends as
        it does."""

    def having(self, words: Collection[str], language: str) -> Iterator[Path]:
        """The files of a language that may contain one of the words, nearest the workspace's folders first: a few
        microseconds for each file that there is.  Not those that are open."""
