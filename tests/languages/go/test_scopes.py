"""Go: which scope a line is in, what is visible there, what a type shows of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from palimpsest.completions.inline import trim
from palimpsest.syntax.imports import imports
from palimpsest.syntax.names import names_in
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import class_of, docstring, file_scope, members, scope_at, signature
from tests.languages.reading import (
    editing,
    interface,
    line_of,
    lines_shown,
    missing,
    names_at,
    outline,
    parsed_as,
    sample,
    scope_named,
    type_it,
)

SAMPLE = Path(__file__).parent / "samples" / "cart.go"


@pytest.fixture(scope="module")
def cart() -> Parsed:
    return sample(SAMPLE)


def test_types_functions_and_methods_are_scopes(cart: Parsed) -> None:
    assert cart.n_errors == 0
    assert outline(cart) == [
        ("class", "State", 27, 28),
        ("class", "Priced", 30, 36),
        ("function", "Priced.Price", 33, 34),
        ("function", "Priced.IsFree", 35, 35),
        ("class", "Line", 39, 44),
        ("class", "handler", 46, 46),
        ("class", "number", 47, 47),
        ("class", "Cart", 50, 59),
        ("class", "owner", 61, 61),
        ("function", "New", 63, 72),
        ("function", "Cart.Add", 74, 94),
        ("function", "Cart.told", 96, 106),
        ("function", "Cart.Total", 108, 114),
        ("function", "State.String", 116, 119),
        ("function", "Map", 121, 128),
        ("function", "describe", 130, 139),
    ]


def test_a_method_belongs_to_its_receivers_type(cart: Parsed) -> None:
    add = scope_at(cart, line_of(cart, "defer c.Unlock"), 0)
    assert (add.qualified_name, add.is_method, add.class_name) == ("Cart.Add", True, "Cart")
    around = class_of(cart, add)
    assert around is not None
    assert signature(cart, around) == "type Cart struct"
    assert [scope.name for scope in members(cart, around)] == ["Add", "told", "Total"]


def test_signatures(cart: Parsed) -> None:
    signatures = {scope: signature(cart, scope_named(cart, scope)) for scope in ("Line", "State", "handler", "Map")}
    assert signatures == {
        "Line": "type Line struct",
        "State": "type State int",
        "handler": "type handler func(line *Line) error",
        "Map": "func Map[T any, U number](items []T, apply func(item T) U) []U",
    }
    assert (
        signature(cart, scope_named(cart, "Cart.Add"))
        == "func (c *Cart) Add(name string, price money.Amount, count int) (added *Line, err error)"
    )


def test_a_comment_above_is_a_part_of_what_it_is_about(cart: Parsed) -> None:
    assert scope_at(cart, line_of(cart, "// It fails if the cart is full."), 0).qualified_name == "Cart.Add"
    assert scope_at(cart, line_of(cart, "// Line is what is bought"), 0).qualified_name == "Line"
    apart = parsed_as("a.go", "package a\n\n// not about f\n\nfunc f() {}\n")
    assert scope_at(apart, 2, 0).kind == "file"
    behind = parsed_as("a.go", "package a\n\nvar x = 1 // about x\nfunc f() {}\n")
    assert scope_at(behind, 2, 0).kind == "file"
    assert lines_shown(cart, "defer c.Unlock()")[0] == "// Add adds some pieces."


def test_documentation(cart: Parsed) -> None:
    text = docstring(cart, scope_named(cart, "Cart")) or ""
    assert text.split("\n") == ["Cart holds the lines of one buyer.", "", "Lines with the same name are one line."]
    assert docstring(cart, file_scope(cart)) == "Package cart holds what a buyer wants, and what it costs."


def test_a_struct_shows_its_fields_and_its_methods(cart: Parsed) -> None:
    assert interface(cart, "Cart") == [
        "// Cart holds the lines of one buyer.",
        "type Cart struct {",
        "\tsync.Mutex",
        "\t*owner",
        "\tlines    []*Line",
        "\tbyName   map[string]*Line",
        "\tonAdd, onDrop handler",
        "}",
        "func (c *Cart) Add(name string, price money.Amount, count int) (added *Line, err error) { ... }",
        "func (c *Cart) told(line *Line, more handler) error { ... }",
        "func (c Cart) Total(rate float64) (total money.Amount) { ... }",
    ]


def test_an_interface_shows_its_methods(cart: Parsed) -> None:
    assert interface(cart, "Priced") == [
        "// Priced has a price.",
        "type Priced interface {",
        "\tfmt.Stringer",
        "\tPrice(rate float64) (money.Amount, error)",
        "\tIsFree() bool",
        "}",
    ]
    assert interface(cart, "State") == [
        "// State is what has been done with a cart.",
        "type State int",
        "func (State) String() string { ... }",
    ]


def test_names_that_are_visible_in_a_method(cart: Parsed) -> None:
    assert names_at(cart, "defer c.Unlock()")[:17] == [
        "parameter: c *Cart",
        "parameter: name string",
        "parameter: price money.Amount",
        "parameter: count int",
        "parameter: added *Line",
        "parameter: err error",
        "local: line",
        "local: ok",
        "local: quote = '\"'",
        "attribute: c.Mutex sync.Mutex",
        "attribute: c.owner *owner",
        "attribute: c.lines []*Line",
        "attribute: c.byName map[string]*Line",
        "attribute: c.onAdd handler",
        "attribute: c.onDrop handler",
        "method: func (c *Cart) Add(name string, price money.Amount, count int) (added *Line, err error)",
        "method: func (c *Cart) told(line *Line, more handler) error",
    ]
    assert names_at(cart, "defer c.Unlock()")[-11:] == [
        "constant: MaxLines = 64",
        "constant: ErrFull = errors.New(...)",
        "constant: Open State",
        "constant: Ordered",
        "constant: Größer",
        "constant: Kleiner",
        'import: import "errors"',
        'import: import "fmt"',
        'import: import "sync"',
        'import: import m "math"',
        'import: import "example.com/shop/money/v2"',
    ]


def test_locals_of_loops_switches_and_conditions(cart: Parsed) -> None:
    assert names_at(cart, "if handle == nil {")[:6] == [
        "parameter: c *Cart",
        "parameter: line *Line",
        "parameter: more handler",
        "local: i",
        "local: handle",
        "local: err = handle(...)",
    ]
    assert "local: known" in names_at(cart, "return known.name")
    assert "local: mapped = make(...)" in names_at(cart, "apply(item))")


def test_the_receiver_without_a_name_has_no_members() -> None:
    parsed = parsed_as(
        "a.go", "package a\n\ntype T struct{ x int }\n\nfunc (T) String(prefix string) string {\n\treturn\n}\n"
    )
    assert names_at(parsed, "return")[:2] == ["parameter: prefix string", "class: type T struct"]


def test_used_names_and_members(cart: Parsed) -> None:
    line = line_of(cart, "added = &Line{")
    assert names_in(cart, line, line + 1) == {"added", "Line", "name", "count", "price"}


def test_imports(cart: Parsed) -> None:
    found = [(item.module, item.name, item.bound) for item in imports(cart)]
    assert found[3:] == [("math", None, "m"), ("example.com/shop/money/v2", None, "money")]
    text = 'package a\n\nimport . "strings"\nimport _ "embed"\nimport "gopkg.in/yaml.v3"\nimport "a.org/go-redis"\n'
    found = [(item.module, item.name, item.bound) for item in imports(parsed_as("a.go", text))]
    assert found == [
        ("strings", "*", "*"),
        ("embed", None, "_"),
        ("gopkg.in/yaml.v3", None, "yaml"),
        ("a.org/go-redis", None, "redis"),
    ]


def test_editing_blocks(cart: Parsed) -> None:
    assert (editing(cart, "defer c.Unlock()").type, editing(cart, "defer c.Unlock()").name) == ("function", "Cart.Add")
    assert (editing(cart, "onAdd, onDrop").type, editing(cart, "onAdd, onDrop").name) == ("class", "Cart")
    inside = editing(cart, "IsFree() bool")
    assert (inside.type, inside.name) == ("class", "Priced")  # a signature alone is no place to write in
    shown = lines_shown(cart, "Open State = iota")
    assert "type Cart struct {" in shown
    assert "\tlines    []*Line" not in shown


def test_where_a_block_is_missing() -> None:
    assert missing("a.go", "package a\n\nfunc f() {\n\t|\n}\n") == "block"
    assert missing("a.go", "package a\n\nfunc f() {\n\tx := |\n\tg()\n}\n") == "line"
    assert missing("a.go", "package a\n\nfunc f() {\n\tif x {\n\t\t|\n\t}\n\tg()\n}\n") == "block"


def test_a_completion_ends_with_its_block() -> None:
    text = ' {\n\treturn `}` + "}"\n}\n\nfunc g() {}\n'
    go = parsed_as("a.go", "").language
    assert (
        trim(text, prefix="func f() string", suffix="\n", multiline=True, language=go)[0] == ' {\n\treturn `}` + "}"\n}'
    )
    assert trim("g('(')) + 2", prefix="x = f(", suffix=")", multiline=False, language=go)[0] == "g('(')"


def test_windows_line_ends() -> None:
    text = SAMPLE.read_text(encoding="utf-8")
    windows, unix = parsed_as("a.go", text.replace("\n", "\r\n")), parsed_as("a.go", text)
    assert outline(windows) == outline(unix)
    assert interface(windows, "Cart") == interface(unix, "Cart")


def test_half_typed_code() -> None:
    type_it("cart.go", SAMPLE.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("whole", "typed"),
    [
        ("added = &Line{Name: name, Count: count, price: price}", "added = &Line{Name: na"),
        ("if len(c.lines) >= MaxLines {", "if len(c.lines"),
        ("return nil, ErrFull", 'return nil, errors.New("fu'),
        ("c.byName[name] = added", "for i, other := range c.lines {"),
        ("defer c.Unlock()", "defer func() {"),
    ],
)
def test_a_half_typed_line_leaves_its_function(whole: str, typed: str) -> None:
    parsed = parsed_as("cart.go", SAMPLE.read_text(encoding="utf-8").replace(whole, typed))
    block = editing(parsed, typed)
    assert (block.type, block.name) == ("function", "Cart.Add")
    assert "describe" in [scope for _, scope, _, _ in outline(parsed)]


def test_what_is_said_to_tools_is_no_documentation() -> None:
    parsed = parsed_as("a.go", "// Adds.\n//\n//go:noinline\nfunc add() {}\n\n//go:linkname f g\nfunc f() {}\n")
    assert docstring(parsed, scope_named(parsed, "add")) == "Adds."
    assert docstring(parsed, scope_named(parsed, "f")) is None
