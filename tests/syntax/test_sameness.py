"""What counts as the same code, and which names an edit makes up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.languages.python import LANGUAGE as PYTHON
from palimpsest.syntax.parse import parse_text
from palimpsest.syntax.sameness import shape
from palimpsest.syntax.unknown import bound_in, defined_twice, documented_twice, free_in, unbound_in

CODE = 'x = f(1,2)\nif x:\n    y = "a  b"\n'


def same(one: str, other: str, *, comments: bool = True) -> bool:
    first, second = parse_text(one, PYTHON), parse_text(other, PYTHON)
    return shape(first, 0, 99, comments=comments) == shape(second, 0, 99, comments=comments)


@pytest.mark.parametrize(
    "other",
    [
        'x = f(1, 2)\nif x:\n\n  y = "a  b"\n',
        'x = f(1,\n 2)\n\n\nif x: y = "a  b"\n',
        'x = \\\n  f(1,2)   \nif x:\n\ty="a  b"',
    ],
)
def test_layout_makes_no_difference(other: str) -> None:
    assert same(CODE, other)


@pytest.mark.parametrize(
    "other",
    [
        'x = f(1,2)\nif x:\n    y = "a b"\n',
        'x = f(1,2)\nif x:\n    pass\ny = "a  b"\n',
        'x = f(1,3)\nif x:\n    y = "a  b"\n',
        'x = f(12)\nif x:\n    y = "a  b"\n',
    ],
)
def test_strings_nesting_and_tokens_do(other: str) -> None:
    assert not same(CODE, other)


def test_a_comment_counts_unless_it_is_left_out() -> None:
    other = CODE.replace("2)", "2)  # two")
    assert not same(CODE, other)
    assert same(CODE, other, comments=False)
    assert same(other, other.replace("two", "two  "))


def test_code_that_does_not_parse_is_compared_by_its_lines() -> None:
    assert same("x = (\n", "x = (  \n\n")
    assert not same("x = (\n", "x =(\n")


def test_only_the_lines_asked_for_count() -> None:
    one, other = parse_text("a = 1\nb = 2\nc = 3\n", PYTHON), parse_text("a = 9\nb  =  2\nc = 3\n", PYTHON)
    assert shape(one, 1, 2) == shape(other, 1, 2)
    assert shape(one, 0, 2) != shape(other, 0, 2)


def test_a_deep_tree_is_no_trouble() -> None:
    text = "x = " + " + ".join("a" * 3000)
    assert same(text, text.replace(" + ", "+"))


@given(st.text(alphabet="ab=() \n:#'\"\\", max_size=60))
def test_nothing_is_too_broken(text: str) -> None:
    parsed = parse_text(text, PYTHON)
    assert shape(parsed, 0, 99) == shape(parse_text(text, PYTHON), 0, 99)
    free_in(parsed, 0, 99)
    defined_twice(parsed)


def test_names_that_lines_bind_are_known() -> None:
    text = """\
def f(a, b=1, *c, d: int, **k):
    x = [q for q, w in a if q]
    with open(a) as fh, g() as (m, n):
        pass
    try:
        print(x)
    except (A, B) as err:
        raise
    match x:
        case {"a": aa, **rest}:
            return lambda u, *v: u + v
        case Foo(bar=bb) | [dd, *ee]:
            (zz := 3)
    import os.path, json as j
    from a.b import c as cc, d2
    for i, (o, p) in x:
        self.y = i
"""
    parsed = parse_text(text, PYTHON)
    names = "a b c d k x q w fh m n err aa rest u v bb dd ee zz os j cc d2 i o p f"
    assert bound_in(parsed, 0, 99) >= set(names.split())
    assert free_in(parsed, 0, 99) == {"g", "A", "B", "Foo", "self"}
    assert free_in(parse_text("from x import *\nfoo()\n", PYTHON), 0, 9) == set()


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ('def f():\n    """One."""\n    """Two."""\n    return 1\n', 1),
        ('# A comment.\n"""One."""\n"""Two."""\nclass A:\n    "One."\n    "Two."\n', 2),
        ('def f():\n    """One."""\n    x = 1\n    """Two."""\n', 0),
        ('"""One."""\ndef f():\n    """Its own."""\n    return "Two."\n', 0),
    ],
)
def test_what_is_documented_twice(text: str, n: int) -> None:
    assert documented_twice(parse_text(text, PYTHON)) == n


def test_names_that_nothing_binds_are_found_with_their_place() -> None:
    text = """\
import os
A = 1
def f(a):
    é, x = wrong, a  # twice
    later()
    return os.path, a.member, k(key=A, *twice), twice, len(a), __file__, [q for q in a if q], f"{größe}"
def later():
    match A:
        case os.Expr(é) | os.Red:
            return helpper
"""
    parsed = parse_text(text, PYTHON)
    found = [(one.name, one.start.line, one.start.column) for one in unbound_in(parsed, 0, 99)]
    assert found == [("wrong", 3, 11), ("k", 5, 30), ("größe", 5, 97), ("helpper", 9, 19)]
    assert [one.name for one in unbound_in(parsed, 4, 6)] == ["k", "größe"]
    assert unbound_in(parse_text(text + "def (", PYTHON), 0, 99) == []
    assert unbound_in(parse_text("from x import *\n" + text, PYTHON), 0, 99) == []


def test_what_is_defined_twice_in_one_block() -> None:
    text = """\
class A:
    def f(self): ...
    def f(self): ...
    @property
    def g(self): ...
    @g.setter
    def g(self, x): ...
if x:
    def h(): ...
else:
    def h(): ...
"""
    assert defined_twice(parse_text(text, PYTHON)) == {"A.f": 2}
