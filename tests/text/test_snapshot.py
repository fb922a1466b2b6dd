"""Snapshots: lines, offsets, and changes that an incremental parser can follow."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.languages.registry import language_of
from palimpsest.syntax.parser import Parser
from palimpsest.text.snapshot import ContentChange, Position, Range, Snapshot, moved

CODE = st.lists(
    st.sampled_from(
        [
            "def f(x):",
            "\n",
            "\r\n",
            "\r",
            "\n    ",
            "\r\n    ",
            "return x",
            "(",
            ")",
            '"""',
            "'é\N{GRINNING FACE}'",
            "x = 1",
            "\ud800",
            "\f",
            " ",
            "class A:",
            "#",
        ]
    ),
    max_size=14,
).map("".join)
POSITIONS = st.builds(Position, st.integers(-1, 12), st.integers(-1, 14))
CHANGES = st.lists(st.builds(ContentChange, st.none() | st.builds(Range, POSITIONS, POSITIONS), CODE), max_size=4)


def snapshot(text: str) -> Snapshot:
    return Snapshot("file:///a.py", 1, "python", text)


@pytest.mark.parametrize(
    ("text", "lines", "line_end"),
    [
        ("", ("",), "\n"),
        ("a", ("a",), "\n"),
        ("a\n", ("a", ""), "\n"),
        ("a\r\nb\r\n", ("a", "b", ""), "\r\n"),
        ("a\rb\rc\n", ("a", "b", "c", ""), "\r"),
        ("a\n\rb", ("a", "", "b"), "\n"),
        ("a\fb\x0bc\u2028d\x85e", ("a\fb\x0bc\u2028d\x85e",), "\n"),
    ],
)
def test_only_the_protocols_line_ends_end_lines(text: str, lines: tuple[str, ...], line_end: str) -> None:
    assert snapshot(text).lines == lines
    assert snapshot(text).line_end == line_end


def test_positions_that_do_not_exist_are_clamped() -> None:
    doc = snapshot("ab\r\ncd")
    assert doc.offset(Position(0, 99)) == 2
    assert doc.offset(Position(9, 0)) == doc.offset(Position(1, 2)) == 6
    assert doc.offset(Position(-1, 5)) == 0
    assert doc.position(3) == Position(0, 2)  # between \r and \n
    assert doc.position(99) == Position(1, 2)


@given(CODE)
def test_an_offset_survives_the_way_there_and_back(text: str) -> None:
    doc = snapshot(text)
    for offset in range(len(text) + 1):
        inside_pair = text[offset - 1 : offset + 1] == "\r\n" and offset > 0
        assert doc.offset(doc.position(offset)) == offset - inside_pair


@given(CODE, CHANGES)
def test_changes_are_what_splicing_the_string_gives(text: str, changes: list[ContentChange]) -> None:
    expected = text
    for change in changes:
        start, end = 0, len(expected)
        if change.range is not None:
            now = snapshot(expected)
            start, end = sorted((now.offset(change.range.start), now.offset(change.range.end)))
        expected = expected[:start] + change.text + expected[end:]
    after, edits = snapshot(text).changed(changes, 7)
    assert (after.text, after.version, len(edits)) == (expected, 7, len(changes))


@given(CODE | CODE.map(lambda text: text.replace("\r", "\n")), CHANGES)
def test_lines_passed_on_are_those_of_the_text(text: str, changes: list[ContentChange]) -> None:
    after, _ = snapshot(text).changed(changes, 2)
    fresh = snapshot(after.text)
    assert after.lines == fresh.lines
    assert [after.position(at) for at in range(len(after.text) + 1)] == [
        fresh.position(at) for at in range(len(after.text) + 1)
    ]
    assert [after.offset(Position(line, 0)) for line in range(fresh.line_count)] == [
        fresh.offset(Position(line, 0)) for line in range(fresh.line_count)
    ]


@given(CODE, CHANGES)
def test_edits_splice_the_bytes_and_their_points_are_where_the_bytes_are(
    text: str, changes: list[ContentChange]
) -> None:
    before = snapshot(text)
    for change in changes:
        after, (edit,) = before.changed([change], 2)
        assert before.utf8[: edit.start_byte] == after.utf8[: edit.start_byte]
        assert before.utf8[edit.old_end_byte :] == after.utf8[edit.new_end_byte :]
        for data, offset, point in (
            (before.utf8, edit.start_byte, edit.start_point),
            (before.utf8, edit.old_end_byte, edit.old_end_point),
            (after.utf8, edit.new_end_byte, edit.new_end_point),
        ):
            rows = data[:offset].split(b"\n")
            assert point == (len(rows) - 1, len(rows[-1]))
        before = after


@given(CODE)
def test_rows_of_the_bytes_are_lines_of_the_document(text: str) -> None:
    doc = snapshot(text)
    rows = doc.utf8.decode("utf-8", "surrogatepass").split("\n")
    assert [row.removesuffix("\r") for row in rows] == list(doc.lines)


@given(CODE, st.lists(CHANGES, max_size=3))
def test_an_incremental_tree_is_the_tree_of_a_fresh_parse(text: str, rounds: list[list[ContentChange]]) -> None:
    parser, now = Parser(language_of), snapshot(text)
    parser.parse(now)
    for version, changes in enumerate(rounds, 2):
        after, edits = now.changed(changes, version)
        incremental = parser.update(now, after, edits)
        fresh = Parser(language_of).parse(after)
        assert incremental.root is not None
        assert fresh.root is not None
        assert str(incremental.root) == str(fresh.root)
        now = after


def n_alike(a: str, b: str) -> int:
    return len(list(takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False))))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("ab|cd", "abX|cd"),  # typed
        ("ab|cd", "a|cd"),  # taken back
        ("é\na|b", "é\nxyz\na|b"),  # a line above
        ("\ud800a|b\nc", "\ud800a|b\nxyz"),  # behind it
        ("one two|", "one three|"),  # a word completed
    ],
)
def test_a_cursor_moves_with_what_is_typed_at_it_and_before_it(old: str, new: str) -> None:
    before, after = old.replace("|", ""), new.replace("|", "")
    start = n_alike(before, after)
    n_same = n_alike(before[start:][::-1], after[start:][::-1])
    doc = snapshot(before)
    changed = Range(doc.position(start), doc.position(len(before) - n_same))
    then, edits = doc.changed([ContentChange(changed, after[start : len(after) - n_same])], 2)
    assert then.text == after
    assert moved(doc.position(old.index("|")), doc, then, edits) == then.position(new.index("|"))


def test_a_cursor_stays_where_it_is_when_all_the_text_is_replaced() -> None:
    doc = snapshot("one\ntwo\n")
    then, edits = doc.changed([ContentChange(None, "1\n2222\n")], 2)
    assert moved(Position(1, 2), doc, then, edits) == Position(1, 2)
    then, edits = doc.changed([ContentChange(None, "")], 2)
    assert moved(Position(1, 2), doc, then, edits) == Position(0, 0)


@given(CODE, POSITIONS)
def test_a_point_of_the_tree_is_the_position_that_it_was_made_of(text: str, position: Position) -> None:
    it = snapshot(text)
    at = it.clamp(position)
    assert it.at_point(at.line, it.byte_column(at)) == at


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_with_a_word_are_found_wherever_it_is(end: str) -> None:
    lines = ["import a", "", "x = 1  # import", "importimport", "é use 😀 use", "used", "", "use"]
    snapshot = Snapshot("", 1, "", end.join(lines))
    assert snapshot.lines_with(["import"]) == [0, 2, 3]
    assert snapshot.lines_with(("import", "use")) == [
        n for n, line in enumerate(lines) if "import" in line or "use" in line
    ]
    assert snapshot.lines_with(["nowhere"]) == snapshot.lines_with([]) == []
    assert Snapshot("", 1, "", "").lines_with(["a"]) == []


def test_a_snapshot_with_another_text_has_that_texts_lines() -> None:
    """Also one whose lines came from an earlier version."""
    old = Snapshot("file:///a.py", 1, "python", "a\nb\n")
    new, _ = old.changed([ContentChange(Range(Position(0, 0), Position(0, 1)), "c")], 2)
    assert new.lines == ("c", "b", "")
    assert replace(new, text="x\ny\nz").lines == ("x", "y", "z")
