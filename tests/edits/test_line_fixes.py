"""What a slip of one line may have been: candidates, of which a model chooses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.edits.line_fixes import MOST, LineFix, line_fixes, words_around


def fixes(code: str, *around: str, broken: bool = False) -> list[LineFix]:
    lines = code.split("\n")
    return line_fixes(lines, words_around([*lines, *around]), among=range(len(lines)), is_broken=broken)


def results(code: str, *around: str, broken: bool = False) -> list[str]:
    lines = code.split("\n")
    return [
        "\n".join([*lines[: fix.index], *fix.instead, *lines[fix.index + 1 :]])
        for fix in fixes(code, *around, broken=broken)
    ]


@pytest.mark.parametrize(
    ("right", "wrong", "broken"),
    [
        ("def f(total):\n    return total", "def f(total):\n    return totla", False),
        ("count = 1\nuse(count)", "count = 1\ncount = 1\nuse(count)", False),
        ("def f(a):\n    b = a\n    return b.size()", "def f(a):\n    b = a\n    b.size()", False),
        ("if a:\n    go()", "if a\n    go()", True),
        ("if f(a):\n    go()", "if f(a:\n    go()", True),
        ("use(f(a)", "use(f(a", True),
        ("while (a) {\n  b();\n  c();\n}", "while (a) {\n  b()\n  c();\n}", True),
        ("for x in y:\n    if x == 1: f(x)", "for x in y:\n    if x != 1: f(x)", False),
        ("a = b is not None", "a = b is None", False),
        ("copy(source, target)", "copy(target, source)", False),
    ],
)
def test_what_somebody_meant_is_among_them(right: str, wrong: str, broken: bool) -> None:
    assert right in results(wrong, broken=broken)


@pytest.mark.parametrize(
    "code",
    [
        "self.items = items\nself.item = item\nself.items = self.item",  # each stands twice
        "Error = error",
        "_name = name",
        "}\n}",
        "x = 'totla'\ntotal = 1",  # in a text
        "def f():\n    return 1",
        "a = b",
        "a && b && c",  # an operator that stands twice
        "",
    ],
)
def test_code_without_the_looks_of_a_slip_has_none(code: str) -> None:
    assert fixes(code) == []


def test_only_lines_asked_about_are_changed_and_words_of_blocks_are_known() -> None:
    lines = ["totla = price", "prcie = 1"]
    around = words_around([*lines, "def total(): ..."])
    found = line_fixes(lines, around, among=[0], is_broken=False)
    assert found == [
        LineFix(0, ("total = price",), "Write `total`, not `totla`."),
        LineFix(0, ("totla = prcie",), "Write `prcie`, not `price`."),
    ]


@pytest.mark.parametrize("piece", ["a", "f(", "a.", "(a, b)", " == ", "[", "a!", "word_1 "])
def test_a_line_that_nobody_wrote_by_hand_is_left_alone(piece: str) -> None:
    line = piece * 50_000
    lines = ["total = 1", line, line + "!"]
    around = words_around([*lines, *(f"word_{i}" for i in range(5_000))])
    assert line_fixes(lines, around, among=[1, 2], is_broken=True) == []


@given(st.lists(st.text("abc ab.()[]:;{},=!<>+&|'\"\\\tnoet", max_size=30), max_size=12), st.booleans())
def test_they_are_few_and_each_changes_its_line(lines: list[str], is_broken: bool) -> None:
    found = line_fixes(lines, words_around(lines), among=range(len(lines)), is_broken=is_broken)
    assert len(found) <= MOST
    assert len(set(found)) == len(found)
    for fix in found:
        assert fix.instead != (lines[fix.index],)
        assert not any("\n" in line for line in fix.instead)
