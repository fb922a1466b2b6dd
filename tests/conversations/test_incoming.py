"""A person's long message: the long parts of it become descriptors."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.config.settings import FileDescriptorSettings
from palimpsest.conversations.conversing import keep
from palimpsest.conversations.descriptors.incoming import Paging, paged
from palimpsest.conversations.memory import Memory
from palimpsest.conversations.prompt_builder import SHOWN

PAGING = Paging(limit=1_000, page_size=200, pretty=True)
LOG = "".join(f"entry {n}\n" for n in range(200))


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    memory = Memory.open(Path(tmp_path_factory.mktemp("incoming")) / "w.sqlite")
    yield memory
    memory.close()


@pytest.fixture(scope="module")
def conversation(memory: Memory) -> str:
    return memory.conversations.new().id


def test_large_user_input_is_replaced_by_a_reference_and_a_preview(memory: Memory, conversation: str) -> None:
    found = paged(memory.descriptors, conversation, LOG, PAGING)
    assert found is not None
    assert found.shown.startswith(f'<fd_result fd="{found.fds[0]}" pages="')
    assert "Large user input has been stored in a file descriptor." in found.shown
    assert memory.descriptors.text(conversation, found.fds[0]) == LOG


def test_of_a_message_of_several_parts_only_the_large_ones_are_paged(memory: Memory, conversation: str) -> None:
    text = f"Why does this fail?\n\n```log\n{LOG}```\n\nAnd this:\n\n```python\nx = 1\n```\nThanks.\n"
    found = paged(memory.descriptors, conversation, text, PAGING)
    assert found is not None
    assert found.shown.startswith("Why does this fail?\n\n<fd_result ")
    assert found.shown.endswith("</fd_result>\n\nAnd this:\n\n```python\nx = 1\n```\nThanks.\n")
    assert [memory.descriptors.text(conversation, fd) for fd in found.fds] == [LOG.removesuffix("\n")]


def test_what_is_still_too_long_is_paged_as_a_whole(memory: Memory, conversation: str) -> None:
    text = f"{LOG}\n```\n{LOG}```\n"
    found = paged(memory.descriptors, conversation, text, PAGING)
    assert found is not None
    assert [memory.descriptors.text(conversation, fd) for fd in found.fds] == [text]


@given(st.lists(st.sampled_from(["```\n", "x" * 150 + "\n", "~~~\n", "a\n"]), max_size=30).map("".join))
def test_every_message_above_the_threshold_becomes_shorter_pieces(memory: Memory, conversation: str, text: str) -> None:
    found = paged(memory.descriptors, conversation, text, PAGING)
    assert (found is None) == (len(text) <= PAGING.limit)
    if found is not None:
        assert all(f'fd="{fd}"' in found.shown for fd in found.fds)


@pytest.mark.parametrize(
    ("options", "is_paged"),
    [
        (FileDescriptorSettings(max_input_chars=1_000), True),
        (FileDescriptorSettings(max_input_chars=1_000, page_user_input=False), False),
        (FileDescriptorSettings(max_input_chars=1_000, enabled=False), False),
        (FileDescriptorSettings(), False),
    ],
)
def test_user_message_paging_configuration(
    memory: Memory, conversation: str, options: FileDescriptorSettings, is_paged: bool
) -> None:
    turn = keep(memory, options, conversation, "user", LOG, documents="told")
    assert (turn.descriptor is not None, SHOWN in turn.details) == (is_paged, is_paged)
    assert memory.turns.text(turn) == LOG
    assert keep(memory, options, conversation, "assistant", LOG).descriptor is None
