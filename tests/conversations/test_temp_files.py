"""Temporary files that a conversation shares with what was forked or spawned from it."""

from pathlib import Path

import pytest

from palimpsest.conversations.memory import Memory
from palimpsest.errors import AlreadyExists, InvalidArgument, NotFound


def test_a_temporary_file_is_shared_with_multiple_children_and_with_nobody_else(memory: Memory) -> None:
    parent = memory.conversations.new().id
    first, second = (memory.conversations.new(parent=parent).id for _ in range(2))
    grandchild = memory.conversations.new(parent=first).id
    made = memory.temp_files.create(grandchild, "shared\0content 😀")
    for member in (parent, first, second, grandchild):
        assert memory.temp_files.read(member, made.id) == "shared\0content 😀"
    with pytest.raises(NotFound, match="There are none"):
        memory.temp_files.read(memory.conversations.new().id, made.id)


def test_a_temporary_file_outlives_the_process_and_goes_when_deleted(memory: Memory, path: Path) -> None:
    conversation = memory.conversations.new().id
    kept, gone = memory.temp_files.create(conversation, "kept", "notes"), memory.temp_files.create(conversation, "gone")
    memory.temp_files.delete(conversation, gone.id)
    memory.close()
    again = Memory.open(path)
    assert [one.id for one in again.temp_files.list(conversation)] == [kept.id] == ["notes"]
    with pytest.raises(NotFound, match="There are: notes"):
        again.temp_files.delete(conversation, gone.id)
    assert again.contents.find(gone.hash) is None
    again.close()


def test_a_name_is_used_once_and_is_a_name(memory: Memory) -> None:
    conversation = memory.conversations.new().id
    memory.temp_files.create(conversation, "a", "notes")
    with pytest.raises(AlreadyExists):
        memory.temp_files.create(conversation, "b", "notes")
    for name in ("../x", "a b", "-x", "x" * 65, "a\n"):
        with pytest.raises(InvalidArgument):
            memory.temp_files.create(conversation, "b", name)
    assert memory.temp_files.read(conversation, "notes") == "a"


def test_an_unknown_conversation_has_none(memory: Memory) -> None:
    with pytest.raises(NotFound, match="conversation"):
        memory.temp_files.create("c-00000000", "a")
