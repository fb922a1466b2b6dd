"""Columns and units: the inverse of one another, clamped, whatever an editor sends."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.text.positions import PositionEncoding, column_to_units, units_to_column

LINES = st.text(st.characters(exclude_characters="\r\n", categories=("L", "N", "P", "S", "Z", "M", "Cs")), max_size=20)
ENCODINGS = st.sampled_from(get_args(PositionEncoding))


def measured(text: str, encoding: PositionEncoding) -> int:
    """The length in units, as Python's own codecs have it."""
    codec, width = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}[encoding]
    return len(text.encode(codec, "surrogatepass")) // width


@given(LINES, st.integers(-2, 30), ENCODINGS)
def test_units_are_the_length_of_what_stands_before(line: str, column: int, encoding: PositionEncoding) -> None:
    assert column_to_units(line, column, encoding) == measured(line[: max(0, column)], encoding)


@given(LINES, st.integers(0, 20), ENCODINGS)
def test_a_column_survives_the_way_there_and_back(line: str, column: int, encoding: PositionEncoding) -> None:
    column = min(column, len(line))
    assert units_to_column(line, column_to_units(line, column, encoding), encoding) == column


@given(LINES, st.integers(-5, 90), ENCODINGS)
def test_units_inside_a_character_are_that_character(line: str, units: int, encoding: PositionEncoding) -> None:
    column = units_to_column(line, units, encoding)
    assert column_to_units(line, column, encoding) <= max(0, units)
    if column < len(line):
        assert max(0, units) < column_to_units(line, column + 1, encoding)


@pytest.mark.parametrize(
    ("units", "encoding", "column"),
    [
        (2, "utf-16", 1),
        (3, "utf-16", 2),
        (4, "utf-16", 3),
        (4, "utf-8", 1),
        (5, "utf-8", 2),
        (2, "utf-32", 2),
        (99, "utf-8", 3),
    ],
)
def test_an_emoji_between_letters(units: int, encoding: PositionEncoding, column: int) -> None:
    assert units_to_column("a\N{GRINNING FACE}b", units, encoding) == column


def test_a_lone_surrogate_is_one_unit_of_utf_16() -> None:
    assert column_to_units("\ud83da", 1, "utf-16") == 1
    assert units_to_column("\ud83da", 1, "utf-16") == 1
