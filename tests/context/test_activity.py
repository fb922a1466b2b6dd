"""What the person did lately: pieces of code and edits, as they are kept."""

from __future__ import annotations

import pytest

from palimpsest.context.activity.activity import Activity
from palimpsest.context.activity.chunks import (
    KEPT,
    MAX_TOKENS,
    MOST_LINES,
    Chunk,
    Chunks,
    chunk_at,
    chunk_of,
    similarity,
)
from palimpsest.context.activity.edits import MOST_LINES as MOST_CHANGED
from palimpsest.context.activity.edits import Edits, EditTexts, diff
from palimpsest.context.activity.origins import OriginStep
from palimpsest.context.estimate import estimate
from palimpsest.languages.registry import language_of
from palimpsest.syntax.parse import Parsed, parse_snapshot
from palimpsest.text.snapshot import ContentChange, Position, Range, Snapshot

URI = "file:///work/shop/cart.py"
CODE = """\
import math


class Cart:
    def total(self):
        found = 0
        for item in self.items:
            found += item.price
        return found

    def weight(self):
        return math.fsum(item.weight for item in self.items)


def price(item):
    return item.price
"""


def document(text: str, uri: str = URI, version: int = 1) -> Snapshot:
    return Snapshot(uri, version, "python", text)


def parsed(text: str, uri: str = URI) -> Parsed:
    return parse_snapshot(document(text, uri), language_of("python", uri))


def lines_of(text: str, name: str = "", uri: str = URI) -> Chunk:
    snapshot = document(text, uri)
    found = chunk_of(snapshot, range(snapshot.line_count), name)
    assert found is not None
    return found


def test_the_same_lines_are_alike_whatever_their_indent() -> None:
    assert similarity(["a", "", "b"], ["  a", "b  "]) == 1.0
    assert similarity(["a", "b", "c"], ["a", "x", "y"]) == pytest.approx(1 / 3)
    assert similarity(["a"], ["b"]) == 0.0
    assert similarity([], [""]) == 0.0


def test_a_line_that_comes_again_counts_as_often_as_in_both() -> None:
    assert similarity(["}"] * 4 + ["a"], ["}"]) == pytest.approx(2 / 6)


@pytest.mark.parametrize(
    ("line", "name", "first"),
    [(5, "Cart.total", "    def total(self):"), (11, "Cart.weight", "    def weight(self):"), (0, "", "import math")],
)
def test_a_piece_is_the_function_at_a_line(line: int, name: str, first: str) -> None:
    chunk = chunk_at(parsed(CODE), line)
    assert chunk is not None
    assert (chunk.name, chunk.lines[0]) == (name, first)
    assert CODE.split("\n")[chunk.start] == first


def test_of_a_long_function_what_is_around_the_line() -> None:
    text = "def f():\n" + "".join(f"    value_{n} = compute(value_{n - 1})\n" for n in range(400))
    chunk = chunk_at(parsed(text), 200)
    assert chunk is not None
    assert chunk.start < 200 < chunk.end
    assert abs((200 - chunk.start) - (chunk.end - 201)) <= 1
    assert len(chunk.lines) <= MOST_LINES
    assert estimate("\n".join(chunk.lines)) <= MAX_TOKENS
    first = chunk_at(parsed(text), 0)
    assert first is not None
    assert first.start == 0


@pytest.mark.parametrize("text", ["", "\n\n\n"])
def test_blank_lines_are_no_piece(text: str) -> None:
    assert chunk_at(parsed(text), 1) is None


def test_the_newest_first_and_no_more_than_are_kept() -> None:
    chunks = Chunks()
    for n in range(KEPT + 3):
        chunks.add(lines_of(f"a_{n}\nb_{n}", uri=f"file:///{n}.py"))
    assert [chunk.lines[0] for chunk in chunks] == [f"a_{n}" for n in reversed(range(3, KEPT + 3))]


def test_what_is_alike_is_there_once() -> None:
    chunks = Chunks()
    text = "\n".join(f"line_{n}" for n in range(30))
    chunks.add(lines_of(text, uri="file:///old.py"))
    chunks.add(lines_of(text.replace("line_7", "other"), uri="file:///new.py"))
    assert [chunk.uri for chunk in chunks] == ["file:///new.py"]
    chunks.add(lines_of("\n".join(f"line_{n}" for n in range(20)), uri="file:///third.py"))
    assert [chunk.uri for chunk in chunks] == ["file:///third.py", "file:///new.py"]


def test_the_same_lines_of_a_document_are_one_piece_with_its_name() -> None:
    chunks, snapshot = Chunks(), document("\n".join(f"line_{n}" for n in range(60)))
    chunks.add(chunk_of(snapshot, range(20), "f"))
    chunks.add(chunk_of(snapshot, range(30, 50), "f"))
    chunks.add(chunk_of(snapshot, range(5, 25), "f"))
    assert [(chunk.start, chunk.part) for chunk in chunks] == [(5, 1), (30, 2)]


def changed(text: str, start: tuple[int, int], end: tuple[int, int], new: str) -> Chunks:
    """The pieces of a document of which lines 2 to 4 are one, after an edit."""
    chunks, before = Chunks(), document(text)
    chunks.add(chunk_of(before, range(2, 5), "f"))
    after, edits = before.changed([ContentChange(Range(Position(*start), Position(*end)), new)], 2)
    chunks.changed(after, edits)
    for chunk in chunks:
        assert after.lines[chunk.start : chunk.end] == chunk.lines
    return chunks


TEN = "\n".join(f"line_{n}" for n in range(10))


@pytest.mark.parametrize(
    ("start", "end", "new", "expected"),
    [
        ((0, 0), (0, 0), "new\nlines\n", "line_2 line_3 line_4"),
        ((2, 0), (2, 0), "new\n", "new line_2 line_3 line_4"),
        ((0, 0), (2, 0), "", "line_2 line_3 line_4"),
        ((7, 0), (8, 0), "", "line_2 line_3 line_4"),
        ((3, 0), (3, 6), "other", "line_2 other line_4"),
        ((3, 6), (3, 6), "\nmore", "line_2 line_3 more line_4"),
        ((4, 6), (4, 6), "\nmore", "line_2 line_3 line_4 more"),
        ((1, 0), (3, 0), "", "line_3 line_4"),
        ((4, 0), (6, 0), "", "line_2 line_3"),
        ((0, 0), (9, 6), TEN.replace("line_0", "first\nline_0"), "line_2 line_3 line_4"),
    ],
)
def test_a_piece_follows_the_edits(start: tuple[int, int], end: tuple[int, int], new: str, expected: str) -> None:
    assert [" ".join(chunk.lines) for chunk in changed(TEN, start, end, new)] == [expected]


def test_a_piece_whose_lines_are_gone_is_gone() -> None:
    assert not list(changed("a\nb\n" + TEN, (2, 0), (5, 0), "\n"))


def test_a_piece_is_found_where_it_has_moved_to() -> None:
    chunk = lines_of("b\nc")
    assert chunk.place(["b", "c"]) == range(2)
    assert chunk.place(["a", "b", "c", "d"]) == range(1, 3)
    assert chunk.place(["b", "c", "x", "b", "c"]) == range(2), "the nearest"
    assert chunk.place(["b"]) is None
    assert chunk.place([]) is None


def edited(before: str, after: str, first: int, last: int) -> tuple[str, ...]:
    return diff(document(before), document(after, version=2), first, last)


def test_an_edit_as_a_small_diff() -> None:
    assert edited("a\nb\nc\nd", "a\nB\nc\nd", 1, 1) == (" a", "-b", "+B", " c")
    assert edited("a\nb", "a\nnew\nb", 1, 1) == (" a", "+new", " b")
    assert edited("a\nb\nc", "a\nc", 1, 1) == (" a", "-b", " c")
    assert edited("a", "a", 0, 0) == ()


def test_changes_apart_have_a_mark_between_them() -> None:
    before = [f"line_{n}" for n in range(9)]
    after = ["first", *before[1:8], "last"]
    assert edited("\n".join(before), "\n".join(after), 0, 8) == (
        "-line_0", "+first", " line_1", "...", " line_7", "-line_8", "+last",
    )  # fmt: skip


def test_what_changes_much_is_no_small_edit() -> None:
    many = "\n".join(f"new_{n}" for n in range(MOST_CHANGED + 1))
    assert edited("a\nb", f"a\n{many}\nb", 1, MOST_CHANGED + 1) == ()
    assert edited("a", "b" * 3_000, 0, 0) == ()


def texts(before: str, after: str) -> EditTexts:
    return EditTexts(document(before), (OriginStep("typed", document(after, version=2)),))


def kept(*steps: tuple[str, str]) -> list[tuple[str, ...]]:
    edits = Edits()
    for before, after in steps:
        edits.add(texts(before, after), 0, max(before.count("\n"), after.count("\n")))
    return [edit.diff for edit in edits]


def test_the_newest_edit_first_and_one_that_is_taken_back_not_at_all() -> None:
    assert kept(("a", "b"), ("b", "c")) == [("-b", "+c"), ("-a", "+b")]
    assert kept(("x", "y"), ("a", "b"), ("b", "a")) == [("-x", "+y")]


def test_the_place_of_an_edit_follows_the_edits_above_it() -> None:
    activity, before = Activity(), document("a\nb\nc")
    activity.edits.add(texts(before.text, "a\nb\nC"), 2, 2)
    after, edits = before.changed([ContentChange(Range(Position(0, 0), Position(0, 0)), "new\n")], 3)
    activity.changed(after, edits)
    assert [edit.line for edit in activity.edits] == [3]


TOKEN = "ghp_" + "A1b2C3d4" * 5


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f'key = "{TOKEN}"', "key = ''"),
        ("key = ''", f'key = "{TOKEN}"'),
        ("key = ''", f'key = "{TOKEN[:20]}"'),
        (f'key = "{TOKEN[:20]}"', "key = ''"),
        (f'other = 1\n\n\n\n\nkey = "{TOKEN}"', f'other = 2\n\n\n\n\nkey = "{TOKEN}"'),
    ],
)
def test_an_edit_of_a_secret_is_not_kept(before: str, after: str) -> None:
    assert kept((before, after)) == []
    assert kept((before, after), ("a", "b")) == [("-a", "+b")]
