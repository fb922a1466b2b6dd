"""Statements at a wrong indent, which the grammar takes and Python does not."""

import ast
import sysconfig
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.languages.python import LANGUAGE as PYTHON
from palimpsest.languages.registry import plain
from palimpsest.syntax.indentation import faults, is_worse, misplaced
from palimpsest.syntax.parse import parse_text

SOURCES = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
CODE = """\
@wraps
def f(x):
    if x:  # remark
        y = 1; z = 2
    elif y:
        pass
  # a remark may stand anywhere
    else:
        try:
            return [
        1]
        except E:
            pass
        finally:
            x = \\
1
    match x:
        case 1: pass
        case _:
            pass
class A: pass
"""


def is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


@pytest.mark.parametrize(
    "text",
    [
        '\n    """d"""\n',
        "x = 1\n    y = 2\n",
        "def f():\n    a = 1\n        b = 2\n    return a\n",
        "def f():\n        a = 1\n    return a\n",
        "def f():\nreturn 1\n",
        "def f():\n    # nothing\n",
        "for x in y:\n",
        "if a:\n    pass\n  else:\n    pass\n",
        "if a:\n\tpass\n        b\n",
        "@a\n  @b\ndef f(): pass\n",
    ],
)
def test_each_is_one_that_python_refuses_too(text: str) -> None:
    assert not is_python(text)
    assert misplaced(parse_text(text, PYTHON)) == 1


@given(st.integers(0, CODE.count("\n") - 1), st.integers(-8, 8))
def test_a_line_that_is_moved_is_broken_where_python_says_so(line: int, by: int) -> None:
    lines = CODE.split("\n")
    bare = lines[line].lstrip()
    lines[line] = " " * max(0, len(lines[line]) - len(bare) + by) + bare
    text = "\n".join(lines)
    assert (faults(parse_text(text, PYTHON)) == 0) == is_python(text)


@pytest.mark.parametrize("path", SOURCES[::12], ids=lambda path: path.name)
def test_code_that_runs_has_none(path: Path) -> None:
    assert misplaced(parse_text(path.read_text(encoding="utf-8"), PYTHON)) == 0


def test_a_language_without_a_grammar_has_none() -> None:
    assert faults(parse_text("x\n    y", plain(""))) == 0


def test_an_edit_is_worse_than_what_it_found() -> None:
    good, error, deep, deeper = (
        parse_text(text, PYTHON) for text in ("a\nb\nc\n", "a\nb(\n", "a\n  b\nc\n", "a\n  b\n  c\n")
    )
    assert is_worse(deep, good)
    assert is_worse(deeper, deep)
    assert is_worse(error, good)
    assert is_worse(error, deeper)
    assert not is_worse(deep, deeper)
    assert not is_worse(deep, error)
    assert not is_worse(good, good)
