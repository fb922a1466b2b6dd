"""TypeScript: what `tsconfig.json` says of imports, what a module of types offers."""

from __future__ import annotations

from pathlib import Path

import pytest

from palimpsest.languages.source_modules import MAX_FILES
from palimpsest.languages.typescript import LANGUAGE
from palimpsest.syntax.imports import imports
from tests.languages.reading import parsed_as
from tests.languages.resolving import imported, members, modules, offered, write

CART = """\
import type { Amount } from "@/money";
export type { Amount };

/** Holds what a buyer wants. */
export abstract class Cart<T extends Amount> {
  private readonly lines: T[] = [];
  size = 0;
  /** Adds an amount. */
  add(price: T): void {}
  protected told(): void {}
}

export interface Line {
  /** How many. */
  count: number;
}

export type Kind = "gift" | "sale";
export enum Till { Open, Closed }
export default function total(lines: Line[]): number {
  return 0;
}
"""
SHOP = {
    "tsconfig.json": '{\n  // The shop.\n  "extends": "./config/base",\n  "compilerOptions": {"strict": true,},\n}\n',
    "config/base.json": '{"compilerOptions": {"baseUrl": "..", "paths": {"@/*": ["src/*"], "@/till": ["src/cart.ts"], '
    '"gone/*": ["gone/*"], "two": ["no.ts", "src/two"]}}}',
    "src/cart.ts": CART,
    "src/money.ts": "export interface Amount { cents: number }\n",
    "src/two/index.tsx": "export const two = 2;\n",
    "src/main.ts": "",
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    write(tmp_path / "shop", SHOP)
    return tmp_path / "shop"


def meant(root: Path, *names: str, file: str = "src/main.ts") -> list[str | None]:
    write(root, {file: "".join(f'import * as m{n} from "{name}";\n' for n, name in enumerate(names))})
    return [module for _, _, module in imported(modules(root, "typescript"), root, file)]


def test_paths_and_the_base(shop: Path) -> None:
    assert meant(shop, "@/cart", "@/till", "@/two", "two", "src/cart", "gone/cart", "@/gone", "@", "cart") == [
        "src/cart",
        "src/cart",
        "src/two",
        "src/two",
        "src/cart",
        None,
        None,
        None,
        None,
    ]


def test_what_extends_another_says_it_anew(shop: Path) -> None:
    write(
        shop, {"web/tsconfig.json": '{"extends": ["../tsconfig.json"], "compilerOptions": {"paths": {"~": ["cart"]}}}'}
    )
    write(shop, {"cart.ts": "export const own = 1;\n", "web/tsconfig.app.json": "{}"})
    assert meant(shop, "~", "@/cart", "src/cart", file="web/main.ts") == [None, None, "src/cart"]
    write(shop, {"web/tsconfig.json": '{"compilerOptions": {"paths": {"~": ["../cart.ts"]}}}'})
    assert meant(shop, "~", "src/cart", file="web/main.ts") == ["cart", None]
    write(
        shop,
        {
            "web/tsconfig.json": '{"files": [], "references": [{"path": "./tsconfig.app.json"}, {"path": 3}, 4]}',
            "web/tsconfig.app.json": '{"compilerOptions": {"paths": {"~": ["../cart.ts"]}}}',
        },
    )
    assert meant(shop, "~", file="web/main.ts") == ["cart"]


def test_a_jsconfig_counts_where_there_is_no_tsconfig(tmp_path: Path) -> None:
    write(tmp_path, {"jsconfig.json": '{"compilerOptions": {"baseUrl": "src"}}', "src/a/b.js": ""})
    assert meant(tmp_path, "a/b") == ["src/a/b"]
    write(tmp_path, {"tsconfig.json": "{}"})
    assert meant(tmp_path, "a/b") == [None]


@pytest.mark.parametrize(
    "text",
    [
        '{"extends": "./tsconfig.json"}',
        '{"extends": ["./b.json", "./tsconfig"]}',
        '{"extends": "../../outside.json"}',
        '{"extends": "/etc/passwd"}',
        '{"extends": "./link.json"}',
        '{"extends": "some-package/tsconfig.json"}',
        '{"extends": 3, "compilerOptions": {"paths": {"@/*": "src/*", "a": [1], "": []}, "baseUrl": []}}',
        '{"compilerOptions": {"paths": {"out": ["../outside.ts"], "@/*": ["/etc/*"], "link": ["link.ts"]}}}',
        "{" * 100_000,
        "/*" * 100_000,
        "",
    ],
)
def test_a_configuration_that_leads_nowhere(tmp_path: Path, text: str) -> None:
    shop = tmp_path / "shop"
    outside = '{"compilerOptions": {"paths": {"out": ["./src/cart.ts"], "@/*": ["shop/src/*"]}}}'
    write(tmp_path, {"outside.json": outside, "outside.ts": "export const out = 1;\n"})
    write(shop, {"b.json": '{"extends": "./tsconfig.json"}', "src/cart.ts": CART, "tsconfig.json": text})
    (shop / "link.json").symlink_to(tmp_path / "outside.json")
    (shop / "link.ts").symlink_to(tmp_path / "outside.ts")
    assert meant(shop, "@/cart", "@/passwd", "out", "link", "./cart") == [None, None, None, None, "src/cart"]


def test_what_a_module_offers(shop: Path) -> None:
    found, near = modules(shop, "typescript"), shop / "src/main.ts"
    shown = offered(found, "src/cart", near)
    assert shown is not None
    assert set(shown) == {"Cart", "Line", "Kind", "Till", "default", "Amount"}
    assert shown["default"] == "function total(lines: Line[]): number"
    assert shown["Amount"].startswith("interface Amount")
    assert members(found, "src/cart", "Cart", near) == ["Cart.size = 0", "Cart.add(price: T): void"]


def test_types_that_a_package_assigns(shop: Path) -> None:
    write(
        shop / "node_modules/@types/old",
        {
            "index.d.ts": "declare class Old {\n  run(): void;\n}\ndeclare namespace Old {\n"
            "  interface Part { n: number }\n  export function made(): Old;\n}\n"
            "export = Old;\nexport as namespace Older;\n",
            "package.json": '{"types": "index.d.ts"}',
        },
    )
    found, near = modules(shop, "typescript"), shop / "src/main.ts"
    assert meant(shop, "old") == ["old"]
    assert members(found, "old", "default", near) == ["Old.run(): void"]
    assert set(offered(found, "old", near) or {}) == {"default", "Part", "made"}


def test_a_path_may_stand_for_a_package(shop: Path) -> None:
    write(shop, {"tsconfig.json": '{"compilerOptions": {"paths": {"money": ["./node_modules/coins/compat/"]}}}'})
    write(
        shop / "node_modules/coins/compat",
        {"package.json": '{"types": "./src/index.d.ts"}', "src/index.d.ts": "export declare class Coin {}\n"},
    )
    found, near = modules(shop, "typescript"), shop / "src/main.ts"
    assert meant(shop, "money") == ["money"]
    assert set(offered(found, "money", near) or {}) == {"Coin"}


def test_an_import_in_the_old_way_of_typescript(shop: Path) -> None:
    item = imports(parsed_as("a.ts", 'import cart = require("./cart");\n'))[0]
    found = modules(shop, LANGUAGE.language_ids[0])
    assert found.imported(item, "src/main", shop / "src/main.ts") == "src/cart"


def test_of_a_package_of_many_files_those_with_the_asked_names_are_read(shop: Path) -> None:
    parts = {f"part{n}.d.ts": f"export declare function part{n}(): void;\n" for n in range(MAX_FILES + 20)}
    index = {"index.d.ts": "".join(f'export * from "./{name.replace(".d.ts", ".ts")}";\n' for name in parts)}
    write(shop / "node_modules/many", parts | index)
    found, near, last = modules(shop, "typescript"), shop / "src/main.ts", f"part{MAX_FILES + 19}"
    assert last not in (offered(found, "many", near) or {})
    assert (offered(found, "many", near, last) or {})[last] == f"function {last}(): void"
