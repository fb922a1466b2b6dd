"""How often nothing is shown, and how right what is shown is, by how sure the model must be.

In: what was offered without a bound, and how well it filled its holes.  Out: a row for each of BOUNDS:

    {"least",     how sure the model must be (`completion.confidence`)
     "quiet",     the share of cursors where nothing is shown
     "right",     of what is shown, the share whose first line is what stood there; None where nothing is
     "alike",     its mean edit similarity; None as well
     "of"}        cursors
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bench.completing.scores import Offered, Score

BOUNDS = (0.0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


def rows(offered: Sequence[Offered], scores: Sequence[Score]) -> list[dict[str, Any]]:
    return [_row(least, offered, scores) for least in BOUNDS]


def _row(least: float, offered: Sequence[Offered], scores: Sequence[Score]) -> dict[str, Any]:
    both = zip(offered, scores, strict=True)
    shown = [score for answer, score in both if answer.text and (answer.confidence or 0.0) >= least]
    return {
        "least": least,
        "quiet": round(1 - len(shown) / len(scores), 4),
        "right": round(sum(score.begins for score in shown) / len(shown), 4) if shown else None,
        "alike": round(sum(score.similarity for score in shown) / len(shown), 4) if shown else None,
        "of": len(scores),
    }
