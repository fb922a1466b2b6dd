"""What repeats itself is cut behind its first copy; what only looks alike is left."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.text.repetition import kept

LOOPS = {  # before, text: what is kept of it
    "a call in itself": ("print(", "notona(notona(", "notona("),
    "a call that was typed, in itself": ("x = notona(", "notona(notona(", ""),
    "a method in itself": ("", "(self):\n    self.add(self.add(self.add(", "(self):\n    self.add("),
    "a piece within a line": ("if __name__", "_module__ is _name_" * 6, "_module__ is _name"),
    "a piece with blanks between": ('x = f"', "{total:.2f} {total:.2f} {total:.2f}", "{total:.2f}"),
    "one letter": ("def f", "f" * 40, "f"),
    "the line above": ("x = 1\ny = 2\n", "y = 2\n" * 25, ""),
    "the line at the cursor": ("a = 3\nprint(no", "na = 3\nprint(nona = 3\nprint(nona = 3\nprint(n", "na = 3"),
    "two lines": ("", "for a in b:\n    c(a)\n" * 2 + "for a in b:\n", "for a in b:\n    c(a)"),
    "behind something": ("", "total = 0\n" + "    return x\n" * 3, "total = 0\n    return x"),
}
FINE = {
    "a call of another": ("", "sorted(list(sorted(xs)))"),
    "short functions": ("", "max(max(a, b), c)"),
    "several of one kind": ("return ", "None, None, None, None"),
    "types of one kind": ("x: tuple[", "Optional[str], Optional[str], Optional[str]]"),
    "rows of numbers": ("", "[0, 0, 0, 0, 0, 0, 0, 0, 0, 0]\n" * 4),
    "a rule": ("# ", "-" * 70),
    "brackets closed": ("", "        }\n        }\n        }\n        }\n"),
    "empty lines": ("x", "\n\n\n\n\n\n"),
    "twice the same": ("", "next(it)\nnext(it)\n"),
    "a person's own pattern, once more": ("push(1)\npush(1)\npush(1)\n", "push(1)"),
    "lines that differ": ("", "".join(f"x{i} = {i}\n" for i in range(30))),
}


@pytest.mark.parametrize("name", LOOPS)
def test_a_text_ends_behind_the_first_copy(name: str) -> None:
    before, text, expected = LOOPS[name]
    assert text[: kept(text, before)] == expected


@pytest.mark.parametrize("name", FINE)
def test_what_does_not_go_round_in_circles_is_left(name: str) -> None:
    before, text = FINE[name]
    assert kept(text, before) == len(text)


@given(st.text("ab(\n .", max_size=60), st.text("ab(\n .", max_size=30))
def test_it_keeps_a_beginning_and_cuts_once(text: str, before: str) -> None:
    n = kept(text, before)
    assert 0 <= n <= len(text)
    assert kept(text[:n], before) <= n
