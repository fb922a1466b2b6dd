"""The indentation of an empty line, by the lines around it."""

import pytest

from palimpsest.text.levels import indentation_between


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
        ("", "", ""),
    ],
)
def test_it_is_as_deep_as_they_say(above: str, below: str, expected: str) -> None:
    assert indentation_between(above.split("\n"), below.split("\n")) == expected
