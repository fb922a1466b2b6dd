"""A grammar or a query that fails costs what it would have found, and one line in the log."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from palimpsest.context.editing.block import editing_at
from palimpsest.languages import grammars
from palimpsest.languages.base import Base
from palimpsest.syntax.imports import imports
from palimpsest.syntax.lexical import Lexical
from palimpsest.syntax.names import names_in, visible
from palimpsest.syntax.parse import parse_text
from palimpsest.syntax.scopes import file_scope, scopes
from palimpsest.syntax.shape import shape_at
from palimpsest.text.snapshot import Position

TEXT = "def f(x):\n    return g(x)\n\n\nclass C:\n    pass\n"


class Broken(Base):
    id = "broken"
    name = "Broken"
    lexical = Lexical(("#",), quotes=('"',))


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


@pytest.mark.parametrize(
    "module", ["tree_sitter_nowhere", "tree_sitter_python:nothing", "json:loads", "tree_sitter_python:__doc__"]
)
def test_a_grammar_that_does_not_load(module: str, caplog: pytest.LogCaptureFixture) -> None:
    class Missing(Broken):
        grammar_module = module

    language = Missing()
    for _ in range(2):
        parsed = parse_text(TEXT, language)
        assert parsed.tree is None
        assert language.query("scopes") is None
        assert [scope.kind for scope in scopes(parsed)] == ["file"]
        assert imports(parsed) == []
        assert names_in(parsed, 0, 6) == set()
        assert visible(parsed, file_scope(parsed)) == []
        shape_at(parsed, Position(1, 4))
        block = editing_at(parsed, Position(1, 4), "a.broken", 100)
        assert block.lines[block.cursor_line].text == "    return g(x)"
    (line,) = lines(caplog)
    assert module in line


def test_a_section_that_does_not_fit(caplog: pytest.LogCaptureFixture) -> None:
    class Partly(Broken):
        grammar_module = "tree_sitter_python"
        query_files = ("broken.scm",)

    language = Partly()
    for _ in range(2):
        parsed = parse_text("import a\n" + TEXT, language)
        assert [scope.name for scope in scopes(parsed)] == ["", "f"]
        assert names_in(parsed, 0, 6) == set()
        assert imports(parsed) == []
    assert len(lines(caplog)) == 2
    assert any("'names'" in line for line in lines(caplog))
    assert any("'imports'" in line for line in lines(caplog))


def test_a_query_file_that_is_missing(caplog: pytest.LogCaptureFixture) -> None:
    assert grammars.sections("palimpsest.languages.python", ["nowhere.scm"]) == {}
    assert len(lines(caplog)) == 1


def test_a_later_file_replaces_sections_or_adds_to_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in {
        "one/a.scm": "; x\n;; scopes\none\n;; names\none\n",
        "two/a.scm": ";; names\ntwo\n;; more scopes\nand\n",
    }.items():
        path = tmp_path / "made_up_languages" / name
        path.parent.mkdir(parents=True)
        (path.parent / "__init__.py").touch()
        path.write_text(text)
    (tmp_path / "made_up_languages" / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    found = grammars.sections("made_up_languages.two", ["../one/a.scm", "a.scm"])
    assert found == {"scopes": "one\nand\n", "names": "two\n"}
