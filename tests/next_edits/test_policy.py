"""Which edits of a model nobody would want, as a table: what the lines were, are, and would be."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from palimpsest.context.activity.edits import Edits, EditTexts
from palimpsest.context.activity.origins import OriginStep
from palimpsest.next_edits.events import earlier, events
from palimpsest.next_edits.formats.diffs import OffsetEdit
from palimpsest.next_edits.policy import brings_back, in_conflict, is_blank, repeats, why_not
from palimpsest.text.snapshot import Snapshot

BLANKS = "nothing but blanks would change"
UNDONE = "it takes back what was just done"
EARLIER = "it brings back an earlier text"
REPEATED = "it repeats the lines beside it"


@pytest.mark.parametrize(
    ("was", "now", "new", "reason"),
    [
        # what it takes back, whole and in part
        ("a = 1 b = 2", "a = 3 b = 2", "a = 1 b = 2", UNDONE),
        ("a = 1 b = 2", "a = 3 b = 2 c = 3", "a = 3 b = 2 c = 4", ""),
        ("x y z", "X Y z", "x Y z", UNDONE),
        ("x y z", "X Y z", "X Y Z", ""),
        ("x y z", "x z", "x y z", UNDONE),
        ("x y1 y2 z", "x z", "x y2 z", UNDONE),
        ("x y z", "x z", "x w z", ""),
        ("x z", "x y1 y2 z", "x z", UNDONE),
        ("x z", "x y1 y2 z", "x y1 z", UNDONE),
        ("x z", "x y1 y2 z", "x y1 y3 z", ""),
        ("x } z", "x w z", "x } w z", ""),  # a mark is no text of anybody
        ("a m n z", "b m n z", "b m z", ""),  # takes what was there all the time
        ("a m n z", "b m n z", "b m n a z", ""),  # the same words elsewhere are no way back
        # what stands there already
        ("", "x y z", "x y y z", REPEATED),
        ("", "x y z", "x y x y z", REPEATED),
        ("", "x y z", "x y z z", REPEATED),
        ("", "x f( z w", "x f(a) z z w", REPEATED),
        ("", "x } }", "x y } } }", ""),
        ("", "x y z", "x w z", ""),
        # blanks, and what goes missing
        ("", "x y", "x y", "it changes nothing"),
        ("", "x y", "x  y", BLANKS),
        ("", "x  y", "x y", BLANKS),
        ("", "x y z", "x y", "it leaves out the end of the lines"),
    ],
)
def test_an_edit_nobody_would_want_is_refused_with_a_reason(was: str, now: str, new: str, reason: str) -> None:
    """Complaints: it undoes my last edit; it deletes code; it only deletes white space; it repeats what is there.

    A word stands for a line, two blanks for an empty one between them."""
    lines = now.split(" ")
    earlier_texts = [tuple(was.split(" "))] if was else []
    assert why_not(lines, range(len(lines)), new.replace(" ", "\n"), earlier_texts) == reason


def test_what_was_there_some_changes_ago_is_not_brought_back_either() -> None:
    now = ("c", "z")
    assert why_not(now, range(2), "a\nz", [("b", "z"), ("a", "z")]) == EARLIER
    assert why_not(now, range(2), "d\nz", [("b", "z"), ("a", "z")]) == ""
    # A line that was added some changes ago may go, all that was added then may not.
    was = [("x", "z"), ("x", "m", "n", "z")]
    assert not brings_back(was[0], was[1], ("x", "m", "z"), is_last=False)
    assert brings_back(was[0], was[1], ("x", "z"), is_last=False)


def test_the_lines_beside_the_window_count_too() -> None:
    assert repeats(["above", "x", "y", "below"], range(1, 3), ["x", "y", "below"])
    assert repeats(["above", "x", "y", "below"], range(1, 3), ["above", "x", "y"])
    assert not repeats(["above", "x", "y", "below"], range(1, 3), ["below", "x", "y"])


LINES = st.lists(st.sampled_from("abc"), max_size=6)


@given(was=LINES, now=LINES, is_last=st.booleans())
def test_what_is_there_brings_nothing_back_and_repeats_nothing(was: list[str], now: list[str], is_last: bool) -> None:
    assert not brings_back(was, now, now, is_last=is_last)
    assert not repeats(now, range(len(now)), now)


@given(LINES.filter(bool), LINES.filter(bool))
@example(["a", "b"], ["b", "a"])
def test_the_whole_way_back_is_always_known(was: list[str], now: list[str]) -> None:
    assert was == now or why_not(now, range(len(now)), "\n".join(was), [was]) != ""


def test_each_earlier_text_of_the_lines_is_known_wherever_they_were() -> None:
    texts = ["a\nb\nc\nd", "new\na\nb\nc\nd", "new\na\nB\nc\nd", "new\na\nB!\nc\nd\nend"]
    one, two, three, four = (Snapshot("file:///a.py", n, "python", text) for n, text in enumerate(texts))
    kept = Edits()
    kept.add(EditTexts(one, (OriginStep("pasted", two),)), 0, 0)
    kept.add(EditTexts(two, (OriginStep("typed", three),)), 2, 2)  # from the third to the fourth nobody was told
    told = events(kept, lambda _: True)
    assert list(earlier(told, four, range(1, 4))) == [("a", "b", "c"), ("a", "b", "c")]
    assert list(earlier(told, four, range(1, 3))) == [("a", "b"), ("a", "b")]


CONFLICT = ["a", "<<<<<<< HEAD", "b", "=======", "c", ">>>>>>> branch", "d", "=======", "e", "<<<<<<< x"]


@pytest.mark.parametrize(
    ("seen", "is_there"),
    [
        (range(1), False),
        (range(2), True),
        (range(2, 3), True),
        (range(3, 5), True),
        (range(4, 6), True),
        (range(6, 7), False),
        (range(6, 9), False),  # a heading's line
        (range(8, 10), True),
    ],
)
def test_a_merge_conflict_is_seen_from_its_inside(seen: range, is_there: bool) -> None:
    assert in_conflict(CONFLICT, seen) is is_there


def test_blanks_alone_say_nothing() -> None:
    assert is_blank("a  b", [OffsetEdit(1, 3, "")])
    assert is_blank("a  b", [OffsetEdit(0, 4, "a b\n")])
    assert not is_blank("a  b", [OffsetEdit(1, 1, "c")])
