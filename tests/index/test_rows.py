"""What the index keeps of a file."""

from __future__ import annotations

import pytest

from palimpsest.index.rows import MOST_DEFINITIONS, ImportRow, hashed, last_names, may_have, rows_of, words_of
from palimpsest.languages.registry import language_of
from palimpsest.syntax.parse import parse_text

from .folders import CART


def rows(text: str, language_id: str = "python"):  # type: ignore[no-untyped-def]
    return rows_of(parse_text(text, language_of(language_id)))


def test_definitions_have_kind_place_signature_and_the_first_line_of_their_documentation() -> None:
    found = [tuple(row) for row in rows(CART).definitions]
    assert found == [
        ("class", "Cart", "Cart", 6, "class Cart:", "What a person is about to buy."),
        ("method", "add", "Cart.add", 12, "def add(self, item: str) -> None:", "Put one more in."),
        ("function", "empty", "empty", 18, "def empty(cart: Cart) -> bool:", ""),
    ]


def test_secrets_are_not_kept() -> None:
    key = "q7Zp3" + "vK9xT2mW8rB4nL6"
    (found,) = rows(f'def login(key: str = "{key}") -> None:\n    """Log in with {key}."""\n').definitions
    assert (found.signature, found.doc) == ('def login(key: str = "...") -> None:', "Log in with ....")


def test_imports_are_as_they_are_written() -> None:
    assert list(rows(CART).imports) == [
        ImportRow("shop.prices", "Price", "P", 0, 2),
        ImportRow("shop.stock", "", "", 0, 3),
    ]


def test_nothing_grows_without_bound() -> None:
    found = rows("\n".join(f"def f{n}(): ..." for n in range(MOST_DEFINITIONS + 10)))
    assert len(found.definitions) == MOST_DEFINITIONS
    [long] = rows(f"def {'x' * 5_000}({'a, ' * 5_000}b): ...\n").definitions
    assert len(long.name) < 1_000
    assert len(long.signature) < 1_000


def test_a_language_without_a_grammar_has_words_only() -> None:
    found = rows("class Cart {}", "nothing-we-know")
    assert found.definitions == ()
    assert may_have(found.words, hashed(["Cart"]))


@pytest.mark.parametrize(
    ("module", "name", "expected"),
    [
        ("shop.cart", "", {"cart"}),
        ("shop", "cart", {"shop", "cart"}),
        ("json", "", {"json"}),
        ("django.utils.html", "escape", {"utils", "html", "escape"}),
        ('"cart.h"', "", {"cart", "h"}),
        ("./cart.py", "total", {"cart", "total"}),
        ("example.com/shop/cart", "", {"cart"}),
        ("crate::cart", "Cart", {"cart", "Cart"}),
        ('"shop/cart.py"', "", {"cart"}),
        ("Shop\\Cart", "*", {"Cart"}),
        ("", "", set()),
    ],
)
def test_an_import_is_found_by_its_last_names(module: str, name: str, expected: set[str]) -> None:
    assert last_names(module, name) == expected
    assert last_names(module, name, "c") == expected | {"c"}


def test_words_are_whole_ones() -> None:
    words = words_of("def größe(cart_total): return größe + 1".encode())
    assert may_have(words, hashed(["größe"]))
    assert may_have(words, hashed(["nothing", "cart_total"]))
    assert not may_have(words, hashed(["cart"]))
    assert may_have(words, hashed(["größe.cart_total"]))
    assert not may_have(words, hashed(["größe.cart"]))
    assert may_have(None, hashed(["anything"]))
    assert may_have(words, hashed(["+"])), "what has no word may be anywhere"
