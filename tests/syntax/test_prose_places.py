"""Where a comment or a string is, in every way in which it may be written."""

import pytest

from palimpsest.languages.registry import language_of
from palimpsest.syntax.parse import Parsed, parse_text
from palimpsest.syntax.prose import prose_at
from palimpsest.text.snapshot import Position

CASES = [
    ("python", "x = 1  # what| it is", "comments"),
    ("python", "x = 1  # what it is|\ny = 2", "comments"),
    ("python", "# one\n|\n# two", None),
    ("python", "|# one", None),
    ("python", "x = 'a|b'", "strings"),
    ("python", "x = 'ab'|", None),
    ("python", "x = |'ab'", None),
    ("python", "x = 'ab|\ny = 1", "strings"),  # not closed yet
    ("python", "x = 'a # b'|  # c", None),
    ("python", 'def f():\n    """What it\n    does|.\n    """\n', "strings"),
    ("python", "x = f'a{b|}'", None),
    ("python", "x = f'a|{b}'", "strings"),
    ("python", "x = f'a{b + \"c|\"}d'", "strings"),
    ("javascript", "/* a|b */ f()", "comments"),
    ("javascript", "/* ab */| f()", None),
    ("javascript", "/* ab\n * cd|\n */\nf()", "comments"),
    ("javascript", "const a = `b${c|}d`;", None),
    ("javascript", "const a = `b${c}d|`;", "strings"),
    ("rust", "/// What it does|\nfn f() {}", "comments"),
    ("rust", "/// What it does\n|fn f() {}", None),
    ("bash", 'echo "a $(ls|) b"', None),
    ("bash", 'echo "a $(ls) b|"', "strings"),
    ("go", "package a // b|", "comments"),
    ("swift", 'let a = "b \\(c|) d"', None),
    ("swift", 'let a = "b \\(c) d|"', "strings"),
]


def at(language: str, code: str) -> tuple[Parsed, Position]:
    before, behind = code.split("|")
    position = Position(before.count("\n"), len(before) - (before.rfind("\n") + 1))
    return parse_text(before + behind, language_of(language, f"file:///a.{language}")), position


@pytest.mark.parametrize(("language", "code", "wanted"), CASES)
def test_the_tree_tells(language: str, code: str, wanted: str | None) -> None:
    parsed, position = at(language, code)
    assert parsed.root is not None
    assert prose_at(parsed, position) == wanted


@pytest.mark.parametrize(
    ("code", "wanted"), [("my $x = 'a|b';", "strings"), ("f(); # b|\n", "comments"), ("f(); # b\n|", None)]
)
def test_without_a_tree_the_syntax_of_comments_and_strings_does(code: str, wanted: str | None) -> None:
    parsed, position = at("perl", code)
    assert parsed.root is None
    assert prose_at(parsed, position) == wanted
