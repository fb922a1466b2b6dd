"""Code inside of HTML and Markdown is seen in its own language, with the document's lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from palimpsest.context.editing.block import editing_at
from palimpsest.edits.misspelt import slips
from palimpsest.edits.validate import Baseline, Unfit, validated
from palimpsest.languages.embedded import inner_parses, n_errors, parsed_at
from palimpsest.languages.registry import language_of
from palimpsest.syntax.names import names_in, visible
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import scope_at, scopes
from palimpsest.syntax.shape import shape_at
from palimpsest.text.snapshot import Position
from palimpsest.types import DocumentChange, LineEdit
from tests.languages.reading import line_of, parsed_as, sample

HERE = Path(__file__).parent
PAGE = sample(HERE / "html/samples/shop.html")
GUIDE = sample(HERE / "markdown/samples/shop.md")


def inside(parsed: Parsed, needle: str) -> tuple[Parsed, Position]:
    line = line_of(parsed, needle)
    place = Position(line, parsed.snapshot.lines[line].index(needle))
    return parsed_at(parsed, place), place


@pytest.mark.parametrize(
    ("document", "needle", "language"),
    [
        (PAGE, "display: grid", "css"),
        (PAGE, '"imports"', "json"),
        (PAGE, "<style>", "html"),
        (PAGE, "</style>", "html"),
        (PAGE, "Korb &amp; Kasse", "html"),
        (GUIDE, "cart.add(name, count)", "python"),
        (GUIDE, "```python", "markdown"),
        (GUIDE, '"open": true', "json"),
        (GUIDE, "You need Python", "markdown"),
        (GUIDE, "no language: def x", "markdown"),
        (GUIDE, "indented code", "markdown"),
    ],
)
def test_the_language_at_a_place(document: Parsed, needle: str, language: str) -> None:
    assert inside(document, needle)[0].language.id == language


def test_what_is_embedded_parses() -> None:
    assert [inner.n_errors for document in (PAGE, GUIDE) for inner in inner_parses(document)].count(0) >= 4
    assert n_errors(GUIDE) == 0


def test_code_in_a_list_has_its_scopes_names_and_editing_block() -> None:
    parsed, place = inside(GUIDE, "cart.add(name, count)")
    scope = scope_at(parsed, place.line, place.column)
    assert (scope.kind, scope.qualified_name, scope.start_line) == ("function", "filled", 22)
    assert {"name", "count", "cart", "Till", "Cart"} <= {item.name for item in visible(parsed, scope)}
    assert names_in(parsed, place.line, place.line + 1) == {"cart", "name", "count"}
    block = editing_at(parsed, place, "shop.md", 900)
    assert (block.type, block.name) == ("function", "filled")
    assert [line.document_line for line in block.lines] == list(range(22, 27))
    assert block.lines[block.cursor_line].text == GUIDE.snapshot.lines[place.line]


def test_the_editing_block_of_a_part_is_the_part() -> None:
    parsed, place = inside(GUIDE, "from shop import Cart")
    block = editing_at(parsed, place, "shop.md", 900)
    assert block.type == "file"
    assert block.lines[0].document_line == 19
    assert "3. Pay." not in block.text
    parsed, place = inside(PAGE, "display: grid")
    shown = editing_at(parsed, place, "shop.html", 900).text
    assert "text-align: right" in shown
    assert "<style>" not in shown


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_a_part_that_is_being_typed(eol: str) -> None:
    text = "# Ä\n\n> ```py\n> def f(x):\n>     return \n> ```\n".replace("\n", eol)
    parsed = parsed_as("a.md", text)
    place = Position(4, len(">     return "))
    inner = parsed_at(parsed, place)
    assert inner.language.id == "python"
    assert scope_at(inner, place.line, place.column).qualified_name == "f"
    assert shape_at(inner, place) == "line"
    assert parsed_at(parsed, Position(5, 2)).language.id == "markdown"


def test_parts_on_one_line_are_apart() -> None:
    parsed = parsed_as("a.html", "<style>a { b: c }</style><p>x</p><style>d { e: f }</style>\n")
    assert parsed_at(parsed, Position(0, 12)).language.id == "css"
    assert parsed_at(parsed, Position(0, 28)).language.id == "html"
    second = parsed_at(parsed, Position(0, 45))
    assert [scope.name for scope in scopes(second)[1:]] == ["d"]


@pytest.mark.parametrize("name", ["Python", "py", "python3", "{.python}", "JSON", "jsonc", "C++", "golang", "rs"])
def test_names_that_people_write(name: str) -> None:
    parsed = parsed_as("a.md", f"```{name}\nx\n```\n")
    assert parsed_at(parsed, Position(1, 0)).language.id != "markdown"


@pytest.mark.parametrize("name", ["text", "nothing", "../x", "python:", "x" * 500, "markdownlint", "é"])
def test_a_language_that_nobody_knows_is_the_documents(name: str) -> None:
    parsed = parsed_as("a.md", f"```{name}\nx\n```\n")
    assert parsed_at(parsed, Position(1, 0)) is parsed


def test_scripts_that_are_no_javascript() -> None:
    for said in ('type="text/template"', "type=text/x-handlebars", "type='importmap'", 'type="application/ld+json"'):
        parsed = parsed_as("a.html", f"<script {said}>\n{{}}\n</script>\n")
        assert parsed_at(parsed, Position(1, 0)).language.id in ("html", "json"), said


def checked(document: Parsed, file: str, old: str, new: str) -> tuple[str, ...]:
    lines, line = document.snapshot.lines, line_of(document, old)
    edit = LineEdit(line, line + 1, (lines[line].replace(old, new),))
    change = DocumentChange(f"file:///{file}", 1, (edit,))
    return validated(change, Baseline(lines, language_of("", file))).flags


def test_an_edit_that_breaks_what_is_embedded_is_refused() -> None:
    for document, file, old, new in (
        (GUIDE, "shop.md", "cart.add(name, count)", "cart.add(name, count"),
        (GUIDE, "shop.md", '"open": true', '"open" true'),
        (PAGE, "shop.html", "text-align: right;", "text-align: right; }"),
    ):
        with pytest.raises(Unfit, match="syntax error"):
            checked(document, file, old, new)
    assert checked(GUIDE, "shop.md", "cart.add(name, count)", "cart.add(name)") == ()


def test_unknown_and_misspelt_names_in_what_is_embedded() -> None:
    assert checked(GUIDE, "shop.md", "cart.add(name, count)", "cart.add(nothing)") == ("unknown name: nothing",)
    text = GUIDE.snapshot.text.replace("cart.add(name, count)", "cart.add(nmae, count)")
    parsed, place = inside(parsed_as("shop.md", text), "cart.add(nmae, count)")
    assert [slip.name for slip in slips(parsed, place.line, place.line + 1)] == ["nmae"]
