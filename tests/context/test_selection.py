"""The selection: never over budget, the most valuable first, and what is resident stays while there is room."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.context.choice.selection import Selection, select
from palimpsest.context.values import RESIDENT_BONUS
from palimpsest.types import Block, BlockKey


def block(name: str, tokens: int = 10, value: float = 50.0, pinned: bool = False) -> Block:
    return Block("file", name, "x" * tokens, value, pinned=pinned)


def count(block: Block) -> int:
    return len(block.text)


blocks = st.lists(
    st.builds(
        block,
        st.sampled_from("abcdefghij"),
        st.integers(1, 60),
        st.floats(0, 100),
        st.booleans(),
    ),
    max_size=12,
)
budgets = st.integers(0, 200)


def left_out(selection: Selection) -> list[BlockKey]:
    """Candidates that there was no room for."""
    chosen = {block.key for block in selection.chosen}
    return [it.block.key for it in selection.ranked if it.tier < 2 and it.block.key not in chosen]


@given(blocks, blocks, budgets, st.booleans())
def test_never_over_budget_and_every_candidate_chosen_or_named(
    candidates: list[Block], previous: list[Block], budget: int, stays: bool
) -> None:
    chosen = select(candidates, previous, budget, count, lambda _: stays)
    assert sum(map(count, chosen.chosen)) == chosen.tokens <= budget
    keys = [b.key for b in chosen.chosen]
    assert len(set(keys)) == len(keys)
    assert {b.key for b in candidates} <= set(keys) | set(left_out(chosen))
    assert not set(keys) & set(left_out(chosen))


@given(blocks, blocks, budgets)
def test_the_order_of_candidates_makes_no_difference(
    candidates: list[Block], previous: list[Block], budget: int
) -> None:
    one = select(candidates, previous, budget, count)
    other = select(list(reversed(candidates)), previous, budget, count)
    assert one == other
    assert one == select(candidates, previous, budget, count)


@given(blocks, budgets)
def test_everything_stays_while_there_is_room(previous: list[Block], budget: int) -> None:
    first = select(previous, [], budget, count).chosen
    again = select([], first, budget, count, lambda _: True)
    assert {b.key for b in again.chosen} == {b.key for b in first if not b.pinned}
    assert select([], first, budget, count, lambda _: False).chosen == []


@given(blocks, blocks, budgets, st.integers(0, 100))
def test_more_budget_never_loses_the_most_valuable_that_differs(
    candidates: list[Block], previous: list[Block], budget: int, more: int
) -> None:
    small = {b.key for b in select(candidates, previous, budget, count, lambda _: True).chosen}
    large = select(candidates, previous, budget + more, count, lambda _: True)
    every = select(candidates, previous, 10_000, count, lambda _: True).chosen
    taken = {b.key for b in large.chosen}
    first = next((b.key for b in every if (b.key in small) != (b.key in taken)), None)
    assert first is None or first in taken


def test_what_is_pinned_comes_before_what_is_more_valuable() -> None:
    chosen = select([block("a", 60, 100), block("b", 60, 1, pinned=True)], [], 100, count)
    assert [b.name for b in chosen.chosen] == ["b"]
    assert left_out(chosen) == [("file", "a")]


def test_pinned_alone_over_budget_is_left_out_and_named() -> None:
    chosen = select([block("a", 300, pinned=True), block("b", 10)], [], 100, count)
    assert [b.name for b in chosen.chosen] == ["b"]
    assert left_out(chosen) == [("file", "a")]


@pytest.mark.parametrize(("lead", "wins"), [(RESIDENT_BONUS - 1, "old"), (RESIDENT_BONUS + 1, "new")])
def test_a_resident_candidate_gives_way_only_to_a_clearly_better_one(lead: float, wins: str) -> None:
    old, new = block("old", 60, 50), block("new", 60, 50 + lead)
    assert [b.name for b in select([old, new], [old], 100, count).chosen] == [wins]


def test_the_bonus_is_for_the_text_that_is_resident_not_for_its_name() -> None:
    old, changed, new = block("a", 60, 50), block("a", 61, 50), block("b", 60, 51)
    assert [b.name for b in select([changed, new], [old], 100, count).chosen] == ["b"]


def test_what_lingers_never_takes_room_from_a_candidate() -> None:
    lingering, candidate = block("old", 60, 100), block("new", 60, 1)
    chosen = select([candidate], [lingering], 100, count, lambda _: True)
    assert [b.name for b in chosen.chosen] == ["new"]
    assert left_out(chosen) == []


def test_an_unpinned_file_does_not_linger() -> None:
    assert select([], [block("a", pinned=True)], 100, count, lambda _: True).chosen == []


def test_a_candidate_of_the_same_key_replaces_what_was_chosen_before() -> None:
    new = block("a", 20)
    assert select([new], [block("a", 10)], 100, count, lambda _: True).chosen == [new]


def test_of_what_lingers_what_was_a_candidate_last_stays_longest() -> None:
    first, second, third = block("a", 40, 99), block("b", 40, 50), block("c", 40, 1)
    one = select([first], [], 100, count, lambda _: True).chosen
    two = select([second], one, 100, count, lambda _: True).chosen
    three = select([third], two, 100, count, lambda _: True).chosen
    assert [b.name for b in three] == ["c", "b"]
