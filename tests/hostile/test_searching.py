"""Regular expressions of a model's, which are made to take for ever or all memory."""

from __future__ import annotations

import random
import resource
import time

import pytest

from palimpsest.conversations.descriptors.searching import LONGEST_QUERY, places
from palimpsest.errors import InvalidArgument

LINE = "".join(random.Random(1).choices("ab", k=200_000))
EXPONENTIAL = ["(a+)+c", "(a*)*c", "(a|aa)+c", "(a|b)*c", "(.*)*=", ".*.*.*.*.*=.*", "(a?){100}a{100}c"]
LARGE = [r"(\pL{0,30}){0,30}!", r"\pL{1000}", "|".join([r"\pL{0,99}"] * 80), "((((a{0,9}){0,9}){0,9}){0,9}){0,9}"]
SLOW = ["(a|b)*a(a|b){900}c", "|".join(f"[ab]{{{n}}}a[ab]{{{n}}}c" for n in range(60, 99)), "(.?){1000}" * 9 + "c"]
"""For which RE2 has no memory to be fast: thousands of steps for each character."""


def tried(text: str, query: str, most_s: float = 5.0) -> int:
    assert len(query) <= LONGEST_QUERY
    return places([text], query, regex=True, case_sensitive=True, most_s=most_s).count


@pytest.mark.parametrize("query", EXPONENTIAL)
def test_an_expression_never_goes_back(query: str) -> None:
    begun = time.monotonic()
    assert tried("a" * 1_000_000, query) == 0
    assert time.monotonic() - begun < 30


@pytest.mark.parametrize("query", [*LARGE, *SLOW])
def test_one_that_is_large_is_refused_or_given_up_soon(query: str) -> None:
    begun = time.monotonic()
    with pytest.raises(InvalidArgument, match=r"too long|pattern too large|bad repetition|repetition size"):
        tried("\n".join([LINE[:20_000]] * 1_000), query, most_s=1.0)
    assert time.monotonic() - begun < 40, "the last line is tried to its end"


def test_a_line_that_would_take_longer_than_a_text_may_is_not_begun() -> None:
    begun = time.monotonic()
    with pytest.raises(InvalidArgument, match="too long"):
        tried(LINE * 100, SLOW[0])
    assert time.monotonic() - begun < 5


def test_memory_is_bounded_whatever_is_asked_for() -> None:
    """Nothing stays of those who asked before."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for number in range(60):
        tried(LINE[:20_000], f"(a|b)*a(a|b){{14}}{number}", most_s=60.0)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000  # KiB; they have 2,000 each


@pytest.mark.parametrize(
    ("line", "query", "at"), [("é", r"\C$", 1), ("éb", r"\Cb", 1), ("\ud800", r"\C\z", 1), ("aéb", "b", 2)]
)
def test_a_match_may_begin_within_a_character(line: str, query: str, at: int) -> None:
    found = places([line], query, regex=True, case_sensitive=True).found
    assert found == ((0, at),)
