"""Answers as they come from servers of another make: events, stop strings, what was held back."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.providers.whole_prompt.engine import StopFilter

TEXT = st.text("ab;\n", max_size=30)


@given(TEXT, st.lists(st.text("ab;\n", min_size=1, max_size=3), max_size=3), st.lists(st.integers(0, 30)))
def test_an_answer_is_cut_at_its_first_stop_string_however_it_comes(
    text: str, stops: list[str], cuts: list[int]
) -> None:
    cut, pieces = StopFilter(stops), list[str]()
    bounds = sorted({0, len(text), *(c for c in cuts if c < len(text))})
    for start, end in itertools.pairwise(bounds):
        pieces.append(cut.push(text[start:end]))
    pieces.append(cut.finish())
    at = min((i for i in map(text.find, stops) if i >= 0), default=len(text))
    assert cut.text == "".join(pieces) == text[:at]
    assert cut.stopped == (at < len(text))


@given(st.text("ab ", min_size=1, max_size=6), TEXT, st.integers(1, 4))
def test_what_was_held_back_is_no_part_of_the_answer(held: str, text: str, size: int) -> None:
    whole, cut = held + text, StopFilter((), held)
    for i in range(0, len(whole), size):
        cut.push(whole[i : i + size])
    cut.finish()
    assert cut.text == text


def test_an_answer_that_does_not_begin_with_what_was_held_back_is_none() -> None:
    cut = StopFilter((), "self.it")
    assert cut.push("self.") == cut.push("ab") == cut.push("it") == cut.finish() == ""
    assert cut.stopped
