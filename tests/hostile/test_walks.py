"""Folders without end, and rules without end: what looks through a workspace stops in time."""

import os
import time
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from palimpsest.context.sources.cached import ReadFiles
from palimpsest.languages.python import LANGUAGE as PYTHON
from palimpsest.next_edits import other_files
from palimpsest.next_edits.other_files import OtherFiles
from palimpsest.workspace.files import MAX_ENTRIES, MOST_S, WorkspaceFiles


def folders(root: Path, n: int) -> None:
    for number in range(n):
        (root / f"d{number:03}").mkdir()
    (root / "d999").mkdir()
    (root / "d999" / "use.py").write_text("name = 1\n", encoding="utf-8")


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The folders that are listed, while the clock goes on 0.4 seconds for each."""
    seen, scandir = list[str](), os.scandir

    def look(folder: Any) -> Any:
        seen.append(os.fspath(folder))
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", look)
    monkeypatch.setattr(time, "monotonic", lambda: 0.4 * len(seen))
    return seen


def test_the_time_for_next_edits_is_asked_at_each_folder(tmp_path: Path, listed: list[str]) -> None:
    folders(tmp_path, 50)
    files = WorkspaceFiles([tmp_path])
    assert list(OtherFiles(files, ReadFiles(files)).having(["name"], PYTHON, ())) == []
    assert len(listed) == 4  # after the fourth, one and a half seconds have passed


def test_the_entries_for_next_edits_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders(tmp_path, 50)
    files = WorkspaceFiles([tmp_path])
    others = OtherFiles(files, ReadFiles(files))
    assert [file.name for file in others.having(["name"], PYTHON, ())] == ["d999/use.py"]
    monkeypatch.setattr(other_files, "MOST_ENTRIES", 20)  # no door: to make so many takes longer than to look at them
    assert list(others.having(["name"], PYTHON, ())) == []


def test_a_listing_that_takes_long_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(MAX_ENTRIES):
        (tmp_path / f"{number}.py").touch()
    looks = count()
    monkeypatch.setattr(time, "monotonic", lambda: next(looks) / 1000)  # each look at the clock takes a millisecond
    assert len(WorkspaceFiles([tmp_path]).listing(tmp_path)) == pytest.approx(1000 * MOST_S, abs=5)


def test_a_busy_machine_lists_no_fewer_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An index is made from it."""
    for name in "abc":
        (tmp_path / f"{name}.py").touch()
    looks = count()
    monkeypatch.setattr(time, "monotonic", lambda: 10.0 * next(looks))  # others run for ten seconds in between
    files = WorkspaceFiles([tmp_path], clock=time.thread_time)
    assert [entry.name for entry in files.listing(tmp_path)] == ["a.py", "b.py", "c.py"]
