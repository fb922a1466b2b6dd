"""Which of several lines is offered first.

In: candidates with what the model gives to them and to the code behind them.  Out: their order.  Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from palimpsest.wire import Candidate

LEAST_GAIN = 2.0
"""Nats that the code behind the cursor gains at least by a line that takes the likeliest one's place: without a bound
short lines win."""


def order(candidates: Sequence[Candidate]) -> list[int]:
    """The likeliest line is the first of `candidates`.  Another one takes its place where the code behind gains enough
    by it and both together are likelier; the others follow by both."""
    if not candidates:
        return []
    likeliest = candidates[0]
    by_both = sorted(range(len(candidates)), key=lambda i: -_both(candidates[i]))
    better = [
        i
        for i in by_both
        if candidates[i].behind - likeliest.behind >= LEAST_GAIN and _both(candidates[i]) > _both(likeliest)
    ]
    first = better[0] if better else 0
    return [first, *([0] if first else []), *(i for i in by_both if i not in (0, first))]


def _both(candidate: Candidate) -> float:
    return candidate.line + candidate.behind
