"""TypeScript: which scope a line is in, what is visible there, what a class shows of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from palimpsest.syntax.imports import imports
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import docstring
from tests.languages.reading import interface, missing, names_at, outline, parsed_as, sample, scope_named, type_it

SAMPLES = Path(__file__).parent / "samples"


@pytest.fixture(scope="module")
def cart() -> Parsed:
    return sample(SAMPLES / "cart.ts")


def test_scopes(cart: Parsed) -> None:
    assert outline(cart) == [
        ("class", "Id", 11, 11),
        ("class", "Item", 13, 22),
        ("function", "Item.price", 17, 18),
        ("class", "Line", 24, 28),
        ("class", "State", 30, 34),
        ("class", "Level", 36, 39),
        ("class", "Keys", 41, 41),
        ("function", "log", 44, 44),
        ("function", "sealed", 46, 49),
        ("class", "Store", 51, 59),
        ("function", "Store.find", 54, 54),
        ("function", "Store.size", 56, 58),
        ("class", "Cart", 61, 101),
        ("function", "Cart.constructor", 69, 75),
        ("function", "Cart.add", 77, 77),
        ("function", "Cart.add", 78, 78),
        ("function", "Cart.add", 79, 83),
        ("function", "Cart.find", 85, 88),
        ("function", "Cart.total", 90, 96),
        ("function", "Cart.[Symbol.iterator]", 98, 100),
        ("namespace", "Shop.Money", 103, 111),
        ("class", "Shop.Money.Purse", 105, 107),
        ("function", "Shop.Money.round", 108, 110),
        ("namespace", "@shop/items", 113, 117),
        ("class", "@shop/items.Thing", 114, 116),
        ("namespace", "global", 119, 123),
        ("class", "global.Window", 120, 122),
        ("function", "format", 125, 129),
    ]


def test_what_item_shows(cart: Parsed) -> None:
    assert interface(cart, "Item") == [
        "/** What can be put into a cart. */",
        "export interface Item<T extends Id = Id> extends items.Thing, Priced {",
        "  readonly id: T;",
        "  name?: string;",
        "  /** With tax. */",
        "  price(rate: Rate): number;",
        "}",
    ]
    assert sorted(cart.language.bases(cart, scope_named(cart, "Item"))) == ["Priced", "Thing"]


def test_what_state_shows(cart: Parsed) -> None:
    assert interface(cart, "State") == ["export enum State {", '  Open = "open",', '  Paid = "paid",', "}"]


def test_what_store_shows(cart: Parsed) -> None:
    assert interface(cart, "Store") == [
        "abstract class Store<T> {",
        "  protected readonly all = new Map<Id, T>();",
        "  abstract find(id: Id): T | undefined;",
        "  get size(): number { ... }",
        "}",
    ]


def test_what_cart_shows(cart: Parsed) -> None:
    assert interface(cart, "Cart") == [
        "@sealed",
        '@items.kept({ name: "cart" })',
        "export class Cart extends Store<Line> implements Iterable<Line>, Priced {",
        "  static made = 0;",
        "  private lines: Line[] = [];",
        "  #state: State = State.Open;",
        "  declare owner: string;",
        "  currency: Currency",
        "  discount: Discount",
        "  constructor( private readonly currency: Currency, public discount?: Discount, ) { ... }",
        "  add(item: Item): Line;",
        "  add(item: Item, count: number): Line;",
        "  add(item: Item, count = 1): Line { ... }",
        "  @items.cached()",
        "  override find(id: Id): Line | undefined { ... }",
        "  total<R extends Rate>(this: Cart, rate: R, ...more: Rate[]): number { ... }",
        "  *[Symbol.iterator](): Iterator<Line> { ... }",
        "}",
    ]
    assert sorted(cart.language.bases(cart, scope_named(cart, "Cart"))) == ["Iterable", "Priced", "Store"]


def test_documentation(cart: Parsed) -> None:
    found = {name: docstring(cart, scope_named(cart, name)) for name in ["Item", "Item.price", "sealed"]}
    assert found == {"Item": "What can be put into a cart.", "Item.price": "With tax.", "sealed": "Marks a class."}


def test_imports(cart: Parsed) -> None:
    assert [(item.module, item.name, item.bound) for item in imports(cart)] == [
        ("./money", "Currency", "Currency"),
        ("./discount.js", "Discount", "Discount"),
        ("./discount.js", "Rate", "Rate"),
        ("node:fs", None, "fs"),
        ("@shop/items", None, "items"),
    ]


def test_visible_names(cart: Parsed) -> None:
    assert names_at(cart, "sum += item") == [
        "parameter: rate: R",
        "parameter: ...more: Rate[]",
        "local: sum = 0",
        "local: item",
        "local: count",
        "attribute: this.lines: Line[]",
        "attribute: this.#state: State",
        "attribute: this.owner: string",
        "attribute: this.currency: Currency",
        "attribute: this.discount: Discount",
        "method: constructor( private readonly currency: Currency, public discount?: Discount, )",
        "method: add(item: Item): Line",
        "method: override find(id: Id): Line | undefined",
        "method: total<R extends Rate>(this: Cart, rate: R, ...more: Rate[]): number",
        "method: *[Symbol.iterator](): Iterator<Line>",
        "class: type Id = string | number",
        "class: interface Item<T extends Id = Id> extends items.Thing, Priced",
        "class: type Line",
        "class: enum State",
        "class: const enum Level",
        "class: type Keys<T>",
        "function: function log(text: string): void",
        "function: function sealed<C extends new (...args: never[]) => object>(target: C): C",
        "class: abstract class Store<T>",
        "class: class Cart extends Store<Line> implements Iterable<Line>, Priced",
        "class: namespace Shop.Money",
        'class: module "@shop/items"',
        "class: declare global",
        "function: const format = async <T,>(cart: Cart, as: (total: number) => T): Promise<T> =>",
        "constant: VERSION: string",
        'import: import type { Currency } from "./money";',
        'import: import { Discount } from "./discount.js";',
        'import: import { Rate } from "./discount.js";',
        'import: import * as fs from "node:fs";',
        'import: import * as items from "@shop/items";',
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
        ("interface A {\n  |\n}\n", "block"),
        ("const x: |;\n", "line"),
    ],
)
def test_one_line_or_several(text: str, kind: str) -> None:
    assert missing("a.ts", text) == kind


def test_every_half_typed_text(cart: Parsed) -> None:
    type_it("cart.ts", cart.snapshot.text)


def test_members_of_an_interface_are_shown_behind_this() -> None:
    parsed = parsed_as("a.ts", "interface A {\n  readonly id: T;\n  label?: string;\n  go(): void;\n}\n")
    assert names_at(parsed, "  go(): void")[:2] == ["attribute: this.id", "attribute: this.label"]
