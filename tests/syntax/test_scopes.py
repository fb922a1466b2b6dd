"""Scopes: what a cursor belongs to, in code that parses."""

from __future__ import annotations

import pytest

from palimpsest.languages.python import LANGUAGE as PYTHON
from palimpsest.languages.registry import plain
from palimpsest.syntax.parse import Parsed, parse_text
from palimpsest.syntax.scopes import children, docstring, enclosing, scope_at, scopes, signature
from palimpsest.syntax.values import Scope
from palimpsest.text.snapshot import Snapshot


def at_cursor(source: str) -> tuple[Parsed, Scope]:
    """The parse of `source` without its `$0`, and the scope there."""
    before, _, after = source.partition("$0")
    position = Snapshot("", 0, "python", before).position(len(before))
    parsed = parse_text(before + after, PYTHON)
    return parsed, scope_at(parsed, position.line, position.column)


def check(source: str, expected: str) -> None:
    """`expected` is the kind and the qualified name of the scope at `$0`."""
    _, scope = at_cursor(source)
    assert f"{scope.kind} {scope.qualified_name}".strip() == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("$0", "file"),
        ("x = 1$0\ndef f():\n    pass\n", "file"),
        ("$0def f():\n    pass\n", "function f"),
        ("async def f():\n    await x$0\n", "function f"),
        ("class A:\n    $0x = 1\n", "class A"),
        ("class A:\n    def f(self):\n        $0pass\n", "function A.f"),
        ("def f():\n    def g():\n        $0pass\n    return g\n", "function f.g"),
        ("def f():\n    def g():\n        pass\n    return g$0\n", "function f"),
        ("def f():\n    class C:\n        x = 1$0\n", "class f.C"),
        ("class A:\n    class B:\n        def f(self): return $01\n", "function A.B.f"),
        ("def f():\n    return lambda x: x$0 + 1\n", "function f"),
        ("class A:\n    key = lambda x: $0x\n", "class A"),
        ("key = lambda x: $0x\n", "file"),
        ("@one\n@two(\n    $03,\n)\ndef f():\n    pass\n", "function f"),
        ("class A:\n    @$0property\n    def f(self):\n        pass\n", "function A.f"),
        ("@$0dataclass\nclass A:\n    pass\n", "class A"),
        ('def f():\n    """Doc.\n\n$0\n    """\n', "function f"),
        ("try:\n    pass\nexcept E:\n    with x:\n        def f():\n            $0pass\n", "function f"),
        ("def f(\n    a,\n    b=[\n  $0 1],\n):\n    pass\n", "function f"),
        ("def f():\n    x = '''\n$0text\n'''\n    return x\n", "function f"),
        ("def f(): pass; x = $01\n", "function f"),
        ("def f[T: int](x: T) -> T:\n    return $0x\n", "function f"),
        ("def f(x):\n    match x:\n        case [a, *_] if a:\n            return $0a\n", "function f"),
        ("def f():\n    return 1 + \\\n$02\n", "function f"),
        ("\fdef f():\n\tif x:\n\t\t$0pass\n", "function f"),
        ("def f():\r\n    a\r\n\r\ndef g():\r\n    $0b\r\n", "function g"),
        ("def f():\r    a\r\rdef g():\r    $0b\r", "function g"),
        ("\ufeffdef f():\n    $0a\n", "function f"),
    ],
)
def test_a_line_belongs_to_the_innermost_definition_around_it(source: str, expected: str) -> None:
    check(source, expected)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f():\n    a\n$0\n    b\n", "function f"),
        ("def f():\n    a\n    $0", "function f"),
        ("def f():\n    a\n$0", "file"),
        ("def f():\n    a\n\n    $0\n\ndef g():\n    b\n", "function f"),
        ("def f():\n    a\n\n$0\ndef g():\n    b\n", "file"),
        ("class A:\n    def f(self):\n        a\n        $0\n    def g(self):\n        b\n", "function A.f"),
        ("class A:\n    def f(self):\n        a\n    $0\n    def g(self):\n        b\n", "class A"),
        ("class A:\n    def f(self):\n        a\n$0\n    def g(self):\n        b\n", "class A"),
        ("class A:\n    def f(self):\n        a\n    $0\n", "class A"),
        ("def f():\n    a\n    # tail$0\n", "function f"),
        ("def f():\n    a\n# about g$0\ndef g():\n    b\n", "file"),
        ("def f():\n    $0\n", "function f"),
        ("def f(): pass\n    $0", "function f"),
    ],
)
def test_behind_the_last_statement_the_indent_decides(source: str, expected: str) -> None:
    check(source, expected)


def test_a_position_that_does_not_exist_is_clamped() -> None:
    parsed = parse_text("def f():\n    pass", PYTHON)
    assert scope_at(parsed, 99, 99).name == "f"
    assert scope_at(parsed, -1, -1).name == "f"


def test_a_document_in_another_language_is_one_file() -> None:
    parsed = parse_text("# Title\ndef f():\n    pass\n", plain(""))
    assert [scope.kind for scope in scopes(parsed)] == ["file"]
    assert scope_at(parsed, 2, 4).kind == "file"
    assert parsed.n_errors == 0


def test_scopes_come_in_order_with_their_lines() -> None:
    parsed = parse_text("@d\ndef f(\n    a):\n    def g(): pass\n\n\nclass A:\n    x = 1\n", PYTHON)
    shown = [(s.qualified_name, s.start_line, s.end_line, s.def_line, s.body_start_line) for s in scopes(parsed)]
    assert shown == [("", 0, 9, 0, 0), ("f", 0, 4, 1, 3), ("f.g", 3, 4, 3, 3), ("A", 6, 8, 6, 7)]
    file, f, g, a = scopes(parsed)
    assert list(enclosing(g)) == [g, f, file]
    assert children(parsed, file) == [f, a]
    assert children(parsed, f) == [g]


def test_a_method_is_a_function_right_in_a_class() -> None:
    parsed = parse_text("class A:\n    def f(self):\n        def g(): ...\n", PYTHON)
    assert [(s.name, s.is_method) for s in scopes(parsed)] == [("", False), ("A", False), ("f", True), ("g", False)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(): $0pass\n", "def f():"),
        (
            "class A:\n    async  def f(  # why\n        self, a: int = 1,\n"
            "        *, b='  x ',\n    ) -> dict[str,\n      int]:\n        $0\n",
            "async def f(self, a: int = 1, *, b='  x ') -> dict[str, int]:",
        ),
        ("@d\nclass A(B, metaclass=M): $0x = 1\n", "class A(B, metaclass=M):"),
        ("def f(x=(1,), y={'a': lambda: 1}):\n    $0\n", "def f(x=(1,), y={'a': lambda: 1}):"),
        ("def f[T: (int, str)](x: T):\n    $0\n", "def f[T: (int, str)](x: T):"),
        ("def f(a,\n      b): return $0a\n", "def f(a, b):"),
        ("$0x = 1\n", ""),
    ],
)
def test_a_signature_is_one_line(source: str, expected: str) -> None:
    assert signature(*at_cursor(source)) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('def f():\n    """One.\n\n    Two.\n    """$0\n', "One.\n\nTwo."),
        ("def f():\n    # why\n    r'a\\d'$0\n    pass\n", "a\\d"),
        ('"""Module."""\n$0\n', "Module."),
        ("#!/bin/sh\n# -*- coding: utf-8 -*-\n\n'''Module.'''\n$0\n", "Module."),
        ('class A: "Short."; $0x = 1\n', "Short."),
        ('def f():\n    """\\\n    One.\n\n    Two.\n    """$0\n', "One.\n\nTwo."),
        ("def f():\n    $0pass\n", None),
        ("def f():\n    f'''no {x}'''$0\n", None),
        ("def f():\n    b'no'$0\n", None),
        ("def f():\n    'no'.format()$0\n", None),
        ("$0x = 1\n'no'\n", None),
    ],
)
def test_a_docstring_is_the_first_string_of_a_body(source: str, expected: str | None) -> None:
    assert docstring(*at_cursor(source)) == expected
