"""A workspace's memory in a real file."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from palimpsest.memory.owners.memory import Memory


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    opened = Memory.open(tmp_path / "state" / "memory.sqlite")
    yield opened
    opened.close()
