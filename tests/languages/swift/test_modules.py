"""Swift: the files of a target, and targets that are imported."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.context.context_workspace import Workspace
from tests.languages.resolving import files_of, imported, modules, offered, write

Make = Callable[..., Workspace]
MAIN = """\
import Money
import Foundation

struct Till {
    func pay(cart: Cart, price: Price) {
        cart.add("x")
    }
}
"""
SHOP = {
    "Package.swift": "let package = 1\n",
    "Sources/Shop/Till.swift": MAIN,
    "Sources/Shop/Model/Cart.swift": "/// What is bought.\nclass Cart {\n    func add(_ name: String) {}\n}\n",
    "Sources/Shop/More.swift": "extension Cart {\n    func clear() {}\n}\n",
    "Sources/Money/Price.swift": "public struct Price {\n    public let cents: Int\n}\n\nstruct Inner {}\n",
    "Other/Other.swift": "struct Other {}\n",
}
FILE = "Sources/Shop/Till.swift"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    write(tmp_path / "shop", SHOP)
    return tmp_path / "shop"


def test_files_of_targets(shop: Path) -> None:
    found = modules(shop, "swift")
    assert imported(found, shop, FILE) == [("Money", "*", "Money"), ("Foundation", "*", "Foundation")]
    assert sorted(files_of(found, shop, "Shop", FILE)) == [
        "Sources/Shop/Model/Cart.swift",
        "Sources/Shop/More.swift",
        "Sources/Shop/Till.swift",
    ]
    assert files_of(found, shop, "Money", FILE) == ["Sources/Money/Price.swift"]
    for name in ("Foundation", "..", "", "Other"):
        assert files_of(found, shop, name, FILE) == []
    assert offered(found, "Money", shop / FILE) == {"Price": "public struct Price"}


def test_classes_of_the_target_and_of_another(workspace: Make) -> None:
    made = workspace(SHOP)
    found = made.blocks(FILE, MAIN.replace('add("x")', 'add("x")$0'))
    cart = found["class:Shop.Cart"].text
    assert "func add(_ name: String) { ... }" in cart
    assert "func clear() { ... }" in cart
    assert "public let cents: Int" in found["class:Money.Price"].text
