"""Rust: which file a path means, what a module offers, what other files add to a type."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from palimpsest.languages.rust.manifests import Dependency, lock, manifest
from tests.context.context_workspace import Workspace
from tests.languages.resolving import files_of, imported, members, modules, offered, write

Make = Callable[..., Workspace]
MANIFEST = """\
[package]
name = "web-shop"

[dependencies]
coin-kit = "2"
notes = { package = "bank-notes", version = "1" }
money = { path = "crates/money", package = "shop-money" }
shared = { workspace = true }

[workspace]
members = ["crates/*"]

[workspace.dependencies]
shared = { path = "crates/shared" }
"""
LOCK = """\
[[package]]
name = "coin-kit"
version = "2.0.1"

[[package]]
name = "bank-notes"
version = "1.0.0"
"""
CART = """\
//! A cart.

use crate::money_of;
use std::fmt;

pub mod discounts;

/// At most so many lines.
pub const MAX_LINES: usize = 64;
const HIDDEN: usize = 1;

/// Holds lines.
pub struct Cart {
    pub size: usize,
    owner: String,
}

impl Cart {
    /// Adds.
    pub fn add(&mut self, price: i64) -> bool { true }

    fn told(&self) {}
}

impl fmt::Display for Cart {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result { Ok(()) }
}

pub trait Priced {
    fn price(&self) -> i64;
}

pub enum Problem {
    Full,
}

fn helper() {}

pub(crate) fn money_of() {}

#[cfg(test)]
mod tests {
    use super::*;

    pub fn filled() -> Cart { todo!() }
}
"""
LIBRARY = """\
//! A shop.
pub mod cart;
mod hidden;
pub use hidden::Discount as Cheaper;
pub use cart::*;

pub mod prelude {
    pub use crate::cart::Cart;
    pub use super::hidden::Discount;
    pub fn hello() {}
}
"""
DISCOUNTS = """\
use super::Cart;
use super::super::hidden;

impl Cart {
    pub fn cut(&self) {}
}
"""
MAIN = """\
use web_shop::cart::Cart;
use coin_kit::Coin;
use notes::{self, Note as Bill};
use money::Price;
use shared::Shared;
use nothing::Nothing;
extern crate coin_kit as kit;

fn main() {}
"""
KIT = """\
//! Coins.
pub mod coin;
mod inner;
#[doc(inline)]
pub use inner::Purse;
pub use bank_notes::Note;
pub use coin::Coin;
pub(crate) fn mine() {}

#[macro_export]
macro_rules! coins {
    () => {};
}
"""
SHOP = {
    "Cargo.toml": MANIFEST,
    "Cargo.lock": LOCK,
    "src/lib.rs": LIBRARY,
    "src/hidden.rs": "/// Cheaper.\npub struct Discount;\n",
    "src/cart/mod.rs": CART,
    "src/cart/discounts.rs": DISCOUNTS,
    "src/main.rs": MAIN,
    "src/bin/tool.rs": "mod parts;\nuse crate::parts::Part;\n",
    "src/bin/parts.rs": "pub struct Part;\n",
    "tests/shop.rs": "mod common;\nuse web_shop::prelude::*;\nuse common::filled;\n",
    "tests/common/mod.rs": "pub fn filled() {}\n",
    "crates/money/Cargo.toml": '[package]\nname = "shop-money"\n\n[dependencies]\nshared.workspace = true\n',
    "crates/money/src/lib.rs": "use shared::Shared;\n\n/// A price.\npub struct Price(pub i64);\n",
    "crates/shared/Cargo.toml": '[package]\nname = "shared"\n[lib]\npath = "lib.rs"\n',
    "crates/shared/lib.rs": "pub struct Shared;\n",
}
COINS = {
    "Cargo.toml": '[package]\nname = "coin-kit"\n\n[dependencies.bank-notes]\nversion = "1"\n',
    "src/lib.rs": KIT,
    "src/coin.rs": "/// One coin.\npub struct Coin {\n    pub worth: i64,\n}\n",
    "src/inner.rs": "use crate::Coin;\n\npub struct Purse(Vec<Coin>);\n",
}
NOTES = {"Cargo.toml": '[package]\nname = "bank-notes"\n', "src/lib.rs": "pub struct Note;\n\npub struct Other;\n"}
REGISTRY = "home/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    write(tmp_path / "shop", SHOP)
    write(tmp_path / REGISTRY / "coin-kit-2.0.1", COINS)
    write(tmp_path / REGISTRY / "bank-notes-1.0.0", NOTES)
    return tmp_path / "shop"


def variables(shop: Path) -> dict[str, str]:
    return {"HOME": str(shop.parent / "home")}


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("src/lib.rs", "crate"),
        ("src/cart/mod.rs", "crate::cart"),
        ("src/cart/discounts.rs", "crate::cart::discounts"),
        ("src/main.rs", "src/main"),
        ("src/bin/tool.rs", "src/bin/tool"),
        ("tests/shop.rs", "tests/shop"),
        ("crates/money/src/lib.rs", "shop_money"),
        ("crates/shared/lib.rs", "shared"),
    ],
)
def test_names_of_modules(shop: Path, file: str, name: str) -> None:
    found = modules(shop, "rust")
    assert found.name_of(shop / file, shop) == name
    assert files_of(found, shop, name, file) == [file]


def test_imports_of_a_binary(shop: Path) -> None:
    assert imported(modules(shop, "rust", variables(shop)), shop, "src/main.rs") == [
        ("web_shop::cart", "Cart", "crate::cart"),
        ("coin_kit", "Coin", "coin_kit"),
        ("notes", None, "notes"),
        ("notes", "Note", "notes"),
        ("money", "Price", "shop_money"),
        ("shared", "Shared", "shared"),
        ("nothing", "Nothing", None),
        ("coin_kit", None, "coin_kit"),
    ]


def test_imports_inside_a_crate(shop: Path) -> None:
    found = modules(shop, "rust", variables(shop))
    assert imported(found, shop, "src/cart/discounts.rs") == [
        ("super", "Cart", "crate::cart"),
        ("super::super", "hidden", "crate"),
    ]
    assert imported(found, shop, "src/cart/mod.rs") == [
        ("crate", "money_of", "crate"),
        ("std", "fmt", None),
        ("self", "discounts", "crate::cart"),
        ("super", "*", "crate::cart"),
    ]
    assert imported(found, shop, "tests/shop.rs") == [
        ("self", "common", "tests/shop"),
        ("web_shop::prelude", "*", "crate::prelude"),
        ("common", "filled", "tests/shop::common"),
    ]
    assert files_of(found, shop, "tests/shop::common", "tests/shop.rs") == ["tests/common/mod.rs"]
    assert imported(found, shop, "src/bin/tool.rs")[1] == ("crate::parts", "Part", "src/bin/tool::parts")
    assert files_of(found, shop, "src/bin/tool::parts", "src/bin/tool.rs") == ["src/bin/parts.rs"]
    assert imported(found, shop, "crates/money/src/lib.rs") == [("shared", "Shared", "shared")]


def test_what_a_module_offers(shop: Path) -> None:
    found, main = modules(shop, "rust"), shop / "src/main.rs"
    assert offered(found, "crate::cart", main) == {
        "Cart": "pub struct Cart",
        "Priced": "pub trait Priced",
        "Problem": "pub enum Problem",
        "money_of": "pub(crate) fn money_of()",
        "MAX_LINES": "pub const MAX_LINES: usize = 64;",
        "discounts": "module crate::cart::discounts",
    }
    assert members(found, "crate::cart", "Cart", main) == [
        "Cart.size: usize",
        "pub fn Cart.add(&mut self, price: i64) -> bool",
        "fn Cart.fmt(&self, out: &mut fmt::Formatter) -> fmt::Result",
    ]
    assert members(found, "crate::cart", "Priced", main) == ["fn Priced.price(&self) -> i64"]
    assert members(found, "crate::cart", "Problem", main) == ["Problem.Full"]


def test_a_module_sees_what_those_around_it_have(shop: Path) -> None:
    found = modules(shop, "rust")
    seen = offered(found, "crate::cart", shop / "src/cart/discounts.rs") or {}
    assert {"HIDDEN", "helper", "Cart"} <= seen.keys()
    assert "filled" not in seen
    assert "helper" not in (offered(found, "crate::cart", shop / "src/hidden.rs") or {})


def test_what_is_offered_of_other_modules(shop: Path) -> None:
    found, main = modules(shop, "rust"), shop / "src/main.rs"
    of_crate = offered(found, "crate", main) or {}
    assert of_crate["Cheaper"] == "pub struct Cheaper"
    assert of_crate["Cart"] == "pub struct Cart"
    assert "Discount" not in of_crate
    assert "hello" not in of_crate
    assert "hidden" not in of_crate
    assert offered(found, "crate::prelude", main) == {
        "Cart": "pub struct Cart",
        "Discount": "pub struct Discount",
        "hello": "pub fn hello()",
    }


def test_a_crate_of_the_registry(shop: Path) -> None:
    found, main = modules(shop, "rust", variables(shop)), shop / "src/main.rs"
    assert offered(found, "coin_kit", main) == {
        "coin": "module coin_kit::coin",
        "Purse": "pub struct Purse(Vec<Coin>)",
        "Note": "pub struct Note",
        "Coin": "pub struct Coin",
        "coins": "macro_rules! coins",
    }
    assert offered(found, "coin_kit::coin", main) == {"Coin": "pub struct Coin"}
    assert offered(found, "notes", main) == {"Note": "pub struct Note", "Other": "pub struct Other"}
    assert not found.is_own("coin_kit", main)
    assert offered(modules(shop, "rust"), "coin_kit", main) is None
    cargo = {"CARGO_HOME": str(shop.parent / "home/.cargo")}
    assert offered(modules(shop, "rust", cargo), "coin_kit", main) is not None
    assert offered(found, "bank_notes", main) is None, "known by another name here"
    assert offered(found, "coin_kit", shop / "crates/money/src/lib.rs") is None, "not what this package needs"


def test_the_version_is_the_one_that_is_locked(shop: Path) -> None:
    main = shop / "src/main.rs"
    (shop / "Cargo.lock").write_text(LOCK.replace("2.0.1", "2.1.0"))
    assert offered(modules(shop, "rust", variables(shop)), "coin_kit", main) is None
    needs = '[[package]]\nname = "web-shop"\nversion = "0.1.0"\ndependencies = ["coin-kit 2.0.1"]\n'
    several = f'{LOCK}\n[[package]]\nname = "coin-kit"\nversion = "1.0.0"\n'
    (shop / "Cargo.lock").write_text(several)
    assert offered(modules(shop, "rust", variables(shop)), "coin_kit", main) is None
    (shop / "Cargo.lock").write_text(f"{several}\n{needs}")
    assert offered(modules(shop, "rust", variables(shop)), "coin_kit", main) is not None
    (shop / "Cargo.lock").unlink()
    assert offered(modules(shop, "rust", variables(shop)), "coin_kit", main) is None


def test_what_is_vendored_goes_first(shop: Path) -> None:
    write(
        shop / "vendor/coin-kit", {"Cargo.toml": '[package]\nname = "coin-kit"\n', "src/lib.rs": "pub fn here() {}\n"}
    )
    found = modules(shop, "rust", variables(shop))
    assert offered(found, "coin_kit", shop / "src/main.rs") == {"here": "pub fn here()"}
    assert not found.is_own("coin_kit", shop / "src/main.rs")


def test_rusts_own_crates(shop: Path) -> None:
    write(
        shop.parent / "home/.rustup/toolchains/stable-x/lib/rustlib/src/rust/library",
        {
            "core/src/lib.rs": "pub mod mem;\n",
            "core/src/mem/mod.rs": "/// Swaps.\npub const fn swap<T>(x: &mut T, y: &mut T) {}\n",
            "alloc/src/lib.rs": "pub mod vec;\n",
            "alloc/src/vec/mod.rs": "pub struct Vec<T>(T);\n",
            "std/src/lib.rs": "extern crate alloc as alloc_crate;\npub use core::mem;\npub use alloc_crate::vec;\n"
            "pub mod collections;\n",
            "std/src/collections/mod.rs": "pub use self::hash_map::HashMap;\nmod hash;\npub mod hash_map {\n"
            "    pub use super::hash::map::*;\n}\n",
            "std/src/collections/hash/mod.rs": "pub mod map;\n",
            "std/src/collections/hash/map.rs": "/// A map.\npub struct HashMap<K, V>(K, V);\npub struct Entry;\n",
        },
    )
    found, main = modules(shop, "rust", variables(shop)), shop / "src/main.rs"
    assert offered(found, "std::collections", main) == {
        "HashMap": "pub struct HashMap<K, V>(K, V)",
        "hash_map": "module std::collections::hash_map",
    }
    assert offered(found, "std::collections::hash_map", main) == {
        "HashMap": "pub struct HashMap<K, V>(K, V)",
        "Entry": "pub struct Entry",
    }
    assert (offered(found, "std", main) or {})["mem"] == "module core::mem"
    assert offered(found, "core::mem", main) == {"swap": "pub const fn swap<T>(x: &mut T, y: &mut T)"}


def test_nothing_outside_the_workspace_is_a_module_of_it(shop: Path) -> None:
    private = shop.parent / "private"
    write(private, {"Cargo.toml": '[package]\nname = "private"\n', "src/lib.rs": "pub fn keys() {}\n", "k.rs": ""})
    (shop / "crates/linked").symlink_to(private, target_is_directory=True)
    (shop / "src/linked.rs").symlink_to(private / "src/lib.rs")
    (shop / "src/folder").symlink_to(private / "src", target_is_directory=True)
    for path in ("../private", str(private), "crates/linked", "crates/../../private"):
        needs = f'[package]\nname = "web-shop"\n[dependencies]\nprivate = {{ path = "{path}" }}\n'
        (shop / "Cargo.toml").write_text(f'{needs}[workspace]\nmembers = ["crates/*", "../private", "../*"]\n')
        found = modules(shop, "rust", variables(shop))
        for name in ("private", "crate::linked", "crate::folder", "crate::..::private", "../private/src/lib", "linked"):
            assert offered(found, name, shop / "src/main.rs", "keys") is None, (path, name)
    (shop / "Cargo.toml").write_text('[package]\nname = "private"\n[lib]\npath = "../private/src/lib.rs"\n')
    found = modules(shop, "rust")
    assert "keys" not in (offered(found, "crate", shop / "src/cart/mod.rs", "keys") or {})


def test_libraries_lead_nowhere_else(shop: Path) -> None:
    private, registry = shop.parent / "private", shop.parent / REGISTRY
    write(private, {"Cargo.toml": '[package]\nname = "evil"\n', "src/lib.rs": "pub fn keys() {}\n"})
    (registry / "evil-1.0.0").symlink_to(private, target_is_directory=True)
    coins = registry / "coin-kit-2.0.1"
    (coins / "src/keys.rs").symlink_to(private / "src/lib.rs")
    (coins / "src/folder").symlink_to(private / "src", target_is_directory=True)
    (coins / "src/lib.rs").write_text("pub mod keys;\npub mod folder;\npub use keys::*;\npub use folder::keys;\n")
    (shop / "vendor").mkdir()
    (shop / "vendor/evil").symlink_to(private, target_is_directory=True)
    needs = '[package]\nname = "web-shop"\n[dependencies]\nevil = "1"\ncoin-kit = "2"\nup = "1"\n'
    (shop / "Cargo.toml").write_text(needs)
    up = '[[package]]\nname = "up"\nversion = "1/../../../../../../private"\n'
    (shop / "Cargo.lock").write_text(f'{LOCK}\n[[package]]\nname = "evil"\nversion = "1.0.0"\n\n{up}')
    found, main = modules(shop, "rust", variables(shop)), shop / "src/main.rs"
    for name in ("evil", "up", "coin_kit::keys", "coin_kit::folder"):
        assert offered(found, name, main, "keys") is None, name
    assert offered(found, "coin_kit", main) == {}


def test_parts_of_a_type_in_other_files_are_in_its_block(workspace: Make) -> None:
    there = workspace(
        {**SHOP, "src/main.rs": "use web_shop::cart::Cart;\nfn main() {\n    let c: Cart = x;\n    c.$0\n}\n"}
    )
    block = there.blocks("src/main.rs")["class:crate::cart.Cart"]
    assert block.uri.endswith("src/cart/mod.rs")
    lines = block.text.split("\n")
    assert [line for line in lines if line.startswith(("pub struct", "impl"))] == [
        "pub struct Cart {",
        "impl Cart {",
        "impl fmt::Display for Cart {",
        "impl Cart {",
    ]
    assert "    pub fn cut(&self) { ... }" in lines or "    pub fn cut(&self) {}" in lines
    typed = "use super::Cart;\n\nimpl Cart {\n    pub fn cut(&self) {\n        self.$0\n    }\n}\n"
    block = there.blocks("src/cart/discounts.rs", typed)["class:crate::cart.Cart"]
    assert "pub fn add(&mut self, price: i64) -> bool" in block.text
    assert "pub fn cut(&self) { ... }" in block.text


def test_an_implementation_far_away_is_found_by_the_index(workspace: Make) -> None:
    far = "use crate::cart::Cart;\n\nimpl From<i64> for Cart {\n    fn from(n: i64) -> Self { todo!() }\n}\n"
    other = "struct Cart;\n\nimpl Cart {\n    fn of_another() {}\n}\n"
    main = "use web_shop::cart::Cart;\nfn main() {\n    let c: Cart = x;\n    c.$0\n}\n"
    there = workspace({**SHOP, "src/main.rs": main, "src/hidden.rs": far, "crates/money/src/cart.rs": other})
    there.build_index()
    block = there.blocks("src/main.rs")["class:crate::cart.Cart"]
    assert "impl From<i64> for Cart {" in block.text
    assert "of_another" not in block.text


def test_a_class_through_what_offers_it(workspace: Make) -> None:
    there = workspace({**SHOP, "tests/shop.rs": "use web_shop::prelude::*;\nfn f() {\n    Discount;$0\n    Cart;\n}\n"})
    blocks = there.blocks("tests/shop.rs")
    assert "class:crate::hidden.Discount" in blocks
    assert "class:crate::cart.Cart" in blocks


def test_what_manifests_say() -> None:
    found = manifest(
        '[package]\nname = "a-b"\n[lib]\nname = "ab"\npath = "x.rs"\n[[bin]]\nname = "t"\npath = "t.rs"\n'
        '[dependencies]\nx-y = "1"\n[target."cfg(unix)".dev-dependencies]\nz = { package = "zz", version = "1" }\n'
    )
    assert (found.package, found.library, found.library_file, found.targets) == ("a-b", "ab", "x.rs", ("t.rs",))
    assert found.dependencies == {"x_y": Dependency("x-y"), "z": Dependency("zz")}
    for text in ("", "[package", "package = 1\nlib = []\nbin = [1]\n", "dependencies = 3\n[workspace]\nmembers = 1\n"):
        assert manifest(text).package == ""
    assert manifest("a = " + "[" * 100_000).package == ""
    assert lock('package = [{name = "a", version = "1"}, 3, {name = 1}]').version("a", "b") == "1"
