"""Budgets: shares of what a model can read, and when it is time to compact (document-references.md, 4.2)."""

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.conversations.budgets import ConversationUsage, Shares, reserve


def test_a_window_is_divided_into_shares() -> None:
    parts = ConversationUsage(total=32_768, system=100, tools=5_000, messages=1_000).parts
    assert {name: part.budget for name, part in parts.items()} == {"system": 3276, "tools": 9830, "messages": 19660}
    assert parts["tools"].percentage == 51


def test_it_is_time_to_compact_when_messages_are_over_their_budget() -> None:
    assert not ConversationUsage(total=32_768, system=0, tools=0, messages=19_660).should_compact()
    assert ConversationUsage(total=32_768, system=0, tools=0, messages=19_661).should_compact()


def test_it_is_time_to_compact_when_nearly_all_is_used() -> None:
    assert not ConversationUsage(total=200_000, system=80_000, tools=0, messages=90_000).should_compact()
    assert ConversationUsage(total=200_000, system=90_001, tools=0, messages=90_000).should_compact()


def test_a_window_of_8192_holds_a_conversation() -> None:
    assert reserve(8192) == 2048
    assert not ConversationUsage(total=8192, system=300, tools=900, messages=3000, blocks=1500).should_compact()
    assert ConversationUsage(total=8192, system=300, tools=900, messages=3500, blocks=1500).should_compact()


def test_what_the_system_prompt_and_the_tools_leave_is_lent_to_the_messages() -> None:
    """document-references.md: "Dynamic budget reallocation based on conversation patterns"."""
    few = ConversationUsage(total=10_000, system=500, tools=0, messages=7_000, shares=Shares(lent=True))
    assert few.parts["messages"].budget == 9_500
    assert not few.should_compact()
    many = ConversationUsage(total=10_000, system=2_000, tools=3_000, messages=6_001, shares=Shares(lent=True))
    assert many.parts["messages"].budget == 6_000
    assert many.should_compact()


def test_without_a_model_nothing_is_compacted() -> None:
    assert not ConversationUsage(total=0, system=5, tools=5, messages=10**6).should_compact()


@given(st.integers(0, 10**7))
def test_the_reserve_is_within_its_bounds(total: int) -> None:
    assert 0 <= reserve(total) <= min(20_000, max(2_048, int(0.15 * total)))
    assert reserve(total) <= total / 2
