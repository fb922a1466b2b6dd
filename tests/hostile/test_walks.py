"""Folders without end, and rules without end: what looks through a workspace stops in time."""

import os
import time
from pathlib import Path

import pytest

from palimpsest.assist.next_edits import other_files
from palimpsest.assist.next_edits.other_files import OtherFiles
from palimpsest.languages.python import LANGUAGE as PYTHON
from palimpsest.workspace.files import MAX_ENTRIES, Entry, WorkspaceFiles


class Clock:
    """A second for each folder that is listed."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


def folders(root: Path, n: int) -> None:
    for number in range(n):
        (root / f"d{number:03}").mkdir()
    (root / "d999").mkdir()
    (root / "d999" / "use.py").write_text("name = 1\n", encoding="utf-8")


def listed(files: OtherFiles, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The folders that are listed from now on, while a clock goes on a second for each."""
    clock, seen = Clock(), list[Path]()
    monkeypatch.setattr(other_files, "time", clock)
    listing = files._files.listing

    def look(folder: Path) -> tuple[Entry, ...]:
        seen.append(folder)
        clock.now += 1
        return listing(folder)

    monkeypatch.setattr(files._files, "listing", look)
    return seen


def test_the_time_for_next_edits_is_asked_at_each_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders(tmp_path, 50)
    files = OtherFiles([tmp_path], ())
    seen = listed(files, monkeypatch)
    assert list(files.having(["name"], PYTHON, ())) == []
    assert len(seen) == 2  # after the second, one and a half seconds have passed


def test_the_entries_for_next_edits_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders(tmp_path, 50)
    files = OtherFiles([tmp_path], ())
    assert [file.name for file in files.having(["name"], PYTHON, ())] == ["d999/use.py"]
    monkeypatch.setattr(other_files, "MOST_ENTRIES", 20)
    assert list(files.having(["name"], PYTHON, ())) == []


def test_thirty_thousand_folders_without_a_file_take_a_moment(tmp_path: Path) -> None:
    for number in range(30):
        for inner in range(1000):
            os.makedirs(tmp_path / f"{number}" / f"{inner}")
    start = time.process_time()
    assert list(OtherFiles([tmp_path], ()).having(["name"], PYTHON, ())) == []
    assert time.process_time() - start < 5


def test_rules_of_many_patterns_do_not_hold_up_a_listing(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["d"] * 20)
    deep.mkdir(parents=True)
    for folder in (deep, *deep.parents):
        if folder.is_relative_to(tmp_path):
            (folder / ".gitignore").write_text("\n".join(f"x{number}" for number in range(2_000)))
    for number in range(MAX_ENTRIES):
        (deep / f"{number}.py").touch()
    start = time.process_time()
    WorkspaceFiles([tmp_path]).listing(deep)
    assert time.process_time() - start < 8
