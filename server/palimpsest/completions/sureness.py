"""Pure: how probable a completion is, and where it is cut for that.

In: what the engine says of a text's beginnings (`wire.Choice.sure`).  Out: the probability that all of a text is what
comes next, and the longest beginning of it that is probable enough.  Characters are counted without blanks, which
differ between what a model writes and what is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Bound:
    """`least`: how probable a text must be; `risk`: the most of its characters that may be expected to be wrong, 0 for
    any number."""

    least: float = 0.0
    risk: float = 0.0


WHATEVER = Bound()
BOUNDS = {"quiet": Bound(0.7, 0.8), "balanced": Bound(0.63, 1.0), "eager": Bound(0.5, 3.0), "all": WHATEVER}
"""How sure a completion must be, by `completion.confidence`. A bound for the probability alone lets long texts through
that are wrong as a whole: at the same number of wrong characters it saved three quarters of the keys
(docs/measurements.md)."""
NEW_NAME = 0.9
"""Least probability where a name is being defined: below it fewer than one in four are right there."""
SHORTEST = 2
"""Characters: of a shorter one nobody is spared a key."""
_WORD_ENDS = re.compile(r"\w\Z")


def bound_at(confidence: str, *, is_new_name: bool = False) -> Bound:
    """For what is shown unasked."""
    bound = BOUNDS[confidence]
    return replace(bound, least=NEW_NAME) if is_new_name and bound.least else bound


@dataclass(frozen=True, slots=True)
class Sureness:
    """`ends`: (signs, probability) of a text's beginnings that end with a word; none where nobody knows."""

    ends: tuple[tuple[int, float], ...] = ()

    @classmethod
    def of_choice(cls, written: str, sure: Iterable[tuple[int, float]], rest: str) -> Sureness:
        """`rest`: the end of what was written that is still to be inserted."""
        skipped = n_signs(written) - n_signs(rest)
        signs = ((n_signs(written[:n]) - skipped, probability) for n, probability in sure)
        return cls(tuple((n, probability) for n, probability in signs if n > 0))

    def of(self, text: str) -> float | None:
        """That all of a text is what comes next; what was added to close it counts as sure."""
        if not self.ends:
            return None
        n = n_signs(text)
        return next((probability for end, probability in self.ends if end >= n), self.ends[-1][1])

    def cut(self, text: str, bound: Bound) -> str:
        """The longest beginning within the bound; all where nobody knows."""
        if not self.ends:
            return text
        n = before = 0
        wrong = 0.0
        for end, probability in self.ends:
            wrong += (end - before) * (1 - probability)
            before = end
            if probability >= bound.least and (not bound.risk or wrong <= bound.risk):
                n = end
        if bound is not WHATEVER and min(n, n_signs(text)) < SHORTEST:
            return ""
        return text if n >= n_signs(text) else _beginning(text, n)

    def behind(self, typed: str) -> Sureness:
        """Of what is left, once its beginning was typed.  That a word ends where the typed text does was part of its
        probability, and is not known yet."""
        n = n_signs(typed)
        certain = n - 1 if _WORD_ENDS.search(typed) else n
        known = min((probability for end, probability in self.ends if end <= certain), default=1.0)
        return Sureness(tuple((end - n, min(1.0, p / known)) for end, p in self.ends if end > n)) if n else self


def n_signs(text: str) -> int:
    return len("".join(text.split()))


def _beginning(text: str, n: int) -> str:
    """Its first `n` signs."""
    for at, char in enumerate(text):
        if n == 0:
            return text[:at]
        n -= not char.isspace()
    return text
