"""Rust: which scope a line is in, what is visible there, what a type shows of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from palimpsest.completions.inline import trim
from palimpsest.syntax.imports import imports
from palimpsest.syntax.names import names_in
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import class_of, docstring, file_scope, parts, scope_at, signature
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

SAMPLE = Path(__file__).parent / "samples" / "cart.rs"


@pytest.fixture(scope="module")
def cart() -> Parsed:
    return sample(SAMPLE)


def test_the_scopes_of_a_file(cart: Parsed) -> None:
    assert cart.n_errors == 0
    assert outline(cart) == [
        ("class", "CartError", 16, 23),
        ("class", "Weight", 25, 25),
        ("class", "Line", 27, 33),
        ("class", "Priced", 35, 44),
        ("function", "Priced.price", 38, 39),
        ("function", "Priced.is_free", 41, 43),
        ("class", "Cart", 46, 54),
        ("class", "Cart", 56, 100),
        ("function", "Cart.new", 57, 59),
        ("function", "Cart.add", 61, 83),
        ("function", "Cart.total", 85, 99),
        ("class", "Line", 102, 106),
        ("function", "Line.price", 103, 105),
        ("class", "Cart", 108, 115),
        ("function", "Cart.fmt", 109, 114),
        ("function", "log", 117, 121),
        ("class", "Lines", 123, 123),
        ("function", "merged", 125, 129),
        ("namespace", "tests", 131, 145),
        ("function", "tests.filled", 135, 139),
        ("function", "tests.adds_twice", 141, 144),
    ]


def test_an_impl_belongs_to_its_type(cart: Parsed) -> None:
    add = scope_at(cart, line_of(cart, "return Err(CartError::Full)"), 0)
    assert (add.qualified_name, add.is_method, add.class_name) == ("Cart.add", True, "Cart")
    around = class_of(cart, add)
    assert around is not None
    assert [signature(cart, part) for part in parts(cart, around)] == [
        "pub struct Cart<'a>",
        "impl<'a> Cart<'a>",
        "impl<'a> fmt::Display for Cart<'a>",
    ]
    assert cart.language.bases(cart, scope_named(cart, "Priced")) == {"Debug"}
    assert cart.language.bases(cart, parts(cart, around)[2]) == {"Display"}


def test_a_type_in_an_impl_is_not_derived_from_its_trait() -> None:
    lines = parsed_as("lines.rs", "impl Iterator for Cart {\n    type Item = Line;\n}\n")
    assert lines.language.bases(lines, scope_named(lines, "Cart.Item")) == frozenset()


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("impl<T: Clone> shop::Cart<T> where T: Copy {}", "Cart"),
        ("impl<'a> IntoIterator for &'a mut Cart<'a> {}", "Cart"),
        ("impl Priced for [u8; 4] {}", "[u8; 4]"),
        ("impl Priced for &str {}", "str"),
        ("impl Priced for dyn Shop + Send {}", "dyn Shop + Send"),
        ("unsafe impl Send for *const u8 {}", "*const u8"),
    ],
)
def test_the_type_of_an_impl(written: str, name: str) -> None:
    assert outline(parsed_as("a.rs", written)) == [("class", name, 1, 1)]


def test_signatures(cart: Parsed) -> None:
    signatures = {name: signature(cart, scope_named(cart, name)) for name in ("Weight", "log", "Lines", "tests")}
    assert signatures == {
        "Weight": "pub struct Weight(pub f64)",
        "log": "macro_rules! log",
        "Lines": "type Lines<'a> = Vec<Line<'a>>",
        "tests": "mod tests",
    }
    total = scope_named(cart, "Cart.total")
    assert signature(cart, total) == "pub async fn total<F>(&self, rate: F) -> Price where F: Fn(&Line<'a>) -> f64"
    assert signature(cart, scope_named(cart, "Priced.price")) == "fn price(&self) -> Price"


def test_documentation_and_attributes_above_are_a_part_of_a_definition(cart: Parsed) -> None:
    for text in ("/// If the cart is full.", '#[must_use = "says'):
        assert scope_at(cart, line_of(cart, text), 0).qualified_name == "Cart.add"
    assert lines_shown(cart, "return Err(CartError::Full)")[0] == "    /// Adds `count` pieces."
    apart = parsed_as("a.rs", "// not about f\nfn f() {}\n\n/// about g\n\n#[test]\n/** more */\nfn g() {}\n")
    assert [scope_at(apart, line, 0).qualified_name for line in range(8)] == ["", "f", "", "", "", "g", "g", "g"]
    long = parsed_as("a.rs", "#[cfg(\n    test,\n)]\nfn f() {}\n")
    assert [scope_at(long, line, 0).qualified_name for line in range(4)] == ["f"] * 4


def test_documentation(cart: Parsed) -> None:
    assert docstring(cart, scope_named(cart, "Cart")) == (
        "Holds the lines of one buyer.\n\nLines with the same name are one line."
    )
    text = docstring(cart, scope_named(cart, "Cart.add")) or ""
    assert text.split("\n") == ["Adds `count` pieces.", "", "# Errors", "If the cart is full."]
    assert docstring(cart, file_scope(cart)) == "A cart, its lines and what they cost."


def test_a_struct_shows_its_fields_and_what_is_implemented_for_it(cart: Parsed) -> None:
    assert interface(cart, "Cart") == [
        "/// Holds the lines of one buyer.",
        "#[derive(Default)]",
        "pub struct Cart<'a> {",
        "    lines: Vec<Line<'a>>,",
        "    discount: Option<Discount>,",
        "    index: HashMap<&'a str, usize>,",
        "}",
        "impl<'a> Cart<'a> {",
        "    pub fn new() -> Self { ... }",
        '    #[must_use = "says whether there was room"]',
        "    pub fn add(&mut self, name: &'a str, price: Price, count: u32) -> Result<usize, CartError> { ... }",
        "    pub async fn total<F>(&self, rate: F) -> Price where F: Fn(&Line<'a>) -> f64 { ... }",
        "}",
        "impl<'a> fmt::Display for Cart<'a> {",
        "    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result { ... }",
        "}",
    ]


def test_traits_and_enums_show_their_members(cart: Parsed) -> None:
    assert interface(cart, "Priced") == [
        "pub trait Priced: fmt::Debug {",
        "    const FREE: bool = false;",
        "    fn price(&self) -> Price;",
        "    fn is_free(&self) -> bool { ... }",
        "}",
    ]
    assert interface(cart, "CartError") == [
        "/// What can go wrong with a cart.",
        "#[derive(Debug, Clone, PartialEq)]",
        "pub enum CartError {",
        "    Full,",
        "    Unknown(String),",
        "    Mixed { wanted: Currency, found: Currency },",
        "}",
    ]
    assert interface(cart, "Weight") == ["pub struct Weight(pub f64);"]


def test_names_that_are_visible_in_a_method(cart: Parsed) -> None:
    seen = names_at(cart, "return Err(CartError::Full)")
    assert seen[:10] == [
        "parameter: name: &'a str",
        "parameter: price: Price",
        "parameter: count: u32",
        "local: at",
        "local: found",
        "local: line",
        "local: free",
        "attribute: self.lines: Vec<Line<'a>>",
        "attribute: self.discount: Option<Discount>",
        "attribute: self.index: HashMap<&'a str, usize>",
    ]
    assert seen[14:] == [
        "class: pub enum CartError",
        "class: pub struct Weight(pub f64)",
        "class: pub struct Line<'a>",
        "class: pub trait Priced: fmt::Debug",
        "class: pub struct Cart<'a>",
        "function: macro_rules! log",
        "class: type Lines<'a> = Vec<Line<'a>>",
        "function: pub fn merged<'a>(first: Lines<'a>, second: &Lines<'a>) -> Lines<'a>",
        "class: mod tests",
        "constant: MAX_LINES: usize",
        "constant: GREETING: &str",
        "import: use std::collections::hash_map::Entry;",
        "import: use std::collections::HashMap;",
        "import: use std::fmt;",
        "import: use crate::money;",
        "import: use crate::money::Price;",
        "import: use crate::money::Währung as Currency;",
        "import: mod discounts;",
        "import: use discounts::Discount;",
    ]


def test_names_of_patterns() -> None:
    text = """\
fn f(pair: (u8, u8)) {
    let (first, mut second) = pair;
    let Some(inner) = found else { return };
    match value {
        Shape::Square { side: width, ref height } if width > 1 => 1,
        start @ (1 | MAX) | Shape::Line(start, ..) => 2,
        [head, .., tail @ ..] => 3,
        &None | _ => 4,
    };
    while let Ok(&mut next) = more() {}
    done();
}
"""
    seen = names_at(parsed_as("a.rs", text), "done();")
    names = ["first", "second", "inner", "width", "height", "start", "head", "tail", "next"]
    assert seen[1:10] == [f"local: {name}" for name in names]


def test_an_inline_module_has_names_of_its_own(cart: Parsed) -> None:
    assert names_at(cart, "cart.add(")[:3] == [
        "local: cart = Cart::new(...)",
        "function: fn filled() -> Cart<'static>",
        "function: fn adds_twice()",
    ]
    assert not any("filled" in name for name in names_at(cart, "return Err(CartError::Full)"))


def test_used_names_and_members(cart: Parsed) -> None:
    line = line_of(cart, "write!(out,")
    assert names_in(cart, line, line + 1) == {"write", "out"}
    line = line_of(cart, "money::rounded(sum)")
    assert names_in(cart, line, line + 1) == {"money", "sum"}


def test_imports(cart: Parsed) -> None:
    assert [(item.module, item.name, item.alias) for item in imports(cart)] == [
        ("std::collections::hash_map", "Entry", None),
        ("std::collections", "HashMap", None),
        ("std", "fmt", None),
        ("crate", "money", None),
        ("crate::money", "Price", None),
        ("crate::money", "Währung", "Currency"),
        ("crate::shop", "*", None),
        ("self", "discounts", None),
        ("discounts", "Discount", None),
        ("super", "*", None),
    ]
    text = 'extern crate serde as s;\nuse ::rand;\nuse {a::b as _, super::super::c::*};\n#[path = "x.rs"]\npub mod y;\n'
    parsed = parsed_as("a.rs", text)
    assert [(item.module, item.name, item.alias) for item in imports(parsed)] == [
        ("serde", None, "s"),
        ("rand", None, None),
        ("a", "b", "_"),
        ("super::super::c", "*", None),
        ("self", "y", None),
    ]


def test_editing_blocks(cart: Parsed) -> None:
    def block(text: str) -> tuple[str, str]:
        return editing(cart, text).type, editing(cart, text).name

    assert block("return Err(CartError::Full)") == ("function", "Cart.add")
    assert block("discount: Option<Discount>,") == ("class", "Cart")
    assert block("fn price(&self) -> Price;") == ("class", "Priced")
    assert block("println!($($part)*)") == ("function", "log")
    assert block("use super::*;") == ("class", "tests")
    assert block("pub struct Weight") == ("file", cart.language.module_name("cart.rs"))
    shown = lines_shown(cart, "pub struct Weight")
    assert "pub enum CartError {" in shown
    assert "    Full," not in shown


def test_where_a_block_is_missing() -> None:
    assert missing("a.rs", "fn f() {\n    |\n}\n") == "block"
    assert missing("a.rs", "fn f() {\n    let x = |\n    g();\n}\n") == "line"
    assert missing("a.rs", "fn f() {\n    if x {\n        |\n    }\n    g();\n}\n") == "block"
    assert missing("a.rs", "impl A {\n    |\n}\n") == "block"
    assert missing("a.rs", "fn f() {\n    match x {\n        |\n    }\n}\n") == "block"


def test_a_completion_ends_with_its_block() -> None:
    rust = parsed_as("a.rs", "").language
    text = " {\n    let a: &'static str = r#\"}\"#;\n    '}'\n}\n\nfn g() {}\n"
    assert (
        trim(text, prefix="fn f() -> char", suffix="\n", multiline=True, language=rust)[0]
        == text[: -len("\n\nfn g() {}\n")]
    )
    assert trim("g('(')) + 2", prefix="x = f(", suffix=")", multiline=False, language=rust)[0] == "g('(')"


def test_windows_line_ends() -> None:
    text = SAMPLE.read_text(encoding="utf-8")
    windows, unix = parsed_as("a.rs", text.replace("\n", "\r\n")), parsed_as("a.rs", text)
    assert outline(windows) == outline(unix)
    assert interface(windows, "Cart") == interface(unix, "Cart")


def test_half_typed_code() -> None:
    type_it("cart.rs", SAMPLE.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("whole", "typed"),
    [
        ("self.lines.push(line);", "self.lines.push(Line { na"),
        ("if self.lines.len() >= MAX_LINES {", "if self.lines.len("),
        ("return Err(CartError::Full);", 'return Err(CartError::from("fu'),
        ("line.count += count;", "for other in self.lines.iter() {"),
        ("let share = rate(line);", "let share = match rate(line) { Some("),
    ],
)
def test_a_half_typed_line_leaves_its_function(whole: str, typed: str) -> None:
    text = SAMPLE.read_text(encoding="utf-8")
    name = "Cart.total" if "share" in whole else "Cart.add"
    parsed = parsed_as("cart.rs", text.replace(whole, typed))
    block = editing(parsed, typed)
    assert (block.type, block.name) == ("function", name)
    assert "merged" in [scope for _, scope, _, _ in outline(parsed)]
