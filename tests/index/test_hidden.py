"""What no model may see is in no answer of the index: not before it is looked through again, and not after."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from palimpsest.index.asking import Asking
from palimpsest.index.builder import rows_of_text
from palimpsest.workspace.files import WorkspaceFiles

from .folders import Folder, Known, write

HIDDEN = "shop/Vault.java"
VAULT = "package shop;\n\nimport com.plans.Plans;\n\n/** Hidden. */\nclass Vault {\n    void unlock() {}\n}\n"
FILES = {HIDDEN: VAULT, "shop/Cart.java": "package shop;\n\nclass Cart {}\n"}


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    (tmp_path / "work").mkdir()
    return Folder(write(tmp_path / "work", FILES), tmp_path / "cache").build()


def answers(folder: Folder, known: Known) -> Iterator[object]:
    """Everything that may tell of the hidden file."""
    files = WorkspaceFiles((folder.root,))
    names, path = Asking(known, files), folder.root / HIDDEN
    yield from names.definitions("Vault")
    yield from names.definitions("unlock", ["java"])
    yield from names.outline(path) or ()
    yield from names.packages(path)
    yield from names.importing("com.plans.Plans")
    yield from (it for it in names.files_of("shop") if it == path)
    # Who asks which files may have a name reads them, since they may have changed.
    yield from (it for it in names.having(["Vault", "unlock", "plans"], "java") if it == path and files.source(it))


def hide_by_palimpsestignore(folder: Folder) -> None:
    write(folder.root, {".palimpsestignore": "Vault.java\n"})


def hide_by_git(folder: Folder) -> None:
    write(folder.root, {"shop/.gitignore": "/Vault.*\n"})


def hide_by_a_secret(folder: Folder) -> None:
    write(folder.root, {HIDDEN: VAULT.replace("{}", f'{{ key("ghp_{"a1B2" * 10}"); }}')})


def hide_by_a_link(folder: Folder) -> None:
    outside = folder.root.parent / "Vault.java"
    (folder.root / HIDDEN).rename(outside)
    (folder.root / HIDDEN).symlink_to(outside)


@pytest.mark.parametrize("hide", [hide_by_palimpsestignore, hide_by_git, hide_by_a_secret, hide_by_a_link])
@pytest.mark.parametrize("when", ["at once", "looked through", "a file of it changed", "another time"])
def test_a_file_that_comes_to_be_hidden(folder: Folder, hide: Callable[[Folder], None], when: str) -> None:
    known = Known([folder.reader()])
    assert len(list(answers(folder, known))) == 8
    hide(folder)
    if when == "looked through":
        folder.walk()
    elif when == "a file of it changed":
        folder.builder.look([folder.root / HIDDEN])
    elif when == "another time":
        folder.builder.close()
        folder = Folder(folder.root, folder.cache).build()
        known = Known([folder.reader()])
    assert list(answers(folder, known)) == []
    if when != "at once":
        assert folder.paths() == {"shop/Cart.java"}


def test_a_document_that_is_open_and_comes_to_be_hidden(folder: Folder) -> None:
    rows = rows_of_text(str(folder.root / HIDDEN), "java", VAULT)
    known = Known([], {str(folder.root / HIDDEN): rows})
    assert list(answers(folder, known))
    hide_by_palimpsestignore(folder)
    assert list(answers(folder, known)) == []
