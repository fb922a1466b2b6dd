"""What the person allowed in a folder is remembered there, and only there."""

from pathlib import Path

import pytest

from palimpsest.conversations.memory import Memory
from palimpsest.errors import NotFound


def test_an_answer_holds_for_its_folder_and_its_kind(memory: Memory) -> None:
    assert memory.permissions.answer("/work/shop", "write") is None
    memory.permissions.remember("/work/shop", "write", allowed=True)
    assert memory.permissions.answer("/work/shop", "write") is True
    assert memory.permissions.answer("/work/shop", "overwrite") is None
    assert memory.permissions.answer("/work/other", "write") is None


def test_the_newest_answer_holds_and_is_there_in_another_window(memory: Memory, path: Path) -> None:
    memory.permissions.remember("/work/shop", "write", allowed=True)
    memory.permissions.remember("/work/shop", "write", allowed=False)
    other = Memory.open(path)
    try:
        assert other.permissions.answer("/work/shop", "write") is False
        assert other.permissions.list("/work/shop") == {"write": False}
    finally:
        other.close()


def test_what_is_forgotten_is_asked_again(memory: Memory) -> None:
    memory.permissions.remember("/work/shop", "write", allowed=True)
    memory.permissions.forget("/work/shop", "write")
    assert memory.permissions.answer("/work/shop", "write") is None
    with pytest.raises(NotFound, match="There is nothing"):
        memory.permissions.forget("/work/shop", "write")
