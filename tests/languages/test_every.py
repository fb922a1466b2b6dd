"""What holds for every language with a folder, walked over its samples in `tests/languages/<id>/samples`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from palimpsest.context.editing.block import editing_at
from palimpsest.context.sources.skeleton import skeleton
from palimpsest.languages.registry import language_of, languages
from palimpsest.syntax.calls import calls, functions
from palimpsest.syntax.imports import imports
from palimpsest.syntax.names import names_in, visible
from palimpsest.syntax.parse import Parsed, parse_snapshot
from palimpsest.syntax.scopes import docstring, enclosing, scope_at, scopes, signature
from palimpsest.syntax.shape import shape_at
from palimpsest.syntax.unknown import unbound_in
from palimpsest.syntax.uses import uses
from palimpsest.text.snapshot import Position, Snapshot

HERE = Path(__file__).parent
MACROS = {"c/cart.c": 2}
"""Errors in samples that have macros a parser cannot know."""
BROKEN_HOW = 0.04
"""Share of the places of a text at which it is cut for a prefix."""


def samples() -> list[Path]:
    return sorted(path for path in HERE.glob("*/samples/**/*") if path.is_file())


def of(path: Path, text: str | None = None) -> Parsed:
    text = path.read_text("utf-8") if text is None else text
    language = language_of("", path.name)
    return parse_snapshot(Snapshot(path.as_uri(), 1, language.id, text), language)


def names(path: Path) -> str:
    return path.relative_to(HERE).as_posix().replace("/samples", "")


every_sample = pytest.mark.parametrize("path", samples(), ids=names)


def test_each_language_has_a_sample() -> None:
    has = {language_of("", path.name).id for path in samples()}
    assert {language.id for language in languages()} - {"python"} <= has, "add one of 60 to 150 lines"


@every_sample
def test_it_parses(path: Path) -> None:
    parsed = of(path)
    assert parsed.root is not None
    assert parsed.n_errors == MACROS.get(names(path), 0)
    assert len(scopes(parsed)) > 1 or not parsed.language.query("scopes")


@every_sample
def test_scopes_nest(path: Path) -> None:
    parsed = of(path)
    every = scopes(parsed)
    for scope in every[1:]:
        assert scope.start_line <= scope.def_line < scope.header_end_line <= scope.end_line
        assert scope.parent is not None
        assert scope.parent.start_line <= scope.start_line
        assert scope.end_line <= scope.parent.end_line
        assert scope.name
        assert signature(parsed, scope)
        assert "\n" not in signature(parsed, scope)
        docstring(parsed, scope)
    for n, one in enumerate(every):
        for other in every[n + 1 :]:
            apart = other.start_line >= one.end_line - 1 or one.start_line >= other.end_line - 1
            assert apart or one in enclosing(other), (one.qualified_name, other.qualified_name)


def places(parsed: Parsed) -> Iterator[Position]:
    """On every line: by turns where it begins, in its middle, and where it ends."""
    for number, line in enumerate(parsed.snapshot.lines):
        yield Position(number, (0, len(line) // 2, len(line))[number % 3])


@every_sample
def test_every_place_has_an_editing_block(path: Path) -> None:
    parsed = of(path)
    for place in places(parsed):
        for max_tokens in (60, 900):
            block = editing_at(parsed, place, path.name, max_tokens)
            shown = block.lines[block.cursor_line]
            assert shown.document_line == place.line
            assert shown.text == parsed.snapshot.lines[place.line]
        assert scope_at(parsed, place.line, place.column).start_line <= place.line
        shape_at(parsed, place)


@every_sample
def test_everything_can_be_asked(path: Path) -> None:
    parsed = of(path)
    last = parsed.snapshot.line_count
    assert functions(parsed) is not None
    calls(parsed, 0, last)
    unbound_in(parsed, 0, last)
    for name in {*names_in(parsed, 0, last), *(found.bound for found in imports(parsed))}:
        uses(parsed, name)
    for scope in scopes(parsed):
        visible(parsed, scope)
        if scope.kind == "class":
            assert skeleton(parsed, scope)


@every_sample
@pytest.mark.parametrize("crlf", [False, True])
def test_prefixes_raise_nothing(path: Path, crlf: bool) -> None:
    text = path.read_text("utf-8")
    text = text.replace("\n", "\r\n") if crlf else text
    step = max(1, int(len(text) * BROKEN_HOW))
    for end in range(0, len(text) + 1, step):
        parsed = of(path, text[:end])
        place = parsed.snapshot.position(len(text[:end]))
        block = editing_at(parsed, place, path.name, 300)
        assert block.lines[block.cursor_line].document_line == place.line
        scope = scope_at(parsed, place.line, place.column)
        visible(parsed, scope)
        names_in(parsed, max(0, place.line - 3), place.line + 1)
        imports(parsed)
        unbound_in(parsed, max(0, place.line - 3), place.line + 1)
        shape_at(parsed, place)
        docstring(parsed, scope)
        for one in scopes(parsed):
            if one.kind == "class":
                skeleton(parsed, one)
