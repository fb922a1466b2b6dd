"""A text whose tree has one node with very many children: queries over it take quadratic time."""

from __future__ import annotations

import time

import pytest

from palimpsest.languages.python import LANGUAGE as PYTHON
from palimpsest.syntax.definitions import all_headers
from palimpsest.syntax.imports import imports
from palimpsest.syntax.parse import parse_text


@pytest.mark.parametrize("opening", ["[", "(", "{", "[\n"])
def test_brackets_that_nobody_closes_do_not_hold_up_the_server(opening: str) -> None:
    parsed = parse_text(f"import re\n\ndef f():\n    return 1\n\nx = {opening * 150_000}\n", PYTHON)
    began = time.thread_time()
    all_headers(parsed)
    imports(parsed)
    parsed.captures("names", 0, 4)
    assert time.thread_time() - began < 10  # a minute for each of them without a bound


def test_what_is_sound_is_searched_as_a_whole() -> None:
    n = 10_000
    parsed = parse_text("".join(f"def f{i}(a, b=[1, 2]):\n    return a + b[{i}]\n\n" for i in range(n)), PYTHON)
    assert len(all_headers(parsed)) == n
