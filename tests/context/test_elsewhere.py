"""Names that nothing in the file explains and exactly one place of the workspace defines."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from context_workspace import Workspace

from palimpsest.context.sources.elsewhere import ElsewhereSource
from palimpsest.types import Block

Make = Callable[..., Workspace]
PRICES = '''class Price:
    """What one item costs."""

    def __init__(self, cents: int) -> None:
        self.cents = cents

    def with_tax(self, rate: float) -> "Price":
        return self


class Table:
    class Row: ...


def parse_price(text: str) -> Price:
    """From `1.20`."""
    return Price(0)
'''
METHODS = "class A:\n    def parse_price(self): ...\n    def Price(self): ...\n"
MAIN = """def total(items):
    first = parse_price(items[0])
    return Price(0).with_tax(0.2)$0
"""


def found(made: Workspace, text: str = MAIN) -> dict[str, Block]:
    """The blocks of this source, with the index as it is."""
    view = made.view("main.py", text)
    return {str(b.key): b for b in made.gatherer.candidates(view) if b.source == ElsewhereSource.name}


def made_of(workspace: Make, files: Mapping[str, str]) -> Workspace:
    made = workspace({"shop/prices.py": PRICES, "main.py": MAIN, **files})
    made.build_index()
    return made


def test_the_only_class_and_function_of_a_name_are_shown(workspace: Make) -> None:
    made = made_of(workspace, {})
    blocks = found(made)
    assert blocks.keys() == {"class:shop.prices.Price", "package:shop.prices (used)"}
    price = blocks["class:shop.prices.Price"]
    assert "def with_tax(self, rate: float)" in price.text
    assert price.uri == (made.root / "shop/prices.py").as_uri()
    assert price.editable
    assert price.lines is not None
    lines = PRICES.split("\n")
    for text, number in zip(price.text.split("\n"), price.lines, strict=True):
        assert number is None or lines[number] == text
    assert blocks["package:shop.prices (used)"].text == "def parse_price(text: str) -> Price  # From `1.20`."


@pytest.mark.parametrize(
    ("why", "files", "text"),
    [
        ("two files define it", {"other.py": "class Price: ...\ndef parse_price(): ...\n"}, MAIN),
        (
            "a method may be meant",
            {"other.py": METHODS},
            MAIN,
        ),
        ("it is imported from elsewhere", {}, "from money import Price, parse_price\n" + MAIN),
        ("the file binds it", {}, "def total(Price, parse_price):\n    return Price(0), parse_price$0\n"),
        ("another function of the file binds it", {}, MAIN + "\n\ndef other():\n    Price = parse_price = 1\n"),
        ("it is in another class", {}, "def total():\n    return Row()$0\n"),
        ("it is being typed", {}, "def total():\n    return Price$0\n"),
        ("it is built in", {"own.py": "def print(): ...\n"}, "def total():\n    print()\n    return 1$0\n"),
    ],
    ids=lambda value: value if isinstance(value, str) and " " in value and "\n" not in value else "",
)
def test_in_doubt_there_is_no_guess(workspace: Make, why: str, files: Mapping[str, str], text: str) -> None:
    assert found(made_of(workspace, files), text) == {}, why


def test_until_every_file_is_in_the_index_nothing_is_shown(workspace: Make) -> None:
    made = made_of(workspace, {})
    made.index.is_complete = False
    assert found(made) == {}


def test_a_file_that_was_changed_ignored_or_given_a_secret_is_not_shown(workspace: Make) -> None:
    made = made_of(workspace, {})
    made.write({"shop/prices.py": PRICES + f"\nKEY = '{'ghp_' + 'a1B2' * 10}'\n"})
    assert found(made) == {}
    made.write({"shop/prices.py": PRICES})
    made.build_index()
    assert found(made)
    made.write({".palimpsestignore": "shop/\n"})
    assert found(made) == {}


def test_a_block_stays_while_its_definitions_are_what_they_were(workspace: Make) -> None:
    made = made_of(workspace, {})
    blocks = found(made)
    assert blocks
    elsewhere = made.view("main.py", "def other():\n    return 1$0\n")
    made.gatherer.candidates(elsewhere)
    assert all(made.gatherer.still_valid(block, elsewhere) for block in blocks.values())
    made.write({"shop/prices.py": PRICES.replace("rate: float", "rate: int").replace("text: str", "text: bytes")})
    made.build_index()
    made.gatherer.candidates(elsewhere)
    assert not any(made.gatherer.still_valid(block, elsewhere) for block in blocks.values())


def test_what_several_files_of_one_module_define_is_in_one_block(workspace: Make) -> None:
    made = workspace(
        {
            "go.mod": "module shop\n",
            "prices/price.go": "package prices\n\nfunc (p *Price) WithTax(rate int) int { return rate }\n",
            "prices/table.go": "package prices\n\nfunc (t *Table) NextRow(from int) int { return from }\n",
        }
    )
    made.build_index()
    text = "package main\n\nfunc total(a, b Row) int {\n\tx := a.WithTax(1)\n\ty := b.NextRow(2)\n\treturn x$0\n}\n"
    view = made.view("main.go", text)
    found = [b for b in made.gatherer.candidates(view) if b.source == ElsewhereSource.name]
    assert [block.name for block in found] == ["shop/prices (used)"]
    assert "WithTax(rate int)" in found[0].text
    assert "NextRow(from int)" in found[0].text
    assert made.gatherer.still_valid(found[0], view)
