"""Lua: which scope a line is in, what is visible there, what a table shows of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from palimpsest.syntax.imports import imports
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import docstring, scope_at
from tests.languages.reading import (
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

SAMPLES = Path(__file__).parent / "samples"


@pytest.fixture(scope="module")
def cart() -> Parsed:
    return sample(SAMPLES / "cart.lua")


def test_a_table_that_functions_are_put_on_is_a_class(cart: Parsed) -> None:
    assert outline(cart) == [
        ("class", "Cart", 8, 10),
        ("function", "Cart.new", 13, 22),
        ("function", "Cart.add", 24, 35),
        ("function", "Cart.find", 37, 43),
        ("function", "Cart.total", 45, 53),
        ("function", "Cart.empty", 55, 58),
        ("class", "Staff", 60, 60),
        ("function", "Staff.total", 63, 66),
        ("class", "helpers", 68, 77),
        ("function", "helpers.names", 69, 75),
        ("function", "report", 79, 90),
        ("function", "carts", 92, 92),
    ]
    assert cart.language.bases(cart, scope_named(cart, "Staff")) == {"Cart"}


def test_any_other_table_is_a_value() -> None:
    parsed = parsed_as("a.lua", "local cache = {}\nlocal M = {}\nM.size = 3\nfunction M.f() end\n")
    assert outline(parsed) == [("class", "M", 2, 2), ("function", "M.f", 4, 4)]


def test_a_class_shows_its_functions_wherever_they_are_written(cart: Parsed) -> None:
    assert interface(cart, "Cart") == [
        "---@class Cart",
        "local Cart = {}",
        "function Cart.new(owner) ... end",
        "function Cart:add(article, count) ... end",
        "function Cart:find(name) ... end",
        "function Cart:total() ... end",
        "Cart.empty = function(self) ... end",
    ]
    assert interface(cart, "helpers") == [
        "local helpers = {",
        "  limit = MOST_LINES,",
        "  names = function(cart) ... end",
        "}",
    ]


def test_comments_above_are_documentation(cart: Parsed) -> None:
    found = {name: docstring(cart, scope_named(cart, name)) for name in ("Cart", "Cart.new", "Cart.total")}
    assert found == {
        "Cart": "@class Cart\n@field owner string",
        "Cart.new": "Makes an empty cart.\n@param owner string\n@return Cart",
        "Cart.total": "In cents, before any discount.",
    }
    assert scope_at(cart, line_of(cart, "Adds some of"), 0).qualified_name == "Cart.add"


def test_what_require_gives(cart: Parsed) -> None:
    assert [(item.module, item.name, item.bound) for item in imports(cart)] == [
        ("shop.money", None, "money"),
        ("shop.numbers", "round", "round"),
    ]


def test_visible_names(cart: Parsed) -> None:
    assert names_at(cart, "total = total + money") == [
        "local: total = 0",
        "local: index",
        "local: line",
        "attribute: self.owner = owner",
        "attribute: self.lines",
        "method: function Cart.new(owner)",
        "method: function Cart:add(article, count)",
        "method: function Cart:find(name)",
        "method: function Cart:total()",
        "method: Cart.empty = function(self)",
        "class: local Cart = {}",
        "class: local Staff = setmetatable({}, { __index = Cart })",
        "class: local helpers =",
        "function: local function report(cart, ...)",
        "function: carts = function()",
        "constant: money = require(...)",
        "constant: round",
        "constant: MOST_LINES = 200",
        "constant: emptied",
    ]


def test_the_editing_block_of_a_function(cart: Parsed) -> None:
    shown = lines_shown(cart, "error(")
    assert shown[0] == "--- Adds some of an article."
    assert shown[-1] == "end"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("local function f(a)|\n", "block"),
        ("for _, line in ipairs(lines) do|\n", "block"),
        ("if a then\n  |\nend\n", "block"),
        ("local x = |\n", "line"),
        ("-- a comment that |\n", "line"),
        ('print("text |")\n', "line"),
    ],
)
def test_one_line_or_several(text: str, kind: str) -> None:
    assert missing("a.lua", text) == kind


def test_every_half_typed_text(cart: Parsed) -> None:
    type_it("cart.lua", cart.snapshot.text)
