"""A stable order of blocks: what was decoded before stays the beginning."""

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.providers.whole_prompt.blocks import Order

NAMES = st.lists(st.sampled_from("abcdefghij"), unique=True)


@given(st.lists(NAMES, min_size=1))
def test_nothing_is_lost_and_the_same_blocks_come_in_the_same_order(history: list[list[str]]) -> None:
    order, seen = Order(), dict[frozenset[str], list[str]]()
    for names in history:
        arranged = order.arrange(names)
        assert sorted(arranged) == sorted(names)
        assert seen.setdefault(frozenset(names), arranged) == arranged, "also after others were there"


@given(NAMES, NAMES)
def test_new_blocks_go_to_the_end(first: list[str], second: list[str]) -> None:
    order = Order()
    before = order.arrange(first)
    after = order.arrange([*second, *(name for name in first if name not in second)])
    assert after[: len(before)] == before


def test_the_first_order_is_the_one_asked_for() -> None:
    assert Order().arrange(["c", "a", "b"]) == ["c", "a", "b"]


@given(st.lists(NAMES, min_size=1), st.integers(0, 5))
def test_what_is_remembered_is_bounded(history: list[list[str]], remembered: int) -> None:
    order = Order(remembered)
    for names in history:
        assert sorted(order.arrange(names)) == sorted(names)
        # no door: what is remembered shows in memory only
        assert len(order._places) <= max(remembered, len(names))
