"""Lua: which file `require` means, in the workspace and among its rocks, and what the returned table offers."""

from __future__ import annotations

from pathlib import Path

import pytest

from palimpsest.languages.lua.modules import items, reexports
from tests.context.context_workspace import Workspace
from tests.languages.reading import parsed_as
from tests.languages.resolving import files_of, imported, modules, offered, write

CART = """\
local money = require("shop.money")
local round = require "shop.numbers".round
local hidden = 3

--- What a buyer wants.
local Cart = { most = 64 }
Cart.__index = Cart
Cart.money = require("shop.money")
Cart.sum, Cart.odd = hidden, "ä"

--- Makes one.
function Cart.new(owner)
  return setmetatable({ owner = owner }, Cart)
end

function Cart:add(price, count)
  self.last = price
end

function Cart._inner() end

local function helper() end

return Cart
"""
SHOP = {
    "shop/cart.lua": CART,
    "shop/money.lua": "local function of(cents) end\nlocal function _told() end\n"
    "return { of = of, name = 'euro', round = function(n) end, _told = _told }\n",
    "shop/init.lua": 'return require("shop.cart")\n',
    "main.lua": 'local shop = require("shop")\n',
}
TILL = """\
local Cart = require("shop.cart")

local function run()
  local cart = Cart.new("Zoë")
  $0
end
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    write(tmp_path / "shop", SHOP)
    return tmp_path / "shop"


def test_names_lead_to_files(shop: Path) -> None:
    found = modules(shop, "lua")
    assert imported(found, shop, "shop/cart.lua") == [
        ("shop.money", None, "shop.money"),
        ("shop.numbers", "round", "shop.numbers"),
    ]
    assert files_of(found, shop, "shop.cart", "main.lua") == ["shop/cart.lua"]
    assert files_of(found, shop, "shop", "main.lua") == ["shop/init.lua"]
    assert files_of(found, shop, "shop/money", "main.lua") == ["shop/money.lua"]
    assert [files_of(found, shop, name, "main.lua") for name in ("cart", "shop.", "..main", "a\0", "x" * 400)] == [
        []
    ] * 5
    assert found.is_own("shop.cart", shop / "main.lua")
    assert not found.is_own("socket", shop / "main.lua")
    assert found.is_known("string")


def test_files_are_called_as_they_are_required(shop: Path) -> None:
    found = modules(shop, "lua")
    names = ("main.lua", "shop/cart.lua", "shop/init.lua", "lua/shop/ui/init.lua", "src/shop/a.lua", "x/lua/b/c.lua")
    assert [found.name_of(shop / name, shop) for name in names] == [
        "main",
        "shop.cart",
        "shop",
        "shop.ui",
        "shop.a",
        "b.c",
    ]


def test_a_plugin_of_an_editor_has_its_modules_in_one_folder(shop: Path) -> None:
    write(shop, {"lua/shop/cart.lua": "return {}\n", "lua/shop/ui/init.lua": "return {}\n", "plugin/start.lua": ""})
    found = modules(shop, "lua")
    assert files_of(found, shop, "shop.cart", "lua/shop/ui/init.lua") == ["lua/shop/cart.lua"]
    assert files_of(found, shop, "shop.ui", "plugin/start.lua") == ["lua/shop/ui/init.lua"]


def test_where_several_files_may_be_meant_none_is(shop: Path) -> None:
    write(shop, {"game/src/view.lua": "return {}\n", "game/main.lua": "", "game/shop/cart.lua": "return {}\n"})
    found = modules(shop, "lua")
    assert files_of(found, shop, "view", "game/main.lua") == ["game/src/view.lua"]
    assert files_of(found, shop, "shop.cart", "game/main.lua") == []
    assert files_of(found, shop, "shop.cart", "main.lua") == ["shop/cart.lua"]


def test_what_a_module_offers(shop: Path) -> None:
    found, main = modules(shop, "lua"), shop / "main.lua"
    assert offered(found, "shop.cart", main) == {
        "new": "function Cart.new(owner)",
        "add": "function Cart:add(price, count)",
        "most": "Cart.most = 64",
        "sum": "local sum = 3",
        "odd": 'Cart.odd = "ä"',
        "money": "module shop.money",
    }
    assert offered(found, "shop.money", main) == {
        "of": "local function of(cents)",
        "name": "name = 'euro'",
        "round": "round = function(n)",
    }
    assert set(offered(found, "shop", main) or ()) == {"new", "add", "most", "sum", "odd", "money"}


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("local function run(a) end\nreturn run\n", {"run"}),
        ("local M = setmetatable({ a = 1 }, {})\nM.b = function() end\nreturn setmetatable(M, {})\n", {"a", "b"}),
        ("local M = {}\nfunction M.a() end\n", set()),
        ("local M = {}\nfunction M.a() M.b = 1 end\nreturn M\n-- end\n", {"a"}),
        ("return 1, 2\n", set()),
        ("return\n", set()),
        ("return missing\n", set()),
        ("return {\n", set()),
        ("", set()),
    ],
)
def test_what_a_file_returns(text: str, given: set[str]) -> None:
    parsed = parsed_as("a.lua", text)
    assert set(items(parsed)) == given
    assert reexports(parsed) == []


def test_what_is_used_of_a_module_has_a_block(tmp_path: Path) -> None:
    there = Workspace(tmp_path / "shop")
    there.write(SHOP)
    text = there.blocks("till.lua", TILL)["package:shop.cart"].text
    assert text.startswith("function Cart.new(owner)  -- Makes one.\n")
    assert "function Cart:add(price, count)" in text
    assert "package:shop.money" not in there.blocks("till.lua", TILL)


def test_rocks_of_the_project_are_read_and_nothing_outside_of_them(shop: Path) -> None:
    rocks = "lua_modules/share/lua/5.4"
    write(shop, {f"{rocks}/inspect.lua": "return { inspect = function(value) end }\n", ".gitignore": "lua_modules\n"})
    write(shop, {f"{rocks}/pl/init.lua": "local pl = {}\nfunction pl.all() end\nreturn pl\n"})
    (shop.parent / "outside.lua").write_text("return { stolen = 1 }\n")
    (shop / rocks / "linked.lua").symlink_to(shop.parent / "outside.lua")
    found, main = modules(shop, "lua"), shop / "main.lua"
    assert offered(found, "inspect", main) == {"inspect": "inspect = function(value)"}
    assert offered(found, "pl", main) == {"all": "function pl.all()"}
    assert [offered(found, name, main) for name in ("linked", "missing", "pl.none")] == [None] * 3
    assert not found.is_own("inspect", main)


def test_what_may_not_be_seen_is_no_module(shop: Path) -> None:
    (shop.parent / "outside.lua").write_text("return { stolen = 1 }\n")
    (shop / "linked.lua").symlink_to(shop.parent / "outside.lua")
    (shop / "away").symlink_to(shop.parent)
    write(shop, {".palimpsestignore": "money.lua\n", ".gitignore": "made.lua\n", "made.lua": "return { a = 1 }\n"})
    found, main = modules(shop, "lua"), shop / "main.lua"
    for name in ("linked", "away.outside", "shop.money", "made"):
        assert offered(found, name, main) is None
        assert files_of(found, shop, name, "main.lua") == []
