"""TypeScript: errors that an edit makes, misspelt names, and the places that follow an edit."""

from __future__ import annotations

import pytest

from palimpsest.edits.misspelt import slips
from palimpsest.edits.validate import Baseline, Unfit, validated
from palimpsest.syntax.unknown import defined_twice
from palimpsest.types import DocumentChange, LineEdit
from tests.languages.reading import parsed_as
from tests.next_edits.conftest import workspace

CART = """\
import type { Rate } from "./money";

export interface Line {
  name: string;
  count: number;
}

export class Cart {
  private lines: Line[] = [];

  constructor(private readonly owner: string) {}

  add(name: string, count: number): Line {
    const line: Line = { name, count };
    this.lines.push(line);
    this.note(this.owner);
    return line;
  }

  private note(text: string): void {
    console.log(text, this.lines);
  }
}

export const rounded = (value: number, digits: number): number => value * digits;

export type Id = string;
"""
TILL = """\
import { Cart, rounded, type Id, type Line } from "@/cart";

export function pay(cart: Cart, id: Id): Line {
  cart.add("tax", rounded(1, 2));
  const own = new Cart(id);
  const line: Line = own.add("till", 1);
  return { name: line.name, count: 2 };
}
"""
FILES = {"src/cart.ts": CART, "src/till.ts": TILL}
HOME = "src/cart.ts"


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        (
            "interface Line",
            "interface Row",
            [
                "src/cart.ts: private lines: Row[] = [];",
                "src/cart.ts: add(name: string, count: number): Row {",
                "src/cart.ts: const line: Row = { name, count };",
                'src/till.ts: import { Cart, rounded, type Id, type Row } from "@/cart";',
                "src/till.ts: export function pay(cart: Cart, id: Id): Row {",
                'src/till.ts: const line: Row = own.add("till", 1);',
            ],
        ),
        ("private note", "private remark", ["src/cart.ts: this.remark(this.owner);"]),
        (
            "  add(",
            "  put(",
            ['src/till.ts: cart.put("tax", rounded(1, 2));', 'src/till.ts: const line: Line = own.put("till", 1);'],
        ),
        (
            "class Cart",
            "class Basket",
            [
                'src/till.ts: import { Basket, rounded, type Id, type Line } from "@/cart";',
                "src/till.ts: export function pay(cart: Basket, id: Id): Line {",
                "src/till.ts: const own = new Basket(id);",
            ],
        ),
        (
            "private lines",
            "private rows",
            ["src/cart.ts: this.rows.push(line);", "src/cart.ts: console.log(text, this.rows);"],
        ),
        (
            "(value: number, digits: number)",
            "(digits: number, value: number)",
            ['src/till.ts: cart.add("tax", rounded(2, 1));'],
        ),
        (
            "add(name: string, count: number)",
            "add(count: number, name: string)",
            ['src/till.ts: cart.add(rounded(1, 2), "tax");', 'src/till.ts: const line: Line = own.add(1, "till");'],
        ),
        (
            "type Id",
            "type Key",
            [
                'src/till.ts: import { Cart, rounded, type Key, type Line } from "@/cart";',
                "src/till.ts: export function pay(cart: Cart, id: Key): Line {",
            ],
        ),
    ],
)
def test_what_follows_an_edit(before: str, after: str, lines: list[str]) -> None:
    assert workspace(FILES).edit(HOME, (before, after)).lines() == lines


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("{ name, count }", "{ nmae, count }", [("nmae", "name")]),
        ("const line: Line = {", "const line: Lien = {", [("Lien", "Line")]),
        ("log(text", "log(txet", [("txet", "text")]),
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
        edited("return line;", "return line);")


def test_declarations_that_the_language_merges_are_not_defined_twice() -> None:
    merged = "interface A { x: number }\ninterface A { y: number }\nclass A {}\nnamespace N {}\nnamespace N {}\n"
    assert not defined_twice(parsed_as("a.ts", merged))
    assert defined_twice(parsed_as("a.ts", "class A {}\nclass A {}\n")) == {"A": 2}
