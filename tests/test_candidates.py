"""Which of several lines is offered first."""

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.candidates import LEAST_GAIN, order
from palimpsest.wire import Candidate

NATS = st.floats(-200, 0)


def test_another_line_needs_the_code_behind_and_both_together() -> None:
    likeliest = Candidate("a", -5.0, -20.0)
    assert order([likeliest, Candidate("b", -6.0, -15.0)]) == [1, 0], "it gains five and loses one"
    assert order([likeliest, Candidate("b", -2.0, -19.0)]) == [0, 1], "short lines are likelier by themselves"
    assert order([likeliest, Candidate("b", -12.0, -15.0)]) == [0, 1], "both together are less likely"
    others = [Candidate("b", -6.0, -15.0), Candidate("c", -5.0, -14.0), Candidate("d", -1.0, -21.0)]
    assert order([likeliest, *others]) == [2, 0, 1, 3]
    assert order([]) == []


@given(st.lists(st.builds(Candidate, st.just("x"), NATS, NATS), min_size=1, max_size=9))
def test_all_are_in_it_and_the_likeliest_is_first_or_second(candidates: list[Candidate]) -> None:
    found = order(candidates)
    assert sorted(found) == list(range(len(candidates)))
    assert 0 in found[:2]
    first, likeliest = candidates[found[0]], candidates[0]
    if found[0]:
        assert first.behind - likeliest.behind >= LEAST_GAIN
        assert first.line + first.behind > likeliest.line + likeliest.behind
