"""Rust: errors that an edit makes, misspelt names, and the places that follow an edit."""

from __future__ import annotations

from pathlib import Path

import pytest

from palimpsest.edits.misspelt import slips
from palimpsest.edits.validate import Baseline, Unfit, validated
from palimpsest.next_edits.changes import AsyncChange, Rename, SignatureChange
from palimpsest.types import DocumentChange, LineEdit
from tests.languages.reading import parsed_as, sample
from tests.next_edits.conftest import Workspace, workspace

SAMPLE = Path(__file__).parent / "samples" / "cart.rs"
CART = "src/cart.rs"
TILL = "src/till.rs"
CART_TEXT = """\
pub struct Cart {
    size: usize,
    last: Option<Line>,
}

impl Cart {
    pub fn new(size: usize) -> Self {
        Cart { size, last: None }
    }

    pub fn add(&mut self, name: &str, count: usize) -> usize {
        self.size += count;
        if let Some(line) = &self.last {
            line.touch(name);
        }
        for i in 0..self.size {
            self.add("x", i);
        }
        for i in 0..9 {
            self.size -= i;
        }
        self.size
    }
}

pub struct Line {
    pub size: usize,
}

impl Line {
    pub fn add(&mut self, count: usize) {
        self.size += count;
    }

    pub fn touch(&self, name: &str) {}
}

pub fn twice(cart: &mut Cart, times: usize) -> usize {
    cart.add("twice", times)
}
"""
TILL_TEXT = """\
use crate::cart::{self, Cart, Line};

pub fn pay(open: &mut Cart, line: &mut Line) -> usize {
    open.add("tax", 1);
    line.add(2);
    let mut made = Cart::new(3);
    made.add("more", 4);
    println!("{}", made.add("macro", 5));
    cart::twice(open, 6)
}

mod cheap {
    use super::*;

    fn free() -> Cart {
        Cart::new(0)
    }
}
"""


@pytest.fixture
def shop() -> Workspace:
    return workspace({CART: CART_TEXT, TILL: TILL_TEXT})


def names(lines: list[str]) -> list[str]:
    return [line.rpartition("src/")[2] for line in lines]


def edited(before: str, after: str) -> list[str]:
    lines = tuple(SAMPLE.read_text(encoding="utf-8").split("\n"))
    at = next(n for n, line in enumerate(lines) if before in line)
    edit = LineEdit(at, at + 1, (lines[at].replace(before, after),))
    change = DocumentChange("file:///cart.rs", 1, (edit,))
    return list(validated(change, Baseline(lines, sample(SAMPLE).language)).flags)


def slips_in(text: str) -> list[tuple[str, tuple[str, ...]]]:
    parsed = parsed_as("cart.rs", text)
    return [(slip.name, slip.meant) for slip in slips(parsed, 0, parsed.snapshot.line_count)]


def test_an_edit_that_breaks_the_syntax_is_refused() -> None:
    with pytest.raises(Unfit, match="syntax error"):
        edited("self.lines.push(line);", "self.lines.push(line;")
    with pytest.raises(Unfit, match="syntax error"):
        edited("let mut sum = Price::zero();", "let mut = Price::zero();")


def test_an_edit_that_defines_a_function_twice_is_refused_and_an_impl_is_none() -> None:
    with pytest.raises(Unfit, match=r"Cart\.new"):
        edited("pub async fn total<F>(&self, rate: F) -> Price", "pub async fn new<F>(&self, rate: F) -> Price")
    assert edited("impl Priced for Line<'_> {", "impl Priced for Cart<'_> {") == []
    assert edited("    pub async fn total<F>(", "    #[cfg(unix)] pub fn new<F>(") == []


def test_an_edit_of_layout_or_comments_alone_is_marked() -> None:
    assert edited("self.lines.push(line);", "self.lines.push( line );") == ["formatting only"]
    assert edited("/// If the cart is full.", "/// If it is full.") == ["comments only"]


def test_a_misspelt_name_is_found() -> None:
    assert slips_in(CART_TEXT.replace("self.size += count;", "self.size += cuont;", 1)) == [("cuont", ("count",))]
    assert slips_in(CART_TEXT.replace("-> usize {\n    cart", "-> uszie {\n    cart")) == [("uszie", ("usize",))]
    inner = "\nmod tests {\n    use super::*;\n}\n"
    assert slips_in(CART_TEXT.replace("last: Option<Line>", "last: Option<Lime>") + inner) == [("Lime", ("Line",))]


@pytest.mark.parametrize(
    "line",
    [
        "use crate::names::*;",
        "fn f(count: usize) { log!(cuont); }",
        "fn f(count: usize) { cuont!(); }",
        "#[cfg(cuont)] fn f(count: usize) {}",
        "fn f(count: usize) { cuont::g(); }",
        "fn f<'count>(x: &'count str) { 'cuont: loop { break 'cuont; } }",
    ],
)
def test_what_may_be_defined_elsewhere_is_not_misspelt(line: str) -> None:
    used = "    let cuont = 1;\n" if "use " in line else ""
    assert slips_in(f"{line}\n\nfn g(count: usize) -> usize {{\n{used}    count\n}}\n") == []
    assert slips_in("use crate::names::*;\n\nfn g(count: usize) -> usize { cuont }\n") == []


def test_known_names_are_not_misspelt() -> None:
    assert slips_in(SAMPLE.read_text(encoding="utf-8")) == []
    assert slips_in(TILL_TEXT) == []


def test_a_renamed_struct_is_followed_where_it_is_imported(shop: Workspace) -> None:
    shop.edit(CART, ("pub struct Cart", "pub struct Basket"))
    assert shop.changes == (Rename(f"file:///{CART}", "class", "", "Cart", "Basket"),)
    assert names(shop.lines()) == [
        "cart.rs: impl Basket {",
        "cart.rs: Basket { size, last: None }",
        "cart.rs: pub fn twice(cart: &mut Basket, times: usize) -> usize {",
        "till.rs: use crate::cart::{self, Basket, Line};",
        "till.rs: pub fn pay(open: &mut Basket, line: &mut Line) -> usize {",
        "till.rs: let mut made = Basket::new(3);",
        "till.rs: fn free() -> Basket {",
        "till.rs: Basket::new(0)",
    ]


def test_a_renamed_method_is_followed_where_the_type_is_known(shop: Workspace) -> None:
    shop.edit(CART, ("fn add(&mut self, name", "fn put(&mut self, name"))
    assert shop.changes == (Rename(f"file:///{CART}", "attribute", "Cart", "add", "put"),)
    assert names(shop.lines()) == [
        'cart.rs: self.put("x", i);',
        'cart.rs: cart.put("twice", times)',
        'till.rs: open.put("tax", 1);',
        'till.rs: made.put("more", 4);',
    ]


def test_a_renamed_field_is_followed(shop: Workspace) -> None:
    shop.edit(CART, ("    last: Option<Line>", "    latest: Option<Line>"))
    assert names(shop.lines()) == [
        "cart.rs: Cart { size, latest: None }",
        "cart.rs: if let Some(line) = &self.latest {",
    ]


def test_a_renamed_function_is_followed_behind_its_module(shop: Workspace) -> None:
    shop.edit(CART, ("fn twice(", "fn double("))
    assert names(shop.lines()) == ["till.rs: cart::double(open, 6)"]


def test_a_renamed_function_is_followed_in_tests_and_binaries_which_name_the_package() -> None:
    used = "use web_shop::cart;\n\nfn main() {\n    cart::twice(1);\n}\n"
    other = used.replace("web_shop::cart", "std::cart")
    files = {CART: CART_TEXT, "src/main.rs": used, "tests/pay.rs": used, "src/other.rs": used, "tests/other.rs": other}
    there = workspace(files)
    there.edit(CART, ("fn twice(", "fn double("))
    assert sorted(there.lines()) == ["src/main.rs: cart::double(1);", "tests/pay.rs: cart::double(1);"]


def test_a_renamed_local_is_followed_in_its_block_only(shop: Workspace) -> None:
    shop.edit(CART, ("for i in 0..self", "for k in 0..self")).follow()
    assert 'self.add("x", k);' in shop.texts[CART]
    assert "self.size -= i;" in shop.texts[CART]


def test_a_renamed_parameter_is_followed_in_its_function(shop: Workspace) -> None:
    shop.edit(CART, ("add(&mut self, name: &str", "add(&mut self, label: &str"))
    assert names(shop.lines()) == ["cart.rs: line.touch(label);"]


def test_a_renamed_name_leaves_the_field_that_it_is_short_for(shop: Workspace) -> None:
    shop.edit(CART, ("pub fn new(size: usize)", "pub fn new(number: usize)"))
    assert names(shop.lines()) == ["cart.rs: Cart { size: number, last: None }"]


def test_a_changed_signature_is_followed_by_calls(shop: Workspace) -> None:
    shop.edit(CART, ("(&mut self, name: &str, count: usize)", "(&mut self, count: usize, name: &str)"))
    assert isinstance(shop.changes[0], SignatureChange)
    assert names(shop.lines()) == [
        'cart.rs: self.add(i, "x");',
        'cart.rs: cart.add(times, "twice")',
        'till.rs: open.add(1, "tax");',
        'till.rs: made.add(4, "more");',
    ]


def test_a_changed_associated_function_is_followed_by_calls(shop: Workspace) -> None:
    shop.edit(CART, ("pub fn new(size: usize)", "pub fn new(size: usize, open: bool)"))
    assert names(shop.lines()) == ["till.rs: let mut made = Cart::new(3, open);", "till.rs: Cart::new(0, )"]


def test_a_function_that_became_asynchronous_is_awaited(shop: Workspace) -> None:
    shop.texts[CART] = CART_TEXT.replace("pub fn twice", "pub async fn twice")
    shop.edit(CART, ("pub fn add", "pub async fn add"))
    assert any(isinstance(change, AsyncChange) for change in shop.changes)
    assert names(shop.lines()) == ['cart.rs: self.add("x", i).await;', 'cart.rs: cart.add("twice", times).await']
