"""Pure: how good next edits are, as cursortab.nvim's evaluation counts it.

In: texts before, as they became and as expected.  Out: figures.

chrF (Popović 2015) is the F-score of the n-grams of characters (here the mean of those of each length), in which finding
weighs `BETA` times as much as being right.  Only the lines that changed are compared, so that what is copied counts for
nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
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


def score(delta: float, show: float, quiet: float) -> float:
    """0 to 1: how good edits are (0 to 100), times the harmonic mean of how often there is one where one is expected and
    none where none is (0 to 1)."""
    return delta / 100 * 2 * show * quiet / (show + quiet) if show + quiet else 0.0
