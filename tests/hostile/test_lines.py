"""One long line in a file of the workspace holds nothing up: every search of ours is over in a moment.

A search that takes quadratic time would take an hour for one: the limit of time that every test has is the bound.
"""

from collections.abc import Callable

import pytest

from palimpsest.completions.lsp.completion import word_at_end
from palimpsest.context.sources.documentation import sections
from palimpsest.languages.c import flags
from palimpsest.languages.csharp import namespaces_in
from palimpsest.languages.java.modules import JvmModules
from palimpsest.languages.php import modules as php
from palimpsest.languages.python.lines import after_colon, ends_with_colon, is_string_open, one_line

MUCH = 300_000
LINES: dict[str, str] = {
    "spaces": "#" + " " * MUCH + "x" + " " * MUCH + "y",
    "a word": "a" * MUCH + "(",
    "colons": ": " * MUCH + "'",
    "comments": ":#" * MUCH + "'",
    "quotes": "'" * MUCH,
    "three quotes": '\'"""' * (MUCH // 4),
    "backslashes": '"' + "\\" * MUCH,
    "brackets": "([{" * MUCH,
    "underlines": "=" * MUCH + " " * MUCH + "x",
    "blank lines": "\n" * MUCH + "x",
    "a namespace and spaces": "namespace A" + " " * MUCH + "x",
    "a package and spaces": "package a" + " " * MUCH + "x",
    "rows without an end": "'a' => array(" * MUCH,
}
SEARCHES: dict[str, Callable[[str], object]] = {
    "sections": lambda text: sections(f"{text}\n{text}\n# a\n{text}"),
    "the word at the end": word_at_end,
    "the beginning of a block": ends_with_colon,
    "a header": one_line,
    "behind a header": after_colon,
    "folders of flags": flags.folders,
    "namespaces of C#": namespaces_in,
    "the package of Java": lambda text: JvmModules.packages_in(object.__new__(JvmModules), text),
    "the namespace of PHP": php.namespace_in,
    "the table of Composer": lambda text: list(php.vendored_in(text)),
    "a string": lambda text: is_string_open([text], 0, 1),
}


@pytest.mark.parametrize("search", SEARCHES)
def test_no_line_takes_long(search: str) -> None:
    """The limit of time that every test has is the bound: what is not linear takes minutes here."""
    for line in LINES.values():
        SEARCHES[search](line)


@pytest.mark.parametrize(
    ("statement", "opens"),
    [
        ("if a:", True),
        ("if a:  # why", True),
        ("if a: pass", False),
        ("x = {'a': 1}", False),
        ("if a == ':':", True),
        ("x = 'if a: # no'", False),
        ("x = 1  # else:", True),  # a comment is no statement, and its colon was always taken for one
        ("if 'a':   ", True),
    ],
)
def test_what_opens_a_block(statement: str, opens: bool) -> None:
    assert ends_with_colon(statement) is opens
