"""JavaScript: which file an import means, in the workspace and in `node_modules`, and what a module offers."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from palimpsest.languages.javascript import packages
from palimpsest.languages.javascript.exports import offered as exported
from palimpsest.languages.javascript.exports import reexports
from palimpsest.languages.javascript.packages import parsed
from palimpsest.syntax.imports import imports
from palimpsest.workspace.files import MAX_BYTES
from tests.context.context_workspace import Workspace
from tests.languages.reading import parsed_as
from tests.languages.resolving import files_of, imported, members, modules, offered, write

Make = Callable[..., Workspace]
CART = """\
import { Amount } from "./money/amount.js";
const limits = require("./limits");

/** Holds what a buyer wants. */
export class Cart {
  /** Adds an amount. */
  add(price) {}
  _told() {}
  #secret() {}
}

export default class Till {
  open() {}
}

/** Sums up. */
function sum(amounts) {
  return 0;
}

const hidden = 1;
export { sum as total };
export const MOST = 64;
"""
SHOP = {
    "src/cart.js": CART,
    "src/limits.cjs": "function most() {}\nmodule.exports = { most, least: most };\nexports.odd = function () {};\n",
    "src/money/amount.js": "export class Amount {}\nexport default function round(n) {}\n",
    "src/money/index.js": 'export * from "./amount.js";\nexport { default as rounded } from "./amount.js";\n'
    'export * as carts from "../cart.js";\nimport { total } from "../cart";\nexport { total as sum };\n',
    "src/old/package.json": '{"main": "./start.js"}',
    "src/old/start.js": "exports.start = function () {};\n",
}
MONEY = {
    "package.json": json.dumps(
        {
            "name": "money",
            "exports": {
                ".": {"types": "./types/index.d.ts", "default": "./index.js"},
                "./fp/*": {"import": {"types": "./types/fp/*.d.ts", "default": "./fp/*.js"}},
                "./fp/private/*": None,
                "./outside": "./../../../secret.js",
                "./odd": "/etc/passwd",
            },
        }
    ),
    "index.js": "module.exports = {};\n",
    "types/index.d.ts": 'export * from "./coin";\nexport * from "../../../secret";\nexport default Purse;\n'
    "/** Has coins. */\ndeclare class Purse {\n  coins: number;\n  private n: number;\n}\n",
    "types/coin.d.ts": "/** One coin. */\nexport interface Coin { cents: number }\n"
    "export declare function of(n: number): Coin;\n",
    "types/fp/add.d.ts": "export declare function add(a: number, b: number): number;\n",
    "types/fp/private/add.d.ts": "export declare function no(): void;\n",
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    write(root, SHOP)
    write(root / "node_modules/money", MONEY)
    return root


def meant(root: Path, file: str, *names: str) -> list[str | None]:
    """What imports in a file mean."""
    write(root, {file: "".join(f'import * as m{n} from "{name}";\n' for n, name in enumerate(names))})
    return [module for _, _, module in imported(modules(root, "javascript"), root, file)]


def test_relative_imports(shop: Path) -> None:
    names = (
        "./cart",
        "./cart.js",
        "./money",
        "./money/",
        "./money/index.js",
        "../src/limits",
        "./old",
        ".",
        "./nothing",
    )
    assert meant(shop, "src/main.js", *names) == [
        "src/cart",
        "src/cart",
        "src/money",
        "src/money",
        "src/money",
        "src/limits",
        "src/old/start",
        None,
        None,
    ]
    found = modules(shop, "javascript")
    assert files_of(found, shop, "src/money", "src/main.js") == ["src/money/index.js"]
    assert files_of(found, shop, "src/limits", "src/main.js") == ["src/limits.cjs"]
    assert files_of(found, shop, "src", "src/main.js") == []


def test_a_script_may_be_written_in_typescript(shop: Path) -> None:
    write(shop, {"src/till.ts": "export class Till {}\n", "src/view.tsx": "", "src/odd.mts": "", "src/a.b.js": ""})
    assert meant(shop, "src/main.js", "./till.js", "./till", "./view.jsx", "./odd.mjs", "./a.b", "./till.css") == [
        "src/till",
        "src/till",
        "src/view",
        "src/odd",
        "src/a.b",
        None,
    ]


def test_two_files_of_one_name_are_not_mixed_up(shop: Path) -> None:
    write(shop, {"src/two.ts": "", "src/two.jsx": "", "src/two/index.js": ""})
    assert meant(shop, "src/main.js", "./two", "./two.jsx", "./two/") == ["src/two", None, None]


def test_what_a_module_offers(shop: Path) -> None:
    found, near = modules(shop, "javascript"), shop / "src/main.js"
    assert offered(found, "src/cart", near) == {
        "Cart": "class Cart",
        "default": "class Till",
        "total": "function total(amounts)",
        "MOST": "export const MOST = 64;",
    }
    assert members(found, "src/cart", "Cart", near) == ["Cart.add(price)"]
    assert offered(found, "src/limits", near) is not None
    assert set(offered(found, "src/limits", near) or {}) == {"most", "least", "odd"}


def test_what_is_passed_on(shop: Path) -> None:
    found, near = modules(shop, "javascript"), shop / "src/main.js"
    assert offered(found, "src/money", near) == {
        "Amount": "class Amount",
        "rounded": "function rounded(n)",
        "carts": "module src/cart",
        "sum": "function sum(amounts)",
    }


@pytest.mark.parametrize(
    ("text", "names", "passed"),
    [
        ("module.exports = Cart;\nclass Cart {}\n", {"default": "Cart"}, []),
        ("module.exports.a = b;\nexports.c = 3;\n", {"a": "b", "c": "c"}, []),
        (
            "module.exports = require('./a');\nexports.b = require('./c');\n",
            {},
            [("./a", "*", "*"), ("./c", None, "b")],
        ),
        ("export default () => 3;\n", {"default": "default"}, []),
        ("export const { a, b: c } = d;\n", {"a": "a", "c": "c"}, []),
        (
            "import a from './b';\nexport { a };\nexport default a;\n",
            {},
            [("./b", "default", "a"), ("./b", "default", "default")],
        ),
        ("const a = 1;\n", {}, []),
    ],
)
def test_ways_to_export(text: str, names: dict[str, str], passed: list[tuple[str, str | None, str]]) -> None:
    tree = parsed_as("a.js", text)
    known = {item.bound for item in imports(tree)}
    assert {name: local for name, local in exported(tree).items() if local not in known and name != "b"} == names
    assert [(item.module, item.name, item.bound) for item in reexports(tree)] == passed


@pytest.mark.parametrize(
    "text", ["export ", "export {", "export * from", "module.exports =", "export default", "exports.a = require("]
)
def test_half_typed_exports(text: str) -> None:
    for suffix in (".js", ".ts", ".tsx"):
        tree = parsed_as(f"a{suffix}", text)
        exported(tree)
        reexports(tree)


def test_installed_packages(shop: Path) -> None:
    assert meant(
        shop, "src/main.js", "money", "money/fp/add", "money/fp/private/add", "money/types/coin", "fs", "gone"
    ) == [
        "money",
        "money/fp/add",
        None,
        None,
        None,
        None,
    ]
    found, near = modules(shop, "javascript"), shop / "src/main.js"
    assert not found.is_own("money", near)
    assert list(found.files_of("money", near)) == []
    assert offered(found, "money", near) == {
        "default": "class Purse",
        "Coin": "interface Coin",
        "of": "function of(n: number): Coin",
    }
    assert members(found, "money", "default", near) == ["Purse.coins: number"]
    assert set(offered(found, "money/fp/add", near) or {}) == {"add"}


def test_packages_without_types_have_those_of_others(shop: Path) -> None:
    write(
        shop / "node_modules",
        {
            "plain/package.json": '{"main": "lib/plain"}',
            "plain/lib/plain.js": "exports.run = function () {};\n",
            "@my/own/index.js": "exports.go = function () {};\n",
            "@types/my__own/index.d.ts": "export declare function go(n: number): void;\n",
        },
    )
    found, near = modules(shop, "javascript"), shop / "src/main.js"
    assert meant(shop, "src/main.js", "plain", "plain/lib/plain.js", "@my/own", "@my") == [
        "plain",
        "plain/lib/plain.js",
        "@my/own",
        None,
    ]
    assert set(offered(found, "plain", near) or {}) == {"run"}
    assert "n: number" in (offered(found, "@my/own", near) or {})["go"]


def test_a_package_and_a_file_of_the_same_name(shop: Path) -> None:
    write(shop, {"money.js": "export const own = 1;\n"})
    assert meant(shop, "src/main.js", "money", "../money") == ["node_modules/money", "money"]
    found, near = modules(shop, "javascript"), shop / "src/main.js"
    assert "Coin" in (offered(found, "node_modules/money", near) or {})
    assert set(offered(found, "money", near) or {}) == {"own"}


def test_the_nearest_package_counts(shop: Path) -> None:
    write(shop, {"src/node_modules/money/index.js": "exports.near = function () {};\n"})
    found = modules(shop, "javascript")
    assert set(offered(found, "money", shop / "src/main.js") or {}) == {"near"}
    assert "Coin" in (offered(found, "money", shop / "main.js") or {})


def test_packages_of_one_repository(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "package.json": '{"workspaces": ["packages/*"]}',
            "packages/cart/package.json": '{"name": "@shop/cart", "main": "./dist/index.js", "exports": '
            '{".": "./dist/index.js", "./lines": "./lib/lines.js"}}',
            "packages/cart/src/index.ts": "export class Cart {}\n",
            "packages/cart/src/lines.ts": "export class Line {}\n",
            "packages/web/package.json": '{"name": "web", "dependencies": {"@shop/cart": "*"}, "imports": '
            '{"#parts/*": "./src/parts/*.js", "#cart": "@shop/cart", "#out": "./../../cart/src/index.ts"}}',
            "packages/web/src/parts/list.js": "export const list = 1;\n",
            "packages/other/package.json": '{"name": "other"}',
        },
    )
    names = ("@shop/cart", "@shop/cart/lines", "@shop/cart/gone", "#parts/list", "#cart", "#out")
    expected = ["packages/cart/src/index", "packages/cart/src/lines", None, "packages/web/src/parts/list"]
    expected[0] = "packages/cart/src"
    assert meant(tmp_path, "packages/web/src/main.js", *names) == [*expected, "packages/cart/src", None]
    assert meant(tmp_path, "packages/other/main.js", "@shop/cart") == [None]
    (tmp_path / "package.json").unlink()
    (tmp_path / "pnpm-workspace.yaml").write_text("packages:\n  - 'packages/*' # all\ncatalog:\n  - no\n")
    assert meant(tmp_path, "packages/web/src/main.js", "@shop/cart") == ["packages/cart/src"]
    (tmp_path / "pnpm-workspace.yaml").unlink()
    (tmp_path / "node_modules/@shop").mkdir(parents=True)
    (tmp_path / "node_modules/@shop/cart").symlink_to(tmp_path / "packages/cart")
    assert meant(tmp_path, "packages/other/main.js", "@shop/cart") == ["packages/cart/src"]


def test_a_package_that_is_linked_among_the_packages(tmp_path: Path) -> None:
    store = "node_modules/.pnpm/"
    write(
        tmp_path,
        {
            f"{store}money@1/node_modules/money/index.d.ts": 'export * from "coins";\n',
            f"{store}coins@1/node_modules/coins/index.d.ts": "export declare class Coin {}\n",
        },
    )
    (tmp_path / "node_modules/money").symlink_to(tmp_path / f"{store}money@1/node_modules/money")
    (tmp_path / f"{store}money@1/node_modules/coins").symlink_to(tmp_path / f"{store}coins@1/node_modules/coins")
    found = modules(tmp_path, "javascript")
    assert meant(tmp_path, "main.js", "money", "coins") == ["money", None]
    assert set(offered(found, "money", tmp_path / "main.js") or {}) == {"Coin"}


def test_packages_above_the_workspace_are_those_of_its_repository(tmp_path: Path) -> None:
    write(tmp_path / "repository/node_modules/money", MONEY)
    write(tmp_path / "node_modules/coins", {"index.js": "exports.a = 1;\n"})
    web = tmp_path / "repository/web"
    assert meant(web, "main.js", "money", "coins") == [None, None]
    (tmp_path / "repository/.git").mkdir()
    assert meant(web, "main.js", "money", "coins") == ["money", None]
    found = modules(web, "javascript")
    assert set(offered(found, "money", web / "main.js") or {}) == {"default", "Coin", "of"}


def test_nothing_is_read_outside_of_a_package(shop: Path, tmp_path: Path) -> None:
    write(tmp_path, {"secret.js": "export const secret = 1;\n", "away/index.js": "export const away = 1;\n"})
    write(shop, {"secret.d.ts": "export declare const secret: number;\n"})
    (shop / "node_modules/away").symlink_to(tmp_path / "away")
    (shop / "node_modules/money/link.js").symlink_to(tmp_path / "secret.js")
    (shop / "src/link.js").symlink_to(tmp_path / "secret.js")
    write(shop / "node_modules/open", {"package.json": '{"main": "../../secret.d.ts", "types": "/etc/passwd"}'})
    names = ("money/outside", "money/odd", "away", "open", "./link", "../../secret", "/etc/hosts", "file:///etc/hosts")
    assert meant(shop, "src/main.js", *names) == [None] * 8
    found, near = modules(shop, "javascript"), shop / "src/main.js"
    assert "secret" not in (offered(found, "money", near) or {})
    for name in (str(tmp_path / "secret.js"), "/etc/hosts", "../secret", str(shop / "node_modules/money/link.js")):
        assert found.describe(name, frozenset(), near) is None
    assert found.describe("../../node_modules/away", frozenset(), near) is None


def test_a_package_that_is_removed_is_no_longer_there(shop: Path) -> None:
    write(shop, {"src/main.js": 'import * as m from "money";\n', "src/other.js": "", ".palimpsestignore": ""})
    found = modules(shop, "javascript")
    for line, expected in (("", "money"), ("node_modules/\n", None), ("", "money")):
        (shop / ".palimpsestignore").write_text(line)
        found.files.look_again()  # type: ignore[attr-defined]
        assert imported(found, shop, "src/main.js")[0][2] == expected
    shutil.rmtree(shop / "node_modules/money")
    found.files.look_again()  # type: ignore[attr-defined]
    assert imported(found, shop, "src/main.js")[0][2] is None


def test_what_is_excluded_does_not_exist(shop: Path) -> None:
    write(
        shop,
        {".palimpsestignore": "node_modules/money/\nsrc/cart.js\n", ".gitignore": "src/limits.cjs\nnode_modules\n"},
    )
    assert meant(shop, "src/main.js", "money", "./cart", "./limits", "./money") == [None, None, None, "src/money"]


@pytest.mark.parametrize(
    "manifest",
    [
        "{" + " " * MAX_BYTES + "}",
        "[" * 100_000,
        "{",
        "[]",
        '{"main": 3, "exports": {".": [[[[[[[[[["./a"]]]]]]]]]]}}',
        '{"exports": null, "main": "\\u0000"}',
    ],
)
def test_a_manifest_that_makes_no_sense(shop: Path, manifest: str) -> None:
    write(shop / "node_modules/odd", {"package.json": manifest})
    assert meant(shop, "src/main.js", "odd", "odd/a", "./cart") == [None, None, "src/cart"]


def test_a_manifest_that_cannot_be_read_says_nothing_of_its_package(shop: Path) -> None:
    folder = shop / "node_modules/huge"
    write(folder, {"package.json": "{}", "index.js": "exports.a = 1;\n"})
    assert meant(shop, "src/main.js", "huge") == ["huge"]
    with (folder / "package.json").open("r+b") as file:
        file.truncate(50_000_000)
    assert meant(shop, "src/main.js", "huge") == [None]


def test_modules_that_pass_each_other_on(shop: Path) -> None:
    write(
        shop,
        {
            "a.js": 'export * from "./b";\nexport { c } from "./a";\nexport const a = 1;\n',
            "b.js": 'export * from "./a";\nexport { c } from "./a";\nexport const b = 1;\n',
        },
    )
    found = modules(shop, "javascript")
    assert {"a", "b"} <= set(offered(found, "a", shop / "main.js") or {})


def test_classes_through_imports(workspace: Make) -> None:
    main = 'import { Amount } from "./money";\nimport Till from "./cart.js";\n\nnew Amount();\nnew Till().$0open();\n'
    blocks = workspace({**SHOP, "src/main.js": main}).blocks("src/main.js")
    assert "class:src/money/amount.Amount" in blocks
    assert "open()" in blocks["class:src/cart.Till"].text
    assert blocks["package:src/cart"].text.startswith("class Till")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1, // one\n "b": [1, 2,], /* two */ }', {"a": 1, "b": [1, 2]}),
        ('{"a": "// no /* comment */ ,}",}', {"a": "// no /* comment */ ,}"}),
        ("/*" * 200_000, {}),
        ('"' + '\\"' * 200_000, {}),
        ("," + " " * 200_000, {}),
        ("{" * 200_000, {}),
    ],
)
def test_json_with_comments(text: str, found: dict[str, object]) -> None:
    assert parsed(text) == found


@pytest.mark.parametrize(
    ("exports", "part", "found"),
    [
        ("./a.js", ".", ["a.js"]),
        ("./a.js", "./b", []),
        ({"import": "./a.mjs", "types": "./a.d.ts", "odd": "./no.js"}, ".", ["a.d.ts", "a.mjs"]),
        ({"./*": "./lib/*/*.js", "./a/*": None}, "./b", ["lib/b/b.js"]),
        ({"./*": "./lib/*.js", "./a/*": None}, "./a/b", []),
        ({"./lib/": "./lib/"}, "./lib/a.js", ["lib/a.js"]),
        ({".": ["./node_modules/x.js", "./../y.js", "z.js", "./a\\b.js", "./ok.js"]}, ".", ["ok.js"]),
        ({"./*": "./*"}, "./../x", []),
    ],
)
def test_what_a_package_exports(exports: object, part: str, found: list[str]) -> None:
    assert packages.entries({"exports": exports}, part) == found


@pytest.mark.parametrize(
    "name", ["", "@a", "@/a", "../a", "a/../b", "node:fs", "https://a/b", "a//b", "a\0", "#a", "~/a", "a" * 600]
)
def test_names_that_are_no_package(name: str) -> None:
    assert packages.specifier(name) is None


def test_a_package_whose_name_no_folder_can_have(tmp_path: Path) -> None:
    write(tmp_path, {"b.js": "export const b = 1\n", "node_modules/c/index.js": "module.exports = 1\n"})
    write(tmp_path, {"main.js": f'import a from "{"a" * 300}";\nimport {{ b }} from "./b.js";\n'})
    found = modules(tmp_path, "javascript")
    names = [module for _, _, module in imported(found, tmp_path, "main.js") if module is not None]
    assert [offered(found, name, tmp_path / "main.js") for name in names][-1] == {"b": "export const b = 1"}
