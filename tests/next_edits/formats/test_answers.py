"""What models write, as the window's new text, and that as the smallest edits of the document."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.next_edits.formats import FORMATS
from palimpsest.next_edits.formats.diffs import smallest_edits
from palimpsest.next_edits.formats.zeta_2_1 import boundaries
from palimpsest.text.positions import column_to_units
from palimpsest.text.snapshot import Position, Snapshot
from tests.next_edits.formats.asking import answer, asked, asked_in

ALL = list(FORMATS)
WHOLE = [name for name in ALL if name != "zeta-2.1"]
"""Their answer is the whole window."""
SEPARATORS = "\f\u2028\x85"


def document(text: str) -> Snapshot:
    return Snapshot("file:///a.py", 1, "python", text)


def applied(snapshot: Snapshot, window: range, new: str) -> str:
    text = snapshot.text
    for edit in smallest_edits(snapshot, window, new)[::-1]:
        text = edit.applied(text)
    return text


def edits_of(old: str, new: str) -> list[tuple[int, int, str]]:
    """With offsets in the text."""
    snapshot = document(old)
    found = smallest_edits(snapshot, range(snapshot.line_count), new)
    return [(edit.start, edit.end, edit.text) for edit in found]


# Answers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("end", ["", "\n"])
def test_the_answer_is_the_window_as_it_will_be(name: str, end: str) -> None:
    about = asked_in(name, "a.py", "a = ˇ1\nb = 2")
    prompt = FORMATS[name].prompt(about)
    assert prompt is not None
    assert answer(name, about, f"a = 10\nb = 2{end}").text == "a = 10\nb = 2"


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("text", ["xˇ", "xˇ\n", "xˇ\n\n", "x\nyˇ\n\n\n"])
def test_the_window_as_it_was_shown_changes_nothing(name: str, text: str) -> None:
    about = asked_in(name, "a.py", text)
    prompt = FORMATS[name].prompt(about)
    assert prompt is not None
    ended = about.text if about.text.endswith("\n") else f"{about.text}\n"
    assert answer(name, about, ended).text == about.text


@pytest.mark.parametrize("name", WHOLE)
def test_what_ends_no_line_of_a_document_ends_none_of_its_window(name: str) -> None:
    """Complaint: lines with form feeds or Unicode's separators were cut off at the window's end."""
    about = asked_in(name, "a.py", "xˇ = 1" + f"\na{SEPARATORS * 9}" * 4)
    prompt = FORMATS[name].prompt(about)
    assert prompt is not None
    wanted = about.text.replace("x = 1", "x = 10")
    assert answer(name, about, f"{wanted}\n").text == wanted


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_of_another_kind_are_the_documents_own(name: str, end: str) -> None:
    """Complaint: a file gets lines of two kinds."""
    about = asked_in(name, "a.py", "a = ˇ1\nb = 2")
    prompt = FORMATS[name].prompt(about)
    assert prompt is not None
    assert answer(name, about, f"a = 10{end}b = 2{end}").text == "a = 10\nb = 2"


@pytest.mark.parametrize("name", ALL)
def test_a_window_that_was_cut_off_is_refused(name: str) -> None:
    about = asked_in(name, "a.py", "a = 1ˇ\nb = 2\n")
    whole = "<|marker_1|>a = 1\nb = <|marker_2|>" if name == "zeta-2.1" else "a = 1\nb ="
    assert answer(name, about, whole, is_whole=False).refused == "it was cut off"
    assert not answer(name, about, whole + FORMATS[name].stops[0], is_whole=False).refused


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("written", ["", "\n", " \n"])
def test_nothing_is_no_answer(name: str, written: str) -> None:
    assert answer(name, asked_in(name, "a.py", "a = 1\nbˇ"), written).refused == "it is empty"


@pytest.mark.parametrize("name", ALL)
def test_marks_are_never_shown(name: str) -> None:
    about = asked_in(name, "a.py", "a = 1ˇ\nb = 2")
    for mark in FORMATS[name].marks:
        written = f"a = 1\n{mark}\nb = 2"
        if name == "zeta-2.1":
            written = f"<|marker_1|>{written}<|marker_2|>"
        found = answer(name, about, written)
        assert found.refused or mark.strip() not in found.text


def test_what_zeta_2_says_where_nothing_is_to_be_done() -> None:
    about = asked_in("zeta-2", "a.py", "a = 1ˇ\nb = 2")
    for written in ("NO_EDITS\n>>>>>>> UPDATED\n", "NO_EDITS", "KEEP_PREVIOUS\n"):
        assert answer("zeta-2", about, written).text == about.text


def test_zeta_2_may_say_that_it_has_ended() -> None:
    about = asked_in("zeta-2", "a.py", "old codeˇ")
    assert answer("zeta-2", about, "new code\n>>>>>>> UPDATED\n").text == "new code"
    assert answer("zeta-2", about, "new code\n").text == "new code"
    assert answer("zeta-2", about, "new code\n>>>>>>> UPDATED").text == "new code"


def test_the_models_cursor_is_no_part_of_an_answer() -> None:
    about = asked("zeta-2", "a\nbˇ\nc", range(1, 3))
    assert answer("zeta-2", about, "b\nnew<|user_cursor|>\nc\n").text == "b\nnew\nc"
    about = asked("a.py", f"above\n{LINES}ˇ", range(1, 15))
    assert answer("zeta-2.1", about, "<|marker_2|>a\nb<|user_cursor|>c<|marker_3|>").text.endswith("a\nbc")


LINES = "line1\nline2\nline3\n\nline5\nline6\nline7\n\nline8\nline9\nline10\nline11\nline12\nline13"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("<|marker_1|>LINES\n<|marker_2|>", f"LINES\n{LINES[boundaries(LINES)[1] :]}"),
        ("<|marker_2|>MORE<|marker_3|>", f"{LINES[: boundaries(LINES)[1]]}MORE"),
        ("<|marker_1|>ONE\n<|marker_2|>TWO<|marker_3|>", "ONE\nTWO"),
        ("<|marker_1|>ONE\n<|marker_2|>TWO<|marker_3|><[end▁of▁sentence]>", "ONE\nTWO"),
        ("<|marker_2|><|marker_2|>", LINES),
        ("<|marker_2|>ignored<|marker_2|>", LINES),
    ],
)
def test_zeta_2_1_writes_what_is_between_marks(written: str, expected: str) -> None:
    about = asked("a.py", f"{LINES}ˇ", range(14))
    assert len(boundaries(LINES)) == 3
    assert answer("zeta-2.1", about, written).text == expected


@pytest.mark.parametrize(
    "written",
    [
        "",
        "code",
        "<|marker_1|>code",
        "<|marker_1|>x<|marker_9|>",
        "<|marker_2|>x<|marker_1|>",
        "<|marker_0|>x<|marker_1|>",
    ],
)
def test_zeta_2_1_without_the_right_marks_is_refused(written: str) -> None:
    assert answer("zeta-2.1", asked("a.py", f"{LINES}ˇ", range(14)), written).refused


@given(st.lists(st.sampled_from(["", "a", "  b", "}", "end"]), min_size=1, max_size=60), st.data())
def test_zeta_2_1_replaces_any_of_its_blocks(lines: list[str], data: st.DataObject) -> None:
    about, text = asked("a.py", "\n".join(lines) + "ˇ", range(len(lines))), "\n".join(lines)
    starts = boundaries(text)
    first = data.draw(st.integers(0, len(starts) - 2))
    last = data.draw(st.integers(first + 1, len(starts) - 1))
    written = f"<|marker_{first + 1}|>{text[starts[first] : starts[last]]}NEW<|marker_{last + 1}|>"
    assert answer("zeta-2.1", about, written).text == f"{text[: starts[last]]}NEW{text[starts[last] :]}"


BLOCK = "def f():\n    x = 1\n    yˇ = 2\n    z = 3\n"


@pytest.mark.parametrize("name", sorted(FORMATS))
@pytest.mark.parametrize("text", ["ˇ", "a bˇ\n", "a b\nˇ", "a\x0cb\nˇ\n", "\nˇ\n"])
def test_the_cursor_may_be_in_a_line_that_says_nothing(name: str, text: str) -> None:
    about = asked_in(name, "a.py", text)
    if about.window:
        answer(name, about, "a c\n")


def test_the_published_format_has_a_window_above_the_cursor_in_which_lines_may_be_added() -> None:
    about = asked_in("sweep", "a.py", BLOCK)
    for place in ("    y", "    z"):
        added = about.text.replace(place, f"    w = 0\n{place}")
        assert answer("sweep", about, added).text == added
    changed = about.text.replace("2", "3")
    assert answer("sweep", about, f"{changed} No newline at end of file").text == changed


# Edits ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [  # the first three are Zed's
        ("one two three", "one TWO three", [(4, 7, "TWO")]),
        ("one\ntwo\nthree\n", "one\ntwo\nAND\nTHEN\nthree\n", [(8, 8, "AND\nTHEN\n")]),
        (
            "one two\nthree four five\nsix seven eight nine\nten\n",
            "one two\nthree FOUR five\nsix SEVEN eight nine\nten\nELEVEN\n",
            [(14, 18, "FOUR"), (28, 33, "SEVEN"), (49, 49, "ELEVEN\n")],
        ),
        ("a\nb", "a\nb\nc", [(3, 3, "\nc")]),
        ("a\nb\nc", "a\nb", [(3, 5, "")]),
        ("a", "", [(0, 1, "")]),
        ("", "a", [(0, 0, "a")]),
        ("a\nb", "b", [(0, 2, "")]),
        ("same", "same", []),
        ("f(a, b)", "f(a, b, c)", [(6, 6, ", c")]),
        ("x = 1  # one", "x = 1", [(5, 12, "")]),
    ],
)
def test_edits_are_as_small_as_words(old: str, new: str, expected: list[tuple[int, int, str]]) -> None:
    assert edits_of(old, new) == expected


def test_many_lines_are_not_compared_word_by_word() -> None:
    old = "\n".join(f"line {n}" for n in range(12))
    new = "\n".join(f"text {n}" for n in range(12))
    assert edits_of(old, new) == [(0, len(old), new)]


LINE = st.text("ab é𝔸\u2028\t", max_size=4)


@given(
    st.lists(LINE, min_size=1, max_size=8), st.lists(LINE, max_size=8), st.sampled_from(["\n", "\r\n", "\r"]), st.data()
)
def test_the_edits_make_the_new_text_of_the_window(
    lines: list[str], put: list[str], end: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(lines) - 1))
    stop = data.draw(st.integers(start + 1, len(lines)))
    now = applied(document(end.join(lines)), range(start, stop), "\n".join(put))
    if len(lines) > 1:  # a document of one line has LF
        assert now.split(end) == [*lines[:start], *(put or [""]), *lines[stop:]]
    else:
        assert now == "\n".join(put)


def test_places_are_right_behind_characters_of_two_units() -> None:
    snapshot = document("x = '𝔸𝔸' + old\r\ny = 1\r\n")
    (edit,) = smallest_edits(snapshot, range(2), "x = '𝔸𝔸' + new\ny = 1")
    assert snapshot.position(edit.start) == Position(0, 11)
    assert column_to_units(snapshot.lines[0], snapshot.position(edit.start).column, "utf-16") == 13
    (edit,) = smallest_edits(snapshot, range(2), "x = '𝔸𝔸' + old\nz = 0\ny = 1")
    below = snapshot.offset(Position(1, 0))
    assert (edit.start, edit.end, edit.text) == (below, below, "z = 0\r\n")
