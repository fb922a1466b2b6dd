"""C++: headers are read as C++, whatever their names end with."""

from __future__ import annotations

from pathlib import Path

import pytest

from palimpsest.syntax.values import Import
from tests.context.context_workspace import Workspace
from tests.languages.resolving import imported, members, modules, offered, write

SHOP = {
    "src/cart.cpp": '#include "shop/cart.h"\n#include <vector>\n#include <coins.hpp>\n\nvoid Cart::add(int n) {}\n',
    "include/shop/cart.h": '#pragma once\n#include "basket.hpp"\n\n'
    "namespace shop {\n/// A cart.\nclass Cart : public Basket {\n public:\n"
    "  void add(int n);\n  int size = 0;\n};\n\ntemplate <class T>\nT largest(T a, T b);\n}\n",
    "include/shop/basket.hpp": "namespace shop {\nclass Basket {\n public:\n  int weight();\n};\n}\n",
    "src/till.cpp": '#include "shop/cart.h"\n#include "shop/basket.hpp"\n\nclass Till : public shop::Basket {\n'
    "  int pay(shop::Cart& cart) {\n    cart.$0\n  }\n};\n",
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    write(tmp_path / "shop", SHOP)
    write(
        tmp_path / "system", {"coins.hpp": "namespace coins {\nclass Coin {\n public:\n  int worth() const;\n};\n}\n"}
    )
    return tmp_path / "shop"


def test_includes_lead_to_headers_that_are_read_as_cpp(shop: Path) -> None:
    found, source = modules(shop, "cpp", {"CPATH": str(shop.parent / "system")}), shop / "src/cart.cpp"
    assert [module for _, _, module in imported(found, shop, "src/cart.cpp")][::2] == [
        "include/shop/cart.h",
        "<coins.hpp>",
    ]
    assert offered(found, "include/shop/cart.h", source) == {
        "Cart": "class Cart : public Basket",
        "largest": "T largest(T a, T b)",
    }
    assert members(found, "include/shop/cart.h", "Cart", source) == ["int Cart.size", "void Cart.add(int n)"]
    assert offered(found, "<coins.hpp>", source) == {"Coin": "class Coin"}


def test_the_standard_library_is_known(shop: Path) -> None:
    found = modules(shop, "cpp")
    assert found.is_known("<vector>")
    assert found.is_known("<stdio.h>")
    assert not found.is_known("<coins.hpp>")


def test_classes_of_headers_that_are_named_or_derived_from_have_blocks(tmp_path: Path) -> None:
    there = Workspace(tmp_path / "shop")
    there.write({name: text.replace("$0", "") for name, text in SHOP.items()})
    blocks = there.blocks("src/till.cpp", SHOP["src/till.cpp"])
    assert "void add(int n);" in blocks["class:include/shop/cart.h.shop.Cart"].text
    assert "int weight();" in blocks["class:include/shop/basket.hpp.shop.Basket"].text


def test_the_class_of_a_method_outside_of_it_has_a_block(tmp_path: Path) -> None:
    there = Workspace(tmp_path / "shop")
    text = '#include "shop/cart.h"\n\nvoid shop::Cart::add(int n) {\n  $0\n}\n'
    there.write({**SHOP, "src/till.cpp": "", "src/cart.cpp": text.replace("$0", "")})
    block = there.blocks("src/cart.cpp", text)["class:include/shop/cart.h.shop.Cart"]
    assert "int size = 0;" in block.text


def test_a_header_of_the_language_is_there_or_not_where_its_headers_are(shop: Path) -> None:
    (shop.parent / "system" / "vector").write_text("")
    found = modules(shop, "cpp", {"CPATH": str(shop.parent / "system")})
    names = ("<vector>", "<vectors>", "<QString>", "<coins.hpp>", "<boost/any>")
    assert [name for name in names if found.lacks(Import(name, "*", None, 0, 0), "", shop / "src/cart.cpp")] == [
        "<vectors>"
    ]
