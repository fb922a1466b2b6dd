"""JavaScript and TypeScript through a real client: blocks of modules, of packages and of their types, a script in a
page, a misspelt name, what follows a rename and a changed signature."""

from __future__ import annotations

from pathlib import Path

from tests.languages.resolving import write

from .conftest import start_editor, stop_editor
from .test_name_fixes import first
from .test_rust_and_go import blocks_at, next_edits

MAIN = """\
import { Cart, makeCart } from "@/cart";
import { Purse } from "money";
import { pay } from "@shop/till";

export function start(price: number) {
  const cart = new Cart();
  cart.add(price);
  const purse = new Purse();
  pay(cart, purse);
  makeCart(prise);
}
"""
CART = """\
/** Holds what a buyer wants. */
export class Cart {
  lines: number[] = [];

  /** Adds a line. */
  add(price: number): void {
    this.lines.push(price);
  }
}

export function makeCart(size: number): Cart {
  return new Cart();
}
"""
PAGE = """\
<!doctype html>
<html>
<body>
<script type="module">
import { Purse } from "money";

function opened() {
  return new Purse();
}
</script>
</body>
</html>
"""
SHOP = {
    "package.json": '{"workspaces": ["packages/*"], "dependencies": {"money": "1", "@shop/till": "*"}}',
    "tsconfig.json": '{\n  // Where @ is.\n  "compilerOptions": {"paths": {"@/*": ["./src/*"],}},\n}\n',
    ".gitignore": "node_modules\n",
    "src/main.ts": MAIN,
    "src/cart.ts": CART,
    "page.html": PAGE,
    "packages/till/package.json": '{"name": "@shop/till", "main": "./dist/index.js"}',
    "packages/till/src/index.ts": 'export { pay } from "./paying.js";\n',
    "packages/till/src/paying.ts": "/** Pays for a cart. */\nexport function pay(cart: unknown, purse: unknown) {}\n",
    "node_modules/money/package.json": '{"exports": {".": {"types": "./types/index.d.ts"}}}',
    "node_modules/money/types/index.d.ts": 'export * from "./purse";\n',
    "node_modules/money/types/purse.d.ts": "/** Has coins. */\nexport declare class Purse {\n  count(): number;\n}\n",
}


async def test_a_shop_in_typescript(machine: dict[str, str], tmp_path: Path) -> None:
    root = tmp_path / "webshop"
    write(root, SHOP)
    editor = await start_editor(root)
    await editor.ready()
    try:
        main = editor.open("src/main.ts", language="typescript")
        blocks = await blocks_at(editor, main, "pay(cart, purse)")
        assert "add(price: number): void" in blocks["class:src/cart.Cart"]
        assert "class Purse  // Has coins." in blocks["package:money"]
        assert "count(): number" in blocks["package:money"]
        assert blocks["package:packages/till/src"].startswith("function pay(cart: unknown, purse: unknown)")
        text, found = await first(editor, main, "makeCart(prise)")
        assert text == MAIN.replace("prise", "price")
        assert found["summary"] == "Write `price` for `prise`, which is defined nowhere."
        cart = editor.open("src/cart.ts", language="typescript")
        followed = await next_edits(editor, cart, "add(price: number)", "add(price: number, name: string$0)")
        assert [where[:2] for where in followed] == [("main.ts", 6)]
        followed = await next_edits(editor, cart, "function makeCart(", "function buildCart($0")
        assert followed == [("main.ts", 0, "buildCart")]
    finally:
        await stop_editor(editor)


async def test_a_script_in_a_page(machine: dict[str, str], tmp_path: Path) -> None:
    root = tmp_path / "page"
    write(root, SHOP)
    editor = await start_editor(root)
    await editor.ready()
    try:
        page = editor.open("page.html", language="html")
        at = editor.at(page, "return new Purse()")
        shown = await editor.settled(page, at)
        assert (shown["editing"]["type"], shown["editing"]["name"]) == ("function", "opened")
        assert "class Purse" in (await blocks_at(editor, page, "return new Purse()"))["package:money"]
    finally:
        await stop_editor(editor)
