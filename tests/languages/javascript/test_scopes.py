"""JavaScript: which scope a line is in, what is visible there, what a class shows of itself."""

# ruff: noqa: E501  lines of code are expected whole

from __future__ import annotations

from pathlib import Path

import pytest

from palimpsest.syntax.imports import imports
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import docstring, scope_at
from tests.languages.reading import interface, missing, names_at, outline, parsed_as, sample, scope_named, type_it

SAMPLES = Path(__file__).parent / "samples"


@pytest.fixture(scope="module")
def cart() -> Parsed:
    return sample(SAMPLES / "cart.js")


def test_scopes(cart: Parsed) -> None:
    assert outline(cart) == [
        ("class", "Cart", 22, 74),
        ("function", "Cart.constructor", 32, 38),
        ("function", "Cart.owner", 40, 43),
        ("function", "Cart.owner", 45, 47),
        ("function", "Cart.add", 49, 60),
        ("function", "Cart.total", 62, 65),
        ("function", "Cart.each", 67, 69),
        ("function", "Cart.of", 71, 73),
        ("function", "load", 76, 93),
        ("function", "format", 95, 98),
        ("function", "half", 100, 100),
        ("class", "store", 102, 110),
        ("function", "store.open", 104, 106),
        ("function", "store.close", 107, 109),
        ("function", "Wallet", 112, 114),
        ("function", "Wallet.pay", 116, 120),
    ]


def test_what_cart_shows(cart: Parsed) -> None:
    assert interface(cart, "Cart") == [
        "// A cart of one customer.",
        "export default class Cart extends Base {",
        "  static #made = 0;",
        "  items = [];",
        "  #owner;",
        "  currency",
        "  most",
        '  constructor(owner, { currency = "EUR", limit: most } = {}) { ... }',
        "  /** Who pays. */",
        "  get owner() { ... }",
        "  set owner(owner) { ... }",
        "  add(item, count = 1, ...more) { ... }",
        "  total = () => { ... }",
        "  async *each() { ... }",
        "  static of(owner) { ... }",
        "}",
    ]
    assert sorted(cart.language.bases(cart, scope_named(cart, "Cart"))) == ["Base"]


def test_what_store_shows(cart: Parsed) -> None:
    assert interface(cart, "store") == [
        "export const store = {",
        "  carts: new Map(),",
        "  open(owner) { ... }",
        "  close: async (owner) => { ... }",
        "};",
    ]


def test_documentation(cart: Parsed) -> None:
    found = {name: docstring(cart, scope_named(cart, name)) for name in ["Cart", "Cart.owner", "load"]}
    assert found == {
        "Cart": "A cart of one customer.\n\n@see Order",
        "Cart.owner": "Who pays.",
        "load": "Reads a cart from a file.\n\n@param {string} path where it is\n@param {Cart} cart what it is added to\n@returns {Promise<Cart>}",
    }


def test_imports(cart: Parsed) -> None:
    assert [(item.module, item.name, item.bound) for item in imports(cart)] == [
        ("node:fs", "default", "fs"),
        ("node:fs", "readFile", "read"),
        ("./money.js", None, "money"),
        ("./money.js", "total", "total"),
        ("./money.js", "tax", "rate"),
    ]


def test_visible_names(cart: Parsed) -> None:
    assert names_at(cart, "line = { one") == [
        "parameter: item",
        "parameter: count = 1",
        "parameter: ...more",
        "local: price",
        "local: label",
        "local: one",
        "local: line",
        "attribute: this.items",
        "attribute: this.#owner",
        "attribute: this.currency = currency",
        "attribute: this.most",
        'method: constructor(owner, { currency = "EUR", limit: most } = {})',
        "method: get owner()",
        "method: add(item, count = 1, ...more)",
        "method: total = () =>",
        "method: async *each()",
        "method: static of(owner)",
        "class: class Cart extends Base",
        "function: async function load(path, cart)",
        "function: const format = (cents, { digits = 2 } = {}) =>",
        "function: const half = (cents) =>",
        "class: const store",
        "function: function Wallet(coins)",
        "constant: MOST_ITEMS = 100",
        "constant: names",
        "constant: carts = 0",
        "constant: legacy",
        'import: import fs from "node:fs";',
        'import: import { readFile as read } from "node:fs";',
        'import: import * as money from "./money.js";',
        'import: import { total } from "./money.js";',
        'import: import { tax as rate } from "./money.js";',
    ]


def test_visible_names_1(cart: Parsed) -> None:
    assert names_at(cart, "await money.settle") == [
        "parameter: owner",
        "attribute: this.carts = new Map(...)",
        "method: open(owner)",
        "method: close: async (owner) =>",
        "class: class Cart extends Base",
        "function: async function load(path, cart)",
        "function: const format = (cents, { digits = 2 } = {}) =>",
        "function: const half = (cents) =>",
        "class: const store",
        "function: function Wallet(coins)",
        "constant: MOST_ITEMS = 100",
        "constant: names",
        "constant: carts = 0",
        "constant: legacy",
        'import: import fs from "node:fs";',
        'import: import { readFile as read } from "node:fs";',
        'import: import * as money from "./money.js";',
        'import: import { total } from "./money.js";',
        'import: import { tax as rate } from "./money.js";',
    ]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("function f(a) {|\n}\n", "block"),
        ("for (const a of b) {\n  |\n}\n", "block"),
        ("const x = |\n", "line"),
        ("// a comment that |\n", "line"),
        ("f('text |');\n", "line"),
        ("f(a, |);\n", "line"),
        ("const f = () => {\n  |", "block"),
        ("class A {\n  |\n}\n", "block"),
    ],
)
def test_one_line_or_several(text: str, kind: str) -> None:
    assert missing("a.js", text) == kind


def test_every_half_typed_text(cart: Parsed) -> None:
    type_it("cart.js", cart.snapshot.text)


def test_several_functions_of_one_statement() -> None:
    parsed = parsed_as(
        "cart.js",
        "export const add = (x) => {\n    return x;\n  },\n  /** Takes one away. */\n  take = function (y, z) {\n"
        "    return y;\n  },\n  most = 3;\nvar one = 1,\n  two = () => 2;\n",
    )
    assert outline(parsed) == [
        ("function", "add", 1, 3),
        ("function", "take", 4, 7),
        ("function", "two", 10, 10),
    ]
    assert names_at(parsed, "return y;")[:2] == ["parameter: y", "parameter: z"]
    assert "function: take = function (y, z)" in names_at(parsed, "return x;")
    assert scope_at(parsed, 5, 0).name == "take"
