"""PHP: which file has a class, by `composer.json`, by its folder, in `vendor`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.context.context_workspace import Workspace
from tests.languages.resolving import files_of, imported, members, modules, write

Make = Callable[..., Workspace]
TILL = """\
<?php
namespace Shop\\Till;

use Shop\\Cart\\Cart;
use Coins\\Purse as Money;
use Gone\\Thing;
use function Shop\\rounded;

require __DIR__ . '/../helpers.php';

class Till
{
    public function pay(Cart $cart, Drawer $drawer): Money
    {
        $cart->add('tax', 1);
    }
}
"""
CART = """\
<?php
namespace Shop\\Cart;

/** What is bought. */
class Cart
{
    private int $size = 0;

    public function add(string $name, int $count): void
    {
    }

    private function note(): void
    {
    }
}
"""
COMPOSER = {"autoload": {"psr-4": {"Shop\\": ["src/", "more/"]}}, "autoload-dev": {"psr-4": {"Tests\\": "tests"}}}
TABLE = """\
<?php
$vendorDir = dirname(__DIR__);
$baseDir = dirname($vendorDir);
return array(
    'Coins\\\\' => array($vendorDir . '/acme/coins/src'),
    'Out\\\\' => array($vendorDir . '/../../outside'),
);
"""
PURSE = "<?php\nnamespace Coins;\n\nclass Purse\n{\n    public function count(): int\n    {\n    }\n}\n"
SHOP = {
    "composer.json": json.dumps(COMPOSER),
    "src/Till/Till.php": TILL,
    "src/Till/Drawer.php": "<?php\nnamespace Shop\\Till;\n\nclass Drawer\n{\n    public function open(): void\n    {\n"
    "    }\n}\n",
    "src/Cart/Cart.php": CART,
    "more/Extra.php": "<?php\nnamespace Shop;\n\nclass Extra\n{\n}\n",
    "src/helpers.php": "<?php\n\nfunction helper($a)\n{\n}\n",
    "tests/CartTest.php": "<?php\nnamespace Tests;\n\nuse Shop\\Cart\\Cart;\n",
    ".gitignore": "vendor/\n",
    "vendor/composer/autoload_psr4.php": TABLE,
    "vendor/acme/coins/src/Purse.php": PURSE,
}
FILE = "src/Till/Till.php"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    write(tmp_path / "shop", SHOP)
    write(tmp_path / "outside", {"Thing.php": "<?php\nnamespace Out;\n\nclass Thing\n{\n}\n"})
    return tmp_path / "shop"


def test_what_imports_mean(shop: Path) -> None:
    found = modules(shop, "php")
    assert imported(found, shop, FILE) == [
        ("Shop\\Cart\\Cart", "Cart", "Shop\\Cart\\Cart"),
        ("Coins\\Purse", "Purse", "Coins\\Purse"),
        ("Gone\\Thing", "Thing", "Gone\\Thing"),
        ("Shop", "rounded", None),
        ("../helpers.php", "*", "src/helpers.php"),
    ]
    assert files_of(found, shop, "Shop\\Cart\\Cart", FILE) == ["src/Cart/Cart.php"]
    assert files_of(found, shop, "Shop\\Extra", FILE) == ["more/Extra.php"]
    assert files_of(found, shop, "Shop\\Till\\Drawer", FILE) == ["src/Till/Drawer.php"]
    assert files_of(found, shop, "src/helpers.php", FILE) == ["src/helpers.php"]
    for name in ("Gone\\Thing", "..\\x", "", "Shop\\", "\\", "../../outside/Thing.php"):
        assert files_of(found, shop, name, FILE) == []


def test_a_class_of_an_installed_package(shop: Path) -> None:
    found = modules(shop, "php")
    assert members(found, "Coins\\Purse", "Purse", shop / FILE) == ["public function Purse.count(): int"]
    assert not found.is_own("Coins\\Purse", shop / FILE)
    assert found.describe("Out\\Thing", frozenset(), shop / FILE) is None, "a table may not lead out of vendor"


def test_blocks_for_classes_that_are_imported_and_of_the_same_namespace(workspace: Make) -> None:
    made = workspace(SHOP)
    found = made.blocks(FILE, TILL.replace("'tax', 1);", "'tax', 1);$0"))
    assert "public function add(string $name, int $count): void { ... }" in found["class:Shop\\Cart\\Cart.Cart"].text
    assert "public function open(): void { ... }" in found["class:Shop\\Till\\Drawer.Drawer"].text


@pytest.mark.parametrize(
    "text", ["{", "[]", "null", '{"autoload": 3}', '{"autoload": {"psr-4": {"A\\\\": 7, "": ["../.."]}}}']
)
def test_a_composer_file_that_is_none(shop: Path, text: str) -> None:
    write(shop, {"composer.json": text})
    found = modules(shop, "php")
    assert files_of(found, shop, "Shop\\Cart\\Cart", FILE) == []
    assert files_of(found, shop, "outside\\Thing", FILE) == []
