"""Questions about names, answered from the databases and from what is open.

In: an index, the files of a gathering.  Out: `languages/name_index.py`'s answers.  Keeps nothing: what is looked up of
a file is kept with the gathering (`WorkspaceFiles.once`).
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from palimpsest.index.reader import IndexReader, InFile
from palimpsest.index.rows import DefinitionRow, FileRows, ImportRow, hashed, last_names, may_have
from palimpsest.languages.name_index import IndexedDefinition, IndexedImport
from palimpsest.syntax.values import Import
from palimpsest.system.reading import stamp
from palimpsest.workspace.files import WorkspaceFiles


class AskedIndex(Protocol):
    """What is asked: `WorkspaceIndex`."""

    @property
    def readers(self) -> Sequence[IndexReader]: ...
    @property
    def opened(self) -> Mapping[str, FileRows]: ...
    @property
    def is_complete(self) -> bool: ...
    @property
    def revision(self) -> int: ...


class Asking:
    """A `NameIndex`."""

    def __init__(self, known: AskedIndex, files: WorkspaceFiles) -> None:
        self._known = known
        self._files = files

    @property
    def is_complete(self) -> bool:
        return self._known.is_complete

    @property
    def revision(self) -> int:
        return self._known.revision

    def definitions(self, name: str, languages: Sequence[str] = ()) -> Sequence[IndexedDefinition]:
        opened = [
            _definition(path, rows.language, row)
            for path, rows in self._opened(languages)
            for row in rows.definitions
            if row.name == name
        ]
        kept = [
            _definition(path, file.language, row)
            for reader in self._known.readers
            for file, row in reader.definitions(name)
            if (path := self._path(reader, file, languages)) is not None
        ]
        return sorted(dict.fromkeys([*opened, *kept]), key=lambda item: (item.path, item.line))

    def outline(self, path: Path) -> Sequence[IndexedDefinition] | None:
        if (rows := self._open_at(path)) is not None:
            return [_definition(path, rows.language, row) for row in rows.definitions]
        for reader in self._known.readers:
            found = reader.outline(_below(path, reader.root)) if path.is_relative_to(reader.root) else None
            if found is not None and self._path(reader, found[0], ()) is not None:
                return [_definition(path, found[0].language, row) for row in found[1]]
        return None

    def packages(self, path: Path) -> Sequence[str]:
        if (rows := self._open_at(path)) is not None:
            return rows.packages
        for reader in self._known.readers:
            found = reader.packages(_below(path, reader.root)) if path.is_relative_to(reader.root) else None
            if found is not None and self._path(reader, found[0], ()) is not None:
                return found[1]
        return ()

    def files_of(self, package: str, languages: Sequence[str] = ()) -> Sequence[Path]:
        found = {path for path, rows in self._opened(languages) if package in rows.packages}
        for reader in self._known.readers:
            paths = (self._path(reader, file, languages) for file in reader.files_of(package))
            found.update(path for path in paths if path is not None)
        return sorted(found)

    def importing(self, module: str, languages: Sequence[str] = ()) -> Sequence[IndexedImport]:
        ends = last_names(module)
        found = [
            _import(path, rows.language, row)
            for path, rows in self._opened(languages)
            for row in rows.imports
            if ends & last_names(*row[:3])
        ]
        for reader in self._known.readers:
            for file, row in (item for last in sorted(ends) for item in reader.importing(last)):
                if (path := self._path(reader, file, languages)) is not None:
                    found.append(_import(path, file.language, row))
        return sorted(dict.fromkeys(found), key=lambda item: (item.path, item.item.line))

    def having(self, words: Collection[str], language: str) -> Iterator[Path]:
        wanted, found = hashed(words), list[Path]()
        for reader in self._known.readers:
            for name, known, hashes in reader.words(language):
                path = reader.root / name
                if may_have(hashes, wanted) or stamp(path) != known:
                    found.append(path)
        for path in sorted(set(found), key=lambda path: (len(path.parts), path)):
            if str(path) not in self._known.opened and self._may_be_seen(path):
                yield path

    def _opened(self, languages: Sequence[str]) -> Iterator[tuple[Path, FileRows]]:
        for name, rows in self._known.opened.items():
            path = Path(name)
            if (not languages or rows.language in languages) and self._may_be_seen(path):
                yield path, rows

    def _open_at(self, path: Path) -> FileRows | None:
        rows = self._known.opened.get(str(path))
        return rows if rows is not None and self._may_be_seen(path) else None

    def _path(self, reader: IndexReader, file: InFile, languages: Sequence[str]) -> Path | None:
        """The file of a row from a database; None where the row does not count."""
        if languages and file.language not in languages:
            return None
        path = reader.root / file.path
        if str(path) in self._known.opened:
            return None
        if self._files.seen(("stamp", path), lambda: stamp(path)) != file.stamp:
            return None
        return path if self._may_be_seen(path) else None

    def _may_be_seen(self, path: Path) -> bool:
        return self._files.refusal(path) is None


def _below(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()


def _definition(path: Path, language: str, row: DefinitionRow) -> IndexedDefinition:
    return IndexedDefinition(path, language, *row)


def _import(path: Path, language: str, row: ImportRow) -> IndexedImport:
    return IndexedImport(path, language, Import(row.module, row.name or None, row.alias or None, row.level, row.line))
