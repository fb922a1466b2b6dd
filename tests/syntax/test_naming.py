"""What names in a part of a document name, and where a new import goes."""

from __future__ import annotations

import pytest

from palimpsest.languages.registry import language_of
from palimpsest.syntax.import_places import added, import_edits
from palimpsest.syntax.naming import unexplained, used_at
from palimpsest.syntax.parse import Parsed, parse_text
from palimpsest.syntax.values import Import

UNEXPLAINED = [
    # `[` and `]` stand around what is looked at; a name with `?` may be defined elsewhere
    ("a.py", "def f(a):\n    [return a + b.c]\n", ["b", ".c"]),
    ("a.py", "def f(a):\n    [b = a; return b, len(a)]\n", []),
    ("a.py", "def f(a):\n    [return [x for x in a]]\n", []),
    ("a.py", "def g(b): ...\n\n\ndef f(a):\n    [return b]\n", ["b"]),
    ("a.py", "x = b\n[y = b]\n", []),  # somebody else's, as it seems
    ("a.py", "from m import *\n[y = b]\n", ["b?"]),
    ("a.py", "def f(a):\n    return tot[al(a)]\n", ["total"]),  # its beginning is typed
    ("a.py", "def f(a):\n    return total[(a)]\n", []),  # all of it is
    ("a.py", "class A:\n    def f(self):\n        [self.a = self.b]\n", [".b"]),
    ("a.py", "def broken(:\n    b = 1\n[y = b + c]\n", ["c"]),
    ("a.ts", "export function f(a: number) {\n  [return a + b;]\n}\n", ["b"]),
    ("a.js", "function f(a) {\n  [return a + b;]\n}\n", ["b?"]),  # other scripts of the page
    ("A.java", "class A {\n  int f(int a) {\n    [return a + b + B.c;]\n  }\n}\n", ["b", "B?", ".c"]),
    ("a.rs", "fn f(a: i32) -> i32 {\n    [a + b]\n}\n", ["b"]),
]


def marked(name: str, text: str) -> tuple[Parsed, int, int]:
    start = text.index("[")
    end = text.rindex("]") - 1
    plain = text[:start] + text[start + 1 : end + 1] + text[end + 2 :]
    return parse_text(plain, language_of("", name)), start, end


@pytest.mark.parametrize(("name", "text", "expected"), UNEXPLAINED)
def test_what_the_document_does_not_explain_is_found(name: str, text: str, expected: list[str]) -> None:
    found = unexplained(*marked(name, text))
    assert ["." * one.is_member + one.name + "?" * one.may_be_elsewhere for one in found] == expected


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("def f(total):\n    return total$", "use"),
        ("def f(total):\n    return a.total$", "member"),
        ("def f(total$): ...", None),
        ("def total$(): ...", None),
        ("total$ = 1", None),
        ("x = 'total$'", None),
    ],
)
def test_a_name_that_is_defined_there_is_no_use(text: str, role: str | None) -> None:
    use = used_at(parse_text(text.replace("$", ""), language_of("", "a.py")), text.index("$"))
    assert (use and use.role) == role


PLACES = [
    # `+` is where the statement comes to stand
    ("a.py", "+\nx = 1\n", "b"),
    ("a.py", '"""Doc."""\n\n+\nx = 1\n', "b"),
    ("a.py", "#!/usr/bin/env python\n\n+\nx = 1\n", "b"),
    ("a.py", "# Licence\n\n+\n# about x\nx = 1\n", "b"),
    ("a.py", "import os\n+\nx = 1\n", "b"),
    ("a.py", "from b import (\n    c,\n)\n+import os\n\nx = 1\n", "b"),
    ("a.py", "import os\n+\n\ndef f():\n    import sys\n\n\nimport late\n", "b"),
    ("a.ts", '"use strict";\n\n+\nconst a = 1;\n', "b"),
    ("A.java", "package a;\n\n+\nclass A {}\n", "b"),
    ("a.php", "<?php\n\nnamespace A;\n\n+\nclass A {}\n", "b"),
]


@pytest.mark.parametrize(("name", "text", "module"), PLACES)
def test_an_import_goes_to_the_others_or_above_the_code(name: str, text: str, module: str) -> None:
    before, behind = text.split("+")
    lines = (before + behind).split("\n")
    parsed = parse_text("\n".join(lines), language_of("", name))
    edit = added(parsed, Import(module, "n", None, 0, -1), "NEW")
    now = [*lines[: edit.start], *edit.lines, *lines[edit.end :]]
    at = now.index("NEW")
    assert [line for line in now[:at] if line] == [line for line in before.split("\n") if line]
    assert now[:at][-1:] != [""] or before.endswith("\n\n")


JOINED = [
    # the document, what is imported (module, name, alias), the document with it
    ("a.py", "from m import a\n", [("m", "n", None)], "from m import a, n\n"),
    ("a.py", "from m import b, c\n", [("m", "a", None)], "from m import a, b, c\n"),
    ("a.py", "from m import Zed, a, z\n", [("m", "B", None), ("m", "c", "d")], "from m import B, Zed, a, c as d, z\n"),
    ("a.py", "from m import c, b\n", [("m", "a", None)], "from m import c, b, a\n"),
    ("a.py", "from m import (a, c)\n", [("m", "b", None)], "from m import (a, b, c)\n"),
    (
        "a.py",
        "from m import (\n    a,\n    c,\n)\n",
        [("m", "b", None)],
        "from m import (\n    a,\n    b,\n    c,\n)\n",
    ),
    ("a.py", "from m import a\n", [("m", "b", None), ("k", "l", None)], "from m import a, b\nfrom k import l\n"),
    ("a.py", "from m import a  # noqa\n", [("m", "b", None)], "from m import a  # noqa\nfrom m import b\n"),
    ("a.py", "from m import *\n", [("m", "b", None)], "from m import *\nfrom m import b\n"),
    ("a.py", "import m\n", [("m", "b", None)], "import m\nfrom m import b\n"),
    ("a.py", f"from m import {'a' * 80}\n", [("m", "b", None)], f"from m import {'a' * 80}\nfrom m import b\n"),
    ("a.ts", 'import { a } from "m";\n', [("m", "b", None)], 'import { a, b } from "m";\n'),
    ("a.ts", "import D, {a,c} from 'm'\n", [("m", "b", None)], "import D, {a, b, c} from 'm'\n"),
    ("a.js", 'import {\n  a,\n  c\n} from "m";\n', [("m", "d", None)], 'import {\n  a,\n  c,\n  d\n} from "m";\n'),
    (
        "a.ts",
        'import type { T } from "m";\n',
        [("m", "b", None)],
        'import type { T } from "m";\nimport { b } from "m";\n',
    ),
    ("a.ts", 'import D from "m";\n', [("m", "b", None)], 'import D from "m";\nimport { b } from "m";\n'),
    ("a.js", 'const a = require("m");\n', [("m", "b", None)], 'const a = require("m");\nconst { b } = require("m");\n'),
    ("a.js", "const a = require('k')\n", [("m", "b", "c")], "const a = require('k')\nconst { b: c } = require('m')\n"),
    (
        "a.ts",
        'import type {\n  T,\n  U,\n} from "m";\n',
        [("m", "b", None)],
        'import type {\n  T,\n  U,\n} from "m";\nimport { b } from "m";\n',
    ),
    (
        "a.js",
        "const {\n  a,\n} = require('m')\n",
        [("m", "b", "c")],
        "const {\n  a,\n} = require('m')\nconst { b: c } = require('m')\n",
    ),
    ("a.py", "if x: import m\nelse: m = 0\n", [("m", "b", None)], "from m import b\n\nif x: import m\nelse: m = 0\n"),
    ("a.py", "x = 1\nfrom m import a\n", [("m", "b", None)], "x = 1\nfrom m import a\nfrom m import b\n"),
    ("A.java", "import m.A;\n", [("m", "B", None)], "import m.A;\nimport m.B;\n"),
]


@pytest.mark.parametrize(("name", "text", "items", "expected"), JOINED)
def test_a_name_joins_those_of_its_module(
    name: str, text: str, items: list[tuple[str, str, str | None]], expected: str
) -> None:
    parsed = parse_text(text + "\nlast\n", language_of("", name))
    lines = list(parsed.snapshot.lines)
    for edit in reversed(list(import_edits(parsed, [Import(*item, level=0, line=-1) for item in items]))):
        lines[edit.start : edit.end] = edit.lines
    assert "\n".join(lines) == expected + "\nlast\n"
