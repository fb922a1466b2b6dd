"""What writing, appending and inserting make of a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.errors import InvalidArgument, OutOfRange
from palimpsest.text.snapshot import Snapshot
from palimpsest.workspace.changes import FileWrite, change, changed, n_lines

TEXTS = st.lists(st.sampled_from(["a", "é", "😀", "", "  x"]), max_size=6)
ENDS = st.sampled_from(["\n", "\r\n"])


@pytest.mark.parametrize(
    ("before", "text", "mode", "line", "after"),
    [
        ("old\n", "new\n", "write", None, "new\n"),
        ("a\n", "b\n", "append", None, "a\nb\n"),
        ("a", "b\n", "append", None, "a\nb\n"),
        ("", "b", "append", None, "b"),
        ("a", "b", "append", None, "ab"),
        ("a\r\nb", "c\nd", "append", None, "a\r\nbc\r\nd"),
        ("a\nb\n", "x", "insert", 1, "x\na\nb\n"),
        ("a\nb\n", "x\n", "insert", 2, "a\nx\nb\n"),
        ("a\nb\n", "x\n", "insert", 3, "a\nb\nx\n"),
        ("a\nb", "x\n", "insert", 3, "a\nb\nx\n"),
        ("", "x\n", "insert", 1, "x\n"),
        ("a\r\nb\r\n", "x\ny\n", "append", None, "a\r\nb\r\nx\r\ny\r\n"),
        ("a\r\nb\r\n", "x", "insert", 2, "a\r\nx\r\nb\r\n"),
        ("a\r\nb\r\n", "x\n", "write", None, "x\r\n"),
    ],
)
def test_text_is_put_on_lines_of_its_own_with_the_file_s_line_ends(
    before: str, text: str, mode: str, line: int | None, after: str
) -> None:
    assert changed(before, FileWrite("", text, mode, line)) == after


@given(TEXTS, TEXTS, ENDS, st.data())
def test_inserted_lines_are_at_the_line_and_the_others_are_as_they_were(
    before: list[str], text: list[str], end: str, data: st.DataObject
) -> None:
    line = data.draw(st.integers(1, len(before) + 1))
    old = "".join(one + end for one in before)
    new = changed(old, FileWrite("", "".join(one + "\n" for one in text), "insert", line))
    kept = end if before else "\n"
    assert new == "".join(one + kept for one in [*before[: line - 1], *text, *before[line - 1 :]])


@given(st.text(), st.text(), st.sampled_from(["write", "append", "insert"]))
def test_an_editor_that_applies_the_change_has_the_text_that_is_written(before: str, text: str, mode: str) -> None:
    line = 1 if mode == "insert" else None
    document, _ = Snapshot("", 0, "", before).changed([change(before, FileWrite("", text, mode, line))], 1)
    assert document.text == changed(before, FileWrite("", text, mode, line))


@pytest.mark.parametrize("line", [0, -1, 4])
def test_a_line_that_is_not_there_is_named_with_those_that_are(line: int) -> None:
    with pytest.raises(OutOfRange, match="has 2 lines; give 1 to 3"):
        change("a\nb\n", FileWrite("", "x", "insert", line))


@pytest.mark.parametrize(("mode", "line"), [("replace", None), ("insert", None), ("append", 1), ("write", 1)])
def test_a_mode_that_does_not_fit_its_line_is_refused(mode: str, line: int | None) -> None:
    with pytest.raises(InvalidArgument):
        change("a\n", FileWrite("", "x", mode, line))


def test_lines_are_counted_with_a_last_one_that_has_no_end() -> None:
    assert [n_lines(text) for text in ("", "\n", "a", "a\nb", "a\nb\n", "a\r\nb")] == [0, 1, 1, 2, 2, 2]
