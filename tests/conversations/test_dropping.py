"""Old results of calls go first, and for good."""

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.conversations.compaction.keeping import POINTER_TOKENS, SizedResult, SizedTurn, dropped

RESULTS = st.lists(st.tuples(st.sampled_from(["read_fd", "search_fd", "inspect"]), st.integers(0, 500)), max_size=3)
TURNS = st.lists(st.tuples(st.integers(0, 300), RESULTS), max_size=12).map(
    lambda rows: [
        SizedTurn(i, tokens, tuple(SizedResult(n, tool, size) for n, (tool, size) in enumerate(results)))
        for i, (tokens, results) in enumerate(rows)
    ]
)


def turn(number: int, tokens: int, tool: str = "read_fd") -> SizedTurn:
    return SizedTurn(number, 10, (SizedResult(0, tool, tokens),))


def test_nothing_is_dropped_below_the_bound() -> None:
    assert dropped([turn(1, 400), turn(2, 400)], 1000, keep=0) == set()


def test_the_newest_results_are_kept() -> None:
    assert dropped([turn(n, 400) for n in range(4)], 1000, keep=2) == {(0, 0), (1, 0)}
    assert dropped([turn(n, 400) for n in range(5)], 1000, keep=2) == {(0, 0), (1, 0), (2, 0)}
    assert dropped([turn(n, 400) for n in range(3)], 1000, keep=0) == {(0, 0), (1, 0), (2, 0)}


def test_results_of_a_protected_tool_are_never_dropped() -> None:
    turns = [turn(0, 400, "inspect"), turn(1, 400), turn(2, 400), turn(3, 400)]
    assert dropped(turns, 1000, keep=1, never={"inspect"}) == {(1, 0), (2, 0)}


def test_a_result_as_short_as_its_pointer_stays() -> None:
    assert dropped([turn(1, POINTER_TOKENS), turn(2, 2000)], 1000, keep=1) == set()


@given(TURNS, st.integers(1, 2000), st.integers(0, 4))
def test_what_is_dropped_stays_dropped_as_the_conversation_grows(turns: list[SizedTurn], bound: int, keep: int) -> None:
    gone = set[tuple[int, int]]()
    for n in range(len(turns) + 1):
        now = dropped(turns[:n], bound, keep)
        assert gone <= now
        gone = now


@given(TURNS, st.integers(1, 2000), st.integers(0, 4))
def test_the_newest_few_are_always_there(turns: list[SizedTurn], bound: int, keep: int) -> None:
    every = [(turn.id, one.number) for turn in turns for one in turn.results if one.tokens > POINTER_TOKENS]
    assert not dropped(turns, bound, keep) & set(every[len(every) - keep :] if keep else [])
