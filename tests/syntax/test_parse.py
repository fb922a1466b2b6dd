"""Parses: which language, which tree is kept, how many errors."""

from __future__ import annotations

import pytest

from palimpsest.languages.python import LANGUAGE as PYTHON
from palimpsest.languages.registry import language_of
from palimpsest.syntax.parse import parse_text
from palimpsest.syntax.parser import Parser
from palimpsest.syntax.scopes import scopes
from palimpsest.text.snapshot import ContentChange, Position, Range, Snapshot


@pytest.mark.parametrize(
    ("language_id", "path", "expected"),
    [
        ("python", None, "python"),
        ("plaintext", "a/b.py", "python"),
        ("", "file:///a/B.PYI", "python"),
        ("markdown", "a.md", "markdown"),
        ("", None, ""),
        ("", "py", ""),
    ],
)
def test_the_language_goes_by_id_then_by_name(language_id: str, path: str | None, expected: str) -> None:
    language = language_of(language_id, path)
    assert language.id == expected
    assert (language.grammar is not None) == bool(expected)


@pytest.mark.parametrize(
    ("text", "n_errors"), [("x = 1\n", 0), ("", 0), ("x = (1\n", 1), ("def f(:\n  pass\ny = ]", 2)]
)
def test_errors_are_counted(text: str, n_errors: int) -> None:
    assert (parse_text(text, PYTHON).n_errors > 0) == (n_errors > 0)
    assert parse_text(text, PYTHON).n_errors >= n_errors


def test_a_repair_is_fewer_errors() -> None:
    assert parse_text("a = (1\nb = [2)\n", PYTHON).n_errors > parse_text("a = (1)\nb = [2]\n", PYTHON).n_errors == 0


def test_an_old_parse_stays_valid_when_the_document_moves_on() -> None:
    parser = Parser(language_of)
    before = Snapshot("file:///a.py", 1, "python", "def f():\n    pass\n")
    first = parser.parse(before)
    after, edits = before.changed([ContentChange(Range(Position(0, 4), Position(0, 5)), "longer")], 2)
    second = parser.update(before, after, edits)
    assert [s.name for s in scopes(first)] == ["", "f"]
    assert [s.name for s in scopes(second)] == ["", "longer"]
    assert parser.parse(after) is second


def test_a_document_that_opens_again_with_another_text_is_parsed_again() -> None:
    parser = Parser(language_of)
    one = parser.parse(Snapshot("file:///a.py", 1, "python", "def f(): pass"))
    other = parser.parse(Snapshot("file:///a.py", 1, "python", "def g(): pass"))
    assert [scopes(one)[1].name, scopes(other)[1].name] == ["f", "g"]
    parser.forget("file:///a.py")
    assert parser.parse(other.snapshot) is not other


def test_an_update_of_an_unknown_document_is_a_parse() -> None:
    before = Snapshot("file:///a.py", 1, "python", "x")
    after, edits = before.changed([ContentChange(None, "def f(): pass")], 2)
    assert [s.name for s in scopes(Parser(language_of).update(before, after, edits))] == ["", "f"]


def test_a_document_that_changes_its_language_is_parsed_anew() -> None:
    parser = Parser(language_of)
    before = Snapshot("untitled:1", 1, "plaintext", "def f(): pass")
    assert parser.parse(before).tree is None
    after = Snapshot("untitled:1", 1, "python", "def f(): pass")
    assert parser.update(before, after, []).language is PYTHON
