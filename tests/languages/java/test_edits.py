"""Java: errors that an edit makes, misspelt names, and the places that follow an edit."""

from __future__ import annotations

from pathlib import Path

import pytest

from palimpsest.edits.misspelt import slips
from palimpsest.edits.validate import Baseline, Unfit, validated
from palimpsest.next_edits.changes import Rename, SignatureChange
from palimpsest.types import DocumentChange, LineEdit
from tests.languages.reading import line_of, parsed_as, sample
from tests.next_edits.conftest import Workspace, workspace

SAMPLES = Path(__file__).parent / "samples"
CART = "core/src/main/java/shop/cart/Cart.java"
LINE = "core/src/main/java/shop/cart/Line.java"
TILL = "till/src/main/java/shop/till/Till.java"
CART_TEXT = """\
package shop.cart;

public class Cart {
    private int size;
    private Line last;

    public Cart(int size) {
        this.size = size;
    }

    public Line add(String name, int count) {
        size += count;
        this.size++;
        last = new Line(name, count);
        return last;
    }

    int twice() {
        for (int i = 0; i < size; i++) {
            int n = i;
        }
        for (int i = 9; i > 0; i--) {
            add("x", i);
        }
        return size;
    }
}
"""
LINE_TEXT = """\
package shop.cart;

public record Line(String name, int count) {
    Cart split(Cart cart) {
        cart.add(name, count);
        return new Cart(1);
    }
}
"""
TILL_TEXT = """\
package shop.till;

import java.util.List;
import shop.cart.Cart;

class Till extends Cart {
    private List<Cart> open;

    Till() {
        super(0);
        add("till", 1);
    }

    int pay(Cart cart, Other other) {
        cart.add("tax", 1);
        other.add("tax", 1);
        open.add(cart);
        for (Cart one : open) {
            one.add("again", 2);
        }
        for (var one : open) {
            one.add("more", 3);
        }
        new Cart(3).add("new", 4);
        return 0;
    }
}
"""


@pytest.fixture
def shop() -> Workspace:
    return workspace({CART: CART_TEXT, LINE: LINE_TEXT, TILL: TILL_TEXT})


def names(lines: list[str]) -> list[str]:
    return [line.rpartition("/")[2] for line in lines]


def edited(before: str, after: str) -> list[str]:
    text = (SAMPLES / "Cart.java").read_text(encoding="utf-8")
    lines = tuple(text.split("\n"))
    at = next(n for n, line in enumerate(lines) if before in line)
    edit = LineEdit(at, at + 1, (lines[at].replace(before, after),))
    change = DocumentChange("file:///Cart.java", 1, (edit,))
    baseline = Baseline(lines, sample(SAMPLES / "Cart.java").language)
    return list(validated(change, baseline).flags)


def test_an_edit_that_breaks_the_syntax_is_refused() -> None:
    with pytest.raises(Unfit, match="syntax error"):
        edited("lines.add(added);", "lines.add(added;")
    with pytest.raises(Unfit, match="syntax error"):
        edited("for (Line line : lines) {", "for (Line line : lines)) {")


def test_an_edit_that_defines_a_method_twice_is_refused_and_an_overload_is_not() -> None:
    with pytest.raises(Unfit, match=r"Cart\.find"):
        edited("void empty(Warehouse warehouse) {", "public Optional<Line> find(String name) {")
    assert edited("void empty(Warehouse warehouse) {", "void find(Warehouse warehouse) {") == []


def test_an_edit_of_layout_or_comments_alone_is_marked() -> None:
    assert edited("lines.add(added);", "lines.add( added );") == ["formatting only"]
    assert edited("/** The total in cents, discount included. */", "/** In cents. */") == ["comments only"]


def test_a_misspelt_name_is_found() -> None:
    text = CART_TEXT.replace("last = new Line(name, count);", "last = new Line(nmae, count);")
    parsed = parsed_as("Cart.java", text)
    assert [(slip.name, slip.meant) for slip in slips(parsed, 0, parsed.snapshot.line_count)] == [("nmae", ("name",))]
    text = CART_TEXT.replace('add("x", i);', 'adds("x", i);')
    parsed = parsed_as("Cart.java", text)
    assert [(slip.name, slip.meant) for slip in slips(parsed, 0, parsed.snapshot.line_count)] == [("adds", ("add",))]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("public class Cart {", "public class Cart extends Basket {"),
        ("public class Cart {", "public class Cart implements Basket {"),
        ("package shop.cart;", "package shop.cart;\nimport static shop.cart.Names.*;"),
        ("new Line(nmae", "new Lime(name"),
        ("new Line(nmae", "new Line(Nmae.of()"),
        ("new Line(nmae", "new Line(nmae.util.Names.one()"),
    ],
)
def test_a_name_that_may_be_elsewhere_is_not_misspelt(before: str, after: str) -> None:
    text = CART_TEXT.replace("new Line(name", "new Line(nmae").replace(before, after)
    parsed = parsed_as("Cart.java", text)
    assert slips(parsed, 0, parsed.snapshot.line_count) == []


def test_known_names_are_not_misspelt() -> None:
    for name in ("Cart.java", "Shapes.java"):
        parsed = sample(SAMPLES / name)
        assert slips(parsed, 0, parsed.snapshot.line_count) == []


def test_a_renamed_class_is_followed_in_its_package_and_where_it_is_imported(shop: Workspace) -> None:
    shop.edit(CART, ("public class Cart", "public class Basket"))
    assert shop.changes == (Rename(f"file:///{CART}", "class", "", "Cart", "Basket"),)
    assert names(shop.lines()) == [
        "Cart.java: public Basket(int size) {",
        "Line.java: Basket split(Cart cart) {",
        "Line.java: Cart split(Basket cart) {",
        "Line.java: return new Basket(1);",
        "Till.java: import shop.cart.Basket;",
        "Till.java: class Till extends Basket {",
        "Till.java: private List<Basket> open;",
        "Till.java: int pay(Basket cart, Other other) {",
        "Till.java: for (Basket one : open) {",
        'Till.java: new Basket(3).add("new", 4);',
    ]


def test_a_renamed_method_is_followed_where_its_class_is_known(shop: Workspace) -> None:
    shop.edit(CART, ("Line add(", "Line put("))
    assert names(shop.lines()) == [
        'Cart.java: put("x", i);',
        "Line.java: cart.put(name, count);",
        'Till.java: put("till", 1);',
        'Till.java: cart.put("tax", 1);',
        'Till.java: one.put("again", 2);',
        'Till.java: one.put("more", 3);',
        'Till.java: new Cart(3).put("new", 4);',
    ]


def test_a_renamed_field_is_followed_with_and_without_this(shop: Workspace) -> None:
    shop.edit(CART, ("private int size", "private int total"))
    assert names(shop.lines()) == [
        "Cart.java: this.total = size;",
        "Cart.java: total += count;",
        "Cart.java: this.total++;",
        "Cart.java: for (int i = 0; i < total; i++) {",
        "Cart.java: return total;",
    ]
    shop = workspace({CART: CART_TEXT}).edit(CART, ("private int size", "private int count"))
    assert "Cart.java: count += count;" not in names(shop.lines())  # there, `count` is the parameter


def test_a_renamed_local_is_followed_in_its_block_only(shop: Workspace) -> None:
    shop.edit(CART, ("for (int i = 0;", "for (int k = 0;")).follow()
    assert "for (int k = 0; k < size; k++) {\n            int n = k;" in shop.texts[CART]
    assert "for (int i = 9; i > 0; i--) {" in shop.texts[CART]


def test_a_renamed_parameter_is_followed_in_its_method(shop: Workspace) -> None:
    shop.edit(CART, ("Line add(String name, int count)", "Line add(String label, int count)"))
    assert names(shop.lines()) == ["Cart.java: last = new Line(label, count);"]


def test_a_changed_signature_is_followed_by_calls(shop: Workspace) -> None:
    shop.edit(CART, ("Line add(String name, int count)", "Line add(int count, String name)"))
    assert isinstance(shop.changes[0], SignatureChange)
    assert names(shop.lines()) == [
        'Cart.java: add(i, "x");',
        "Line.java: cart.add(count, name);",
        'Till.java: add(1, "till");',
        'Till.java: cart.add(1, "tax");',
        'Till.java: one.add(2, "again");',
        'Till.java: one.add(3, "more");',
        'Till.java: new Cart(3).add(4, "new");',
    ]


def test_a_changed_constructor_and_a_changed_record_are_followed(shop: Workspace) -> None:
    shop.edit(CART, ("public Cart(int size)", "public Cart(int size, boolean open)"))
    assert names(shop.lines()) == ["Line.java: return new Cart(1, );", 'Till.java: new Cart(3, ).add("new", 4);']
    shop = workspace({CART: CART_TEXT, LINE: LINE_TEXT})
    shop.edit(LINE, ("Line(String name, int count)", "Line(int count, String name)"))
    assert names(shop.lines()) == ["Cart.java: last = new Line(count, name);"]


def test_overloads_are_left_alone(shop: Workspace) -> None:
    shop.texts[CART] = CART_TEXT.replace("    int twice", "    void add(int a, int b) {}\n\n    int twice")
    shop.edit(CART, ("Line add(String name, int count)", "Line add(int count, String name)"))
    assert shop.lines() == []
    assert line_of(parsed_as(CART, shop.texts[CART]), "void add") > 0
