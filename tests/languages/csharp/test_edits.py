"""C#: errors that an edit makes, misspelt names, and the places that follow an edit."""

from __future__ import annotations

from pathlib import Path

import pytest

from palimpsest.edits.misspelt import slips
from palimpsest.edits.validate import Baseline, Unfit, validated
from palimpsest.next_edits.changes import Rename, SignatureChange
from palimpsest.types import DocumentChange, LineEdit
from tests.languages.reading import parsed_as, sample
from tests.next_edits.conftest import Workspace, workspace

SAMPLES = Path(__file__).parent / "samples"
CART = "src/Shop/Cart/Cart.cs"
LINE = "src/Shop/Cart/Line.cs"
TILL = "src/Shop/Till/Till.cs"
CART_TEXT = """\
namespace Shop.Cart;

public class Cart
{
    private int size;
    private Line last;

    public string Owner { get; set; } = "";

    public Cart(int size)
    {
        this.size = size;
    }

    public Line Add(string name, int count)
    {
        size += count;
        this.size++;
        last = new Line(name, count);
        return last;
    }

    int Twice()
    {
        for (int i = 0; i < size; i++)
        {
            int n = i;
        }
        for (int i = 9; i > 0; i--)
        {
            Add("x", count: i);
        }
        return size + Owner.Length;
    }
}
"""
LINE_TEXT = """\
namespace Shop.Cart;

public record Line(string Name, int Count)
{
    Cart Split(Cart cart)
    {
        cart.Add(Name, Count);
        return new Cart(1) { Owner = "me" };
    }
}
"""
TILL_TEXT = """\
using System.Collections.Generic;
using Shop.Cart;

namespace Shop.Till;

class Till : Cart
{
    private List<Cart> open;

    Till() : base(0)
    {
        Add("till", 1);
    }

    int Pay(Cart cart, Other other)
    {
        cart.Add("tax", 1);
        other.Add("tax", 1);
        open.Add(cart);
        foreach (Cart one in open)
        {
            one.Add("again", 2);
        }
        foreach (var one in open)
        {
            one.Add("more", 3);
        }
        new Cart(3).Add("new", 4);
        return cart.Owner.Length;
    }
}
"""


@pytest.fixture
def shop() -> Workspace:
    return workspace({CART: CART_TEXT, LINE: LINE_TEXT, TILL: TILL_TEXT})


def names(lines: list[str]) -> list[str]:
    return [line.rpartition("/")[2] for line in lines]


def edited(before: str, after: str) -> list[str]:
    text = (SAMPLES / "Cart.cs").read_text(encoding="utf-8")
    lines = tuple(text.split("\n"))
    at = next(n for n, line in enumerate(lines) if before in line)
    edit = LineEdit(at, at + 1, (lines[at].replace(before, after),))
    change = DocumentChange("file:///Cart.cs", 1, (edit,))
    baseline = Baseline(lines, sample(SAMPLES / "Cart.cs").language)
    return list(validated(change, baseline).flags)


def misspelt(before: str, after: str, *more: tuple[str, str]) -> list[tuple[str, tuple[str, ...]]]:
    text = CART_TEXT
    for old, new in ((before, after), *more):
        assert old in text
        text = text.replace(old, new)
    parsed = parsed_as("Cart.cs", text)
    return [(slip.name, slip.meant) for slip in slips(parsed, 0, parsed.snapshot.line_count)]


def test_an_edit_that_breaks_the_syntax_is_refused() -> None:
    with pytest.raises(Unfit, match="syntax error"):
        edited("_lines.Add(added);", "_lines.Add(added;")
    with pytest.raises(Unfit, match="syntax error"):
        edited("foreach (var line in _lines)", "foreach (var line in _lines))")


def test_an_edit_of_layout_or_comments_alone_is_marked() -> None:
    assert edited("_lines.Add(added);", "_lines.Add( added );") == ["formatting only"]
    assert edited("/// <summary>What a customer pays less.</summary>", "/// Less.") == ["comments only"]


def test_a_misspelt_name_is_found() -> None:
    assert misspelt("new Line(name, count);", "new Line(nmae, count);") == [("nmae", ("name",))]
    assert misspelt('Add("x", count: i);', 'Adds("x", count: i);') == [("Adds", ("Add",))]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("public class Cart", "public class Cart : Basket"),
        ("public class Cart", "public partial class Cart"),
        ("namespace Shop.Cart;", "using static Shop.Cart.Names;\nnamespace Shop.Cart;"),
        ("new Line(nmae", "new Lime(name"),
        ("new Line(nmae", "new Line(Nmae.Of()"),
    ],
)
def test_a_name_that_may_be_elsewhere_is_not_misspelt(before: str, after: str) -> None:
    assert misspelt("new Line(name", "new Line(nmae", (before, after)) == []


def test_known_names_are_not_misspelt() -> None:
    for name in ("Cart.cs", "Line.cs"):
        parsed = sample(SAMPLES / name)
        assert slips(parsed, 0, parsed.snapshot.line_count) == []


def test_a_renamed_class_is_followed_in_its_namespace_and_where_it_is_used(shop: Workspace) -> None:
    shop.edit(CART, ("public class Cart", "public class Basket"))
    assert shop.changes == (Rename(f"file:///{CART}", "class", "", "Cart", "Basket"),)
    assert names(shop.lines()) == [
        "Cart.cs: public Basket(int size)",
        "Line.cs: Basket Split(Cart cart)",
        "Line.cs: Cart Split(Basket cart)",
        'Line.cs: return new Basket(1) { Owner = "me" };',
        "Till.cs: class Till : Basket",
        "Till.cs: private List<Basket> open;",
        "Till.cs: int Pay(Basket cart, Other other)",
        "Till.cs: foreach (Basket one in open)",
        'Till.cs: new Basket(3).Add("new", 4);',
    ]


def test_a_renamed_method_is_followed_where_its_class_is_known(shop: Workspace) -> None:
    shop.edit(CART, ("Line Add(", "Line Put("))
    assert names(shop.lines()) == [
        'Cart.cs: Put("x", count: i);',
        "Line.cs: cart.Put(Name, Count);",
        'Till.cs: Put("till", 1);',
        'Till.cs: cart.Put("tax", 1);',
        'Till.cs: one.Put("again", 2);',
        'Till.cs: one.Put("more", 3);',
        'Till.cs: new Cart(3).Put("new", 4);',
    ]


def test_renamed_fields_and_properties_are_followed(shop: Workspace) -> None:
    shop.edit(CART, ("private int size", "private int total"))
    assert names(shop.lines()) == [
        "Cart.cs: this.total = size;",
        "Cart.cs: total += count;",
        "Cart.cs: this.total++;",
        "Cart.cs: for (int i = 0; i < total; i++)",
        "Cart.cs: return total + Owner.Length;",
    ]
    shop = workspace({CART: CART_TEXT, LINE: LINE_TEXT, TILL: TILL_TEXT}).edit(CART, ("string Owner", "string Buyer"))
    assert names(shop.lines()) == [
        "Cart.cs: return size + Buyer.Length;",
        'Line.cs: return new Cart(1) { Buyer = "me" };',
        "Till.cs: return cart.Buyer.Length;",
    ]


def test_renamed_locals_and_parameters_are_followed_where_they_are_known(shop: Workspace) -> None:
    shop.edit(CART, ("for (int i = 0;", "for (int k = 0;")).follow()
    assert "for (int k = 0; k < size; k++)\n        {\n            int n = k;" in shop.texts[CART]
    assert "for (int i = 9; i > 0; i--)" in shop.texts[CART]
    shop = workspace({CART: CART_TEXT, TILL: TILL_TEXT})
    shop.edit(CART, ("Line Add(string name, int count)", "Line Add(string label, int count)"))
    assert names(shop.lines()) == ["Cart.cs: last = new Line(label, count);"]


def test_a_changed_signature_is_followed_by_calls(shop: Workspace) -> None:
    shop.edit(CART, ("Line Add(string name, int count)", "Line Add(int count, string name)"))
    assert isinstance(shop.changes[0], SignatureChange)
    assert names(shop.lines()) == [
        'Cart.cs: Add(count: i, name: "x");',
        "Line.cs: cart.Add(Count, Name);",
        'Till.cs: Add(1, "till");',
        'Till.cs: cart.Add(1, "tax");',
        'Till.cs: one.Add(2, "again");',
        'Till.cs: one.Add(3, "more");',
        'Till.cs: new Cart(3).Add(4, "new");',
    ]


def test_a_changed_constructor_and_a_changed_record_are_followed(shop: Workspace) -> None:
    shop.edit(CART, ("public Cart(int size)", "public Cart(int size, bool open)"))
    assert names(shop.lines()) == [
        'Line.cs: return new Cart(1, ) { Owner = "me" };',
        'Till.cs: new Cart(3, ).Add("new", 4);',
    ]
    shop = workspace({CART: CART_TEXT, LINE: LINE_TEXT})
    shop.edit(LINE, ("Line(string Name, int Count)", "Line(int Count, string Name)"))
    assert names(shop.lines()) == ["Cart.cs: last = new Line(count, name);"]


def test_overloads_are_left_alone(shop: Workspace) -> None:
    shop.texts[CART] = CART_TEXT.replace("    int Twice", "    void Add(int a, int b) {}\n\n    int Twice")
    shop.edit(CART, ("Line Add(string name, int count)", "Line Add(int count, string name)"))
    assert shop.lines() == []
