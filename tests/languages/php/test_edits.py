"""PHP: errors that an edit makes, misspelt names, and the places that follow an edit."""

from __future__ import annotations

import pytest

from palimpsest.edits.misspelt import slips
from palimpsest.edits.validate import Baseline, Unfit, validated
from palimpsest.types import DocumentChange, LineEdit
from tests.languages.reading import parsed_as
from tests.next_edits.conftest import workspace

CART = """\
<?php
namespace Shop;

class Cart
{
    private int $size = 0;
    const MOST = 3;

    public function __construct(private string $owner)
    {
    }

    public function add(string $name, int $count): int
    {
        $total = $count + $this->size;
        foreach ([1, 2] as $i) {
            echo $i, $name, self::MOST, $this->owner;
        }
        $this->note($name);
        return $total;
    }

    private function note(string $text): void
    {
        $this->size++;
    }
}

function rounded($value, $digits)
{
    return $value;
}

echo rounded(1, 2), (new Cart('x'))->add('y', 1);
"""
TILL = """\
<?php
namespace Shop\\Till;

use Shop\\Cart;

function pay(Cart $cart)
{
    $cart->add('tax', 1);
    $other = new Cart('till');
    return $other->add('more', 2);
}
"""
FILES = {"src/Cart.php": CART, "src/till.php": TILL}
HOME = "src/Cart.php"


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        ("$total = $count", "$sum = $count", ["src/Cart.php: return $sum;"]),
        (
            "add(string $name",
            "add(string $label",
            ["src/Cart.php: echo $i, $label, self::MOST, $this->owner;", "src/Cart.php: $this->note($label);"],
        ),
        ("function note(", "function remark(", ["src/Cart.php: $this->remark($name);"]),
        (
            "function add(",
            "function put(",
            [
                "src/Cart.php: echo rounded(1, 2), (new Cart('x'))->put('y', 1);",
                "src/till.php: $cart->put('tax', 1);",
                "src/till.php: return $other->put('more', 2);",
            ],
        ),
        (
            "class Cart",
            "class Basket",
            [
                "src/Cart.php: echo rounded(1, 2), (new Basket('x'))->add('y', 1);",
                "src/till.php: use Shop\\Basket;",
                "src/till.php: function pay(Basket $cart)",
                "src/till.php: $other = new Basket('till');",
            ],
        ),
        (
            "int $size",
            "int $weight",
            ["src/Cart.php: $total = $count + $this->weight;", "src/Cart.php: $this->weight++;"],
        ),
        (
            "rounded($value, $digits)",
            "rounded($digits, $value)",
            ["src/Cart.php: echo rounded(2, 1), (new Cart('x'))->add('y', 1);"],
        ),
        (
            "add(string $name, int $count)",
            "add(int $count, string $name)",
            [
                "src/Cart.php: echo rounded(1, 2), (new Cart('x'))->add(1, 'y');",
                "src/till.php: $cart->add(1, 'tax');",
                "src/till.php: return $other->add(2, 'more');",
            ],
        ),
    ],
)
def test_what_follows_an_edit(before: str, after: str, lines: list[str]) -> None:
    assert workspace(FILES).edit(HOME, (before, after)).lines() == lines


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("= $count +", "= $cuont +", [("$cuont", "$count")]),
        ("note($name)", "note($nmae)", [("$nmae", "$name")]),
        ("$this->note($name)", "$this->noet($name)", []),
        ("rounded(1", "ronuded(1", []),
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
        edited("return $total;", "return $total);")
