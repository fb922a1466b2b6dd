"""The board: what is put from outside stays until it is dropped or its time is over."""

from __future__ import annotations

from typing import Any

import pytest

from palimpsest.context.external_blocks import MAX_BLOCKS, ExternalBlocks
from palimpsest.errors import InvalidArgument


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_block_is_there_until_its_time_is_over() -> None:
    clock = Clock()
    external = ExternalBlocks(clock)
    external.put("documentation", "lru", "\nA cache.\n", ttl=5)
    external.put("package", "attr", "attr.s()")
    assert [(b.name, b.text) for b in external.blocks()] == [("lru", "A cache."), ("attr", "attr.s()")]
    before = external.revision
    clock.now = 5.0
    assert [b.name for b in external.blocks()] == ["attr"]
    assert external.revision > before
    assert not external.drop("documentation", "lru")


def test_putting_again_replaces_and_dropping_takes_off() -> None:
    external = ExternalBlocks()
    external.put("scope", "a", "one")
    external.put("scope", "a", "two")
    external.put("class", "a", "class a: ...")
    assert sorted(b.text for b in external.blocks()) == ["class a: ...", "two"]
    assert external.drop("scope", "a")
    assert not external.drop("scope", "a")
    assert [b.type for b in external.blocks()] == ["class"]


def test_priority_moves_a_block_among_the_others() -> None:
    external = ExternalBlocks()
    low = external.put("scope", "a", "x", priority=-1)
    high = external.put("scope", "b", "x", priority=2)
    assert low.value < external.put("scope", "c", "x").value < high.value


@pytest.mark.parametrize(
    ("field", "arguments"),
    [
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
        ExternalBlocks().put(**given)
    assert caught.value.field == field


def test_the_board_is_not_endless_but_replacing_always_works() -> None:
    external = ExternalBlocks()
    for n in range(MAX_BLOCKS):
        external.put("scope", str(n), "x")
    with pytest.raises(InvalidArgument):
        external.put("scope", "one more", "x")
    external.put("scope", "0", "y")
    assert len(external.blocks()) == MAX_BLOCKS


def test_pins_keep_their_order_and_count_as_a_change() -> None:
    external = ExternalBlocks()
    revisions = [external.revision]
    for act in (
        lambda: external.pin("file:///b"),
        lambda: external.pin("file:///a"),
        lambda: external.unpin("file:///b"),
    ):
        act()
        revisions.append(external.revision)
    assert external.pins == ("file:///a",)
    assert revisions == sorted(set(revisions))
    assert not external.unpin("file:///b")
    assert external.revision == revisions[-1]
