"""Brackets of half-typed code are put right by indentation."""

from __future__ import annotations

import pytest

from palimpsest.syntax.balancing import balanced
from palimpsest.syntax.lexical import Lexical

LEXICAL = Lexical(("//",), (("/*", "*/"),), quotes=("'",), block_quotes=('"',))


def first(text: str) -> str:
    found = balanced(text.split("\n"), LEXICAL)
    return "\n".join(found[0]) if found else text


@pytest.mark.parametrize(
    "text",
    [
        "f(a) {\n  g([1, 2]);\n}",
        "f(\n  a,\n) {\n  b\n}\n// ) }",
        "if (a) {\n  b\n} else {\n  c\n}",
        "switch (a) {\ncase 1:\n  b\ndefault:\n  c\n}",
        "f('(', \"{\") /* {\n} */ [] // (",
        "f(a, {\n  b\n}, [\n  c\n])",
        "f()\n{\n  a\n}",
    ],
)
def test_what_fits_is_left_alone(text: str) -> None:
    assert balanced(text.split("\n"), LEXICAL) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f() {\n  g(a, h[\n  b\n}", "f() {\n  g(a, h[])\n  b\n}"),
        ("f() {\n  g(a // note (\n  b\n}", "f() {\n  g(a )// note (\n  b\n}"),
        ("f() {\n  if a {\n  b\n}\n\ng() {}", "f() {\n  if a {}\n  b\n}\n\ng() {}"),
        ("f() {\n  a\n\ng() {\n}", "f() {\n  a}\n\ng() {\n}"),
        ("f() {\n  if a\n    b\n  }\n  c\n}", "f() {\n  if a{\n    b\n  }\n  c\n}"),
        ("f() {\n  a\n  )\n  b\n}", "f() {\n  a\n   \n  b\n}"),
        ("f() {\n  'a(\n  b\n}", "f() {\n  'a('\n  b\n}"),
        ("f(", "f()"),
        ("f() {\n  a = [\n    1,\n    (2,", "f() {\n  a = [\n    1,\n    (2,)]}"),
    ],
)
def test_what_does_not_fit_is_put_right(text: str, expected: str) -> None:
    assert first(text) == expected
    assert expected.count("\n") == text.count("\n")


def test_a_bracket_that_is_open_when_a_block_ends_may_have_been_for_before_it() -> None:
    text = "f() {\n  if g(a,\n    b\n  }\n  c\n}"
    found = ["\n".join(lines) for lines in balanced(text.split("\n"), LEXICAL)]
    assert "f() {\n  if g(a,){\n    b\n  }\n  c\n}" in found


def test_a_string_of_several_lines_may_have_no_end() -> None:
    text = 'f("a") {\n  g("b\n  c("d")\n}'
    assert 'f("a") {\n  g("b")\n  c("d")\n}' in ["\n".join(lines) for lines in balanced(text.split("\n"), LEXICAL)]
