"""Imports, the names that lines use, and what is visible where."""

from __future__ import annotations

import pytest

from palimpsest.languages.python import LANGUAGE as PYTHON
from palimpsest.languages.registry import plain
from palimpsest.syntax.imports import Import, imports
from palimpsest.syntax.names import names_in, visible
from palimpsest.syntax.parse import parse_text
from palimpsest.syntax.scopes import scope_at
from palimpsest.text.snapshot import Snapshot


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import os", [Import("os", None, None, 0, 0)]),
        ("import os.path as p, sys", [Import("os.path", None, "p", 0, 0), Import("sys", None, None, 0, 0)]),
        ("from a.b import c as d", [Import("a.b", "c", "d", 0, 0)]),
        ("from . import x", [Import("", "x", None, 1, 0)]),
        ("from ..a import *", [Import("a", "*", None, 2, 0)]),
        ("from __future__ import annotations", [Import("__future__", "annotations", None, 0, 0)]),
        ("x = 1; import os", [Import("os", None, None, 0, 0)]),
        ("from a import (\n    b,\n    c as d,  # why\n)", [Import("a", "b", None, 0, 0), Import("a", "c", "d", 0, 0)]),
        ("from a \\\n  import b", [Import("a", "b", None, 0, 0)]),
        ("if x:\n    import a\ndef f():\n    import b", [Import("a", None, None, 0, 1), Import("b", None, None, 0, 3)]),
        ("'''\nimport os\n'''\nx = 'import sys'  # import re", []),
        ("import", []),
        ("from a import\nimport b", [Import("b", None, None, 0, 1)]),
        ("import a\ndef f(\nimport b", [Import("a", None, None, 0, 0), Import("b", None, None, 0, 2)]),
    ],
)
def test_imports_are_listed_in_order(source: str, expected: list[Import]) -> None:
    assert imports(parse_text(source, PYTHON)) == expected


def test_what_an_import_binds() -> None:
    bound = [item.bound for item in imports(parse_text("import a.b\nimport a.b as c\nfrom a import d, e as f", PYTHON))]
    assert bound == ["a", "c", "d", "f"]


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("x = os.path.join(a, key=b)", {"x", "os", "a", "b"}),
        ("def f(a: Item) -> List[Cart]: pass", {"a", "Item", "List", "Cart"}),
        ("@app.get('x')\nclass A(Base): pass", {"app", "Base"}),
        ("import os.path as p\nfrom .a import b as c\nc", {"c"}),
        ("self.a.b(self.c)", {"self"}),
        ("f'{name.upper()!r}'", {"name"}),
        ("'x.y'  # z", set()),
        ("json.(", {"json"}),
    ],
)
def test_names_are_what_lines_use(source: str, names: set[str]) -> None:
    parsed = parse_text(source, PYTHON)
    assert names_in(parsed, 0, parsed.snapshot.line_count) == names


def test_names_are_those_of_the_lines_asked_for() -> None:
    parsed = parse_text("a(\nb,\nc)\nd", PYTHON)
    assert names_in(parsed, 1, 2) == {"b"}
    assert names_in(parsed, 1, 4) == {"b", "c", "d"}
    assert names_in(parsed, 1, 1) == set()


def visible_at(source: str) -> list[str]:
    """Kind and signature of what is visible at `$0`, in order."""
    before, _, after = source.partition("$0")
    position = Snapshot("", 0, "python", before).position(len(before))
    parsed = parse_text(before + after, PYTHON)
    return [f"{v.kind} {v.signature}" for v in visible(parsed, scope_at(parsed, position.line, position.column))]


SHOP = """\
import json
from .item import Item as Thing

LIMIT: int = 3
_cache = {}
(low, *high) = 1, 2

if TYPE_CHECKING:
    Alias = dict

class Cart:
    kind = "cart"
    items: list[Item] = []

    def __init__(self, owner):
        self.owner = owner
        self.log = Logger(owner,
                          1)
        self.items.x = 2

    @property
    def total(self) -> int:
        hidden = 1
        return 0

    def add(self, item: Item, *more, quantity: int = 1, **rest) -> None:
        first = parse(item)
        with open("x") as file, lock:
            for i, j in more:
                LIMIT = 2
        def inner(a):
            deep = 1$0
            return deep
        other: str = "b"

def parse(text, /): return text
"""


def test_a_nested_function_sees_inwards_out() -> None:
    assert visible_at(SHOP) == [
        "parameter a",
        "local deep = 1",
        "parameter self",
        "parameter item: Item",
        "parameter *more",
        "parameter quantity: int = 1",
        "parameter **rest",
        "local first = parse(...)",
        "local file",
        "local i",
        "local j",
        "local LIMIT = 2",
        "local other: str",
        "function def inner(a):",
        'attribute self.kind = "cart"',
        "attribute self.items: list[Item]",
        "attribute self.owner = owner",
        "attribute self.log = Logger(...)",
        "method def __init__(self, owner):",
        "method def total(self) -> int:",
        "method def add(self, item: Item, *more, quantity: int = 1, **rest) -> None:",
        "class class Cart:",
        "function def parse(text, /):",
        "constant _cache",
        "constant low",
        "constant high",
        "constant Alias = dict",
        "import import json",
        "import from .item import Item as Thing",
    ]


def test_a_class_sees_its_own_names_plainly() -> None:
    names = visible_at("class A:\n    x = 1\n    $0\n    def f(self): pass\ny = 2\n")
    assert names == ["attribute x = 1", "method def f(self):", "class class A:", "constant y = 2"]


def test_the_file_sees_what_it_defines() -> None:
    assert visible_at("$0import a\nx = 1\ndef f(): y = 1\n") == [
        "function def f():",
        "constant x = 1",
        "import import a",
    ]
    assert visible_at("$0") == []


def test_other_languages_have_no_names() -> None:
    parsed = parse_text("import a\n", plain(""))
    assert imports(parsed) == []
    assert visible(parsed, scope_at(parsed, 0, 0)) == []
    assert names_in(parsed, 0, 1) == set()
