"""What tests of languages ask of a sample: its scopes, blocks, edits."""

from __future__ import annotations

from pathlib import Path

from palimpsest.context.editing.block import editing_at
from palimpsest.context.sources.skeleton import skeleton
from palimpsest.languages.registry import language_of
from palimpsest.syntax.names import visible
from palimpsest.syntax.parse import Parsed, parse_snapshot
from palimpsest.syntax.scopes import scope_at, scopes
from palimpsest.syntax.shape import shape_at
from palimpsest.syntax.values import Scope
from palimpsest.text.snapshot import Position, Snapshot
from palimpsest.types import Editing

STEP = 41
"""Characters between two half-typed texts."""


def parsed_as(name: str, text: str) -> Parsed:
    """A parse in the language of a file's name."""
    language = language_of("", name)
    assert language.grammar is not None
    return parse_snapshot(Snapshot(f"file:///{name}", 1, language.id, text), language)


def sample(path: Path) -> Parsed:
    return parsed_as(path.name, path.read_text(encoding="utf-8"))


def line_of(parsed: Parsed, text: str) -> int:
    """The only line that contains a text."""
    (line,) = [n for n, line in enumerate(parsed.snapshot.lines) if text in line]
    return line


def scope_named(parsed: Parsed, name: str) -> Scope:
    """The first scope with a qualified name."""
    return next(scope for scope in scopes(parsed) if scope.qualified_name == name)


def names_at(parsed: Parsed, text: str) -> list[str]:
    """What is visible at the only line that contains a text, as it is written in blocks, with its kind."""
    return [f"{item.kind}: {item.signature}" for item in visible(parsed, scope_at(parsed, line_of(parsed, text), 0))]


def editing(parsed: Parsed, text: str, max_tokens: int = 900) -> Editing:
    return editing_at(parsed, Position(line_of(parsed, text), 0), parsed.snapshot.uri[8:], max_tokens)


def lines_shown(parsed: Parsed, text: str, max_tokens: int = 900) -> list[str]:
    return [line.text for line in editing(parsed, text, max_tokens).lines]


def interface(parsed: Parsed, name: str) -> list[str]:
    return [line.text for line in skeleton(parsed, scope_named(parsed, name))]


def outline(parsed: Parsed) -> list[tuple[str, str, int, int]]:
    """(kind, qualified name, first line, last line), lines from 1."""
    return [(s.kind, s.qualified_name, s.start_line + 1, s.end_line) for s in scopes(parsed)[1:]]


def missing(name: str, text: str) -> str:
    """What is missing where `|` stands in a text."""
    before, _, after = text.partition("|")
    parsed = parsed_as(name, before + after)
    return shape_at(parsed, parsed.snapshot.position(len(before)))


def type_it(name: str, text: str, step: int = STEP) -> None:
    """Every few characters of a text that is typed: an editing block contains the cursor's line, and nothing raises."""
    for end in range(0, len(text), step):
        parsed = parsed_as(name, text[:end])
        at = parsed.snapshot.position(end)
        block = editing_at(parsed, at, name, 300)
        assert block.lines[block.cursor_line].text == parsed.snapshot.lines[at.line]
        scope = scope_at(parsed, at.line, at.column)
        assert visible(parsed, scope) is not None
        assert shape_at(parsed, at) in ("line", "block")
        for around in scopes(parsed):
            if around.kind == "class":
                assert skeleton(parsed, around, at.line)
