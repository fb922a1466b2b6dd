"""Which lines a model rewrites, and which it sees: Zed's own examples, and what keeps to the edges of a document."""

from __future__ import annotations

from itertools import pairwise
from textwrap import dedent

import pytest

from palimpsest.languages.registry import language_of
from palimpsest.next_edits.formats import FORMATS
from palimpsest.next_edits.formats.zeta_2 import region
from palimpsest.next_edits.formats.zeta_2_1 import boundaries
from palimpsest.syntax.parse import parse_snapshot
from palimpsest.syntax.places import rows_around
from palimpsest.text.positions import utf8
from palimpsest.text.snapshot import Snapshot

EXAMPLES = {  # ˇ is the cursor, «» the lines to rewrite, [] those that are seen
    "a small function is whole": (
        """\
        [«fn foo() {
            let x = 1;ˇ
            let y = 2;
        }»]
        """,
        30,
        60,
    ),
    "near the end of a function": (
        """\
        [fn first() {
            let a = 1;
            let b = 2;
        }

        fn foo() {
        «    let x = 1;
            let y = 2;
            println!("{}", x + y);ˇ
        }»]
        """,
        18,
        35,
    ),
    "at the beginning of a function": (
        """\
        [fn before() {
        «    let a = 1;
        }

        fn foo() {ˇ
            let x = 1;
            let y = 2;
            let z = 3;
        }
        »
        fn after() {
            let b = 2;
        }]
        """,
        25,
        50,
    ),
    "too little for a node": (
        """\
        fn outer() {
        [    let line1 = 1;
            let line2 = 2;
        «    let line3 = 3;
            let line4 = 4;ˇ»
            let line5 = 5;
            let line6 = 6;]
            let line7 = 7;
        }
        """,
        12,
        24,
    ),
    "functions of one line": (
        """\
        [fn first() { let a = 1; }
        «fn second() { let b = 2; }
        fn third() { let c = 3; }ˇ
        fn fourth() { let d = 4; }»
        fn fifth() { let e = 5; }]
        """,
        25,
        45,
    ),
    "in the first of some blocks": (
        """\
        [«fn before() { }

        fn process() {
            if condition1 {
                let a = 1;ˇ
                let b = 2;
            }
            if condition2 {»
                let c = 3;
                let d = 4;
            }
            if condition3 {
                let e = 5;
                let f = 6;
            }
        }

        fn after() { }]
        """,
        35,
        60,
    ),
    "in the second of some blocks": (
        """\
        [fn before() { }

        fn process() {
            if condition1 {
                let a = 1;
        «        let b = 2;
            }
            if condition2 {
                let c = 3;ˇ
                let d = 4;
            }
            if condition3 {
                let e = 5;»
                let f = 6;
            }
        }

        fn after() { }]
        """,
        40,
        60,
    ),
    "in a long function": (
        """\
        [fn other() { }

        fn long_function() {
            let line1 = 1;
            let line2 = 2;
            let line3 = 3;
            let line4 = 4;
            let line5 = 5;
            let line6 = 6;
        «    let line7 = 7;
            let line8 = 8;
            let line9 = 9;
            let line10 = 10;ˇ
            let line11 = 11;
        }

        fn another() { }»]
        """,
        40,
        55,
    ),
    "nothing more is seen": (
        """\
        fn before() {
            let p = 1;
            let q = 2;
        [«}

        fn foo() {
            let x = 1;ˇ
            let y = 2;
        }
        »]
        fn after() {
            let r = 3;
            let s = 4;
        }
        """,
        15,
        0,
    ),
}


def ranges(example: str) -> tuple[str, int, int, range, range]:
    """The text, row and byte column of the cursor, and the lines that are marked."""
    text, found = dedent(example).rstrip("\n"), dict[str, int]()
    for n, char in enumerate(text):
        if char in "[«ˇ»]":
            found[char] = text.count("\n", 0, n)
    plain = text.translate({ord(char): None for char in "[«»]"})
    line = plain.split("\n")[found["ˇ"]]
    window, around = range(found["«"], found["»"] + 1), range(found["["], found["]"] + 1)
    return plain.replace("ˇ", ""), found["ˇ"], len(utf8(line[: line.index("ˇ")])), window, around


@pytest.mark.parametrize("name", EXAMPLES)
def test_as_zed_has_it(name: str) -> None:
    example, editable, context = EXAMPLES[name]
    text, row, column, window, around = ranges(example)
    parsed = parse_snapshot(Snapshot("file:///a.rs", 1, "rust", text), language_of("rust", "file:///a.rs"))
    assert region(text.split("\n"), row, rows_around(parsed, row, column), editable, context) == (window, around)


@pytest.mark.parametrize("name", FORMATS)
def test_a_window_has_the_cursor_and_lies_in_the_document(name: str) -> None:
    lines = [f"line {n}" for n in range(60)]
    for n_lines in (1, 2, 60):
        for line in range(n_lines):
            window, around = FORMATS[name].window(lines[:n_lines], line, ())
            assert line in window
            assert 0 <= around.start <= window.start < window.stop <= around.stop <= n_lines


def test_blocks_end_at_blank_lines_and_after_many_lines() -> None:
    def blocks(*lines: str) -> list[int]:
        """How many lines each has."""
        text = "\n".join(lines)
        starts = boundaries(text)
        assert (starts[0], starts[-1]) == (0, len(text))
        return [text[a:b].count("\n") + (b == len(text)) for a, b in pairwise(starts)]

    few, many = [f"line {n}" for n in range(6)], [f"line {n}" for n in range(40)]
    assert blocks(*few, "", *few) == [7, 6]
    assert blocks(*few, "", *few[1:]) == [12]
    assert blocks(*few[1:], "", *few) == [6, 6]
    assert blocks(*few[2:], "", *few) == [11]
    assert blocks(*few, "", "}", "end;", *few) == [9, 6]
    assert blocks(*many) == [16, 16, 8]
    assert blocks(*many[:16], "}", "", "more") == [18, 1]
    assert boundaries("") == [0, 0]
