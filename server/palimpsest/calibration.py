"""From the probability that a model gives to a text to the share of such texts that were right.

In: a probability; counts of texts that were shown and of those that came true.  Out: a probability.  Pure.

The map is a line between log odds (Platt 1999, "Probabilistic outputs for support vector machines"), so that it keeps
the order of any two texts.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

N_BINS = 20
PRIOR = 5.0
"""Texts of each bin that count as having come true as often as was said, before any did."""
FLATTEST, STEEPEST, FARTHEST = 0.1, 4.0, 4.0
"""Least and most of the slope, most of the offset."""
N_STEPS, LONGEST_STEP = 30, 0.5
NEAREST = 1e-6
"""A probability is taken to be at least this far from 0 and from 1, so that its odds can be told."""

Counts = Mapping[str, tuple[float, float]]
"""How many texts were shown, and how many of these came true, by the number of their bin of probability, written as
text."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """log odds → `slope` × log odds + `offset`."""

    slope: float = 1.0
    offset: float = 0.0

    def of(self, probability: float) -> float:
        return _sigmoid(self.slope * _log_odds(probability) + self.offset) if probability > 0 else 0.0

    def undone(self, probability: float) -> float:
        """What this would make that probability of."""
        return _sigmoid((_log_odds(probability) - self.offset) / self.slope) if probability > 0 else 0.0

    def then(self, other: "Calibration") -> "Calibration":
        """One map that is this one and then the other."""
        return Calibration(other.slope * self.slope, other.slope * self.offset + other.offset)


AS_SAID = Calibration()


def bin_of(probability: float) -> str:
    return str(min(N_BINS - 1, int(probability * N_BINS)))


def middle(number: int) -> float:
    """The probability in the middle of a bin."""
    return (number + 0.5) / N_BINS


def fitted(counts: Counts) -> Calibration:
    """The likeliest map from what was said, a bin's middle, to what came true; none yet: as it was said."""
    points = list[tuple[float, float, float]]()
    for number in range(N_BINS):
        probability = middle(number)
        n_shown, right = counts.get(str(number), (0.0, 0.0))
        points.append((_log_odds(probability), n_shown + PRIOR, right + PRIOR * probability))
    slope, offset = 1.0, 0.0
    for _ in range(N_STEPS):  # Newton's method: two unknowns, and the likelihood has one maximum
        g_slope = g_offset = h_slope = h_both = h_offset = 0.0
        for x, n, right in points:
            p = _sigmoid(slope * x + offset)
            missing, weight = right - n * p, n * p * (1 - p)
            g_slope, g_offset = g_slope + missing * x, g_offset + missing
            h_slope, h_both, h_offset = h_slope + weight * x * x, h_both + weight * x, h_offset + weight
        determinant = h_slope * h_offset - h_both * h_both
        slope += _step((g_slope * h_offset - g_offset * h_both) / determinant)
        offset += _step((g_offset * h_slope - g_slope * h_both) / determinant)
        slope = min(STEEPEST, max(FLATTEST, slope))
        offset = min(FARTHEST, max(-FARTHEST, offset))
    return Calibration(slope, offset)


def _step(size: float) -> float:
    """Newton's, which goes too far where nearly all or nearly none came true."""
    return min(LONGEST_STEP, max(-LONGEST_STEP, size))


def _log_odds(probability: float) -> float:
    near = min(1 - NEAREST, max(NEAREST, probability))
    return math.log(near / (1 - near))


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))
