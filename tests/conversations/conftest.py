"""A workspace's memory in a real file."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from palimpsest.conversations.memory import Memory


@pytest.fixture(scope="session")
def new_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One to copy: making its tables waits for the disk."""
    path = tmp_path_factory.mktemp("memory") / "memory.sqlite"
    Memory.open(path).close()
    return path


@pytest.fixture
def path(tmp_path: Path, new_database: Path) -> Path:
    (tmp_path / "state").mkdir()
    return Path(shutil.copy(new_database, tmp_path / "state"))


@pytest.fixture
def memory(path: Path) -> Iterator[Memory]:
    opened = Memory.open(path)
    yield opened
    opened.close()
