"""Kotlin: errors that an edit makes, misspelt names, and the places that follow an edit."""

from __future__ import annotations

from pathlib import Path

import pytest

from palimpsest.edits.misspelt import slips
from palimpsest.edits.validate import Baseline, Unfit, validated
from palimpsest.types import DocumentChange, LineEdit
from tests.languages.reading import parsed_as, sample
from tests.next_edits.conftest import Workspace, workspace

SAMPLE = Path(__file__).parent / "samples" / "Cart.kt"
CART = "core/src/main/kotlin/shop/cart/Cart.kt"
LINE = "core/src/main/kotlin/shop/cart/Line.kt"
TILL = "till/src/main/kotlin/shop/till/Till.kt"
CART_TEXT = """\
package shop.cart

class Cart(size: Int) {
    private var total = size
    private var last: Line? = null

    fun add(name: String, count: Int = 1): Line {
        total += count
        this.total++
        val line = Line(name, count)
        last = line
        return line
    }

    fun twice(): Int {
        for (i in 0 until total) {
            println(i)
        }
        for (i in 9 downTo 0) {
            add("x", count = i)
        }
        return total
    }
}

fun emptied(cart: Cart, hard: Boolean): Cart = cart
"""
LINE_TEXT = """\
package shop.cart

data class Line(val name: String, val count: Int) {
    fun split(cart: Cart): Cart {
        cart.add(name, count)
        return emptied(Cart(1), true)
    }
}
"""
TILL_TEXT = """\
package shop.till

import shop.cart.Cart
import shop.cart.emptied as clean

class Till : Cart(0) {
    fun pay(cart: Cart): List<Cart> {
        return listOf(Cart(3), clean(cart, false))
    }
}
"""


@pytest.fixture
def shop() -> Workspace:
    return workspace({CART: CART_TEXT, LINE: LINE_TEXT, TILL: TILL_TEXT})


def names(lines: list[str]) -> list[str]:
    return [line.rpartition("/")[2] for line in lines]


def misspelt(*changes: tuple[str, str]) -> list[tuple[str, tuple[str, ...]]]:
    text = CART_TEXT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    parsed = parsed_as("Cart.kt", text)
    return [(slip.name, slip.meant) for slip in slips(parsed, 0, parsed.snapshot.line_count)]


def test_an_edit_that_breaks_the_syntax_is_refused() -> None:
    lines = tuple(SAMPLE.read_text(encoding="utf-8").split("\n"))
    at = next(n for n, line in enumerate(lines) if "lines.add(line)" in line)
    edit = LineEdit(at, at + 1, ("        lines.add(line",))
    change = DocumentChange("file:///Cart.kt", 1, (edit,))
    with pytest.raises(Unfit, match="syntax error"):
        validated(change, Baseline(lines, sample(SAMPLE).language))


def test_a_misspelt_name_is_found() -> None:
    assert misspelt(("Line(name, count)", "Line(nmae, count)")) == [("nmae", ("name",))]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("class Cart(size: Int)", "class Cart(size: Int) : Basket()"),
        ("package shop.cart", "package shop.cart\nimport shop.names.*"),
        ("Line(nmae, count)", "Line(nmae(), count)"),
        ("Line(nmae, count)", "run { Line(nmae, count) }"),
        ("Line(nmae, count)", "Line(Nmae, count)"),
    ],
)
def test_a_name_that_may_be_elsewhere_is_not_misspelt(before: str, after: str) -> None:
    assert misspelt(("Line(name, count)", "Line(nmae, count)"), (before, after)) == []


def test_known_names_are_not_misspelt() -> None:
    parsed = sample(SAMPLE)
    assert slips(parsed, 0, parsed.snapshot.line_count) == []


def test_renamed_classes_and_functions_are_followed_in_the_package_and_where_they_are_imported(shop: Workspace) -> None:
    shop.edit(CART, ("class Cart(", "class Basket("))
    assert names(shop.lines()) == [
        "Cart.kt: fun emptied(cart: Basket, hard: Boolean): Cart = cart",
        "Cart.kt: fun emptied(cart: Cart, hard: Boolean): Basket = cart",
        "Line.kt: fun split(cart: Basket): Cart {",
        "Line.kt: fun split(cart: Cart): Basket {",
        "Line.kt: return emptied(Basket(1), true)",
        "Till.kt: import shop.cart.Basket",
        "Till.kt: class Till : Basket(0) {",
        "Till.kt: fun pay(cart: Basket): List<Cart> {",
        "Till.kt: fun pay(cart: Cart): List<Basket> {",
        "Till.kt: return listOf(Basket(3), clean(cart, false))",
    ]
    shop = workspace({CART: CART_TEXT, LINE: LINE_TEXT, TILL: TILL_TEXT}).edit(CART, ("fun emptied(", "fun cleaned("))
    assert names(shop.lines()) == [
        "Line.kt: return cleaned(Cart(1), true)",
        "Till.kt: import shop.cart.cleaned as clean",
    ]


def test_renamed_members_are_followed_where_their_class_is_known(shop: Workspace) -> None:
    shop.edit(CART, ("private var total", "private var sum"))
    assert names(shop.lines()) == [
        "Cart.kt: sum += count",
        "Cart.kt: this.sum++",
        "Cart.kt: for (i in 0 until sum) {",
        "Cart.kt: return sum",
    ]
    shop = workspace({CART: CART_TEXT, LINE: LINE_TEXT}).edit(CART, ("fun add(", "fun put("))
    assert names(shop.lines()) == ['Cart.kt: put("x", count = i)']


def test_renamed_locals_and_parameters_are_followed(shop: Workspace) -> None:
    shop.edit(CART, ("for (i in 0", "for (k in 0"))
    assert names(shop.lines()) == ["Cart.kt: println(k)"]
    shop = workspace({CART: CART_TEXT}).edit(CART, ("fun add(name: String", "fun add(label: String"))
    assert names(shop.lines()) == ["Cart.kt: val line = Line(label, count)"]


def test_changed_signatures_are_followed_by_calls(shop: Workspace) -> None:
    shop.edit(CART, ("add(name: String, count: Int = 1)", "add(count: Int, name: String)"))
    assert names(shop.lines()) == ['Cart.kt: add(count = i, name = "x")']
    shop = workspace({CART: CART_TEXT, LINE: LINE_TEXT})
    shop.edit(CART, ("emptied(cart: Cart, hard: Boolean)", "emptied(hard: Boolean, cart: Cart)"))
    assert names(shop.lines()) == ["Line.kt: return emptied(true, Cart(1))"]
    shop = workspace({CART: CART_TEXT, LINE: LINE_TEXT})
    shop.edit(LINE, ("Line(val name: String, val count: Int)", "Line(val count: Int, val name: String)"))
    assert names(shop.lines()) == ["Cart.kt: val line = Line(count, name)"]
