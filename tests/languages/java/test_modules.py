"""Java: which files a package has, what it offers to whom."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.context.context_workspace import Workspace
from tests.languages.resolving import files_of, imported, members, modules, offered, write

Make = Callable[..., Workspace]
MAIN, TEST = "core/src/main/java/shop", "core/src/test/java/shop"
CART = """\
/* A licence. */
package shop.cart;

import java.util.List;
import shop.money.*;
import static shop.money.Money.sum;

/** What a buyer wants. */
public class Cart extends Basket {
    private int size;
    public List<Line> lines;

    /** Adds. */
    public Line add(String name, Money price) {
        return null;
    }

    private void told() {}
}
"""
SHOP = {
    f"{MAIN}/cart/Cart.java": CART,
    f"{MAIN}/cart/Line.java": "package shop.cart;\n\nclass Line {\n    int count;\n}\n",
    f"{MAIN}/cart/Basket.java": "package shop.cart;\n\npublic abstract class Basket {\n    abstract int weight();\n}\n",
    f"{MAIN}/money/Money.java": "package shop.money; // cents\n\npublic record Money(long cents) {}\n",
    f"{TEST}/cart/CartTest.java": "package shop.cart;\n\nclass CartTest {}\n",
    f"{TEST}/cart/Filled.java": "package shop.cart;\n\npublic class Filled {}\n",
    "till/src/main/java/shop/till/Till.java": "package shop.till;\n\nimport shop.cart.Cart;\n\nclass Till {}\n",
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    write(tmp_path / "shop", SHOP)
    return tmp_path / "shop"


def test_files_have_the_package_that_they_declare(shop: Path) -> None:
    found = modules(shop, "java")
    assert found.name_of(shop / MAIN / "cart/Cart.java", shop) == "shop.cart"
    assert imported(found, shop, f"{MAIN}/cart/Cart.java") == [
        ("java.util", "List", "java.util"),
        ("shop.money", "*", "shop.money"),
        ("shop.money.Money", "sum", "shop.money.Money"),
    ]
    assert [item.module for item in found.implied("shop.cart", shop / MAIN / "cart/Cart.java")] == ["shop.cart"]


def test_files_of_a_package(shop: Path) -> None:
    found, main = modules(shop, "java"), [f"{MAIN}/cart/{name}.java" for name in ("Basket", "Cart", "Line")]
    tests = [f"{TEST}/cart/{name}.java" for name in ("CartTest", "Filled")]
    assert files_of(found, shop, "shop.cart", f"{MAIN}/cart/Cart.java") == main
    assert files_of(found, shop, "shop.cart", f"{MAIN}/money/Money.java") == main
    assert files_of(found, shop, "shop.cart", f"{TEST}/cart/CartTest.java") == [*tests, *main]
    assert files_of(found, shop, "shop.money", f"{MAIN}/cart/Cart.java") == [f"{MAIN}/money/Money.java"]
    assert files_of(found, shop, "java.util", f"{MAIN}/cart/Cart.java") == []
    assert files_of(found, shop, "shop.cart.Cart", f"{MAIN}/cart/Cart.java") == []
    assert files_of(found, shop, "..", f"{MAIN}/cart/Cart.java") == []


def test_what_a_package_offers(shop: Path) -> None:
    found, money = modules(shop, "java"), shop / MAIN / "money/Money.java"
    assert offered(found, "shop.cart", money) == {
        "Basket": "public abstract class Basket",
        "Cart": "public class Cart extends Basket",
    }
    assert members(found, "shop.cart", "Cart", money) == [
        "List<Line> Cart.lines",
        "public Line Cart.add(String name, Money price)",
    ]
    beside = offered(found, "shop.cart", shop / MAIN / "cart/Cart.java")
    assert beside == {"Basket": "public abstract class Basket", "Line": "class Line"}
    assert offered(found, "java.util", money) is None


def test_packages_of_other_projects_are_found_by_the_index(tmp_path: Path) -> None:
    there = Workspace(tmp_path / "shop")
    there.write(SHOP)
    text = "package shop.till;\n\nimport shop.cart.Cart;\n\nclass Till {\n    int pay(Cart cart) {\n        cart.$0\n"
    till = "till/src/main/java/shop/till/Till.java"
    assert "class:shop.cart.Cart" not in there.blocks(till, text + "    }\n}\n")
    there.build_index()
    block = there.blocks(till, text + "        \n    }\n}\n")["class:shop.cart.Cart"]
    assert "    public Line add(String name, Money price) { ... }" in block.text
    assert block.uri.endswith("Cart.java")


def test_classes_of_the_package_have_blocks_without_an_import(tmp_path: Path) -> None:
    there = Workspace(tmp_path / "shop")
    there.write(SHOP)
    blocks = there.blocks(f"{MAIN}/cart/Cart.java", CART.replace("return null;", "Line line = $0"))
    assert "    int count;" in blocks["class:shop.cart.Line"].text
    assert "    abstract int weight();" in blocks["class:shop.cart.Basket"].text
    assert "public record Money(long cents)" in blocks["package:shop.money"].text
    assert "Filled" not in "".join(block.text for block in blocks.values() if block.type != "filesystem")


def test_what_may_not_be_seen_is_in_no_package(shop: Path) -> None:
    (shop / "secret").mkdir()
    (shop.parent / "Out.java").write_text("package shop.cart;\n\npublic class Out {}\n")
    (shop / MAIN / "cart/Out.java").symlink_to(shop.parent / "Out.java")
    (shop / ".palimpsestignore").write_text("Line.java\n")
    found = modules(shop, "java")
    offers = offered(found, "shop.cart", shop / MAIN / "cart/Cart.java")
    assert offers == {"Basket": "public abstract class Basket"}
