"""Bash: errors that an edit makes, misspelt names, and the places that follow an edit."""

from __future__ import annotations

import pytest

from palimpsest.edits.misspelt import slips
from palimpsest.edits.validate import Baseline, Unfit, validated
from palimpsest.types import DocumentChange, LineEdit
from tests.languages.reading import parsed_as
from tests.next_edits.conftest import workspace

CART = """\
#!/bin/bash
limit=3
say() {
  local text=$1 count
  count=$((limit + 1))
  echo "$text" "$count" "${text}"
}
say hello
for name in a b; do say "$name"; done
"""
FILES = {"a.sh": CART}
HOME = "a.sh"


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        ("limit=3", "most=3", ["a.sh: count=$((most + 1))"]),
        (
            "local text=",
            "local words=",
            ['a.sh: echo "$words" "$count" "${text}"', 'a.sh: echo "$text" "$count" "${words}"'],
        ),
        ("say() {", "tell() {", ["a.sh: tell hello", 'a.sh: for name in a b; do tell "$name"; done']),
    ],
)
def test_what_follows_an_edit(before: str, after: str, lines: list[str]) -> None:
    assert workspace(FILES).edit(HOME, (before, after)).lines() == lines


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("{text}", "{txet}", [("txet", "text")]),
        ("say hello", "sya hello", []),
        ('"$count"', '"$HOEM"', []),
    ],
)
def test_misspelt_names_and_names_that_may_be_elsewhere(before: str, after: str, found: list[tuple[str, str]]) -> None:
    path, text = next((path, text) for path, text in FILES.items() if before in text)
    parsed = parsed_as(path, text.replace(before, after))
    assert [(slip.name, slip.meant[0]) for slip in slips(parsed, 0, parsed.snapshot.line_count)] == found


def test_known_names_are_not_misspelt() -> None:
    for path, text in FILES.items():
        parsed = parsed_as(path, text)
        assert parsed.n_errors == 0
        assert slips(parsed, 0, parsed.snapshot.line_count) == []


def edited(before: str, after: str) -> list[str]:
    lines = tuple(CART.split("\n"))
    at = next(n for n, line in enumerate(lines) if before in line)
    edit = LineEdit(at, at + 1, (lines[at].replace(before, after),))
    change = DocumentChange(f"file:///{HOME}", 1, (edit,))
    return list(validated(change, Baseline(lines, parsed_as(HOME, CART).language)).flags)


def test_an_edit_that_breaks_the_syntax_is_refused() -> None:
    with pytest.raises(Unfit, match="syntax error"):
        edited('for name in a b; do say "$name"; done', 'for name in a b; do say "$name"')
