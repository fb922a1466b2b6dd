"""Scopes while somebody types: the smallest sensible one, and none of its neighbours disturbed."""

from __future__ import annotations

import pytest

from palimpsest.languages.python import LANGUAGE as PYTHON
from palimpsest.syntax.names import visible
from palimpsest.syntax.parse import parse_text
from palimpsest.syntax.scopes import scope_at, scopes, signature

SHOP = '''\
"""A shop."""

import json

LIMIT = 3


class Cart:
    """What is bought."""

    def __init__(self, items):
        self.items = items

    def add(self, item):
        """Put in.

        def not_a_function(): at all
        """
        self.items.append(item)
        return item

    @property
    def total(self):
        return sum(
            item.price
            for item in self.items
        )


def load(path):
    def parse(text):
        return json.loads(text)

    with open(path) as file:
        return parse(file.read())
'''
NAMES = ["", "Cart", "Cart.__init__", "Cart.add", "Cart.total", "load", "load.parse"]
BREAKS = {
    "an unclosed bracket": "foo(bar,",
    "an unclosed call with a string": 'print("a',
    "an unclosed dict": "x = {'a': [1,",
    "half an expression": "x = ",
    "half an attribute": "self.",
    "half a condition": "if x and",
    "an if without a body": "if x:",
    "an unterminated string": "x = 'abc",
    "an unterminated triple-quoted string": 'x = """abc',
    "half a lambda": "key=lambda x:",
    "a try without an except": "try:",
    "half an import": "from json import",
    "a stray closing bracket": "x = 1)",
    "half a comprehension": "[x for x in",
    "half an f-string": 'f"{x',
    "half a decorator": "@",
    "half a def": "def",
}

CONFLICT = "<<<<<<< HEAD\n        return item\n=======\n        return 2\n>>>>>>> x\n"


def typed(before: str, text: str) -> tuple[str, int]:
    """SHOP with a line of text put in before the line that starts with `before`, at its indent; and its number."""
    lines = SHOP.split("\n")
    number = next(n for n, line in enumerate(lines) if line.strip().startswith(before))
    indent = lines[number][: len(lines[number]) - len(lines[number].lstrip())]
    return "\n".join([*lines[:number], indent + text, *lines[number:]]), number


@pytest.mark.parametrize("text", BREAKS.values(), ids=BREAKS.keys())
def test_what_is_half_typed_is_in_its_function_and_the_others_stay(text: str) -> None:
    functions = {
        "self.items =": "Cart.__init__",
        "return item": "Cart.add",
        "return json": "load.parse",
        "with": "load",
    }
    for before, expected in functions.items():
        source, number = typed(before, text)
        parsed = parse_text(source, PYTHON)
        assert scope_at(parsed, number, len(parsed.snapshot.lines[number])).qualified_name == expected
        assert [scope.qualified_name for scope in scopes(parsed)] == NAMES, expected
        for line, name in (("def total", "Cart.total"), ("return sum", "Cart.total"), ("return parse", "load")):
            at = next(n for n, other in enumerate(parsed.snapshot.lines) if other.strip().startswith(line))
            assert scope_at(parsed, at, 0).qualified_name == name, expected


@pytest.mark.parametrize(
    ("old", "new", "cursor", "expected"),
    [
        ("def add(self, item):", "def add(", "def add(", "Cart.add"),
        ("def add(self, item):", "def add(self, item)", "return item", "Cart.add"),
        ("def add(self, item):", "def add(self, item", "self.items.append", "Cart.add"),
        ("def load(path):", "def load(path)", "with", "load"),
        ("def load(path):", "async def load(path", "return parse", "load"),
        ("class Cart:", "class Cart", "return item", "Cart.add"),
        ("class Cart:", "class Cart(", "return item", "Cart.add"),
        ("@property", "@property(", "@property", "Cart.total"),
        ("@property", "@prop.", "@prop.", "Cart.total"),
        ('"""Put in.', '"""Put in."""', "self.items.append", "Cart.add"),
        ('        """\n        self', "        self", "self.items.append", "Cart.add"),
        ('"""What is bought."""', '"""What is bought.', "return item", "Cart.add"),
        ("        return item\n", CONFLICT, "return 2", "Cart.add"),
        ("        return item\n", CONFLICT, "=======", "Cart.add"),
        ("        return item\n", "ret\n        return item\n", "return item", "Cart.add"),
        ("LIMIT = 3", "LIMIT = (3", "LIMIT", ""),
        ("LIMIT = 3", "LIMIT = (3", "return item", "Cart.add"),
        ("import json", "import json as", "import", ""),
    ],
)  # fmt: skip
def test_a_header_being_typed_keeps_its_body(old: str, new: str, cursor: str, expected: str) -> None:
    assert old in SHOP
    parsed = parse_text(SHOP.replace(old, new, 1), PYTHON)
    number = next(n for n, line in enumerate(parsed.snapshot.lines) if line.strip().startswith(cursor))
    assert scope_at(parsed, number, len(parsed.snapshot.lines[number])).qualified_name == expected


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("def add(self, item", "def add(self, item...):"),
        ("def add(self, item)", "def add(self, item):"),
        ("class Cart", "class Cart:"),
        ("class Cart(Base", "class Cart(Base...):"),
    ],
)
def test_a_half_typed_header_has_a_signature(header: str, expected: str) -> None:
    parsed = parse_text(f"{header}\n    x = 1\n    return x\n", PYTHON)
    assert signature(parsed, scope_at(parsed, 0, 0)) == expected


def test_names_are_visible_in_a_function_that_does_not_parse() -> None:
    source, number = typed("return item", "foo(bar,")
    parsed = parse_text(source, PYTHON)
    names = [item.name for item in visible(parsed, scope_at(parsed, number, 8))]
    assert names[:2] == ["self", "item"]
    assert {"self.items", "self.total", "Cart", "load", "LIMIT", "json"} <= set(names)


def test_code_that_is_not_code_has_a_scope_everywhere() -> None:
    for text in (
        "\0",
        "def",
        "class",
        ")" * 50,
        "(" * 50,
        "'" * 7,
        "\udc80",
        "def f(:\n\t)\n  x",
        "@\n@\n",
        "    indented\n",
    ):
        parsed = parse_text(text, PYTHON)
        for line in range(parsed.snapshot.line_count):
            assert scope_at(parsed, line, 0) is not None
