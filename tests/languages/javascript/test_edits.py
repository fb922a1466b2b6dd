"""JavaScript: errors that an edit makes, misspelt names, and the places that follow an edit."""

from __future__ import annotations

import pytest

from palimpsest.edits.misspelt import slips
from palimpsest.edits.validate import Baseline, Unfit, validated
from palimpsest.types import DocumentChange, LineEdit
from tests.languages.reading import parsed_as
from tests.next_edits.conftest import workspace

CART = """\
import { tax } from "./money.js";

const MOST = 3;

export class Cart {
  items = [];

  constructor(owner) {
    this.owner = owner;
  }

  add(name, count = 1) {
    const total = count + MOST;
    for (const i of [1, 2]) {
      console.log(i, name, this.owner, this.items);
    }
    this.note(name);
    return total * tax;
  }

  note(text) {
    this.items.push(text);
  }
}

export function rounded(value, digits) {
  return value;
}

rounded(1, 2);
new Cart("x").add("y", 1);
"""
TILL = """\
import { Cart, rounded as round } from "./cart.js";

export function pay(other) {
  const cart = new Cart("till");
  cart.add("tax", 1);
  other.add("more", round(3, 2));
  return cart;
}
"""
TOOLS = """\
const { Cart } = require("./cart");
const cart = require("./cart.js");

module.exports = () => new Cart(cart.rounded(1, 2));
"""
FILES = {"src/cart.js": CART, "src/till.js": TILL, "src/tools.cjs": TOOLS}
HOME = "src/cart.js"


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        ("total = count", "sum = count", ["src/cart.js: return sum * tax;"]),
        ("const MOST", "const LIMIT", ["src/cart.js: const total = count + LIMIT;"]),
        (
            "add(name,",
            "add(label,",
            ["src/cart.js: console.log(i, label, this.owner, this.items);", "src/cart.js: this.note(label);"],
        ),
        ("  note(", "  remark(", ["src/cart.js: this.remark(name);"]),
        ("  add(", "  put(", ['src/cart.js: new Cart("x").put("y", 1);', 'src/till.js: cart.put("tax", 1);']),
        (
            "class Cart",
            "class Basket",
            [
                'src/cart.js: new Basket("x").add("y", 1);',
                'src/till.js: import { Basket, rounded as round } from "./cart.js";',
                'src/till.js: const cart = new Basket("till");',
                'src/tools.cjs: const { Basket } = require("./cart");',
                "src/tools.cjs: module.exports = () => new Basket(cart.rounded(1, 2));",
            ],
        ),
        (
            "  items = []",
            "  lines = []",
            ["src/cart.js: console.log(i, name, this.owner, this.lines);", "src/cart.js: this.lines.push(text);"],
        ),
        ("this.owner = owner", "this.holder = owner", ["src/cart.js: console.log(i, name, this.holder, this.items);"]),
        (
            "function rounded",
            "function ceiled",
            [
                "src/cart.js: ceiled(1, 2);",
                'src/till.js: import { Cart, ceiled as round } from "./cart.js";',
                "src/tools.cjs: module.exports = () => new Cart(cart.ceiled(1, 2));",
            ],
        ),
        (
            "rounded(value, digits)",
            "rounded(digits, value)",
            ["src/cart.js: rounded(2, 1);", "src/tools.cjs: module.exports = () => new Cart(cart.rounded(2, 1));"],
        ),
        (
            "add(name, count = 1)",
            "add(count, name)",
            ['src/cart.js: new Cart("x").add(1, "y");', 'src/till.js: cart.add(1, "tax");'],
        ),
        ("const i of", "const k of", ["src/cart.js: console.log(k, name, this.owner, this.items);"]),
    ],
)
def test_what_follows_an_edit(before: str, after: str, lines: list[str]) -> None:
    assert workspace(FILES).edit(HOME, (before, after)).lines() == lines


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("= count + MOST", "= cuont + MOST", [("cuont", "count")]),
        ("note(name);", "note(nmae);", [("nmae", "name")]),
        ("rounded(1, 2);\nnew", "ronuded(1, 2);\nnew", [("ronuded", "rounded")]),
        ("console.log", "console.lgo", []),
    ],
)
def test_misspelt_names_and_names_that_may_be_elsewhere(before: str, after: str, found: list[tuple[str, str]]) -> None:
    path, text = next((path, text) for path, text in FILES.items() if before in text)
    parsed = parsed_as(path, text.replace(before, after))
    assert [(slip.name, slip.meant[0]) for slip in slips(parsed, 0, parsed.snapshot.line_count)] == found


def test_known_names_are_not_misspelt() -> None:
    for path, text in FILES.items():
        parsed = parsed_as(path, text)
        assert parsed.n_errors == 0
        assert slips(parsed, 0, parsed.snapshot.line_count) == []


def edited(before: str, after: str) -> list[str]:
    lines = tuple(CART.split("\n"))
    at = next(n for n, line in enumerate(lines) if before in line)
    edit = LineEdit(at, at + 1, (lines[at].replace(before, after),))
    change = DocumentChange(f"file:///{HOME}", 1, (edit,))
    return list(validated(change, Baseline(lines, parsed_as(HOME, CART).language)).flags)


def test_an_edit_that_breaks_the_syntax_is_refused() -> None:
    with pytest.raises(Unfit, match="syntax error"):
        edited("return total * tax;", "return total * tax);")
