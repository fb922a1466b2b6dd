"""Which of several lines is offered first.

In: candidates with what the model gives to them and to the code behind them.  Out: their order, and how sure the first
of them is.  Pure.
"""

from __future__ import annotations

import math
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


def share(candidates: Sequence[Candidate]) -> float | None:
    """Of the one that is offered first in the probability of all of them, 0 to 1; None where there are none."""
    if not candidates:
        return None
    first = candidates[order(candidates)[0]]
    return 1 / sum(math.exp(min(700.0, _both(one) - _both(first))) for one in candidates)


def _both(candidate: Candidate) -> float:
    return candidate.line + candidate.behind
