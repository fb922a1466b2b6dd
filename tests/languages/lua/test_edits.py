"""Lua: errors that an edit makes, misspelt names, and the places that follow an edit."""

from __future__ import annotations

import pytest

from palimpsest.edits.misspelt import slips
from palimpsest.edits.validate import Baseline, Unfit, validated
from palimpsest.types import DocumentChange, LineEdit
from tests.languages.reading import parsed_as
from tests.next_edits.conftest import workspace

CART = """\
local Cart = {}
Cart.__index = Cart
local limit = 3

function Cart.new(owner)
  local self = setmetatable({}, Cart)
  self.owner = owner
  return self
end

function Cart:add(name, count)
  local total = count + limit
  for i = 1, total do
    print(i, name, self.owner)
  end
  self:note(name)
  return total
end

function Cart:note(text)
  return text .. limit
end

local function rounded(value, digits)
  return value
end

print(rounded(1, 2), Cart.new("x"):add("y", 1))
return Cart
"""
TILL = """\
local Cart = require("shop.cart")
local cart = Cart.new("till")
cart:add("tax", 1)
"""
FILES = {"shop/cart.lua": CART, "till.lua": TILL}
HOME = "shop/cart.lua"


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        (
            "local limit",
            "local most",
            ["shop/cart.lua: local total = count + most", "shop/cart.lua: return text .. most"],
        ),
        (
            "add(name, count)",
            "add(label, count)",
            ["shop/cart.lua: print(i, label, self.owner)", "shop/cart.lua: self:note(label)"],
        ),
        ("Cart:note(", "Cart:remark(", ["shop/cart.lua: self:remark(name)"]),
        (
            "Cart:add(",
            "Cart:put(",
            ['shop/cart.lua: print(rounded(1, 2), Cart.new("x"):put("y", 1))', 'till.lua: cart:put("tax", 1)'],
        ),
        (
            "local Cart =",
            "local Basket =",
            [
                "shop/cart.lua: Basket.__index = Cart",
                "shop/cart.lua: Cart.__index = Basket",
                "shop/cart.lua: function Basket.new(owner)",
                "shop/cart.lua: local self = setmetatable({}, Basket)",
                "shop/cart.lua: function Basket:add(name, count)",
                "shop/cart.lua: function Basket:note(text)",
                'shop/cart.lua: print(rounded(1, 2), Basket.new("x"):add("y", 1))',
                "shop/cart.lua: return Basket",
            ],
        ),
        (
            "rounded(value, digits)",
            "rounded(digits, value)",
            ['shop/cart.lua: print(rounded(2, 1), Cart.new("x"):add("y", 1))'],
        ),
        (
            "Cart:add(name, count)",
            "Cart:add(count, name)",
            ['shop/cart.lua: print(rounded(1, 2), Cart.new("x"):add(1, "y"))', 'till.lua: cart:add(1, "tax")'],
        ),
        ("for i = 1", "for k = 1", ["shop/cart.lua: print(k, name, self.owner)"]),
    ],
)
def test_what_follows_an_edit(before: str, after: str, lines: list[str]) -> None:
    assert workspace(FILES).edit(HOME, (before, after)).lines() == lines


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("local total = count", "local total = cuont", [("cuont", "count")]),
        ("self:note(name)", "self:note(nmae)", [("nmae", "name")]),
        ("print(i", "pirnt(i", [("pirnt", "print")]),
        ("Cart.new", "Cart.nwe", []),
    ],
)
def test_misspelt_names_and_names_that_may_be_elsewhere(before: str, after: str, found: list[tuple[str, str]]) -> None:
    path, text = next((path, text) for path, text in FILES.items() if before in text)
    parsed = parsed_as(path, text.replace(before, after))
    assert [(slip.name, slip.meant[0]) for slip in slips(parsed, 0, parsed.snapshot.line_count)] == found


def test_known_names_are_not_misspelt() -> None:
    for path, text in FILES.items():
        parsed = parsed_as(path, text)
        assert parsed.n_errors == 0
        assert slips(parsed, 0, parsed.snapshot.line_count) == []


def edited(before: str, after: str) -> list[str]:
    lines = tuple(CART.split("\n"))
    at = next(n for n, line in enumerate(lines) if before in line)
    edit = LineEdit(at, at + 1, (lines[at].replace(before, after),))
    change = DocumentChange(f"file:///{HOME}", 1, (edit,))
    return list(validated(change, Baseline(lines, parsed_as(HOME, CART).language)).flags)


def test_an_edit_that_breaks_the_syntax_is_refused() -> None:
    with pytest.raises(Unfit, match="syntax error"):
        edited("return total", "return total )")
