"""Completions as snippets."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.completions.snippet import as_snippet, escape
from palimpsest.languages.registry import language_of
from palimpsest.syntax.lexical import State, state_after


@pytest.mark.parametrize(
    ("before", "text", "expected"),
    [
        ("x = ", "add(a, b)", "add(${1:a}, ${2:b})$0"),
        ("x = ", "add(a, key=b)", "add(${1:a}, key=${2:b})$0"),
        ("x = ", "add(f(a, b), [1, 2])", "add(${1:f(a, b)}, ${2:[1, 2]})$0"),
        ("x = ", 'add("a, b")\ny = g(1)', 'add(${1:"a, b"})\ny = g(${2:1})$0'),
        ("x = ", "add(\n    a,\n    b,\n)", "add(\n    ${1:a},\n    ${2:b},\n)$0"),
        ("x = ", "run(d['$a}'], '\\n')", "run(${1:d['\\$a\\}']}, ${2:'\\\\n'})$0"),
        ("x = ", "a == add(b == c)", "a == add(${1:b == c})$0"),
        ("x", ".append(f(a)", ".append(f(${1:a})$0"),
        ("x = add(", "a, b)", "${1:a}, ${2:b})$0"),
        ("x = add(a, ", "b, c)", "${1:b}, ${2:c})$0"),
        ("x = add(aa", "a, b)", "a, ${1:b})$0"),
    ],
)
def test_arguments_of_calls_are_tab_stops(before: str, text: str, expected: str) -> None:
    assert as_snippet(before, text, language_of("python"), State()) == expected


@pytest.mark.parametrize(
    "text", ["a + b", "add()", "def f(a, b):\n    pass", "class A(B):\n    pass", "[a, b]", "(a, b)", "add(a", "# f(a)"]
)
def test_a_text_without_arguments_is_no_snippet(text: str) -> None:
    assert as_snippet("", text, language_of("python"), State()) is None


def test_what_was_typed_is_escaped_too() -> None:
    assert as_snippet("", "f(a)", language_of("python"), State(), typed="$x") == "\\$xf(${1:a})$0"


def plain(snippet: str) -> str:
    """What an editor inserts for a snippet with nothing but `${n:text}`, `$0` and escapes."""
    out, stops = [], 0
    for escaped, start, end, _, char in re.findall(r"\\([\\$}])|(\$\{\d+:)|(\})|(\$0)\Z|(.)", snippet, re.DOTALL):
        assert not end or stops > 0
        stops += bool(start) - bool(end)
        assert char != "$"
        out.append(escaped or char)
    assert stops == 0
    return "".join(out)


TEXTS = st.text(st.sampled_from("ab_(),=[]{}$\\'\" \n:#"), max_size=40)


@given(TEXTS, TEXTS, st.sampled_from(["python", "javascript", ""]))
def test_a_snippet_inserts_the_text(before: str, text: str, language: str) -> None:
    assert plain(escape(text)) == text
    snippet = as_snippet(before, text, language_of(language), State())
    assert snippet is None or plain(snippet) == text


def test_a_string_that_began_on_a_line_above_has_no_calls() -> None:
    language = language_of("python")
    assert as_snippet("    Like ", "add(a, b)", language, state_after('"""One.\n', language.lexical)) is None
