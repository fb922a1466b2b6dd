"""A document that is one very long line: what a keystroke does there does not depend on the line's length."""

from __future__ import annotations

import sys

import pytest

from palimpsest.completions.inline import has_behind
from palimpsest.config.settings import Settings
from palimpsest.context.editing.block import editing_at
from palimpsest.languages.registry import language_of, languages, plain
from palimpsest.syntax.parse import Language
from palimpsest.syntax.parser import Parser
from palimpsest.text import tokens
from palimpsest.text.roots import Roots
from palimpsest.text.snapshot import ContentChange, Position, Range, Snapshot
from palimpsest.window.privacy import Privacy

PIECE = "a = [1, 'b', c(d)]; "
MOST_SEARCHED = 100_000
"""Characters around what is typed that are searched for secrets."""


def steps_of_a_key(language: Language, n: int) -> int:
    """The calls, of Python's and of C's functions, for a key in the middle of `n` characters."""
    text, at = "# head\n" + PIECE * (n // len(PIECE)) + "\nend\n", Position(1, n // 2)
    old = Snapshot("file:///a", 1, language.language_ids[0], text)
    parser, privacy = Parser(language_of, plain), Privacy(Settings, Roots)
    parser.parse(old)
    privacy.opened(old, old.uri)
    n_calls = 0

    def count(_frame: object, event: str, _arg: object) -> None:
        nonlocal n_calls
        n_calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        new, edits = old.changed([ContentChange(Range(at, at), "x")], 2)
        privacy.why_not(new)
        editing_at(parser.update(old, new, edits), at, "a", 900)
        has_behind(new.lines[1][at.column :], 8)
    finally:
        sys.setprofile(None)
    return n_calls


@pytest.mark.parametrize("language", [*languages(), plain("")], ids=lambda language: language.id)
def test_twice_the_line_is_no_more_work_for_a_key(language: Language, monkeypatch: pytest.MonkeyPatch) -> None:
    real, searched = tokens.found, list[int]()

    def found(text: str, *, parts: bool = False) -> str:
        searched.append(len(text))
        return real(text, parts=parts)

    # no door: how much of a text was searched is seen nowhere
    monkeypatch.setattr(tokens, "found", found)
    once, twice = (steps_of_a_key(language, n) for n in (400_000, 800_000))
    assert twice <= 1.1 * once + 100
    assert len([n for n in searched if n > MOST_SEARCHED]) == 2, "when it is opened, and for no key"
