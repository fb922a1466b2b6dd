"""The board: what is put from outside stays until it is dropped or its time is over."""

from __future__ import annotations

from typing import Any

import pytest

from palimpsest.context.board import MAX_BLOCKS, Board
from palimpsest.errors import InvalidArgument


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_block_is_there_until_its_time_is_over() -> None:
    clock = Clock()
    board = Board(clock)
    board.put("documentation", "lru", "\nA cache.\n", ttl=5)
    board.put("package", "attr", "attr.s()")
    assert [(b.name, b.text) for b in board.blocks()] == [("lru", "A cache."), ("attr", "attr.s()")]
    before = board.revision
    clock.now = 5.0
    assert [b.name for b in board.blocks()] == ["attr"]
    assert board.revision > before
    assert not board.drop("documentation", "lru")


def test_putting_again_replaces_and_dropping_takes_off() -> None:
    board = Board()
    board.put("scope", "a", "one")
    board.put("scope", "a", "two")
    board.put("class", "a", "class a: ...")
    assert sorted(b.text for b in board.blocks()) == ["class a: ...", "two"]
    assert board.drop("scope", "a")
    assert not board.drop("scope", "a")
    assert [b.type for b in board.blocks()] == ["class"]


def test_priority_moves_a_block_among_the_others() -> None:
    board = Board()
    low = board.put("scope", "a", "x", priority=-1)
    high = board.put("scope", "b", "x", priority=2)
    assert low.value < board.put("scope", "c", "x").value < high.value


@pytest.mark.parametrize(
    ("field", "arguments"),
    [
        ("type", {"type": "nonsense"}),
        ("name", {"name": "  "}),
        ("ttl", {"ttl": 0}),
        ("ttl", {"ttl": float("nan")}),
        ("priority", {"priority": float("inf")}),
        ("uri", {"editable": True}),
        ("text", {"text": "x" * 400_001}),
    ],
)
def test_a_wrong_argument_is_named(field: str, arguments: dict[str, Any]) -> None:
    given: dict[str, Any] = {"type": "scope", "name": "a", "text": "x", **arguments}
    with pytest.raises(InvalidArgument) as caught:
        Board().put(**given)
    assert caught.value.field == field


def test_the_board_is_not_endless_but_replacing_always_works() -> None:
    board = Board()
    for n in range(MAX_BLOCKS):
        board.put("scope", str(n), "x")
    with pytest.raises(InvalidArgument):
        board.put("scope", "one more", "x")
    board.put("scope", "0", "y")
    assert len(board.blocks()) == MAX_BLOCKS


def test_pins_keep_their_order_and_count_as_a_change() -> None:
    board = Board()
    revisions = [board.revision]
    for act in (lambda: board.pin("file:///b"), lambda: board.pin("file:///a"), lambda: board.unpin("file:///b")):
        act()
        revisions.append(board.revision)
    assert board.pins == ("file:///a",)
    assert revisions == sorted(set(revisions))
    assert not board.unpin("file:///b")
    assert board.revision == revisions[-1]
