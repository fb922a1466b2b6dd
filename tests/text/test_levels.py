"""The indentation of an empty line, by the lines around it."""

import pytest

from palimpsest.text.levels import indentation_between, missing_indentation


@pytest.mark.parametrize(
    ("above", "below", "expected"),
    [
        ("def f():", "", "    "),
        ("def f():", "    return 1", "    "),
        ("class A {\n  int x;\n  void f() {", "  }", "    "),
        ("\tif x {", "\t}", "\t\t"),
        ("    x = 1", "    return x", "    "),
        ("    x = 1", "}", "    "),
        ("    return 1", "def g():", ""),
        ("    return 1\n", "def g():", ""),
        ("    x = 1\n", "    y = 2", "    "),
        ("        break", "    done()", "    "),
        ("items = [", "    1,", "    "),
        ("local function f()\n  if x then", "  end", "    "),
        ("    for a in b:", "            c()", "        "),
        ("def f(x):\n    for a in b:\n        if a:\n            return True", "", "    "),
        ("class A:\n    def f(x):\n        for a in b:\n            return True", "\n    def g(x):", "        "),
        ("def f():\n    if n < 2:\n        return x", "        if n % i == 0:", "    "),
        ("def f():\n    for x in y:\n        if x:\n            break", "        done()", "        "),
        ('def f():\n    """It is told."""\n', "", "    "),
        ("", "", ""),
    ],
)
def test_it_is_as_deep_as_they_say(above: str, below: str, expected: str) -> None:
    assert indentation_between(above.split("\n"), below.split("\n")) == expected


@pytest.mark.parametrize(
    ("above", "typed", "below", "unasked", "asked"),
    [
        ("def f():", "", "", "    ", "    "),
        ("def f():", "  ", "", "", ""),  # two are a level, too
        ("    def f():", "  ", "", "      ", "      "),
        ("def f():", "    ", "", "", ""),
        ("def f():", "\t", "", "", ""),
        ("    if a:", "    ", "    return b", "    ", "    "),
        ("    x = 1", "", "    return x", "    ", "    "),
        ("    x = 1", "", "def g():", "", "    "),  # whoever went back to the margin may begin something new
        ("    x = 1", "", "", "", "    "),
        ("    return 1\n", "", "    def g(self):", "    ", "    "),
        ("    for a in b:\n        c += a", "    ", "", "", ""),  # the block around goes on
        ("    if a:\n        b()", "    ", "        c()", "", ""),  # another clause of it
        ("    if a:\n        b()", "  ", "", "", "      "),  # no block stands there
    ],
)
def test_what_an_empty_line_lacks(above: str, typed: str, below: str, unasked: str, asked: str) -> None:
    lines = above.split("\n"), typed, below.split("\n")
    assert missing_indentation(*lines, asked=False) == unasked
    assert missing_indentation(*lines, asked=True) == asked
