"""Which of several lines is offered first."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.candidates import order
from palimpsest.wire import Candidate

NATS = st.floats(-200, 0)


def test_a_line_and_the_code_behind_it_count_together() -> None:
    likeliest = Candidate("a", -5.0, -20.0, -1.0)
    assert order([likeliest, Candidate("b", -6.0, -15.0, -2.0)]) == [1, 0], "it gains five and loses one"
    assert order([likeliest, Candidate("b", -2.0, -20.0, -6.0)]) == [0, 1], "it is likely only without what is behind"
    assert order([likeliest, Candidate("b", -12.0, -15.0, -9.0)]) == [0, 1], "both together are less likely"
    assert order([]) == []


@given(st.lists(st.builds(Candidate, st.just("x"), NATS, NATS, NATS), min_size=1, max_size=9))
def test_all_are_in_it_and_none_comes_before_one_that_is_likelier_in_all(candidates: list[Candidate]) -> None:
    found = [candidates[i] for i in order(candidates)]
    assert sorted(order(candidates)) == list(range(len(candidates)))
    for one, other in pairwise(found):
        assert not (one.line < other.line and one.middle < other.middle and one.behind < other.behind)
