"""`class` blocks of every language that has classes: the one around the cursor, that of a parameter, one that is made
in the body, its base in another file, that one's own base, and an interface; with types, and the first line of their
documentation.  The workspaces are in `workspaces/classes`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from palimpsest.languages.registry import language_of, languages
from palimpsest.types import Block
from tests.context.context_workspace import Workspace
from tests.languages import cases

Make = Callable[..., Workspace]
WITHOUT = {"bash"}
SHOWN: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "python": {
        "shop.till.Till": ("class Till(Drawer, Pays):", '"""Takes money."""', "size: int = 3", "def pay("),
        "shop.cart.Cart": ('"""What is bought."""', "owner: str", "def total(self, rate: float) -> int: ..."),
        "shop.receipt.Receipt": ("title: str", "def __init__(self, title: str) -> None: ..."),
        "shop.drawer.Drawer": ("class Drawer(Box):", "def open(self, much: int) -> None: ..."),
        "shop.drawer.Pays": ("def paid(self, cents: int) -> bool: ...",),
        "shop.box.Box": ("width: float",),
    },
    "javascript": {
        "src/till.Till": (
            "/** Takes money. */",
            "export class Till extends Drawer {",
            "size = 3;",
            "pay(cart) { ... }",
        ),
        "src/cart.Cart": ("// What is bought.", "static most = 9;", "total(rate = 1) { ... }"),
        "src/receipt.Receipt": ("title", "constructor(title) { ... }"),
        "src/drawer.Drawer": ("export default class Drawer extends boxes.Box {", "open(much) { ... }"),
        "src/box.Box": ("width", "constructor(width) { ... }"),
    },
    "node": {
        "lib/till.Till": ("class Till extends Drawer {", "pay() { ... }"),
        "lib/receipt.Receipt": ("print(page) { ... }",),
        "lib/drawer.Drawer": ("class Drawer extends Box {", "open(much) { ... }"),
        "lib/box.Box": ("close() { ... }",),
    },
    "typescript": {
        "src/till.Till": ("/** Takes money. */", "private size: number = 3;", "pay(cart: Cart): number { ... }"),
        "src/cart.Cart": (
            "/** What is bought. */",
            "readonly owner: string;",
            "lines?: Map<string, number>;",
            "total(rate: number): number;",
        ),
        "src/receipt.Receipt": ("title: string", "constructor(public title: string) { ... }"),
        "src/drawer.Drawer": ("export abstract class Drawer extends Box {", "abstract open(much: number): void;"),
        "src/drawer.Pays": ("paid(cents: T): boolean;",),
        "src/box.Box": ("width: number",),
    },
    "rust": {
        "crate.Till": ("/// Takes money.", "pub size: u32,", "pub fn new(size: u32) -> Self { ... }"),
        "crate::cart.Cart": (
            "/// What is bought.",
            "pub owner: String,",
            "pub fn total(&self, rate: f64) -> u32 { ... }",
        ),
        "crate::parts::receipt.Receipt": ("pub title: String,", "pub fn new(title: &str) -> Self { ... }"),
        "crate::drawer.Drawer": ("pub width: u32,",),
        "crate::drawer.Pays": ("pub trait Pays: Opens {", "fn pay(&self, cart: &Cart) -> u32;"),
        "crate::drawer.Opens": ("fn open(&mut self, much: u32);",),
    },
    "go": {
        "example.com/shop.Till": ("// Till takes money.", "size int", "func (t *Till) Pay(c *cart.Cart) int { ... }"),
        "example.com/shop/cart.Cart": ("Owner string", "func (c *Cart) Total(rate float64) int { ... }"),
        "example.com/shop/receipt.Receipt": ("Title string",),
        "example.com/shop.Drawer": ("*Box", "func (d *Drawer) Open(much int) { ... }"),
        "example.com/shop.Box": ("Width float64",),
    },
    "c": {
        "src/till.h.till": ("/** Takes money. */", "int size;"),
        "src/cart.h.cart_t": ("/* What is bought. */", "const char *owner;", "double (*total)(double rate);"),
        "src/receipt.h.receipt": ("const char *title;",),
    },
    "cpp": {
        "src/till.hpp.shop.Till": ("/// Takes money.", "int size_ = 3;", "int pay(const Cart &cart) override;"),
        "src/cart.hpp.shop.Cart": ("std::string owner;", "double total(double rate) const;"),
        "src/receipt.hpp.shop.Receipt": ("Receipt(const char *title);",),
        "src/drawer.hpp.shop.Drawer": ("class Drawer : public Box {", "virtual void open(int much);"),
        "src/drawer.hpp.shop.Pays": ("virtual bool paid(int cents) = 0;",),
        "src/box.hpp.shop.Box": ("double width;",),
    },
    "java": {
        "shop.Till": ("/** Takes money. */", "private final int size = 3;", "public int pay(Cart cart) { ... }"),
        "shop.Cart": ("// What is bought.", "String owner;", "int total(double rate) { ... }"),
        "shop.parts.Receipt": ("public record Receipt(String title) {", "public String shout() { ... }"),
        "shop.parts.Drawer": ("public abstract void open(int much);",),
        "shop.parts.Pays": ("int MOST = 3;", "boolean paid(int cents);"),
        "shop.parts.Box": ("protected double width;",),
    },
    "csharp": {
        "Shop.Till": (
            "/// <summary>Takes money.</summary>",
            "private int count;",
            "public int Pay(Cart cart) { ... }",
            'public string Name { get; set; } = "";',
            "public int Count(int by) { ... }",
        ),
        "Shop.Cart": ("public required string Owner { get; init; }", "public decimal Total(decimal rate) { ... }"),
        "Shop.Parts.Receipt": ("public record Receipt(string Title);",),
        "Shop.Parts.Drawer": ("public abstract void Open(int much);",),
        "Shop.Parts.IPays": ("public interface IPays { bool Paid(int cents); }",),
        "Shop.Parts.Box": ("protected double width;",),
        "Shop.ICounts": ("public interface ICounts { int Count(int by); }",),
    },
    "ruby": {
        "shop/till.Shop.Till": ("# Takes money.", "class Till < Drawer", "attr_reader :size", "def pay(cart) ... end"),
        "shop/cart.Shop.Cart": ("# What is bought.", "def total(rate = 1.0, *others, round: false) ... end"),
        "shop/drawer.Shop.Drawer": ("class Drawer < Box", "def open(much) ... end"),
        "shop/pays.Shop.Pays": ("module Pays", "def paid(cents) ... end"),
        "shop/box.Shop.Box": ("@width", "def initialize(width) ... end"),
    },
    "php": {
        "Shop\\Till.Till": (
            "/** Takes money. */",
            "private int $size = 3;",
            "public function pay(Cart $cart): int { ... }",
        ),
        "Shop\\Cart.Cart": ("// What is bought.", "public function total(float $rate): int { ... }"),
        "Shop\\Counts.Counts": ("protected int $counted = 0;", "public function count(int $by): int { ... }"),
        "Shop\\Parts\\Receipt.Receipt": ("public ?string $title;",),
        "Shop\\Parts\\Drawer.Drawer": ("abstract public function open(int $much): void;",),
        "Shop\\Parts\\Pays.Pays": ("const MOST = 3;", "public function paid(int $cents): bool;"),
        "Shop\\Parts\\Box.Box": ("protected float $width;",),
    },
    "lua": {
        "shop.till.Till": ("--- Takes money.", "local Till = { size = 3 }", "function Till:pay(cart) ... end"),
        "shop.cart.Cart": ("--- What is bought.", "local Cart = { most = 3 }", "function Cart.new(owner) ... end"),
        "shop.drawer.Drawer": ("function Drawer:open(much) ... end",),
        "shop.inner.box.Box": ("local Box = { width = 1 }", "function Box:close(hard) ... end"),
    },
    "kotlin": {
        "shop.Till": ("/** Takes money. */", "var last: Cart? = null", "fun pay(cart: Cart): Int { ... }"),
        "shop.Cart": ("// What is bought.", "val size: Int", "fun total(rate: Double = 1.0): Int { ... }"),
        "shop.parts.Receipt": ("data class Receipt(val title: String)",),
        "shop.parts.Drawer": ("abstract class Drawer : Box() {", "abstract fun open(much: Int)"),
        "shop.parts.Pays": ("val most: Int", "fun paid(cents: Int): Boolean"),
        "shop.parts.Box": ("protected var width: Double = 1.0",),
    },
    "swift": {
        "Shop.Till": ("/// Takes money.", "private let size: Int = 3", "func pay(cart: Cart) -> Int { ... }"),
        "Shop.Cart": (
            "/// What is bought.",
            "let lines: [String: Int]",
            "func total(at rate: Double = 1) -> Int { ... }",
            "mutating func clear() { ... }",
        ),
        "Parts.Receipt": ("public let title: String",),
        "Parts.Drawer": ("open func open(_ much: Int) { ... }",),
        "Parts.Pays": ("var most: Int { get }", "func paid(cents: Int) -> Bool"),
        "Parts.Box": ("public var width: Double = 1",),
    },
}
LIKE = {"jsx": "javascript", "tsx": "typescript"}


def classes(made: Workspace, main: str) -> dict[str, Block]:
    return {block.name: block for block in made.blocks(main).values() if block.type == "class"}


def test_every_language_with_classes_has_a_case() -> None:
    has = {language_of("", cases.of("classes", case)[1]).id for case in cases.named("classes")}
    assert {language.id for language in languages() if language.query("bases")} - WITHOUT - has == set()


@pytest.mark.parametrize("case", cases.named("classes"))
def test_classes_through_imports_and_inheritance(workspace: Make, case: str) -> None:
    files, main = cases.of("classes", case)
    made = workspace(files)
    made.build_index()
    found = classes(made, main)
    expected = SHOWN[LIKE.get(case, case)]
    assert set(found) == set(expected)
    for name, lines in expected.items():
        shown = [line.strip() for line in found[name].text.split("\n")]
        assert [line for line in lines if not any(line in one for one in shown)] == [], found[name].text
        assert found[name].editable


@pytest.mark.parametrize("case", cases.named("classes"))
def test_no_class_shows_a_line_twice_or_more_than_one_line_of_documentation(workspace: Make, case: str) -> None:
    files, main = cases.of("classes", case)
    made = workspace(files)
    made.build_index()
    shown = classes(made, main)
    assert shown
    for block in shown.values():
        lines = [line.strip() for line in block.text.split("\n")]
        assert [line for line in lines if len(line) > 1 and lines.count(line) > 1 and line != "end"] == [], block.text
        assert "More of it" not in block.text
        assert "lsewhere" not in block.text


@pytest.mark.parametrize("case", cases.named("classes"))
def test_blocks_stay_valid_while_the_cursor_stays(workspace: Make, case: str) -> None:
    files, main = cases.of("classes", case)
    made = workspace(files)
    view = made.view(main)
    blocks = [block for block in made.gatherer.candidates(view) if block.type == "class"]
    assert blocks
    assert [block.name for block in blocks if not made.gatherer.still_valid(block, view)] == []
