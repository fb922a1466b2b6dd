"""The documentation of functions that the editing block calls."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from context_workspace import Workspace

Make = Callable[..., Workspace]
PRICES = '''\
def gross(net: int) -> int:
    """The price with tax.
    Rounds half up, to whole cents.

    More of it.
    """
    return net


def short(net: int) -> int:
    """One line, which the module's block shows."""
    return net
'''
FILES = {"shop/__init__.py": "", "shop/prices.py": PRICES}


def found(made: Workspace, text: str, file: str = "shop/cart.py") -> dict[str, str]:
    return {block.name: block.text for block in made.blocks(file, text).values() if block.source == "called"}


@pytest.mark.parametrize(
    ("imported", "call"),
    [
        ("from shop.prices import gross", "gross(1)"),
        ("from .prices import gross as g", "g(1)"),
        ("from shop import prices", "prices.gross(1)"),
        ("import shop.prices as p", "p.gross(1)"),
    ],
)
def test_an_imported_function(workspace: Make, imported: str, call: str) -> None:
    blocks = found(workspace(FILES), f"{imported}\n\n\ndef total():\n    x = {call}\n    return $0\n")
    assert blocks == {"shop.prices.gross": "The price with tax.\nRounds half up, to whole cents."}


def test_what_a_modules_block_shows_is_not_shown_twice(workspace: Make) -> None:
    text = "from shop.prices import short\n\n\ndef total():\n    x = short(1)\n    return $0\n"
    assert found(workspace(FILES), text) == {}


def test_functions_and_own_methods_of_the_file(workspace: Make) -> None:
    text = (
        'def helper(a):\n    """Helps."""\n\n\nclass Cart:\n    def put(self, a):\n        """Put it in.\n'
        '        Twice is once.\n        """\n\n    def get(self, a):\n        """One line."""\n\n'
        "    def total(self):\n        self.put(helper(1))\n        self.get(2)\n"
        "        other.put(3)\n        return $0\n"
    )
    assert found(workspace(FILES), text) == {
        "shop.cart.helper": "Helps.",
        "shop.cart.Cart.put": "Put it in.\nTwice is once.",
    }


@pytest.mark.parametrize("call", ["gross", "unknown(1)", "x.gross(1)", "x.prices.gross(1)", "self.gross(1)", "gross("])
def test_no_guess(workspace: Make, call: str) -> None:
    text = f"from shop.prices import other\n\n\ndef total(x):\n    y = {call}\n    return $0\n"
    assert found(workspace(FILES), text) == {}


def test_doc_comments_of_other_languages(workspace: Make) -> None:
    made = workspace({"src/prices.js": "/**\n * With tax.\n * Rounds.\n */\nexport function gross(net) {}\n"})
    text = (
        'import { gross } from "./prices.js";\n\n/** Adds up. */\nfunction add(a) {}\n\n'
        "function total() {\n  add(gross(1));\n  return $0\n}\n"
    )
    assert found(made, text, "src/cart.js") == {"src/cart.add": "Adds up.", "src/prices.gross": "With tax.\nRounds."}


def test_a_block_stays_while_the_function_says_the_same(workspace: Make) -> None:
    made = workspace(FILES)
    head = "from shop.prices import gross\n\n\n"
    view = made.view("shop/cart.py", head + "def total():\n    x = gross(1)\n    return $0\n")
    (block,) = [one for one in made.gatherer.candidates(view) if one.source == "called"]
    elsewhere = made.view("shop/cart.py", head + "def other():\n    return $0\n")
    made.gatherer.candidates(elsewhere)
    assert made.gatherer.still_valid(block, elsewhere)
    made.write({"shop/prices.py": PRICES.replace("half up", "down, always")})
    made.gatherer.candidates(elsewhere)
    assert not made.gatherer.still_valid(block, elsewhere)
