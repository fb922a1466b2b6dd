"""Outcomes as rows.

In: outcomes.  Out: JSON.  Knows no model and no format.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bench.repairing.outcomes import Outcome

RATES = ("well_formed", "applied", "repaired")
MORE = ("unchanged", "parses", "is_cut")


def row(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Shares from 0 to 1, tokens and milliseconds of one reply (means), and by kind of damage how many there were and
    the shares of RATES."""
    n = len(outcomes)
    kinds = sorted({outcome.kind for outcome in outcomes})
    return {
        **_shares(outcomes, RATES),
        "tokens": round(sum(outcome.tokens for outcome in outcomes) / n, 1),
        "ms": round(sum(outcome.ms for outcome in outcomes) / n, 1),
        **_shares(outcomes, MORE),
        "kinds": {kind: _of_kind([o for o in outcomes if o.kind == kind]) for kind in kinds},
    }


def _of_kind(outcomes: Sequence[Outcome]) -> dict[str, float]:
    return {"n": len(outcomes), **_shares(outcomes, RATES)}


def _shares(outcomes: Sequence[Outcome], names: Sequence[str]) -> dict[str, float]:
    return {
        name.removeprefix("is_"): round(sum(getattr(outcome, name) for outcome in outcomes) / len(outcomes), 4)
        for name in names
    }
