"""The files that may have to follow an edit, found by the index instead of reading them all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from palimpsest.context.sources.cached import ReadFiles
from palimpsest.index.asking import Asking
from palimpsest.languages.registry import language_of
from palimpsest.next_edits.other_files import OtherFiles
from palimpsest.text.uris import to_uri
from palimpsest.workspace.files import WorkspaceFiles

from .folders import Folder, Known, write

PYTHON = language_of("python")
FILES = {
    "a.py": "total = 1\n",
    "deep/er/b.py": "print(total)\n",
    "c.py": "subtotal = 1\n",
    "d.py": "nothing = 1\n",
    "notes.toy": "total\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return write(tmp_path / "work", FILES)


@pytest.fixture
def known(root: Path, tmp_path: Path) -> Iterator[Known]:
    folder = Folder(root, tmp_path / "cache").build()
    folder.builder.close()
    found = Known([folder.reader()])
    yield found
    for reader in found.readers:
        reader.close()


@pytest.fixture
def read(root: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the workspace's files that are read."""
    names, opened = list[str](), os.open

    def noted(path: Any, *more: Any, **options: Any) -> int:
        if root in Path(path).parents:  # another thread may open what it likes
            names.append(Path(path).name)
        return opened(path, *more, **options)

    monkeypatch.setattr(os, "open", noted)
    return names


def having(root: Path, known: Known, *without: str) -> list[str]:
    files = WorkspaceFiles([root])
    others = OtherFiles(files, ReadFiles(files), Asking(known, files))
    return [file.name for file in others.having(["total"], PYTHON, without)]


def test_only_files_with_the_word_are_read(root: Path, known: Known, read: list[str]) -> None:
    assert having(root, known) == ["a.py", "deep/er/b.py"]
    assert read == ["a.py", "b.py"]


def test_a_file_that_changed_since_is_read_all_the_same(root: Path, known: Known) -> None:
    write(root, {"d.py": "something = total\n"})
    (root / "a.py").unlink()
    assert having(root, known) == ["d.py", "deep/er/b.py"]


def test_what_is_ignored_by_now_or_open_is_left_out(root: Path, known: Known) -> None:
    assert having(root, known, to_uri(root / "a.py")) == ["deep/er/b.py"]
    write(root, {".gitignore": "deep/\n"})
    assert having(root, known) == ["a.py"]


def test_until_every_file_is_in_the_index_all_are_read(root: Path, known: Known, read: list[str]) -> None:
    known.is_complete = False
    assert having(root, known) == ["a.py", "c.py", "deep/er/b.py"]  # `subtotal` has the word in it
    assert set(read) == {"a.py", "b.py", "c.py", "d.py"}
