"""The index of a folder: built, brought up to date, and thrown away where it cannot be used."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from palimpsest.index.builder import MOST_DAMAGED
from palimpsest.index.messages import Built, Failed, IndexChanged, IndexOpened

from .folders import FILES, Folder, spoil, write


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return write(tmp_path / "work", FILES)


@pytest.fixture
def folder(root: Path, tmp_path: Path) -> Folder:
    return Folder(root, tmp_path / "cache").build()


def again(folder: Folder, **begin: object) -> Folder:
    """Another process, later."""
    folder.builder.close()
    return Folder(folder.root, folder.cache, **begin).build()  # type: ignore[arg-type]


def test_every_file_of_a_language_is_in_it(folder: Folder) -> None:
    assert folder.names() == {"Cart", "Cart.add", "empty", "Price"}
    built = folder.last(Built)
    assert isinstance(built, Built)
    assert (built.files, built.read, built.left_out) == (2, 2, {})


def test_on_a_busy_machine_too(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = count()
    monkeypatch.setattr(time, "monotonic", lambda: 10.0 * next(looks))  # others run for ten seconds in between
    assert Folder(root, tmp_path / "cache").build().names() == {"Cart", "Cart.add", "empty", "Price"}


def test_only_what_changed_is_read_again(folder: Folder) -> None:
    write(folder.root, {"shop/prices.py": "class Price: ...\nclass Rebate: ...\n", "new.py": "def fresh(): ...\n"})
    (folder.root / "shop/cart.py").unlink()
    later = again(folder)
    assert later.names() == {"Price", "Rebate", "fresh"}
    built = later.last(Built)
    assert isinstance(built, Built)
    assert built.read == 2


def test_a_walk_that_is_cut_off_goes_on_where_it_was(root: Path, tmp_path: Path) -> None:
    folder = Folder(root, tmp_path / "cache")
    folder.builder.open()
    walk = folder.builder.walk()
    for _ in range(3):
        next(walk)
    opened = again(folder).last(IndexOpened)
    assert isinstance(opened, IndexOpened)
    assert not opened.complete
    assert again(folder).names() == {"Cart", "Cart.add", "empty", "Price"}


def test_what_an_editor_says_is_read_at_once(folder: Folder) -> None:
    write(folder.root, {"shop/prices.py": "class Tax: ...\n"})
    assert not folder.builder.look([folder.root / "shop" / "prices.py"])
    assert isinstance(folder.told[-1], IndexChanged)
    assert folder.names() == {"Cart", "Cart.add", "empty", "Tax"}
    (folder.root / "shop/prices.py").unlink()
    folder.builder.look([folder.root / "shop" / "prices.py"])
    assert folder.paths() == {"shop/cart.py"}


def test_a_file_that_takes_long_to_read_is_told_of_as_well(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    # no door: how fast a file is read is the machine's business
    monkeypatch.setattr("palimpsest.index.builder.BATCH_S", -1.0)
    write(folder.root, {"new.py": "def fresh(): ...\n"})
    folder.builder.look([folder.root / "new.py"])
    assert "fresh" in folder.names()
    assert isinstance(folder.told[-1], IndexChanged)


def test_a_folder_that_is_gone_takes_its_files_along(folder: Folder) -> None:
    write(folder.root, {"shop.py": "", "shop0/x.py": ""})
    folder.walk()
    for path in (folder.root / "shop").iterdir():
        path.unlink()
    (folder.root / "shop").rmdir()
    folder.builder.look([folder.root / "shop"])
    assert folder.paths() == {"shop.py", "shop0/x.py"}


def test_a_changed_rule_file_asks_for_a_walk(folder: Folder) -> None:
    write(folder.root, {".gitignore": "shop/prices.py\n"})
    assert folder.builder.look([folder.root / ".gitignore"])
    folder.walk()
    assert folder.paths() == {"shop/cart.py"}


@pytest.mark.parametrize("damage", [b"", b"no database", None])
def test_a_damaged_database_is_thrown_away(folder: Folder, damage: bytes | None) -> None:
    folder.builder.close()
    data = folder.database.read_bytes()
    middle = len(data) // 2
    folder.database.write_bytes(data[:4096] + os.urandom(len(data) - 4096) if damage is None else damage)
    assert len(data) > 8192 < middle * 2
    later = again(folder)
    assert later.names() == {"Cart", "Cart.add", "empty", "Price"}


def test_one_that_is_damaged_while_in_use_is_made_anew(folder: Folder) -> None:
    for _ in range(2):
        spoil(folder.database)
        assert folder.builder.check()
        folder.walk()
        assert folder.names() == {"Cart", "Cart.add", "empty", "Price"}


def test_one_that_is_damaged_again_and_again_is_given_up(folder: Folder) -> None:
    for _ in range(MOST_DAMAGED):
        assert folder.builder.check()
    assert not folder.builder.check()
    failed = folder.last(Failed)
    assert isinstance(failed, Failed)
    assert "again and again" in failed.why
    assert not folder.builder.open()


def test_what_is_read_while_the_database_is_checked_is_no_suspect(root: Path, tmp_path: Path) -> None:
    folder = Folder(root, tmp_path / "cache")
    folder.builder.open()
    walk = folder.builder.walk()
    for _ in range(3):
        next(walk)
    assert folder.builder.check()
    folder.walk()
    assert folder.paths() == {"shop/cart.py", "shop/prices.py"}


def test_another_schema_or_grammar_begins_anew(folder: Folder) -> None:
    later = again(folder, made_with="another")
    built = later.last(Built)
    assert isinstance(built, Built)
    assert built.read == 2


def test_limits_are_kept_and_said(root: Path, tmp_path: Path) -> None:
    write(root, {"big.py": "x = 1\n" * 1_000, "vendored/a.py": "def a(): ...\n", "z.py": "def z(): ...\n"})
    begin = {"max_files": 2, "max_file_bytes": 2_000, "unindexed": ("vendored/",)}
    folder = Folder(root, tmp_path / "cache", **begin).build()
    assert folder.paths() == {"z.py", "shop/cart.py"}
    built = folder.last(Built)
    assert isinstance(built, Built)
    assert built.left_out == {"larger than index.max_file_bytes (2,000)": 1, "beyond index.max_files (2)": 1}
    reader = folder.reader()
    assert reader.notes()["built"]["left_out"] == built.left_out
    reader.close()


def test_what_no_model_may_see_is_not_in_it(root: Path, tmp_path: Path) -> None:
    key = "ghp_" + "a1B2" * 10
    outside = write(tmp_path / "outside", {"theirs.py": "def outside(): ...\n"})
    write(
        root,
        {
            ".gitignore": "ignored.py\nbuild/\n",
            "ignored.py": "def ignored(): ...\n",
            "build/out.py": "def built(): ...\n",
            "token.py": f"def leaked(): return '{key}'\n",
            "node_modules/x/index.py": "def module(): ...\n",
            "excluded.py": "def excluded(): ...\n",
        },
    )
    (root / "binary.py").write_bytes(b"def binary(): ...\n\0\xff")
    (root / "link.py").symlink_to(outside / "theirs.py")
    (root / "linked").symlink_to(outside)
    folder = Folder(root, tmp_path / "cache", exclude=("excluded.py",)).build()
    assert folder.paths() == {"shop/cart.py", "shop/prices.py"}
    for name in ("ignored.py", "build/out.py", "token.py", "link.py", "linked/theirs.py", "excluded.py", "binary.py"):
        folder.builder.look([root / name])
    folder.builder.look([outside / "theirs.py"])
    assert folder.paths() == {"shop/cart.py", "shop/prices.py"}


def test_a_file_that_comes_to_hold_a_secret_is_forgotten(folder: Folder) -> None:
    path = folder.root / "shop" / "prices.py"
    path.write_text(f"class Price:\n    key = '{'ghp_' + 'a1B2' * 10}'\n")
    folder.builder.look([path])
    assert folder.paths() == {"shop/cart.py"}


@pytest.mark.skipif(sys.platform == "win32", reason="modes are POSIX's")
def test_only_the_user_may_read_it(folder: Folder) -> None:
    for path in (folder.database.parent, *folder.database.parent.iterdir()):
        assert path.stat().st_mode & 0o077 == 0, path


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="there, every name is text")
def test_a_name_that_is_no_text_is_left_out(folder: Folder) -> None:
    with open(os.fsencode(folder.root) + b"/caf\xe9.py", "w") as file:
        file.write("def coffee(): ...\n")
    folder.walk()
    assert "coffee" not in folder.names()


@pytest.mark.skipif(sys.platform == "win32", reason="no process can be doubled there")
def test_who_cannot_keep_it_reads_it_and_writes_what_its_editor_says(folder: Folder, tmp_path: Path) -> None:
    """The lock is a process's: a child stands for the other window."""
    write(folder.root, {"shop/prices.py": "class Tax: ...\n"})
    pid = os.fork()
    if pid == 0:
        other = Folder(folder.root, folder.cache)
        is_keeper = other.builder.open()
        other.builder.look([folder.root / "shop" / "prices.py"])
        os._exit(int(is_keeper))
    assert os.waitpid(pid, 0)[1] == 0
    assert "Tax" in folder.names()


def test_a_full_disk_costs_the_index_only(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite is told how many pages there are, and fails as it does on a full disk."""
    write(root, {f"many/m{n}.py": "\n".join(f"def f{n}_{m}(): ..." for m in range(200)) for n in range(20)})

    connect = sqlite3.connect

    def small(*place: Any, **options: Any) -> sqlite3.Connection:
        connection = connect(*place, **options)
        connection.execute("PRAGMA max_page_count = 40")
        return connection

    monkeypatch.setattr(sqlite3, "connect", small)
    folder = Folder(root, tmp_path / "cache").build()
    failed = folder.last(Failed)
    assert isinstance(failed, Failed)
    assert "disk is full" in failed.why
    assert not folder.builder.look([root / "shop" / "cart.py"])
    assert not folder.builder.open()
    monkeypatch.undo()
    later = Folder(root, folder.cache).build()
    assert {"Cart", "f0_0", "f19_199"} <= later.names(), "when there is room again, the next process goes on"


UNREADABLE = """
import os, sys
from pathlib import Path
from typing import Any
root, cache = Path(sys.argv[1]), Path(sys.argv[2])
from tests.index.folders import FILES, Folder, write
Folder(write(cache / "other", FILES), cache / "own").build()  # afterwards, everything is imported
(root / "secret").chmod(0)
if os.geteuid() == 0:
    os.setresuid(65534, 65534, 65534)
folder = Folder(root, cache).build()
print(sorted(folder.paths()), [type(it).__name__ for it in folder.told])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="modes are POSIX's")
def test_a_folder_that_cannot_be_read_is_left_out(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Root may read anything, so a test of root's goes on as nobody."""
    with tempfile.TemporaryDirectory() as made:
        root, cache = Path(made) / "work", Path(made) / "cache"
        for folder in (root, cache):
            folder.mkdir()
            folder.chmod(0o777)
        Path(made).chmod(0o755)
        write(root, FILES | {"secret/plans.py": "def plan(): ...\n"})
        there = str(Path(__file__).parents[2])
        command = [sys.executable, "-c", UNREADABLE, str(root), str(cache)]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": there}
        )
        (root / "secret").chmod(0o700)
        told = "['shop/cart.py', 'shop/prices.py'] ['IndexOpened', 'Building', 'Built']"
        assert done.stdout.strip() == told, done.stderr


def test_a_cache_that_cannot_be_written_costs_the_index_only(root: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where a folder should be")
    folder = Folder(root, tmp_path / "cache").build()
    assert [type(message) for message in folder.told] == [Failed]
    assert not folder.builder.look([root / "shop" / "cart.py"])


@pytest.mark.skipif(sys.platform == "win32", reason="no process can be doubled there")
def test_a_file_that_ended_the_process_is_left_out_by_the_next(root: Path, tmp_path: Path) -> None:
    pid = os.fork()
    if pid == 0:
        write_to = os.write
        os.write = lambda file, data: (write_to(file, data), os._exit(9) if data else 0)[0]  # once a name is noted
        Folder(root, tmp_path / "cache").build()
    os.waitpid(pid, 0)
    folder = Folder(root, tmp_path / "cache").build()
    built = folder.last(Built)
    assert isinstance(built, Built)
    assert built.left_out == {"ended the process that read it": 1}
    assert len(folder.paths()) == 1
    assert len(again(folder).paths()) == 2, "once is enough of a suspicion"
