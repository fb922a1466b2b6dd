"""Whether a line or a block is missing at a cursor."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.languages.python import LANGUAGE as PYTHON
from palimpsest.languages.registry import plain
from palimpsest.syntax.parse import parse_text
from palimpsest.syntax.shape import shape_at
from palimpsest.text.snapshot import Snapshot


def check(source: str, expected: str) -> None:
    before, mark, after = source.partition("$0")
    assert mark
    position = Snapshot("", 0, "python", before).position(len(before))
    assert shape_at(parse_text(before + after, PYTHON), position) == expected


@pytest.mark.parametrize(
    "source",
    [
        "$0",
        # an empty body
        "def f(x):\n    $0",
        "def f(x):$0\n",
        "def f(x):$0\n\ny = 1\n",
        "def f(x):  # why\n    # because\n    $0\n\ny = 1\n",
        "class A:\n    def f(self):\n        $0\n\n    def g(self):\n        pass\n",
        "class A:\n    def f(self):\n        if x:\n            $0\n        return 3\n",
        "def f():\n    if x:\n        $0\n    else:\n        pass\n",
        "def f():\n    if x:\n        pass\n    else:\n        $0\n    return 1\n",
        "try:\n    $0\nexcept E:\n    pass\n",
        "try:\n    a()\nexcept E:\n    $0\nfinally:\n    b()\n",
        "match x:\n    case 1:\n        $0\n    case 2:\n        pass\n",
        "x = 1\nfor a in b:$0\ny = 3\n",
        "def ä(ö):\n    $0\ny = 1\n",
        # the end of a block
        "def f(x):\n    y = 1\n    $0",
        "def f(x):\n    y = 1\n    $0\n\n\nz = 1\n",
        "def f(x):\n    if x:\n        y = 1\n        $0\n    return 1\n",
        "def f(x):\n    if x:\n        y = 1\n        $0\n    else:\n        z()\n",
        "def f(x):\n\tif x:\n\t\ty = 1\n\t\t$0\n\treturn 1\n",
        "x = 1\n$0\n",
        # between definitions
        "def f():\n    pass\n\n$0\n\ndef g():\n    pass\n",
        "class A:\n    def f(self):\n        pass\n\n    $0\n\n    @property\n    def g(self):\n        pass\n",
        # brackets and strings that are just begun, or left open
        "x = foo(\n    $0\n)\n",
        "x = [\n    $0\n]\ny = 1\n",
        "x = foo(\n    a,\n    $0\ny = 2\n",
        "def f():\n    x = [\n        1,\n        $0\n    return x\n",
        "def f():\n    x = foo(\n        a, b,$0\n    return x\n",
        'def f():\n    """$0\n    return 3\n',
        'def f():\n    """\n    $0',
        'def f():\n    """\n    $0\n    """\n    return 3\n',
        'def f():\n    """Do it.\n\n    $0\n    return 3\n',
    ],
)
def test_a_block_is_missing(source: str) -> None:
    check(source, "block")


@pytest.mark.parametrize(
    "source",
    [
        "x = $0",
        "x = 1$0\n",
        "def f(x):\n    return $0\n",
        "def f(x):\n    return x$0",
        "def f(x)$0\n",
        "def f(x):$0\n    return x\n",
        "def f(x):\n    $0return x\n",
        # among statements
        "def f(x):\n    a = 1\n    $0\n    return a\n",
        "def f(x):\n    $0\n    return a\n",
        "x = 1\n$0\ny = 2\n",
        "def f():\n    pass\n\n$0\nx = f()\n",
        "class A:\n    x: int\n    $0\n    def f(self):\n        pass\n",
        "def f(x):\n    a = 1\n    # note\n    $0\n    return a\n",
        # comments and strings
        "def f(x):\n    # what $0\n",
        "def f(x):  # what$0\n",
        'def f(x):\n    """Do $0\n',
        'def f(x):\n    """Do it.\n\n    $0\n    """\n    return 3\n',
        "def f(x):\n    x = 'abc$0\n",
        "x = f'{a} $0'\n",
        # brackets with something in them
        "x = foo(\n    a,\n    $0\n)\n",
        "x = foo($0)\n",
        "x = foo(a, $0)\n",
        "x = [\n    1,  # one$0\n]\n",
    ],
)
def test_a_line_is_missing(source: str) -> None:
    check(source, "line")


CODE = st.lists(
    st.sampled_from(
        [
            "def f(x):",
            "class A:",
            "if x:",
            "else:",
            "return (",
            "x = [1,",
            ")",
            "]",
            '"""',
            "'",
            "# no",
            "pass",
            "",
            "ä()",
        ]
    ).flatmap(lambda text: st.integers(0, 3).map(lambda n: "    " * n + text)),
    max_size=12,
).map("\n".join)


@given(CODE, st.data())
def test_any_code_has_a_shape_and_code_behind_the_cursor_makes_it_a_line(source: str, data: st.DataObject) -> None:
    snapshot = Snapshot("", 0, "python", source)
    position = snapshot.position(data.draw(st.integers(0, len(source))))
    shape = shape_at(parse_text(source, PYTHON), position)
    assert shape in ("line", "block")
    if snapshot.lines[position.line][position.column :].strip():
        assert shape == "line"


def test_a_language_without_a_grammar_completes_lines() -> None:
    snapshot = Snapshot("", 0, "text", "")
    assert shape_at(parse_text("", plain("")), snapshot.position(0)) == "line"
