"""`scope` blocks: names visible at the cursor."""

from __future__ import annotations

from collections.abc import Callable

from context_workspace import Workspace

Make = Callable[..., Workspace]
TEXT = """\
import re
from shop.item import Item as Thing

RATE: float = 0.19
NAMES = ["a"]


def gross(price: float, rate: float = RATE) -> float:
    return price * rate


def outer(a: int, *rest):
    found = []

    def inner(b):
        HERE

    return inner


class Cart:
    def add(self, item): ...
"""


def scopes(made: Workspace, text: str) -> dict[str, str]:
    return {b.name: b.text for b in made.blocks("shop/cart.py", text).values() if b.type == "scope"}


def test_the_files_names_with_signatures(workspace: Make) -> None:
    found = scopes(workspace(), TEXT.replace("return price", "$0return price"))
    assert found == {
        "shop.cart": "\n".join(
            [
                "def gross(price: float, rate: float = RATE) -> float",
                "def outer(a: int, *rest)",
                "class Cart",
                "RATE: float",
                "NAMES",
                "import re",
                "from shop.item import Item as Thing",
            ]
        )
    }


def test_a_function_in_a_function_sees_the_one_around_it(workspace: Make) -> None:
    found = scopes(workspace(), TEXT.replace("HERE", "$0"))
    assert found["shop.cart.outer.inner"].split("\n") == ["a: int", "*rest", "found"]


def test_it_is_the_same_from_function_to_function(workspace: Make) -> None:
    made = workspace()
    texts = {
        scopes(made, TEXT.replace(place, place + "$0"))["shop.cart"]
        for place in ("HERE", "return price", "return inner")
    }
    assert len(texts) == 1


def test_typing_a_statement_changes_nothing(workspace: Make) -> None:
    made = workspace()
    seen = {
        tuple(scopes(made, TEXT.replace("HERE", f"{typed}$0")).items()) for typed in ("x", "x =", "x = re.", "x = f(1")
    }
    assert len(seen) == 1


def test_typing_a_signature_changes_nothing(workspace: Make) -> None:
    made = workspace()
    seen = {
        tuple(scopes(made, TEXT.replace("def outer(a: int, *rest):", f"def outer(a: int, *rest{typed}$0):")).items())
        for typed in ("", ", b", ", b: str", ", b: str = 'x'")
    }
    assert len(seen) == 1


def test_to_stand_on_a_signature_changes_nothing(workspace: Make) -> None:
    made = workspace()
    first = scopes(made, TEXT.replace("return price", "$0return price"))["shop.cart"]
    signature = "def outer(a: int, *rest):"
    assert scopes(made, TEXT.replace(signature, f"{signature}$0"))["shop.cart"] == first
    typed = TEXT.replace("*rest):", "*rest, b):")
    assert scopes(made, typed.replace(", b):", ", b$0):"))["shop.cart"] == first  # until the cursor leaves it
    assert "def outer(a: int, *rest, b)" in scopes(made, typed.replace("return price", "$0return price"))["shop.cart"]


def test_a_function_too_long_to_be_shown_has_its_names_in_a_block(workspace: Make) -> None:
    body = "".join(f"    value_{n} = compute({n}, 'some text to make it long')\n" for n in range(200))
    made = workspace({}, editing_tokens=200)
    found = scopes(made, f"def long(first_parameter):\n{body}    $0\n")
    assert "value_3 = compute(...)" in found["shop.cart.long"]


def test_a_file_shows_its_names_itself(workspace: Make) -> None:
    assert scopes(workspace(), "$0\n" + TEXT) == {}
