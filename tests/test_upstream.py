"""What docs/upstream/ offers to others fits what it is for."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pygls
import pytest

from tests.documents import ROOT

PATCHES = sorted((ROOT / "docs/upstream/pygls").glob("*.patch"))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """pygls as it is installed, as a tree of its sources."""
    shutil.copytree(Path(pygls.__file__).parent, tmp_path / "pygls", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def apply(patch: Path, tree: Path) -> None:
    outside = os.environ | {"GIT_CEILING_DIRECTORIES": str(tree.parent)}
    done = subprocess.run(["git", "apply", patch], cwd=tree, env=outside, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def its_tests(tree: Path) -> list[str]:
    """Those that fail, run with the pygls of the tree."""
    (tree / "pytest.ini").write_text("[pytest]\nasyncio_mode = auto\n")
    command = [sys.executable, "-m", "pytest", "-q", "-rf", "-p", "no:cacheprovider", "--rootdir", tree, tree / "tests"]
    own = os.environ | {"PYTHONPATH": str(tree)}
    done = subprocess.run(command, cwd=tree, env=own, capture_output=True, text=True, timeout=200)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if line.startswith("FAILED")]


@pytest.mark.parametrize("patch", PATCHES, ids=lambda it: it.stem)
def test_each_patch_applies_alone(patch: Path, tree: Path) -> None:
    apply(patch, tree)
    assert list((tree / "tests").glob("test_*.py"))


@pytest.mark.slow(part="installers")
def test_the_patches_apply_to_one_another_and_their_tests_fail_without_them_alone(tree: Path) -> None:
    shutil.copytree(tree / "pygls", tree / "before")
    for patch in PATCHES:
        apply(patch, tree)
    assert its_tests(tree) == []
    shutil.rmtree(tree / "pygls")
    (tree / "before").rename(tree / "pygls")
    failed = {line.partition("::")[0] for line in its_tests(tree)}
    assert failed == {f"FAILED tests/{path.name}" for path in (tree / "tests").glob("test_*.py")}
