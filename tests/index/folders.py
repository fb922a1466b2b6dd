"""Workspace folders with their index, for tests."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from palimpsest.index.builder import Builder
from palimpsest.index.messages import BeginIndex, Told
from palimpsest.index.reader import IndexReader
from palimpsest.index.rows import FileRows
from palimpsest.index.store import database

CART = '''"""The cart."""

from shop.prices import Price as P
import shop.stock


class Cart:
    """What a person is about to buy.

    More.
    """

    def add(self, item: str) -> None:
        """Put one more in."""

        def inner() -> None: ...


def empty(cart: Cart) -> bool: ...
'''
FILES = {"shop/cart.py": CART, "shop/prices.py": "class Price:\n    pass\n", "README.md": "# Shop\n"}


def write(root: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return root


def spoil(database: Path) -> None:
    """Random bytes in the place of everything but the first page; the writer's log too."""
    for path, keep in ((database, 4096), (database.with_name(f"{database.name}-wal"), 32)):
        data = path.read_bytes() if path.exists() else b""
        with path.open("r+b") as file:  # the same file: others have it open
            file.seek(keep)
            file.write(os.urandom(max(0, len(data) - keep)))


class Folder:
    """A workspace folder and what builds its index, a step when it is told to."""

    def __init__(self, root: Path, cache: Path, *, made_with: str = "this", **begin: object) -> None:
        self.root, self.cache, self.told = root, cache, list[Told]()
        limits = {"max_files": 1_000, "max_file_bytes": 100_000, **begin}
        self.begin = BeginIndex((str(root),), str(cache), **limits)  # type: ignore[arg-type]
        self.builder = Builder(root, self.begin, made_with, self.told.append)

    def build(self) -> Folder:
        self.builder.open()
        self.walk()
        return self

    def walk(self) -> None:
        for _ in self.builder.walk():
            pass

    def last(self, kind: type) -> Told:
        return next(message for message in reversed(self.told) if isinstance(message, kind))

    @property
    def database(self) -> Path:
        return database(self.cache, self.root)

    def reader(self) -> IndexReader:
        return IndexReader(self.root, self.database)

    def names(self) -> set[str]:
        """The qualified names of everything in the index."""
        reader = self.reader()
        try:
            return {
                row.qualified_name for path in _paths(reader) if (found := reader.outline(path)) for row in found[1]
            }
        finally:
            reader.close()

    def paths(self) -> set[str]:
        reader = self.reader()
        try:
            return set(_paths(reader))
        finally:
            reader.close()


@dataclass
class Known:
    """What a window's index knows, without its process."""

    readers: Sequence[IndexReader] = ()
    opened: Mapping[str, FileRows] = field(default_factory=dict)
    is_complete: bool = True
    revision: int = 1


def _paths(reader: IndexReader) -> list[str]:
    # no door: an index is asked for names, never for all of its files
    return [path for (path,) in reader._rows("SELECT path FROM files ORDER BY path", ())]
