"""Go and Rust through a real client: blocks of packages and types, a misspelt name, what follows a rename and a changed
signature."""

from __future__ import annotations

from pathlib import Path

from tests.languages.go.test_modules import SHOP as GO
from tests.languages.resolving import write
from tests.languages.rust.test_modules import SHOP as RUST

from .conftest import Editor, start_editor, stop_editor
from .test_name_fixes import first
from .test_next_edit import ask

GO_MAIN = """\
package main

import "example.com/shop/cart"

func main() {
	c := &cart.Cart{Size: 1}
	c.Add(2)
	cart.New()
}
"""
RUST_MAIN = """\
use money::Price;
use web_shop::cart::{self, Cart};

fn main() {
    let mut shopping = Cart::new();
    let price = Price(3);
    shopping.add(prise);
    cart::rounded();
}
"""


async def blocks_at(editor: Editor, uri: str, needle: str) -> dict[str, str]:
    at = editor.at(uri, needle)
    editor.cursor(uri, at)
    shown = await editor.settled(uri, at)
    assert "editing" in shown
    await editor.complete(uri, at)
    return {f"{block['type']}:{block['name']}": block["text"] for block in shown["blocks"]}


async def next_edits(editor: Editor, uri: str, old: str, new: str) -> list[tuple[str, int, str]]:
    """(File, line, new text) of the first place that follows an edit."""
    at = editor.edit(uri, old, new)
    answer = await ask(editor, uri, at)
    return [
        (edit["textDocument"]["uri"].rpartition("/")[2], edit["range"]["start"]["line"], edit["text"])
        for edit in answer["edits"]
    ]


async def test_go(machine: dict[str, str], tmp_path: Path) -> None:
    root = tmp_path / "goshop"
    write(root, GO | {"main.go": GO_MAIN})
    write(root, {"cart/cart.go": GO["cart/cart.go"] + "\nfunc New() *Cart { return nil }\n"})
    editor = await start_editor(root)
    await editor.ready()
    try:
        main = editor.open("main.go")
        blocks = await blocks_at(editor, main, "c.Add(2)")
        assert "func (c *Cart) Empty() { ... }" in blocks["class:example.com/shop/cart.Cart"]
        assert blocks["package:example.com/shop/cart"].startswith("type Cart struct")
        more = editor.open("cart/more.go")
        blocks = await blocks_at(editor, more, "func aside() {")
        assert "func helper()" in blocks["package:example.com/shop/cart"]
        cart = editor.open("cart/cart.go")
        assert await next_edits(editor, cart, "func New()", "func Make($0)") == [("main.go", 7, "Make")]
        found = await next_edits(editor, cart, "Add(price money.Amount)", "Add(price money.Amount, name string$0)")
        assert [where[:2] for where in found] == [("main.go", 6)]
        assert found[0][2].startswith(", ")
    finally:
        await stop_editor(editor)


async def test_rust(machine: dict[str, str], tmp_path: Path) -> None:
    root = tmp_path / "rustshop"
    write(root, RUST | {"src/main.rs": RUST_MAIN})
    more = "\npub fn rounded() {}\n"
    write(root, {"src/cart/mod.rs": RUST["src/cart/mod.rs"] + more})
    editor = await start_editor(root)
    await editor.ready()
    try:
        main = editor.open("src/main.rs")
        blocks = await blocks_at(editor, main, "shopping.add(prise);")
        assert "pub fn cut(&self)" in blocks["class:crate::cart.Cart"]
        assert "pub struct Price(pub i64);" in blocks["class:shop_money.Price"]
        text, found = await first(editor, main, "shopping.add(prise)")
        assert text == RUST_MAIN.replace("prise", "price")
        assert found["summary"] == "Write `price` for `prise`, which is defined nowhere."
        cart = editor.open("src/cart/mod.rs")
        assert await next_edits(editor, cart, "fn rounded(", "fn whole($0") == [("main.rs", 7, "whole")]
        found_next = await next_edits(editor, cart, "price: i64)", "price: i64, times: u32$0)")
        assert [where[:2] for where in found_next] == [("main.rs", 6)]
    finally:
        await stop_editor(editor)
