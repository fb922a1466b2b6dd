"""Ruby: which file `require` loads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.context.context_workspace import Workspace
from tests.languages.resolving import files_of, imported, modules, offered, write

Make = Callable[..., Workspace]
CART = "# What is bought.\nclass Cart\n  def add(name, count)\n  end\n\n  def total\n  end\nend\n"
MAIN = (
    'require "shop/cart"\nrequire_relative "../helpers"\nrequire "json"\n\ndef pay(cart)\n  Cart.new.add("x", 1)\nend\n'
)
SHOP = {
    "bin/main.rb": MAIN,
    "helpers.rb": "def helper(a)\nend\n",
    "lib/shop/cart.rb": CART,
    "app/models/order.rb": "class Order\nend\n",
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    write(tmp_path / "shop", SHOP)
    return tmp_path / "shop"


def test_files(shop: Path) -> None:
    found = modules(shop, "ruby")
    assert imported(found, shop, "bin/main.rb") == [
        ("shop/cart", "*", "shop/cart"),
        ("../helpers", "*", "helpers"),
        ("json", "*", "json"),
    ]
    assert files_of(found, shop, "shop/cart", "bin/main.rb") == ["lib/shop/cart.rb"]
    assert files_of(found, shop, "helpers", "bin/main.rb") == ["helpers.rb"]
    assert files_of(found, shop, "order", "bin/main.rb") == ["app/models/order.rb"]
    for name in ("json", "../outside", "/etc/passwd", "", "lib/../../x"):
        assert files_of(found, shop, name, "bin/main.rb") == []


def test_what_a_file_offers(shop: Path) -> None:
    found = modules(shop, "ruby")
    assert offered(found, "shop/cart", shop / "bin/main.rb") == {"Cart": "class Cart"}


def test_a_class_of_a_file_that_is_required(workspace: Make) -> None:
    made = workspace(SHOP)
    found = made.blocks("bin/main.rb", MAIN.replace('("x", 1)', '("x", 1)$0'))
    assert "def add(name, count) ... end" in found["class:shop/cart.Cart"].text


def test_what_leads_up_to_the_top_of_the_disk(shop: Path) -> None:
    (shop / "bin/main.rb").write_text(f'require_relative "{"../" * 40}"\nrequire_relative "../helpers"\n')
    assert [module for _, _, module in imported(modules(shop, "ruby"), shop, "bin/main.rb")] == [None, "helpers"]
