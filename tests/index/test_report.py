"""What `palimpsest doctor` says of an index."""

from __future__ import annotations

from pathlib import Path

import pytest

from palimpsest.cli.checks import Check, index_checks
from palimpsest.config.settings import IndexSettings
from palimpsest.index.report import report
from palimpsest.system import folders

from .folders import FILES, Folder, write


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "work").mkdir()
    return write(tmp_path / "work", FILES)


def checks(root: Path, **settings: object) -> list[Check]:
    return list(index_checks(IndexSettings(**settings), [root]))  # type: ignore[arg-type]


def test_files_and_what_was_left_out_are_said(root: Path, tmp_path: Path) -> None:
    write(root, {"token.py": f"KEY = '{'ghp_' + 'a1B2' * 10}'\n", "big.py": "x = 1\n" * 1_000})
    Folder(root, folders.cache(), max_file_bytes=2_000).build().builder.close()
    [check] = checks(root)
    assert check.ok
    assert not check.needed
    assert "2 files; left out: 1 holds what looks like an access token, 1 larger than" in check.detail


def test_one_that_is_not_whole_says_so(root: Path, tmp_path: Path) -> None:
    assert report(folders.cache(), root) is None
    [check] = checks(root)
    assert check.ok
    assert f"none yet of the names in {root}: " in check.detail
    folder = Folder(root, folders.cache())
    folder.builder.open()
    [check] = checks(root)
    assert not check.ok
    folder.builder.close()


def test_without_a_folder_there_is_none_of_the_folder_that_a_server_was_started_in() -> None:
    assert [check.detail for check in index_checks(IndexSettings(), [])] == ["none: no folder is open"]


def test_one_that_is_off_is_not_looked_for(root: Path) -> None:
    assert [check.detail for check in checks(root, enabled=False)] == ["off (index.enabled)"]


def test_of_a_home_folder_or_a_whole_disk_none_is_built(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(root / "ann"))
    for folder in (root / "ann", root, Path(root.anchor)):
        assert "none is built of a home folder" in checks(folder)[0].detail
        assert folders.is_whole_disk(folder)
    assert not folders.is_whole_disk(root / "ann" / "code")
    assert not folders.is_whole_disk(root.parent / "other")
