"""PHP: which scope a line is in, what is visible there, what a class shows of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from palimpsest.syntax.imports import imports
from palimpsest.syntax.names import names_in
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import docstring, scope_at
from tests.languages.reading import (
    interface,
    line_of,
    lines_shown,
    missing,
    names_at,
    outline,
    parsed_as,
    sample,
    scope_named,
    type_it,
)

SAMPLES = Path(__file__).parent / "samples"
CONSTRUCTOR = (
    "public function __construct( private readonly string $owner, protected Discount $discount = Discount::None, )"
)


@pytest.fixture(scope="module")
def cart() -> Parsed:
    return sample(SAMPLES / "Cart.php")


def test_classes_interfaces_traits_and_enums(cart: Parsed) -> None:
    assert outline(cart) == [
        ("class", "Priced", 15, 21),
        ("function", "Priced.total", 20, 20),
        ("class", "Logs", 23, 31),
        ("function", "Logs.note", 27, 30),
        ("class", "Discount", 33, 45),
        ("function", "Discount.percent", 38, 44),
        ("class", "Cart", 47, 111),
        ("function", "Cart.__construct", 57, 62),
        ("function", "Cart.add", 64, 80),
        ("function", "Cart.find", 82, 90),
        ("function", "Cart.total", 92, 98),
        ("function", "Cart.of", 100, 103),
        ("function", "Cart.count", 105, 108),
        ("function", "Cart.tax", 110, 110),
        ("function", "receipt", 113, 125),
    ]
    assert cart.language.bases(cart, scope_named(cart, "Cart")) == {"Basket", "Priced", "Countable", "Logs"}


def test_a_namespace_with_braces_has_names_of_its_own() -> None:
    parsed = parsed_as("a.php", "<?php\nnamespace A\\B {\n    class C\n    {\n    }\n}\n")
    assert outline(parsed) == [("namespace", "A\\B", 2, 6), ("class", "A\\B.C", 3, 5)]


def test_a_class_shows_its_members_without_bodies(cart: Parsed) -> None:
    assert interface(cart, "Cart") == [
        "/** What a customer has chosen so far. */",
        "final class Cart extends Basket implements Priced, \\Countable {",
        "    public const UNIT = 'cents';",
        "    private static int $carts = 0;",
        "    private array $lines = [];",
        f"    {CONSTRUCTOR} {{ ... }}",
        "    public function add(Article $article, int $count = 1): Line { ... }",
        "    private function find(string $name): ?Line { ... }",
        "    public function total(): Price { ... }",
        "    public static function of(string $owner): static { ... }",
        "    public function count(): int { ... }",
        "    abstract protected function tax(): float;",
        "}",
    ]
    assert "    case Staff = 'staff';" in interface(cart, "Discount")


def test_documentation_and_attributes_belong_to_what_they_precede(cart: Parsed) -> None:
    assert docstring(cart, scope_named(cart, "Cart.add")) == "Adds some of an article."
    assert scope_at(cart, line_of(cart, "#[\\Override]"), 0).qualified_name == "Cart.total"


def test_imports_one_by_one_in_groups_and_of_functions(cart: Parsed) -> None:
    assert [(item.module, item.name, item.bound) for item in imports(cart)] == [
        ("InvalidArgumentException", "InvalidArgumentException", "InvalidArgumentException"),
        ("Shop\\Money\\Price", "Price", "Price"),
        ("Shop\\Stock\\Article", "Article", "Article"),
        ("Shop\\Stock\\Warehouse", "Warehouse", "Store"),
        ("Shop\\Money", "rounded", "rounded"),
        ("Shop\\Money", "TAX", "TAX"),
    ]
    parsed = parsed_as("a.php", "<?php\nrequire __DIR__ . '/lib/cart.php';\ninclude 'b.php';\nrequire $other;\n")
    assert [(item.module, item.name, item.level) for item in imports(parsed)] == [
        ("lib/cart.php", "*", 1),
        ("b.php", "*", 1),
    ]


def test_names_as_they_are_written_at_the_cursor(cart: Parsed) -> None:
    assert names_at(cart, "$line = new Line($article, 0);")[:11] == [
        "parameter: Article $article",
        "parameter: int $count = 1",
        "local: $line",
        "attribute: $this->lines: array",
        f"method: {CONSTRUCTOR}",
        "method: public function add(Article $article, int $count = 1): Line",
        "method: private function find(string $name): ?Line",
        "method: public function total(): Price",
        "method: public static function of(string $owner): static",
        "method: public function count(): int",
        "method: abstract protected function tax(): float",
    ]
    assert "import: use Shop\\Stock\\Warehouse as Store;" in names_at(cart, "$names[] = $name;")


def test_names_that_a_line_uses(cart: Parsed) -> None:
    line = line_of(cart, "$less = $sum")
    assert {"$less", "$sum"} <= names_in(cart, line, line + 1)
    assert "percent" not in names_in(cart, line, line + 1)


def test_the_editing_block_of_a_method(cart: Parsed) -> None:
    shown = lines_shown(cart, "$line->count += $count;")
    assert shown[0] == "    /**"
    assert shown[-1] == "    }"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("<?php\nfunction f($a)\n{|\n", "block"),
        ("<?php\nforeach ($a as $b) {\n    |\n}\n", "block"),
        ("<?php\n$x = |\n", "line"),
        ("<?php\n// a comment that |\n", "line"),
        ("<?php\necho 'text |';\n", "line"),
        ("<?php\nf($a, |);\n", "line"),
    ],
)
def test_one_line_or_several(text: str, kind: str) -> None:
    assert missing("a.php", text) == kind


def test_every_half_typed_text(cart: Parsed) -> None:
    type_it("cart.php", cart.snapshot.text)
