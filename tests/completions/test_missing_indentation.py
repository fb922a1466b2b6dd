"""The indentation that an empty line lacks.  `|` is the cursor."""

import pytest

from palimpsest.completions.fitting import placed
from palimpsest.completions.indentation import missing_at, others_at
from palimpsest.completions.results import CompletionResult
from palimpsest.languages.registry import language_of
from palimpsest.syntax.parse import parse_text
from palimpsest.syntax.parser import Parser

ELSE = [
    ("python", "def f(a):\n    if a:\n        b()\n    else:\n|\n    return a\n", 8),
    ("javascript", "function f(a) {\n  if (a) {\n    b();\n  } else {\n|\n  }\n}\n", 4),
    ("typescript", "function f(a: b) {\n  if (a) {\n    b();\n  } else {\n|\n  }\n}\n", 4),
    ("java", "class A {\n  void f() {\n    if (a) {\n      b();\n    } else {\n|\n    }\n  }\n}\n", 6),
    (
        "csharp",
        "class A\n{\n    void F()\n    {\n        if (a) {}\n        else\n        {\n|\n        }\n    }\n}\n",
        12,
    ),
    ("c", "int f(int a) {\n    if (a) {\n        b();\n    } else {\n|\n    }\n}\n", 8),
    ("rust", "fn f(a: bool) {\n    if a {\n        b();\n    } else {\n|\n    }\n}\n", 8),
    ("kotlin", "fun f(a: Boolean) {\n    if (a) {\n        b()\n    } else {\n|\n    }\n}\n", 8),
    ("swift", "func f(a: Bool) {\n    if a {\n        b()\n    } else {\n|\n    }\n}\n", 8),
    ("php", "<?php\nfunction f($a) {\n    if ($a) {\n        b();\n    } else {\n|\n    }\n}\n", 8),
    ("ruby", "def f(a)\n  if a\n    b\n  else\n|\n  end\nend\n", 4),
    ("lua", "function f(a)\n  if a then\n    b()\n  else\n|\n  end\nend\n", 4),
    ("bash", "f() {\n  if a; then\n    b\n  else\n|\n  fi\n}\n", 4),
    ("ruby", "class A\n  def f(a)\n|\n  end\nend\n", 4),
    ("lua", "local function f(a)\n|\nend\n\nfunction g()\n  f()\nend\n", 2),
    ("yaml", "services:\n  web:\n    ports:\n|\n    depends_on:\n      - db\n", 6),
]


@pytest.mark.parametrize(("language", "code", "columns"), ELSE)
@pytest.mark.parametrize("outer", [False, True])
def test_behind_what_opens_a_block_code_stands_deeper(language: str, code: str, columns: int, outer: bool) -> None:
    above, below = code.split("|")
    own = below.lstrip("\n").partition("\n")[0]
    typed = own[: len(own) - len(own.lstrip())] if outer else ""
    parsed = parse_text(above + typed + below, language_of(language))
    place = parsed.snapshot.position(len(above + typed))
    for asked in (False, True):
        assert typed + missing_at(parsed, place, asked=asked) == " " * columns


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("ruby", "def f(a)\n  a.b\n  |\nend\n"),
        ("kotlin", "class A {\n    @B\n    |\n    fun f() {\n    }\n}\n"),
        ("lua", "local a = 1\n|\nlocal b = 2\n"),
        ("bash", "a\n|\nb\n"),
        ("javascript", "f(a)\n|\ng(b)\n"),
    ],
)
def test_behind_what_opens_none_it_does_not(language: str, code: str) -> None:
    above, below = code.split("|")
    parsed = parse_text(above + below, language_of(language))
    assert missing_at(parsed, parsed.snapshot.position(len(above)), asked=True) == ""


LIST = 'services:\n  web:\n    ports:\n      - "80:80"\n|\n    depends_on:\n      - db\n'


@pytest.mark.parametrize(
    ("language", "code", "unasked", "asked"),
    [
        ("yaml", LIST, 4, 6),
        ("yaml", LIST.replace("    depends_on", '      - "1:1"\n    depends_on'), 6, 6),
        ("json", '{\n  "a": [\n    1,\n|\n    2\n  ]\n}\n', 4, 4),
        ("markdown", "* a\n  b\n|\n  c\n", 0, 0),
    ],
)
def test_data_is_indented_like_code(language: str, code: str, unasked: int, asked: int) -> None:
    above, below = code.split("|")
    parsed = parse_text(above + below, language_of(language))
    place = parsed.snapshot.position(len(above))
    assert [len(missing_at(parsed, place, asked=one)) for one in (False, True)] == [unasked, asked]


@pytest.mark.parametrize("columns", range(1, 5))
def test_a_line_that_is_not_deep_enough_is_not_moved_further_out(columns: int) -> None:
    above, below = "class A:\n    def f(self):\n" + " " * columns, "\n        self.x = 1\n"
    parsed = parse_text(above + below, language_of("python"))
    place = parsed.snapshot.position(len(above))
    missing = missing_at(parsed, place, asked=False)
    assert len(missing) == 8 - columns
    shown = placed(
        Parser(language_of),
        parsed,
        place,
        CompletionResult(("if a == b:", "c = 1")).behind(missing),
        is_indented=bool(missing),
    )
    assert (shown.start, shown.texts) == (None, (f"{missing}c = 1",)), "no block begins here, at no column"


@pytest.mark.parametrize(
    ("code", "missing", "others"),
    [
        ("def f(a):\n    while a:\n        b()\n|\n", 8, [4, 0]),
        ("def f(a):\n    while a:\n        b()\n\n|\n", 0, [8, 4]),
        ("def f(a):\n    while a:\n        b()\n|\n    return a\n", 8, [4, 0]),
        ("def f(a):\n    for b in a:\n        if b:\n            c()\n|\n            d()\n", 12, [8]),
        ("def f(a):\n    if a:\n        b()\n|\n        c()\n    return b\n", 8, [4]),
        ("def f(a):\n    return a\n|\n\nb()\n", 0, [4]),
        ("def f(a):\n|\n    return a\n", 4, []),
        ("def f(a):\n    if a:\n|\n", 8, []),
        ('def f(a):\n    """Text\n|\n    """\n', 0, []),
    ],
)
def test_where_indentation_says_what_is_in_a_block_a_line_at_the_margin_may_be_in_each_around(
    code: str, missing: int, others: list[int]
) -> None:
    above, below = code.split("|")
    parsed = parse_text(above + below, language_of("python"))
    place = parsed.snapshot.position(len(above))
    found = missing_at(parsed, place, asked=True)
    assert len(found) == missing
    assert [len(one) for one in others_at(parsed, place, found)] == others


def test_elsewhere_it_lacks_nothing_else() -> None:
    code = "function f(a) {\n  if (a) {\n    b();\n|\n  }\n}\n"
    for name, typed in (("javascript", ""), ("python", "  ")):
        above, below = code.split("|") if name == "javascript" else ("if a:\n    if b:\n        c()\n", "\n")
        parsed = parse_text(above + typed + below, language_of(name))
        place = parsed.snapshot.position(len(above + typed))
        assert others_at(parsed, place, missing_at(parsed, place, asked=True)) == []
