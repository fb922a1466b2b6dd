"""Swift: errors that an edit makes, misspelt names, and the places that follow an edit."""

from __future__ import annotations

import pytest

from palimpsest.edits.misspelt import slips
from palimpsest.edits.validate import Baseline, Unfit, validated
from palimpsest.types import DocumentChange, LineEdit
from tests.languages.reading import parsed_as
from tests.next_edits.conftest import workspace

CART = """\
class Cart {
    var size = 0
    let owner: String

    init(owner: String) {
        self.owner = owner
    }

    func add(_ name: String, count: Int) -> Int {
        let total = count + size
        for index in 0..<total {
            print(index, name, self.owner)
        }
        note(name)
        return total
    }

    private func note(_ text: String) {
        size += 1
    }
}

func rounded(_ value: Int, digits: Int) -> Int {
    return value
}
"""
TILL = """\
struct Till {
    let cart: Cart

    func pay(other: Cart) -> Int {
        let own = Cart(owner: "till")
        cart.add("tax", count: 1)
        other.add("more", count: 2)
        return own.add("again", count: rounded(3, digits: 2))
    }
}
"""
FILES = {"Sources/Shop/Cart.swift": CART, "Sources/Shop/Till.swift": TILL}
HOME = "Sources/Shop/Cart.swift"


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        (
            "let total",
            "let sum",
            ["Sources/Shop/Cart.swift: for index in 0..<sum {", "Sources/Shop/Cart.swift: return sum"],
        ),
        (
            "_ name: String",
            "_ label: String",
            ["Sources/Shop/Cart.swift: print(index, label, self.owner)", "Sources/Shop/Cart.swift: note(label)"],
        ),
        ("func note(", "func remark(", ["Sources/Shop/Cart.swift: remark(name)"]),
        (
            "func add(",
            "func put(",
            [
                'Sources/Shop/Till.swift: cart.put("tax", count: 1)',
                'Sources/Shop/Till.swift: other.put("more", count: 2)',
                'Sources/Shop/Till.swift: return own.put("again", count: rounded(3, digits: 2))',
            ],
        ),
        (
            "class Cart",
            "class Basket",
            [
                "Sources/Shop/Till.swift: let cart: Basket",
                "Sources/Shop/Till.swift: func pay(other: Basket) -> Int {",
                'Sources/Shop/Till.swift: let own = Basket(owner: "till")',
            ],
        ),
        (
            "var size",
            "var weight",
            ["Sources/Shop/Cart.swift: let total = count + weight", "Sources/Shop/Cart.swift: weight += 1"],
        ),
        (
            "count: Int) -> Int",
            "count: Int, tax: Int) -> Int",
            [
                'Sources/Shop/Till.swift: cart.add("tax", count: 1, tax: )',
                'Sources/Shop/Till.swift: other.add("more", count: 2, tax: )',
                'Sources/Shop/Till.swift: return own.add("again", count: rounded(3, digits: 2), tax: )',
            ],
        ),
        (
            "digits: Int",
            "places: Int",
            ['Sources/Shop/Till.swift: return own.add("again", count: rounded(3, places: 2))'],
        ),
    ],
)
def test_what_follows_an_edit(before: str, after: str, lines: list[str]) -> None:
    assert workspace(FILES).edit(HOME, (before, after)).lines() == lines


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("= count +", "= cuont +", [("cuont", "count")]),
        ("note(name)", "note(nmae)", [("nmae", "name")]),
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
        edited("return total", "return total)")
