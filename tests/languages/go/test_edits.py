"""Go: errors that an edit makes, and the places that follow an edit."""

from __future__ import annotations

from pathlib import Path

import pytest

from palimpsest.edits.misspelt import slips
from palimpsest.edits.validate import Baseline, Unfit, validated
from palimpsest.next_edits.changes import ImportChange, Rename, SignatureChange
from palimpsest.types import DocumentChange, LineEdit
from tests.languages.reading import sample
from tests.next_edits.conftest import Workspace, workspace

SAMPLE = Path(__file__).parent / "samples" / "cart.go"
CART = "cart/cart.go"
LINE = "cart/line.go"
TILL = "till/till.go"
CART_TEXT = """\
package cart

type Cart struct {
	size int
	last *Line
}

func New(size int) *Cart {
	return &Cart{size: size}
}

func (c *Cart) Add(name string, count int) *Line {
	c.size += count
	if size := count; size > 1 {
		c.last = &Line{Name: name, Count: size}
	}
	for i := 0; i < c.size; i++ {
		c.Add("x", i)
	}
	for i := 9; i > 0; i-- {
		c.size--
	}
	return c.last
}
"""
LINE_TEXT = """\
package cart

type Line struct {
	Name  string
	Count int
}

func (l *Line) Split(cart *Cart, bag Bag) *Cart {
	cart.Add(l.Name, l.Count)
	bag.Add(l.Name, l.Count)
	return New(cart.size)
}

func (l *Line) Add(n int) { l.Count += n }
"""
TILL_TEXT = """\
package till

import (
	"example.com/shop/cart"
)

func Pay(open *cart.Cart, line cart.Line) {
	open.Add("tax", 1)
	line.Add(2)
	made := cart.New(3)
	made.Add("more", 4)
	other := &cart.Cart{}
	other.Add("again", 5)
}
"""


@pytest.fixture
def shop() -> Workspace:
    return workspace({CART: CART_TEXT, LINE: LINE_TEXT, TILL: TILL_TEXT})


def names(lines: list[str]) -> list[str]:
    return [line.rpartition("/")[2] for line in lines]


def edited(before: str, after: str) -> list[str]:
    lines = tuple(SAMPLE.read_text(encoding="utf-8").split("\n"))
    at = next(n for n, line in enumerate(lines) if before in line)
    edit = LineEdit(at, at + 1, (lines[at].replace(before, after),))
    change = DocumentChange("file:///cart.go", 1, (edit,))
    return list(validated(change, Baseline(lines, sample(SAMPLE).language)).flags)


def test_an_edit_that_breaks_the_syntax_is_refused() -> None:
    with pytest.raises(Unfit, match="syntax error"):
        edited("c.lines = append(c.lines, added)", "c.lines = append(c.lines, added")
    with pytest.raises(Unfit, match="syntax error"):
        edited("if handle == nil {", "if handle == nil")


def test_an_edit_that_defines_a_method_twice_is_refused() -> None:
    with pytest.raises(Unfit, match=r"Cart\.Add"):
        edited("func (c *Cart) told(line *Line, more handler) error {", "func (c *Cart) Add(line *Line) error {")
    assert edited("func (c *Cart) told(line", "func (c *Cart) String(line") == []  # as another type has it
    assert edited("func describe(value any) string {", "func init() {\n}\n\nfunc init() {") == []


def test_an_edit_of_layout_or_comments_alone_is_marked() -> None:
    assert edited("len(c.lines) >= MaxLines", "len( c.lines ) >= MaxLines") == ["formatting only"]
    assert edited("// It fails if the cart is full.", "// It fails.") == ["comments only"]


def test_no_name_is_taken_for_misspelt_that_another_file_of_the_package_may_define() -> None:
    parsed = sample(SAMPLE)
    assert slips(parsed, 0, parsed.snapshot.line_count) == []


def test_a_renamed_type_is_followed_in_its_file_and_where_its_package_is_imported(shop: Workspace) -> None:
    shop.edit(CART, ("type Cart struct", "type Basket struct"))
    assert shop.changes == (Rename(f"file:///{CART}", "class", "", "Cart", "Basket"),)
    assert names(shop.lines()) == [
        "cart.go: func New(size int) *Basket {",
        "cart.go: return &Basket{size: size}",
        "cart.go: func (c *Basket) Add(name string, count int) *Line {",
        "line.go: func (l *Line) Split(cart *Basket, bag Bag) *Cart {",
        "line.go: func (l *Line) Split(cart *Cart, bag Bag) *Basket {",
        "till.go: func Pay(open *cart.Basket, line cart.Line) {",
        "till.go: other := &cart.Basket{}",
    ]


def test_a_renamed_method_is_followed_where_the_type_is_known(shop: Workspace) -> None:
    shop.edit(CART, (") Add(name", ") Put(name"))
    assert shop.changes == (Rename(f"file:///{CART}", "attribute", "Cart", "Add", "Put"),)
    assert names(shop.lines()) == [
        'cart.go: c.Put("x", i)',
        "line.go: cart.Put(l.Name, l.Count)",
        'till.go: open.Put("tax", 1)',
        'till.go: other.Put("again", 5)',
    ]


def test_a_renamed_field_is_followed(shop: Workspace) -> None:
    shop.edit(CART, ("\tsize int\n", "\ttotal int\n"))
    assert names(shop.lines()) == [
        "cart.go: return &Cart{total: size}",
        "cart.go: c.total += count",
        "cart.go: for i := 0; i < c.total; i++ {",
        "cart.go: c.total--",
        "line.go: return New(cart.total)",
    ]


def test_a_renamed_local_is_followed_in_its_block_only(shop: Workspace) -> None:
    shop.edit(CART, ("for i := 0;", "for k := 0;")).follow()
    assert 'for k := 0; k < c.size; k++ {\n\t\tc.Add("x", k)' in shop.texts[CART]
    assert "for i := 9; i > 0; i-- {" in shop.texts[CART]


def test_a_renamed_parameter_is_followed_in_its_function(shop: Workspace) -> None:
    shop.edit(CART, ("Add(name string, count int)", "Add(name string, pieces int)"))
    assert names(shop.lines()) == ["cart.go: c.size += pieces", "cart.go: if size := pieces; size > 1 {"]


def test_a_changed_signature_is_followed_by_calls(shop: Workspace) -> None:
    shop.edit(CART, ("Add(name string, count int)", "Add(count int, name string)"))
    assert isinstance(shop.changes[0], SignatureChange)
    assert names(shop.lines()) == [
        'cart.go: c.Add(i, "x")',
        "line.go: cart.Add(l.Count, l.Name)",
        'till.go: open.Add(1, "tax")',
        'till.go: other.Add(5, "again")',
    ]


def test_a_changed_function_is_followed_in_other_files(shop: Workspace) -> None:
    shop.edit(CART, ("func New(size int)", "func New(size int, name string)"))
    assert names(shop.lines()) == ["line.go: return New(cart.size, )", "till.go: made := cart.New(3, )"]


def test_a_moved_package_is_followed() -> None:
    other = 'package a\n\nimport "example.com/shop/cart"\n\nvar c = cart.New(1)\n'
    shop = workspace({TILL: TILL_TEXT, "a/a.go": other})
    shop.edit(TILL, ("shop/cart", "shop/basket"))
    assert not any(isinstance(change, ImportChange) for change in shop.changes)  # other files may mean either
