"""Ruby: which scope a line is in, what is visible there, what a class shows of itself."""

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
    return sample(SAMPLES / "cart.rb")


def test_modules_classes_and_methods(cart: Parsed) -> None:
    assert outline(cart) == [
        ("namespace", "Shop", 6, 107),
        ("class", "Shop.TooMany", 10, 11),
        ("class", "Shop.Cart", 13, 91),
        ("function", "Shop.Cart.initialize", 22, 29),
        ("function", "Shop.Cart.of", 31, 31),
        ("class", "Shop.Cart.self", 33, 37),
        ("function", "Shop.Cart.self.carts", 34, 36),
        ("function", "Shop.Cart.add", 39, 54),
        ("function", "Shop.Cart.find", 56, 60),
        ("function", "Shop.Cart.total", 62, 74),
        ("function", "Shop.Cart.empty?", 76, 78),
        ("function", "Shop.Cart.<=>", 80, 82),
        ("function", "Shop.Cart.check!", 86, 90),
        ("class", "Shop.Line", 93, 97),
        ("function", "Shop.Line.cents", 94, 96),
        ("function", "Shop.receipt", 99, 106),
    ]
    assert cart.language.bases(cart, scope_named(cart, "Shop.Cart")) == {"Basket", "Comparable"}


def test_a_class_shows_its_members_without_bodies(cart: Parsed) -> None:
    assert interface(cart, "Shop.Cart") == [
        "  # What a customer has chosen so far.",
        "  class Cart < Basket",
        "    UNIT = :cents",
        "    attr_reader :owner, :lines",
        "    @@carts = 0",
        "    @owner",
        "    @discount",
        "    @lines",
        "    def initialize(owner, discount: nil) ... end",
        "    def self.of(owner) = ...",
        "    class << self",
        "      def carts ... end",
        "    end",
        "    def add(article, count = 1, *notes, **options, &block) ... end",
        "    def find(name) ... end",
        "    def total ... end",
        "    def empty? ... end",
        "    def <=>(other) ... end",
        "    def check!(limit:) ... end",
        "  end",
    ]
    assert interface(cart, "Shop.Line")[0] == "  Line = Struct.new(:article, :count) do"


def test_comments_above_are_documentation_but_no_magic_ones(cart: Parsed) -> None:
    assert docstring(cart, scope_named(cart, "Shop")) == "Everything about buying."
    assert docstring(cart, scope_named(cart, "Shop.Cart.add")) == "Adds some of an article.\n\nThe line is returned."
    assert scope_at(cart, line_of(cart, "@param owner"), 0).qualified_name == "Shop.Cart.initialize"


def test_what_is_required(cart: Parsed) -> None:
    assert [(item.module, item.name, item.level) for item in imports(cart)] == [("set", "*", 0), ("money", "*", 1)]


def test_visible_names(cart: Parsed) -> None:
    assert names_at(cart, "line = Line.new") == [
        "parameter: article",
        "parameter: count = 1",
        "parameter: *notes",
        "parameter: **options",
        "parameter: &block",
        "local: line = find(...)",
        "local: note",
        "attribute: UNIT",
        "attribute: owner",
        "attribute: lines",
        "attribute: @@carts = 0",
        "attribute: @owner = owner",
        "attribute: @discount = discount",
        "attribute: @lines",
        "method: def self.of(owner) =",
        "class: class << self",
        "method: def add(article, count = 1, *notes, **options, &block)",
        "method: def find(name)",
        "method: def total",
        "method: def empty?",
        "method: def <=>(other)",
        "method: def check!(limit:)",
        "constant: MOST_LINES = 200",
        "class: class TooMany < StandardError",
        "class: class Cart < Basket",
        "class: Line = Struct.new(:article, :count) do",
        "function: def self.receipt(cart)",
        "class: module Shop",
    ]


def test_the_editing_block_of_a_method(cart: Parsed) -> None:
    shown = lines_shown(cart, "block&.call(line)")
    assert shown[0] == "    # Adds some of an article."
    assert shown[-1] == "    end"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("def f(a)\n  |\nend\n", "block"),
        ("def f(a)\n  |", "block"),
        ("if a\n  |\nend\n", "block"),
        ("x = |\n", "line"),
        ("# a comment that |\n", "line"),
        ('puts "text |"\n', "line"),
    ],
)
def test_one_line_or_several(text: str, kind: str) -> None:
    assert missing("a.rb", text) == kind


def test_every_half_typed_text(cart: Parsed) -> None:
    type_it("cart.rb", cart.snapshot.text)
