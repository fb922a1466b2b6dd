"""Languages of data and prose: what is around the cursor, where a block is cut and a completion ends, errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from palimpsest.completions.inline import trim
from palimpsest.context.editing.block import editing_at
from palimpsest.edits.validate import Baseline, Unfit, validated
from palimpsest.languages.registry import language_of
from palimpsest.syntax.scopes import scope_at
from palimpsest.text.snapshot import Position
from palimpsest.types import DocumentChange, LineEdit
from tests.context.context_workspace import Workspace
from tests.languages.reading import line_of, lines_shown, missing, parsed_as, sample

Make = Callable[..., Workspace]
HERE = Path(__file__).parent
CUT = "..."
PACKAGE = json.dumps(
    {
        "name": "shop",
        "scripts": {f"s{i}": f"run {i}" for i in range(60)},
        "needs": {f"d{i}": {"version": i, "more": [1, 2]} for i in range(40)},
        "last": [{"at": i, "of": "x" * 10} for i in range(40)],
    },
    indent=2,
)


def at(file: str, needle: str) -> str:
    parsed = sample(HERE / file)
    return scope_at(parsed, line_of(parsed, needle), 0).qualified_name


@pytest.mark.parametrize(
    ("file", "needle", "name"),
    [
        ("json/samples/shop.json", '"food": 0.026', "taxes.CHF"),
        ("toml/samples/shop.toml", "sunday = []", "limits.hours"),
        ("yaml/samples/shop.yaml", "  food: 0.07", "taxes"),
        (
            "css/samples/shop.css",
            "grid-template-columns: 1fr;",
            "(max-width: 40rem) and (orientation: portrait)..shelf",
        ),
        ("css/samples/shop.css", "opacity: 0.8", "appear"),
        ("sql/samples/shop.sql", "width INTEGER DEFAULT 0", "shelves"),
        ("markdown/samples/shop.md", "| open  | whether it is  |", "Grüner Laden.Use.Settings"),
    ],
)
def test_what_is_around_the_cursor(file: str, needle: str, name: str) -> None:
    assert at(file, needle) == name


@pytest.mark.parametrize("file", sorted(path.relative_to(HERE).as_posix() for path in HERE.glob("*/samples/shop.*")))
def test_an_editing_block_is_of_the_file(file: str) -> None:
    parsed = sample(HERE / file)
    if not parsed.language.whole_file:
        return
    block = editing_at(parsed, Position(20, 0), file, 5000)
    assert block.type == "file"
    assert [line.document_line for line in block.lines] == list(range(parsed.snapshot.line_count))


def test_json_is_cut_between_members() -> None:
    parsed = parsed_as("package.json", PACKAGE)
    shown = lines_shown(parsed, '"version": 20', 120)
    assert shown[:2] == ['  "needs": {', "    ..."]
    assert shown[2].startswith('    "d')
    assert shown[-2] == "    },"
    assert shown[-1].strip() == CUT
    assert '    "d20": {' in shown


def test_the_members_of_a_list_are_not_cut() -> None:
    parsed = parsed_as("package.json", PACKAGE)
    shown = lines_shown(parsed, '"at": 20', 120)
    assert shown[0] == '  "last": ['
    assert shown[1].strip() == CUT
    assert shown[2] == "    {"
    assert shown[-2].strip() in ("},", "}")


def test_markdown_is_cut_between_sections_and_paragraphs() -> None:
    sections = "".join(
        f"## Part {i}\n\nWords of {i}.\nMore of {i}.\n\n```python\ndef f{i}():\n\n    pass\n```\n\n" for i in range(20)
    )
    parsed = parsed_as("a.md", f"# Title\n\n{sections}")
    shown = lines_shown(parsed, "Words of 10.", 120)
    assert shown[0] == "# Title"
    first = shown[shown.index(CUT) + 1 :]
    while not first[0]:
        first = first[1:]
    assert first[0].startswith("## Part ")
    assert shown.count("```python") == shown.count("```")


def test_css_is_cut_between_rules() -> None:
    rules = "".join(f".r{i} {{\n  color: red;\n  margin: {i}px;\n}}\n\n" for i in range(60))
    parsed = parsed_as("a.css", f"@media print {{\n{rules}}}\n")
    shown = lines_shown(parsed, "margin: 30px", 100)
    assert shown[0] == "@media print {"
    assert shown[1] == CUT
    assert shown[2].startswith(".r")
    text = "\n".join(shown[2:])
    assert text.count("{") == text.count("}")


def test_sql_is_cut_between_statements() -> None:
    parsed = parsed_as("a.sql", "".join(f"SELECT a{i}\nFROM t\nWHERE b = {i};\n\n" for i in range(60)))
    shown = [line for line in lines_shown(parsed, "SELECT a30", 100) if line.strip()]
    assert shown[0] == CUT
    assert shown[1].startswith("SELECT")
    assert shown[-2].startswith("WHERE")


def test_html_is_cut_between_elements() -> None:
    items = "".join(f"    <li>\n      <b>item {i}</b>\n    </li>\n" for i in range(60))
    parsed = parsed_as("a.html", f"<html>\n<body>\n  <ul>\n{items}  </ul>\n</body>\n</html>\n")
    shown = lines_shown(parsed, "item 30<", 100)
    assert shown[:3] == ["<html>", "<body>", "  <ul>"]
    assert shown[3].strip() == CUT
    assert shown[4] == "    <li>"
    assert shown[-2] == "    </li>"


def test_yaml_and_toml_are_cut_between_entries() -> None:
    yaml = "items:\n" + "".join(f"  - name: n{i}\n    price: {i}\n" for i in range(60))
    shown = lines_shown(parsed_as("a.yaml", yaml), "name: n30", 80)
    assert shown[0] == "items:"
    assert shown[2].startswith("  - name")
    toml = "".join(f"[[items]]\nname = 'n{i}'\nprice = {i}\n\n" for i in range(60))
    shown = [line for line in lines_shown(parsed_as("a.toml", toml), "name = 'n30'", 80) if line]
    assert shown[1] == "[[items]]"


def test_the_cut_does_not_move_while_the_cursor_moves_a_little() -> None:
    parsed = parsed_as("package.json", PACKAGE)
    line = line_of(parsed, '"version": 20')
    blocks = [editing_at(parsed, Position(number, 0), "package.json", 400) for number in range(line - 1, line + 6)]
    assert len({block.text for block in blocks}) == 1


@pytest.mark.parametrize(
    ("file", "text", "shape"),
    [
        ("a.css", ".a {|", "block"),
        ("a.c", "int f() {|", "block"),
        ("a.java", "class A {|\n", "block"),
        ("a.c", "int f() {}|", "line"),
        ("a.css", ".a {\n  color: |\n}\n", "line"),
        ("a.json", '{"a": {|', "block"),
        ("a.json", '{\n  "a": |\n}\n', "line"),
        ("a.toml", "a = [|\n", "block"),
        ("a.toml", "a = |\n", "line"),
        ("a.md", "# A\n\nSome|\n", "line"),
        ("a.sql", "SELECT a|\nFROM b;\n", "line"),
        ("a.yaml", "a: |\nb: 1\n", "line"),
    ],
)
def test_what_is_missing(file: str, text: str, shape: str) -> None:
    assert missing(file, text) == shape


@pytest.mark.parametrize(
    ("file", "before", "after", "said", "multiline", "shown"),
    [
        ("a.json", '{\n  "a": ', ",\n", '"b"\n}\n', False, '"b"'),
        ("a.json", '{\n  "a": ', "\n}\n", '{"b": 1},\n  "c": 2', False, '{"b": 1},'),
        ("a.css", ".a {\n  color: ", "\n}\n", "red;\n  margin: 0;", False, "red;"),
        ("a.css", ".a {", "\n", "\n  color: red;\n}\n\n.b {", True, "\n  color: red;\n}"),
        ("a.yaml", "a:\n  b: ", "\nc: 2\n", "don't (x\n  d: 1", False, "don't (x"),
        ("a.toml", "a = ", "\n", "[\n  1,\n  2,\n]\nb = 1", False, "[\n  1,\n  2,\n]"),
        ("a.md", "It's a ", "\n\nNext.\n", "shop (of mine)\nand more", False, "shop (of mine)"),
        ("a.html", "<p>Don't ", "</p>\n", "touch", False, "touch"),
        ("a.sql", "SELECT a\nFROM ", "\n", "b\nWHERE c = 'd';", False, "b"),
    ],
)
def test_where_a_completion_ends(file: str, before: str, after: str, said: str, multiline: bool, shown: str) -> None:
    language = language_of("", file)
    assert trim(said, prefix=before, suffix=after, multiline=multiline, language=language)[0] == shown


def checked(file: str, old: str, new: str) -> None:
    lines = tuple((HERE / file).read_text("utf-8").split("\n"))
    at_line = next(n for n, line in enumerate(lines) if old in line)
    edit = LineEdit(at_line, at_line + 1, (lines[at_line].replace(old, new),))
    change = DocumentChange(f"file:///{file}", 1, (edit,))
    validated(change, Baseline(lines, language_of("", file)))


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("json/samples/shop.json", '"food": 0.026', '"food" 0.026'),
        ("json/samples/shop.json", '"width": 240,', '"width": 240, {'),
        ("toml/samples/shop.toml", "sunday = []", "sunday = ["),
        ("yaml/samples/shop.yaml", "currencies: [EUR", "currencies: {[EUR"),
        ("css/samples/shop.css", "grid-template-columns: 1fr;", "grid-template-columns: 1fr; }"),
    ],
)
def test_an_edit_that_breaks_a_file_is_refused(file: str, old: str, new: str) -> None:
    with pytest.raises(Unfit, match="syntax error"):
        checked(file, old, new)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("json/samples/shop.json", '"food": 0.026', '"food": [1, 2]'),
        ("toml/samples/shop.toml", "sunday = []", "sunday = [1]"),
        ("yaml/samples/shop.yaml", "currencies: [EUR", "currencies: [USD, EUR"),
        ("css/samples/shop.css", "text-align: right !important;", "text-align: left;"),
        ("sql/samples/shop.sql", "LIMIT 10;", "LIMIT 10 WITH (made, up) <> syntax;"),
        ("html/samples/shop.html", "<li>Brot", "{% for a in b %}<li>{{ a < b }}"),
        ("markdown/samples/shop.md", "Text.", "Text <b> [x](y *z"),
    ],
)
def test_an_edit_that_may_be_right_is_not(file: str, old: str, new: str) -> None:
    checked(file, old, new)


def test_a_place_in_the_middle_of_a_huge_file() -> None:
    text = json.dumps({f"k{i}": {"a": i, "b": [1, {"c": 2}]} for i in range(3000)}, indent=1)
    parsed = parsed_as("huge.json", text)
    assert Position(20_000, 0).line < parsed.snapshot.line_count
    shown = lines_shown(parsed, '"a": 1500,', 200)
    assert ' "k1500": {' in shown
    assert len(shown) < 100


def test_a_long_document_has_an_outline(workspace: Make) -> None:
    text = "# Guide\n\n" + "".join(
        f"## Part {i}\n\n{'words ' * 40}\n\n### More {i}\n\n{'x ' * 50}\n\n" for i in range(30)
    )
    there = workspace({"guide.md": text.replace("## Part 9\n", "## Part 9$0\n"), "short.md": "# A\n\n## B$0\n"})
    outline = there.blocks("guide.md")["scope:guide.md"].text.split("\n")
    assert outline[:4] == ["## Part 0", "### More 0", "## Part 1", "### More 1"]
    assert "## Part 9" not in outline
    assert "scope:short.md" not in there.blocks("short.md")
