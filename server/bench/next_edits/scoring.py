"""Pure: how good next edits are, as cursortab.nvim's evaluation counts it.

In: texts before, as they became and as expected.  Out: figures.

chrF (Popović 2015) is the F-score of the n-grams of characters, here the mean of those of each length, in which what is
found weighs `BETA` times as much as what is right.  Only the lines that changed are compared, so that what is copied
counts for nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean

from palimpsest.text.alike import ends_alike

LONGEST, BETA = 6, 2.0


def chrf(text: str, reference: str) -> float:
    """0 to 100; two empty texts are alike."""
    scores = []
    for n in range(1, LONGEST + 1):
        found, wanted = _grams(text, n), _grams(reference, n)
        if not found and not wanted:
            continue
        common = (found & wanted).total()
        precision, recall = (common / grams.total() if grams else 0.0 for grams in (found, wanted))
        weighed = BETA**2 * precision + recall
        scores.append((1 + BETA**2) * precision * recall / weighed if weighed else 0.0)
    return 100 * mean(scores) if scores else 100.0


def _grams(text: str, n: int) -> Counter[str]:
    return Counter(text[at : at + n] for at in range(len(text) - n + 1))


def delta_chrf(before: Sequence[str], after: Sequence[str], expected: Sequence[str]) -> float:
    """Of what is between the lines that each has in common with `before` at both ends."""
    return chrf(*("\n".join(_changed(before, lines)) for lines in (after, expected)))


def _changed(before: Sequence[str], after: Sequence[str]) -> Sequence[str]:
    head, tail = ends_alike(before, after)
    return after[head : len(after) - tail]


@dataclass(frozen=True, slots=True)
class Judged:
    """A case: `delta` is None where nothing is expected, `right` whether it is just what was expected."""

    delta: float | None
    shown: bool
    right: bool


def rates(judged: Sequence[Judged]) -> dict[str, float]:
    """Means of cases; `score` (0 to 1) is how good edits are, times the harmonic mean of how often one is shown where
    one is expected and none where none is."""
    wanted = [(one.delta, one.shown) for one in judged if one.delta is not None]
    delta, show = (mean(values) if wanted else 0.0 for values in ([d for d, _ in wanted], [s for _, s in wanted]))
    unwanted = [one.shown for one in judged if one.delta is None]
    quiet = 1 - mean(unwanted) if unwanted else 0.0
    weight = 2 * show * quiet / (show + quiet) if show + quiet else 0.0
    return {
        "score": round(delta / 100 * weight, 4),
        "delta_chrf": round(delta, 1),
        "show": round(show, 4),
        "quiet": round(quiet, 4),
        "right": round(mean(one.right for one in judged), 4) if judged else 0.0,
    }
