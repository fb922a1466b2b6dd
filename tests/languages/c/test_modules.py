"""C: which file an include means, what a header offers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from palimpsest.languages.c import flags
from palimpsest.syntax.values import Import
from tests.context.context_workspace import Workspace
from tests.languages.resolving import files_of, imported, members, modules, offered, write

Make = Callable[..., Workspace]
CART = """\
/* What a buyer wants. */
#ifndef CART_H
#define CART_H
#include "money.h"

#define MOST_LINES 64

/** A cart with lines. */
struct cart {
    int size;
    amount total;
};

/** Adds. */
int cart_add(struct cart *cart, amount price);

static inline int cart_size(const struct cart *cart) { return cart->size; }

#endif
"""
SHOP = {
    "src/main.c": '#include <stdio.h>\n#include <coins.h>\n#include "cart.h"\n#include "shop/till.h"\n'
    '#include "missing.h"\n#include <missing.h>\n#include "../../outside.h"\n#include "/etc/passwd"\n',
    "src/cart.h": CART,
    "src/cart.c": '#include "cart.h"\n\nstatic int hidden(void) { return 1; }\n',
    "src/money.h": "typedef long amount;\n",
    "include/shop/till.h": "void till_open(void);\n",
    "include/shop/all.h": '#include "till.h"\n#include "../../src/money.h"\n',
    "src/till.c": "int till;\n",
    "include/till.h": "void other_till(void);\n",
}
COINS = {
    "coins.h": "#include <coins/coin.h>\n",
    "coins/coin.h": '#include "coin_impl.h"\n/** One coin. */\nstruct coin { int worth; };\nint coin_of(int n);\n'
    "int _coin_inner(int n);\n",
    "coins/coin_impl.h": "int impl(void);\n",
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    write(tmp_path / "shop", SHOP)
    write(tmp_path / "system", COINS)
    (tmp_path / "outside.h").write_text("int outside(void);\n")
    return tmp_path / "shop"


def variables(shop: Path) -> dict[str, str]:
    return {"CPATH": str(shop.parent / "system")}


def test_includes_lead_to_files(shop: Path) -> None:
    found = modules(shop, "c", variables(shop))
    assert [module for _, _, module in imported(found, shop, "src/main.c")][1:] == [
        "<coins.h>",
        "src/cart.h",
        "include/shop/till.h",
        None,
        None,
        None,
        None,
    ]
    assert files_of(found, shop, "src/cart.h", "src/main.c") == ["src/cart.h"]
    assert files_of(found, shop, "<coins.h>", "src/main.c") == []
    assert files_of(found, shop, "../outside.h", "src/main.c") == []
    assert found.is_own("src/cart.h", shop / "src/main.c")
    assert not found.is_own("<coins.h>", shop / "src/main.c")


def test_what_a_header_offers(shop: Path) -> None:
    found, main = modules(shop, "c", variables(shop)), shop / "src/main.c"
    assert offered(found, "src/cart.h", main) == {
        "cart": "struct cart",
        "cart_add": "int cart_add(struct cart *cart, amount price)",
        "cart_size": "static inline int cart_size(const struct cart *cart)",
        "MOST_LINES": "#define MOST_LINES 64",
    }
    assert members(found, "src/cart.h", "cart", main) == ["int cart.size", "amount cart.total"]


def test_a_header_that_only_includes_offers_what_it_includes(shop: Path) -> None:
    found, main = modules(shop, "c", variables(shop)), shop / "src/main.c"
    assert offered(found, "include/shop/all.h", main) == {
        "till_open": "void till_open(void)",
        "amount": "typedef long amount;",
    }
    assert offered(found, "<coins.h>", main) == {"coin": "struct coin", "coin_of": "int coin_of(int n)"}


def test_a_source_sees_the_header_of_its_name(shop: Path) -> None:
    found = modules(shop, "c")
    assert [item.module for item in found.implied("src/cart.c", shop / "src/cart.c")] == ["cart.h", "money.h"]
    assert [item.module for item in found.implied("src/till.c", shop / "src/till.c")] == ["till.h"]
    assert found.implied("src/cart.h", shop / "src/cart.h") == []
    assert found.implied("src/money.h", shop / "src/money.h") == []


def test_a_file_sees_the_headers_of_its_headers(shop: Path) -> None:
    files = {
        "deep/main.c": '#include "a.h"\n#include <stdio.h>\n',
        "deep/a.h": '#include "in/b.h"\n#include "a.h"\n#include "main.c"\n',
        "deep/in/b.h": '#include "c.h"\n#include "../a.h"\n#include "missing.h"\n',
        "deep/in/c.h": '#include "d.h"\n',
        "deep/in/d.h": '#include "e.h"\n',
        "deep/in/e.h": "",
    }
    for name, text in files.items():
        (shop / name).parent.mkdir(parents=True, exist_ok=True)
        (shop / name).write_text(text, encoding="utf-8")
    main = shop / "deep/main.c"
    found = modules(shop, "c")
    implied = [found.imported(item, "deep/main.c", main) for item in found.implied("deep/main.c", main)]
    assert implied == ["deep/in/b.h", "deep/in/c.h", "deep/in/d.h"], "four steps from the file, and none twice"


def test_headers_that_come_with_the_language_are_known(shop: Path) -> None:
    found = modules(shop, "c")
    assert found.is_known("<stdio.h>")
    assert not found.is_known("<coins.h>")
    assert not found.is_known("src/stdio.h")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("compile_flags.txt", "-Wall\n-Ideps/coins\n-I/etc\n"),
        ("compile_flags.txt", "-xc\n-isystem\ndeps/coins\n"),
        (".clangd", "CompileFlags:\n  Add: [-Wall, -Ideps/coins]\n"),
        (".clangd", "CompileFlags:\n  Add:\n    - '-isystem'\n    - -Ideps/coins\n"),
    ],
)
def test_folders_that_other_tools_are_told(shop: Path, name: str, text: str) -> None:
    write(shop, {name: text, "deps/coins/coins.h": "int mine(void);\n"})
    found = modules(shop, "c", variables(shop))
    assert imported(found, shop, "src/main.c")[1][2] == "deps/coins/coins.h"
    assert offered(found, "deps/coins/coins.h", shop / "src/main.c") == {"mine": "int mine(void)"}


def test_folders_of_compile_commands(shop: Path) -> None:
    write(shop, {"one/x.h": "int one(void);\n", "two/x.h": "int two(void);\n", ".gitignore": "compile_commands.json\n"})
    for name in ("a.c", "b.c", "b.h"):
        (shop / "src" / name).write_text('#include "x.h"\n')
    entries = [
        {"directory": str(shop / "build"), "file": "../src/a.c", "command": "cc -I../one -c ../src/a.c"},
        {"directory": str(shop), "file": str(shop / "src/b.c"), "arguments": ["cc", "-I", "two", "-c", "src/b.c"]},
    ]
    write(shop, {"build/compile_commands.json": json.dumps(entries)})
    found = modules(shop, "c")
    assert [imported(found, shop, f"src/{name}")[0][2] for name in ("a.c", "b.c", "b.h")] == [
        "one/x.h",
        "two/x.h",
        "one/x.h",
    ]
    write(shop, {"build/compile_commands.json": "[" * 100_000})
    assert imported(modules(shop, "c"), shop, "src/a.c")[0][2] is None


def test_links_out_of_the_workspace_or_the_system_lead_nowhere(shop: Path) -> None:
    (shop / "src/linked.h").symlink_to(shop.parent / "outside.h")
    (shop / "deps").symlink_to(shop.parent / "system")
    (shop.parent / "system/linked.h").symlink_to(shop.parent / "outside.h")
    write(shop, {"compile_flags.txt": "-Ideps\n", "src/a.c": '#include "linked.h"\n#include <linked.h>\n'})
    found = modules(shop, "c", variables(shop))
    for _, _, module in imported(found, shop, "src/a.c"):
        assert module is None or offered(found, module, shop / "src/a.c") is None
    assert offered(found, "<../outside.h>", shop / "src/a.c") is None
    assert offered(found, "src/linked.h", shop / "src/a.c") is None


def test_ignored_headers_are_not_shown(shop: Path) -> None:
    (shop / ".palimpsestignore").write_text("src/cart.h\n")
    found = modules(shop, "c")
    assert imported(found, shop, "src/main.c")[2][2] is None
    assert offered(found, "src/cart.h", shop / "src/main.c") is None


def test_blocks_of_included_headers(tmp_path: Path) -> None:
    there = Workspace(tmp_path / "shop")
    there.write(SHOP)
    blocks = there.blocks("src/main.c", '#include "cart.h"\n\nint main(void) {\n    struct cart c;\n    cart_$0\n}\n')
    assert "int cart_add(struct cart *cart, amount price)" in blocks["package:src/cart.h"].text
    assert blocks["class:src/cart.h.cart"].uri.endswith("src/cart.h")


def test_folders_of_flags() -> None:
    assert flags.folders("-Ia\n# -Ib\n-I c\n-isystem d\n-iquote\ne\n-Wimplicit\n-O2\n--Inot") == ("a", "c", "d", "e")
    assert flags.folders("cc -I'a b' -I\"c d\" -Dx=-Ie") == ("a b", "c d")
    assert flags.compile_commands("[1, {}]") == flags.Compiled()
    assert flags.compile_commands("{") == flags.Compiled()


def test_commands_without_arguments() -> None:
    text = '[{"file": "a.c", "arguments": []}, {"file": "b.c", "arguments": ["cc", "-I"]}]'
    assert flags.compile_commands(text) == flags.Compiled({"a.c": (), "b.c": ()})


def test_headers_that_are_not_there_are_looked_for_a_bounded_number_of_times(shop: Path) -> None:
    (shop / "many.c").write_text('#include "many.h"\n', encoding="utf-8")
    lines = [f'#include "x/n{n}.h"\n' for n in range(3_000)]
    (shop / "many.h").write_text("".join([*lines, '#include "src/money.h"\n']), encoding="utf-8")
    found = modules(shop, "c")
    assert [item.module for item in found.implied("many.c", shop / "many.c")] == ["many.h"]


def test_a_header_of_the_language_is_there_or_not_where_its_headers_are(shop: Path) -> None:
    (shop.parent / "system" / "stdio.h").write_text("int puts(const char *);\n")
    found, main = modules(shop, "c", variables(shop)), shop / "src/main.c"
    lacking = [
        name
        for name in ("<stdio>", "<stdio.h>", "<missing.h>", "<coins/coin.h>")
        if found.lacks(Import(name, "*", None, 0, 0), "src/main.c", main)
    ]
    assert lacking == ["<stdio>"]
