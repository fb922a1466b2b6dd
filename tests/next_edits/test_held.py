"""What a model wrote holds for as long as what is typed is a part of it, and what is left makes the same text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.next_edits.formats.diffs import OffsetEdit
from palimpsest.next_edits.held import HeldEdit, extends

TEXT = st.text("ab \n", max_size=8)


@given(above=TEXT, old=TEXT, new=TEXT, below=TEXT, now=TEXT)
def test_what_is_left_always_makes_the_same_text(above: str, old: str, new: str, below: str, now: str) -> None:
    held = HeldEdit(above, old, new, below)
    for text in (f"{above}{now}{below}", f"{above}{new[: len(now)]}{below}", f"{now}{old}{below}"):
        left = held.remaining(text)
        if left is not None:
            assert left.applied(text) == held.result
            assert left.is_nothing == (text == held.result and (text != f"{above}{old}{below}" or not old))


@given(above=TEXT, new=TEXT, below=TEXT, n=st.integers(0, 8))
def test_whoever_types_an_insertion_keeps_it_to_its_end(above: str, new: str, below: str, n: int) -> None:
    held = HeldEdit(above, "", new, below)
    left = held.remaining(f"{above}{new[:n]}{below}")
    assert left is not None
    assert (left.start, left.text) == (len(above) + len(new[:n]), new[n:])


@given(above=TEXT, old=TEXT, new=TEXT, below=TEXT)
def test_the_text_it_was_written_for_has_all_of_it(above: str, old: str, new: str, below: str) -> None:
    held = HeldEdit.of(f"{above}{old}{below}", OffsetEdit(len(above), len(above) + len(old), new))
    assert held.remaining(f"{above}{old}{below}") == OffsetEdit(len(above), len(above) + len(old), new)


@pytest.mark.parametrize(
    ("old", "new", "typed", "left"),
    [
        ("width", "total_width", "tot", (3, 3, "al_width")),  # typed over what was selected
        ("width", "total_width", "totwidth", (3, 3, "al_")),  # before it
        ("width", "breadth", "", (0, 0, "breadth")),  # taken away to begin with
        ("width", "total_width", "", None),  # what would stay is taken away
        ("count", "counter", "coun", None),
        ("count", "counter", "counts", None),
        ("x", "x = 1", "x ", (2, 2, "= 1")),
        ("", "a\nb", "a\n", (2, 2, "b")),
        ("gone\n", "", "", (0, 0, "")),
        ("gone\n", "", "go\n", None),
        ("a + b", "b + a", "b +", (3, 3, " a")),
        ("", "a", "ab", None),
    ],
)
def test_it_holds_where_a_beginning_of_it_was_typed(
    old: str, new: str, typed: str, left: tuple[int, int, str] | None
) -> None:
    """Complaint: an edit is shown, or made, at a range that is not true any more."""
    held = HeldEdit("above\n", old, new, "\nbelow")
    found = held.remaining(f"above\n{typed}\nbelow")
    assert found == (None if left is None else OffsetEdit(left[0] + 6, left[1] + 6, left[2]))


def test_anything_else_that_changes_ends_it() -> None:
    held = HeldEdit("above\n", "", "new", "\nbelow")
    for text in ("above.\nn\nbelow", "above\nn\nbelow.", "above\nx\nbelow", "", "above\n"):
        assert held.remaining(text) is None


def test_another_one_extends_it_where_all_that_is_shown_stays() -> None:
    held = OffsetEdit(3, 3, "ab")
    assert extends(OffsetEdit(3, 3, "abc"), held)
    assert extends(OffsetEdit(3, 5, "ab"), held)
    assert not extends(OffsetEdit(3, 3, "a"), held)
    assert not extends(OffsetEdit(2, 3, "ab"), held)
    assert not extends(OffsetEdit(3, 3, "xab"), held)
