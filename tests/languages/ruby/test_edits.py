"""Ruby: errors that an edit makes, misspelt names, and the places that follow an edit."""

from __future__ import annotations

import pytest

from palimpsest.edits.misspelt import slips
from palimpsest.edits.validate import Baseline, Unfit, validated
from palimpsest.types import DocumentChange, LineEdit
from tests.languages.reading import parsed_as
from tests.next_edits.conftest import workspace

CART = """\
module Shop
  class Cart
    MOST = 3
    attr_reader :owner

    def initialize(owner)
      @owner = owner
      @size = 0
    end

    def add(name, count, tax: 0)
      total = count + @size
      [1, 2].each do |i|
        puts i, name, MOST
      end
      note(name)
      total + tax
    end

    def note(text)
      @size += 1
    end
  end
end
"""
TILL = """\
require "shop/cart"

def pay(other)
  cart = Shop::Cart.new("till")
  cart.add("tax", 1, tax: 2)
  other.add("more", 2)
end
"""
FILES = {"lib/shop/cart.rb": CART, "till.rb": TILL}
HOME = "lib/shop/cart.rb"


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        ("total = count", "sum = count", ["lib/shop/cart.rb: sum + tax"]),
        ("add(name,", "add(label,", ["lib/shop/cart.rb: puts i, label, MOST", "lib/shop/cart.rb: note(label)"]),
        ("def note(", "def remark(", ["lib/shop/cart.rb: remark(name)"]),
        ("def add(", "def put(", ['till.rb: cart.put("tax", 1, tax: 2)', 'till.rb: other.put("more", 2)']),
        ("class Cart", "class Basket", ['till.rb: cart = Shop::Basket.new("till")']),
        ("@size = 0", "@weight = 0", ["lib/shop/cart.rb: total = count + @weight", "lib/shop/cart.rb: @weight += 1"]),
        (
            "add(name, count,",
            "add(count, name,",
            ['till.rb: cart.add(1, "tax", tax: 2)', 'till.rb: other.add(2, "more")'],
        ),
    ],
)
def test_what_follows_an_edit(before: str, after: str, lines: list[str]) -> None:
    assert workspace(FILES).edit(HOME, (before, after)).lines() == lines


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("total = count", "total = cuont", [("cuont", "count")]),
        ("note(name)\n      total", "note(nmae)\n      total", [("nmae", "name")]),
        ("= Shop::Cart", "= Shop::Crat", []),
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
        edited("total + tax", "total + tax)")
