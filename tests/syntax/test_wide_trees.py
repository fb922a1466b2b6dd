"""A text whose tree has one node with very many children: queries over it take quadratic time."""

from __future__ import annotations

import time

import pytest

from palimpsest.languages.cpp import LANGUAGE as CPP
from palimpsest.languages.javascript import LANGUAGE as JAVASCRIPT
from palimpsest.languages.python import LANGUAGE as PYTHON
from palimpsest.syntax.definitions import all_headers
from palimpsest.syntax.imports import imports
from palimpsest.syntax.parse import parse_text
from palimpsest.syntax.scopes import scope_at


@pytest.mark.parametrize("opening", ["[", "(", "{", "[\n"])
def test_brackets_that_nobody_closes_do_not_hold_up_the_server(opening: str) -> None:
    parsed = parse_text(f"import re\n\ndef f():\n    return 1\n\nx = {opening * 150_000}\n", PYTHON)
    began = time.thread_time()
    all_headers(parsed)
    imports(parsed)
    parsed.captures("names", 0, 4)
    assert time.thread_time() - began < 10  # a minute for each of them without a bound


def test_calls_within_one_another_do_not_hold_up_the_server() -> None:
    n = 30_000
    parsed = parse_text("$(" * n + ")" * n, JAVASCRIPT)
    assert parsed.tree is not None
    began = time.thread_time()
    assert parsed.matches("scopes") == []
    assert time.thread_time() - began < 4  # 8 seconds without a bound


def test_many_namespaces_within_one_another_are_told_apart() -> None:
    n = 1_500
    parsed = parse_text("".join(f"namespace a{i} {{\n" for i in range(n)) + "}\n" * n, CPP)
    deepest = scope_at(parsed, n - 1, 0)
    assert deepest.name == f"a{n - 1}"
    assert {deepest: 1}[scope_at(parsed, n - 1, 0)] == 1
    assert deepest != deepest.parent


def test_what_is_sound_is_searched_as_a_whole() -> None:
    n = 10_000
    parsed = parse_text("".join(f"def f{i}(a, b=[1, 2]):\n    return a + b[{i}]\n\n" for i in range(n)), PYTHON)
    assert len(all_headers(parsed)) == n
