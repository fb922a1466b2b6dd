"""Swift: which scope a line is in, what is visible there, what a type shows of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from palimpsest.syntax.imports import imports
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import docstring, scope_at
from tests.languages.reading import (
    interface,
    line_of,
    lines_shown,
    missing,
    names_at,
    outline,
    sample,
    scope_named,
    type_it,
)

SAMPLES = Path(__file__).parent / "samples"


@pytest.fixture(scope="module")
def cart() -> Parsed:
    return sample(SAMPLES / "Cart.swift")


def test_classes_structs_enums_protocols_and_extensions(cart: Parsed) -> None:
    assert outline(cart) == [
        ("class", "Priced", 4, 9),
        ("function", "Priced.total", 8, 8),
        ("class", "Discount", 11, 23),
        ("function", "Discount.percent", 15, 22),
        ("class", "CartError", 25, 27),
        ("class", "Line", 29, 34),
        ("function", "Line.cents", 33, 33),
        ("class", "Cart", 36, 95),
        ("function", "Cart.init", 46, 52),
        ("function", "Cart.init", 54, 57),
        ("function", "Cart.deinit", 59, 61),
        ("function", "Cart.add", 63, 78),
        ("function", "Cart.find", 80, 84),
        ("function", "Cart.total", 86, 90),
        ("function", "Cart.subscript", 92, 94),
        ("class", "Cart", 97, 107),
        ("function", "Cart.description", 98, 102),
        ("function", "Cart.clear", 104, 106),
        ("function", "receipt", 109, 118),
    ]
    assert cart.language.bases(cart, scope_named(cart, "Cart")) == {"Basket", "Priced"}


def test_a_type_shows_its_members_without_bodies(cart: Parsed) -> None:
    assert interface(cart, "Cart") == [
        "/// What a customer has chosen so far.",
        "final class Cart: Basket, Priced {",
        "    static let mostLines = 200",
        "    private(set) static var carts = 0",
        "    let owner: String",
        "    private var lines: [Line] = []",
        "    @Published var discount: Discount = .none",
        "    lazy var names: [String] = lines.map { $0.article.name }",
        "    init(owner: String, discount: Discount = .none) { ... }",
        "    convenience init?(of owner: String?) { ... }",
        "    deinit { ... }",
        "    @discardableResult",
        "    func add(_ article: Article, count: Int = 1, notes: String...) throws -> Line { ... }",
        "    private func find(named name: String) -> Line? { ... }",
        "    func total() throws -> Int { ... }",
        "    subscript(index: Int) -> Line { ... }",
        "}",
        "extension Cart: CustomStringConvertible {",
        "    var description: String { ... }",
        "    func clear() { ... }",
        "}",
    ]
    assert interface(cart, "Priced")[1:] == [
        "protocol Priced {",
        "    var unit: Unit { get }",
        "    func total() throws -> Int",
        "}",
    ]


def test_documentation_and_attributes_belong_to_what_they_precede(cart: Parsed) -> None:
    assert docstring(cart, scope_named(cart, "Cart.add")) == "Adds some of an article.\n\n- Returns: the line."
    assert scope_at(cart, line_of(cart, "@discardableResult"), 0).qualified_name == "Cart.add"


def test_an_import_gives_all_names_of_a_module(cart: Parsed) -> None:
    assert [(item.module, item.name) for item in imports(cart)] == [("Foundation", "*"), ("ShopMoney", "*")]


def test_visible_names(cart: Parsed) -> None:
    assert names_at(cart, "var line = find") == [
        "parameter: _ article: Article",
        "parameter: count: Int",
        "parameter: notes: String...",
        "local: line = find(...)",
        "local: index",
        "local: note",
        "attribute: mostLines = 200",
        "attribute: carts = 0",
        "attribute: owner: String",
        "attribute: lines: [Line]",
        "attribute: discount: Discount",
        "attribute: names: [String]",
        "method: deinit",
        "method: func add(_ article: Article, count: Int = 1, notes: String...) throws -> Line",
        "method: private func find(named name: String) -> Line?",
        "method: func total() throws -> Int",
        "method: subscript(index: Int) -> Line",
        "class: protocol Priced",
        "class: enum Discount: String, CaseIterable",
        "class: enum CartError: Error",
        "class: struct Line: Equatable",
        "class: final class Cart: Basket, Priced",
        "function: func receipt<T: Priced>(for cart: T, store: Warehouse) async rethrows -> String",
    ]


def test_the_editing_block_of_a_method(cart: Parsed) -> None:
    shown = lines_shown(cart, "lines.append(line)")
    assert (shown[0], shown[-1]) == ("    /// Adds some of an article.", "    }")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("func f(a: Int) {|\n", "block"),
        ("for a in b {\n    |\n}\n", "block"),
        ("let x = |\n", "line"),
        ("// a comment that |\n", "line"),
        ('print("text |")\n', "line"),
    ],
)
def test_one_line_or_several(text: str, kind: str) -> None:
    assert missing("a.swift", text) == kind


def test_every_half_typed_text(cart: Parsed) -> None:
    type_it("cart.swift", cart.snapshot.text)
