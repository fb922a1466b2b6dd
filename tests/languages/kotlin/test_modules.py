"""Kotlin: packages, which may have files in Java."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.context.context_workspace import Workspace
from tests.languages.resolving import files_of, imported, modules, offered, write

MAIN = "src/main/kotlin/shop"
CART = """\
package shop.cart

import shop.money.Money
import shop.money.*

class Cart : Basket() {
    fun add(price: Money): Line? {
        return null
    }
}

private fun hidden() = 1

fun emptied(cart: Cart): Cart = cart

const val MOST = 3
"""
SHOP = {
    f"{MAIN}/cart/Cart.kt": CART,
    f"{MAIN}/cart/Line.kt": "package shop.cart\n\ndata class Line(val count: Int) {\n    fun worth(): Int = count\n}\n",
    "src/main/java/shop/cart/Basket.java": "package shop.cart;\n\npublic class Basket {\n    int weight;\n}\n",
    "src/test/kotlin/shop/cart/CartTest.kt": "package shop.cart\n\nclass CartTest\n",
    f"{MAIN}/money/Money.kt": "package shop.money\n\n/** In cents. */\ndata class Money(val cents: Long)\n",
    "src/main/java/shop/till/Till.java": "package shop.till;\n\nimport shop.cart.Line;\n\nclass Till {}\n",
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    write(tmp_path / "shop", SHOP)
    return tmp_path / "shop"


def test_files_of_a_package_in_both_languages(shop: Path) -> None:
    every = [f"{MAIN}/cart/Cart.kt", f"{MAIN}/cart/Line.kt", "src/main/java/shop/cart/Basket.java"]
    for language in ("kotlin", "java"):
        found = modules(shop, language)
        assert files_of(found, shop, "shop.cart", f"{MAIN}/cart/Cart.kt") == every
        assert sorted(files_of(found, shop, "shop.cart", "src/main/java/shop/till/Till.java")) == sorted(every)
    assert [module for _, _, module in imported(modules(shop, "kotlin"), shop, f"{MAIN}/cart/Cart.kt")] == [
        "shop.money",
        "shop.money",
    ]


def test_what_a_package_offers(shop: Path) -> None:
    found = modules(shop, "kotlin")
    assert offered(found, "shop.cart", shop / MAIN / "money/Money.kt") == {
        "Cart": "class Cart : Basket()",
        "emptied": "fun emptied(cart: Cart): Cart",
        "MOST": "const val MOST = 3",
        "Line": "data class Line(val count: Int)",
        "Basket": "public class Basket",
    }
    assert offered(found, "shop.nothing", shop / MAIN / "money/Money.kt") is None


def test_classes_of_the_package_and_of_imports_have_blocks(tmp_path: Path) -> None:
    there = Workspace(tmp_path / "shop")
    there.write(SHOP)
    blocks = there.blocks(f"{MAIN}/cart/Cart.kt", CART.replace("return null", "return $0"))
    assert "fun worth(): Int { ... }" in blocks["class:shop.cart.Line"].text
    assert "int weight;" in blocks["class:shop.cart.Basket"].text
    assert "data class Money(val cents: Long)  // In cents." in blocks["package:shop.money"].text
    text = (
        "package shop.till;\n\nimport shop.cart.Line;\n\nclass Till {\n    int pay(Line line) {\n        $0\n    }\n}\n"
    )
    assert "class:shop.cart.Line" in there.blocks("src/main/java/shop/till/Till.java", text)


def test_links_out_of_the_workspace_are_in_no_package(shop: Path) -> None:
    (shop.parent / "Out.kt").write_text("package shop.cart\n\nclass Out\n")
    (shop / MAIN / "cart/Out.kt").symlink_to(shop.parent / "Out.kt")
    assert f"{MAIN}/cart/Out.kt" not in files_of(modules(shop, "kotlin"), shop, "shop.cart", f"{MAIN}/cart/Cart.kt")
