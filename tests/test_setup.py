"""`scripts/setup.sh` with a stand-in for Python: when .venv is made, and when it is only installed into."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.documents import ROOT

PYTHON = """#!/bin/sh
case "$1 $2" in
  "-m venv")
    rm -rf .venv; mkdir -p .venv/bin; cp "$0" .venv/bin/python; echo "VIRTUAL_ENV=$PWD/.venv" >.venv/bin/activate
    echo made ;;
  "-m pip") [ "$3" = --version ] || echo installed ;;
esac
"""
ANEW = ["made", "installed"]


def clone(at: Path) -> Path:
    (at / "scripts").mkdir(parents=True)
    (at / "pyproject.toml").touch()
    shutil.copy(ROOT / "scripts" / "setup.sh", at / "scripts")
    return at


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    python = tmp_path / "python"
    python.write_text(PYTHON, encoding="utf-8")
    python.chmod(0o755)
    made = clone(tmp_path / "clone")
    assert set_up(made) == ANEW
    assert set_up(made) == []
    return made


def set_up(folder: Path) -> list[str]:
    done = subprocess.run(
        ["bash", folder / "scripts" / "setup.sh"],
        env=os.environ | {"PYTHON": str(folder.parent / "python")},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_what_was_killed_halfway_is_made_anew(folder: Path) -> None:
    (folder / ".venv/bin/activate").unlink()  # which venv writes last
    (folder / ".venv/.made-from").unlink()
    assert set_up(folder) == ANEW


def test_where_its_python_is_gone_it_is_made_anew(folder: Path) -> None:
    (folder / ".venv/bin/python").unlink()
    (folder / ".venv/bin/python").symlink_to("/no/where/python")
    assert set_up(folder) == ANEW


def test_a_clone_that_was_moved_or_copied_gets_its_own(folder: Path) -> None:
    assert set_up(folder.rename(folder.with_name("moved"))) == ANEW
    assert set_up(shutil.copytree(folder.with_name("moved"), folder)) == ANEW


def test_what_changed_is_installed_into_what_is_there(folder: Path) -> None:
    (folder / "pyproject.toml").write_text("#", encoding="utf-8")
    assert set_up(folder) == ["installed"]


def test_the_one_of_another_clone_is_used_as_it_is(folder: Path) -> None:
    other = clone(folder.with_name("other"))
    (other / ".venv").symlink_to(folder / ".venv")
    assert set_up(other) == []
    assert set_up(folder) == []
