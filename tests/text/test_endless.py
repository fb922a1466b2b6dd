"""A text that only repeats itself is told from one that repeats something."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.text.repetition import COPIES, FEWEST, LONGEST, is_endless


@pytest.mark.parametrize(
    "piece", ["Discount(", "# This is a block of code.```\n", "a", "Blocks of their editor. " * 10], ids=str.split
)
def test_the_same_again_and_again_is_endless(piece: str) -> None:
    assert is_endless("As you wish:\n\n" + piece * (FEWEST // len(piece) + COPIES))


@pytest.mark.parametrize(
    "text",
    [
        "no " * 50,
        "-" * 5_000,
        "| 0 | 0 |\n" * 500,
        "".join(f"| row {number} | 0 |\n" for number in range(500)),
        "".join(f"def test_{number}() -> None:\n    assert True\n\n" for number in range(100)),
        "I will not talk in class.\n" * 20,
        "yes " * 1_000 + "and then something else",
    ],
)
def test_what_repeats_something_is_not(text: str) -> None:
    assert not is_endless(text)


@given(st.text("abc ", min_size=1, max_size=LONGEST), st.integers(COPIES, 12), st.text("abc ", max_size=50))
def test_a_text_is_endless_only_where_copies_of_a_piece_end_it(piece: str, n: int, before: str) -> None:
    text = before + piece * n
    if len(piece) * n >= FEWEST + len(piece) and any(map(str.isalpha, piece)):
        assert is_endless(text)
    assert not is_endless(text + "!" + text[:3])
