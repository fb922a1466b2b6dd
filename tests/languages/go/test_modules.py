"""Go: which folder an import means, what a package offers, what other files of it add."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from palimpsest.languages.go import building
from palimpsest.languages.go.building import Replaced, escaped, mod_file, used_folders
from palimpsest.workspace.files import MAX_BYTES
from tests.context.context_workspace import Workspace
from tests.languages.resolving import files_of, imported, members, modules, offered, write

Make = Callable[..., Workspace]
MAIN = """\
package main

import (
	"example.com/shop/cart"
	m "example.com/shop/money"
)

func main() {}
"""
CART = """\
// Package cart holds what a buyer wants.
package cart

import "example.com/shop/money"

// MaxLines is how many lines fit.
const MaxLines = 64

var hidden = 1

// Cart holds lines.
type Cart struct {
	Size  int
	owner string
}

// Add adds.
func (c *Cart) Add(price money.Amount) error { return nil }

func (c *Cart) told() {}

func helper() {}
"""
SHOP = {
    "go.mod": "module example.com/shop\n\ngo 1.22\n\nrequire github.com/You/Coins v1.2.0-RC1 // indirect\n",
    "main.go": MAIN,
    "cart/cart.go": CART,
    "cart/more.go": "package cart\n\n// Empty empties.\nfunc (c *Cart) Empty() {}\n\nfunc aside() {}\n",
    "cart/cart_test.go": "package cart\n\nfunc filled() *Cart { return nil }\n",
    "cart/outer_test.go": 'package cart_test\n\nimport "example.com/shop/cart"\n',
    "cart/open_windows.go": "package cart\n\nfunc Open() {}\n",
    "cart/open_linux.go": "package cart\n\nfunc Open() {}\n",
    "cart/generate.go": "//go:build ignore\n\npackage main\n\nfunc Generated() {}\n",
    "money/money.go": "package money\n\n// Amount is in cents.\ntype Amount int64\n",
    "money/internal/rounding/rounding.go": "package rounding\n\nfunc Round() {}\n",
}
COINS = {
    "go.mod": "module github.com/You/Coins\n",
    "coins.go": "package coins\n\nfunc Of(n int) Coin { return 0 }\n\ntype Coin int\n\nfunc hidden() {}\n",
    "coin.go": "package coins\n\nfunc (c Coin) Worth() int { return int(c) }\n",
    "purse/purse.go": "package purse\n\ntype Purse struct{ Coins []int }\n",
    "coins_test.go": "package coins\n\nfunc Tested() {}\n",
}


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    write(tmp_path / "shop", SHOP)
    write(tmp_path / "home/go/pkg/mod/github.com/!you/!coins@v1.2.0-!r!c1", COINS)
    write(
        tmp_path / "go", {"src/fmt/print.go": "package fmt\n\n// Println writes a line.\nfunc Println(a ...any) {}\n"}
    )
    write(tmp_path / "go", {"src/internal/abi/abi.go": "package abi\n\nfunc ABI() {}\n"})
    return tmp_path / "shop"


def variables(shop: Path) -> dict[str, str]:
    return {"HOME": str(shop.parent / "home"), "GOROOT": str(shop.parent / "go")}


def test_packages_have_the_modules_path(shop: Path) -> None:
    found = modules(shop, "go")
    assert found.name_of(shop / "main.go", shop) == "example.com/shop"
    assert found.name_of(shop / "cart/cart.go", shop) == "example.com/shop/cart"
    assert imported(found, shop, "main.go") == [
        ("example.com/shop/cart", None, "example.com/shop/cart"),
        ("example.com/shop/money", None, "example.com/shop/money"),
    ]
    assert files_of(found, shop, "example.com/shop/money", "main.go") == ["money/money.go"]
    assert files_of(found, shop, "example.com/shop/nothing", "main.go") == []
    assert files_of(found, shop, "example.com/shopping", "main.go") == []


def test_files_of_a_package(shop: Path) -> None:
    found, name = modules(shop, "go"), "example.com/shop/cart"
    built = ["cart/cart.go", "cart/generate.go", "cart/more.go", "cart/open_linux.go"]
    assert files_of(found, shop, name, "main.go") == built
    assert files_of(found, shop, name, "cart/more.go") == built
    assert files_of(found, shop, name, "cart/cart_test.go") == [*built, "cart/cart_test.go", "cart/outer_test.go"]
    windows = files_of(found, shop, name, "cart/open_windows.go")
    assert "cart/open_windows.go" in windows
    assert "cart/open_linux.go" not in windows


def test_a_folder_without_a_module_is_a_package(tmp_path: Path) -> None:
    write(tmp_path, {"tools/a.go": "package tools\n", "tools/b.go": "package tools\n\nfunc b() {}\n", "c.go": ""})
    found = modules(tmp_path, "go")
    assert found.name_of(tmp_path / "tools/a.go", tmp_path) == "tools"
    assert files_of(found, tmp_path, "tools", "tools/a.go") == ["tools/a.go", "tools/b.go"]
    assert offered(found, "tools", tmp_path / "tools/a.go") == {"b": "func b()"}


def test_what_a_package_offers(shop: Path) -> None:
    found = modules(shop, "go")
    assert offered(found, "example.com/shop/cart", shop / "main.go") == {
        "Cart": "type Cart struct",
        "Open": "func Open()",
        "MaxLines": "const MaxLines = 64",
    }
    assert members(found, "example.com/shop/cart", "Cart", shop / "main.go") == [
        "Cart.Size int",
        "func (c *Cart) Add(price money.Amount) error",
        "func (c *Cart) Empty()",
    ]
    description = found.describe("example.com/shop/cart", frozenset({"Generated"}), shop / "main.go")
    assert description is not None
    assert description.doc == "Package cart holds what a buyer wants."
    assert description.looked_up["Generated"] is None


def test_a_file_sees_all_of_its_package_but_itself(shop: Path) -> None:
    found = modules(shop, "go")
    assert offered(found, "example.com/shop/cart", shop / "cart/cart.go") == {
        "aside": "func aside()",
        "Open": "func Open()",
    }
    assert [item.module for item in found.implied("example.com/shop/cart", shop / "cart/cart.go")] == [
        "example.com/shop/cart"
    ]
    assert found.implied("example.com/shop/cart", shop / "cart/outer_test.go") == []


def test_internal_packages_are_for_what_is_beside_them(shop: Path) -> None:
    found, name = modules(shop, "go", variables(shop)), "example.com/shop/money/internal/rounding"
    assert files_of(found, shop, name, "money/money.go") == ["money/internal/rounding/rounding.go"]
    assert files_of(found, shop, name, "cart/cart.go") == []
    assert offered(found, "internal/abi", shop / "main.go") is None


def test_a_package_of_the_module_cache(shop: Path) -> None:
    found, main = modules(shop, "go", variables(shop)), shop / "main.go"
    assert offered(found, "github.com/You/Coins", main) == {"Coin": "type Coin int", "Of": "func Of(n int) Coin"}
    assert members(found, "github.com/You/Coins", "Coin", main) == ["func (c Coin) Worth() int"]
    assert offered(found, "github.com/You/Coins/purse", main) == {"Purse": "type Purse struct"}
    assert offered(found, "github.com/you/coins", main) is None
    assert not found.is_own("github.com/You/Coins", main)
    assert offered(modules(shop, "go"), "github.com/You/Coins", main) is None
    cache = str(shop.parent / "home/go/pkg/mod")
    assert offered(modules(shop, "go", {"GOMODCACHE": cache}), "github.com/You/Coins", main) is not None
    path = str(shop.parent / "home/go")
    assert offered(modules(shop, "go", {"GOPATH": path}), "github.com/You/Coins", main) is not None


def test_the_version_is_the_one_that_go_mod_says(shop: Path) -> None:
    (shop / "go.mod").write_text("module example.com/shop\nrequire github.com/You/Coins v1.3.0\n")
    assert offered(modules(shop, "go", variables(shop)), "github.com/You/Coins", shop / "main.go") is None
    there = "github.com/You/Coins => github.com/You/Coins v1.2.0-RC1"
    (shop / "go.mod").write_text(f"module example.com/shop\nrequire github.com/You/Coins v1.3.0\nreplace {there}\n")
    assert offered(modules(shop, "go", variables(shop)), "github.com/You/Coins", shop / "main.go") is not None


def test_what_is_vendored_goes_first(shop: Path) -> None:
    write(shop, {"vendor/github.com/You/Coins/coins.go": "package coins\n\nfunc Vendored() {}\n"})
    found = modules(shop, "go", variables(shop))
    assert offered(found, "github.com/You/Coins", shop / "main.go") == {"Vendored": "func Vendored()"}
    assert not found.is_own("github.com/You/Coins", shop / "main.go")


def test_a_folder_that_stands_in_for_a_module(shop: Path) -> None:
    write(
        shop, {"third/coins/go.mod": "module coins.example\n", "third/coins/c.go": "package coins\n\nfunc Mine() {}\n"}
    )
    (shop / "go.mod").write_text("module example.com/shop\nreplace github.com/You/Coins v1.2.0-RC1 => ./third/coins\n"
                                 "require github.com/You/Coins v1.2.0-RC1\n")  # fmt: skip
    found = modules(shop, "go", variables(shop))
    assert files_of(found, shop, "github.com/You/Coins", "main.go") == ["third/coins/c.go"]
    assert found.is_own("github.com/You/Coins", shop / "main.go")


def test_modules_of_one_workspace(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "go.work": "go 1.22\n\nuse (\n\t./shop\n\t./money\n\t../outside\n)\n",
            "shop/go.mod": "module example.com/shop\n",
            "shop/main.go": "package main\n",
            "money/go.mod": "module example.com/money/v2\n",
            "money/cents/cents.go": "package cents\n\nfunc Of() {}\n",
        },
    )
    found = modules(tmp_path, "go")
    assert files_of(found, tmp_path, "example.com/money/v2/cents", "shop/main.go") == ["money/cents/cents.go"]
    assert found.name_of(tmp_path / "money/cents/cents.go", tmp_path) == "example.com/money/v2/cents"


def test_gos_own_packages(shop: Path) -> None:
    found = modules(shop, "go", variables(shop))
    assert offered(found, "fmt", shop / "main.go") == {"Println": "func Println(a ...any)"}
    assert offered(found, "nothing", shop / "main.go") is None


def test_nothing_outside_the_workspace_is_a_module_of_it(shop: Path) -> None:
    write(shop.parent, {"private/go.mod": "module private\n", "private/keys.go": "package private\n\nfunc Keys() {}\n"})
    (shop / "private").symlink_to(shop.parent / "private", target_is_directory=True)
    (shop / "go.work").write_text("use (\n\t../private\n\t.\n)\n")
    for replaced in ("../private", str(shop.parent / "private"), "./private", "./cart/../../private"):
        (shop / "go.mod").write_text(
            f"module example.com/shop\nreplace private => {replaced}\nrequire private v1.0.0\n"
        )
        found = modules(shop, "go", variables(shop))
        for name in ("private", "example.com/shop/private", "example.com/shop/../private", "../private"):
            assert offered(found, name, shop / "main.go", "Keys") is None, (replaced, name)
    found = modules(shop, "go", {"HOME": str(shop), "GOROOT": str(shop)})
    assert offered(found, "private", shop / "main.go", "Keys") is None


def test_libraries_lead_nowhere_else(shop: Path) -> None:
    home, private = shop.parent / "home", shop.parent / "private"
    write(private, {"keys.go": "package private\n\nfunc Keys() {}\n", "id_rsa": "secret"})
    cache = home / "go/pkg/mod"
    coins = cache / "github.com/!you/!coins@v1.2.0-!r!c1"
    (coins / "private").symlink_to(private, target_is_directory=True)
    (coins / "keys.go").symlink_to(private / "keys.go")
    (coins / "huge.go").write_text("package coins\n\nfunc Huge() {}\n" + " " * MAX_BYTES)
    (cache / "evil.com@v1.0.0").symlink_to(private, target_is_directory=True)
    (shop / "vendor/github.com").mkdir(parents=True)
    (shop / "vendor/github.com/evil").symlink_to(private, target_is_directory=True)
    names = ["evil.com", "github.com/evil", "github.com/You/Coins/private", "..", "../../private", "private"]
    required = "\n".join(f"require {name} v1.0.0" for name in [*names, "x/../../../../../private"])
    (shop / "go.mod").write_text(f"module example.com/shop\nrequire github.com/You/Coins v1.2.0-RC1\n{required}\n")
    found = modules(shop, "go", variables(shop))
    for name in names:
        assert offered(found, name, shop / "main.go", "Keys") is None, name
    assert offered(found, "github.com/You/Coins", shop / "main.go") == {
        "Coin": "type Coin int",
        "Of": "func Of(n int) Coin",
    }
    (shop / "go.mod").write_text("module example.com/shop\nrequire github.com/You/Coins ../../../private\n")
    assert offered(modules(shop, "go", variables(shop)), "github.com/You/Coins", shop / "main.go") is None


def test_what_is_excluded_does_not_exist(shop: Path) -> None:
    (shop / ".palimpsestignore").write_text("money/\nvendor/\n")
    write(shop, {"vendor/github.com/You/Coins/coins.go": "package coins\n\nfunc Vendored() {}\n"})
    found = modules(shop, "go", variables(shop))
    assert offered(found, "example.com/shop/money", shop / "main.go") is None
    assert "Vendored" not in (offered(found, "github.com/You/Coins", shop / "main.go") or {})


def test_methods_of_other_files_are_in_the_class_block(workspace: Make) -> None:
    there = workspace(
        {
            **SHOP,
            "main.go": MAIN.replace("{}", "{\n\tvar c cart.Cart\n\tc.$0\n}"),
            "cart/cart.go": CART.replace("return nil", "return nil$0"),
        }
    )
    shown = {block.name: block.text for block in there.blocks("main.go").values() if block.type == "class"}
    text = shown["example.com/shop/cart.Cart"]
    assert text.index("type Cart struct {") < text.index("Add(") < text.index("func (c *Cart) Empty() { ... }")
    more = "package cart\n\nfunc (c *Cart) Empty() {\n\tc.$0\n}\n"
    block = there.blocks("cart/more.go", more)["class:example.com/shop/cart.Cart"]
    assert block.uri.endswith("cart/cart.go")
    assert "func (c *Cart) Add(price money.Amount) error { ... }" in block.text
    assert "func (c *Cart) Empty() { ... }" in block.text
    assert block.lines[block.text.split("\n").index("func (c *Cart) Empty() { ... }")] is None


def test_package_blocks(workspace: Make) -> None:
    there = workspace({**SHOP, "cart/more.go": "package cart\n\nfunc use() {\n\thelper()\n\tmoney.$0\n}\n"})
    block = there.blocks("cart/more.go")["package:example.com/shop/cart"]
    assert block.text.startswith("func helper()")
    assert "const MaxLines = 64" in block.text


@pytest.mark.parametrize(
    ("name", "asks"),
    [
        ("cart.go", set()),
        ("cart_test.go", set()),
        ("cart_linux.go", {"linux"}),
        ("cart_linux_arm64_test.go", {"linux", "arm64"}),
        ("linux.go", set()),
        ("cart_unix.go", set()),
        ("cart_amd64_linux.go", {"linux"}),
    ],
)
def test_names_of_files_ask_for_systems(name: str, asks: set[str]) -> None:
    assert building.asks_for(name) == asks


@pytest.mark.parametrize(
    ("condition", "is_met"),
    [
        ("linux", True),
        ("!linux", False),
        ("windows || (linux && !arm64)", True),
        ("windows && linux || darwin", False),
        ("go1.21 && unix", True),
        ("!(ignore)", True),
        ("tools", False),
        ("", True),
        ("linux && (", True),
        ("(" * 5000 + "ignore", True),
    ],
)
def test_conditions(condition: str, is_met: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    assert building.is_built(f"// A licence.\n\n//go:build {condition}\n\npackage a\n//go:build ignore\n") == is_met


def test_what_go_mod_says() -> None:
    found = mod_file(
        'module "example.com/shop" // here\ngo 1.22\nrequire (\n\ta.b/c v1.0.0 // indirect\n\n\t../x v1\n)\n'
        "require d v0.1.0\nreplace (\n\ta.b/c v1.0.0 => ../c\n\td => e.f/g v2.0.0\n\tnonsense\n)\nexclude d v0.9.0\n"
    )
    assert found.path == "example.com/shop"
    assert found.required == {"a.b/c": "v1.0.0", "d": "v0.1.0"}
    assert found.replacement("a.b/c", "v1.0.0") == Replaced("../c", "", "v1.0.0")
    assert found.replacement("a.b/c", "v1.1.0") is None
    assert found.replacement("d", "v0.1.0") == Replaced("e.f/g", "v2.0.0")
    assert used_folders("go 1.22\nuse ./a\nuse (\n\t./b // there\n)\n") == ["./a", "./b"]
    assert escaped("github.com/BurntSushi/toml") == "github.com/!burnt!sushi/toml"
