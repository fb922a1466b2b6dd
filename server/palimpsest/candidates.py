"""Which of several lines is offered first.

In: candidates with what the model gives to them and to the code behind them.  Out: their order.  Pure.
"""

from collections.abc import Sequence

from palimpsest.wire import Candidate


def order(candidates: Sequence[Candidate]) -> list[int]:
    """The best first: where a line and the code behind it are likeliest together.  The model reads the line twice, with
    and without what is behind; by one of the two alone fewer were right (docs/measurements.md)."""
    return sorted(range(len(candidates)), key=lambda i: -_together(candidates[i]))


def _together(candidate: Candidate) -> float:
    return (candidate.line + candidate.middle) / 2 + candidate.behind
