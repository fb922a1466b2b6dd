"""`.editorconfig` as editorconfig.org describes it, and what one level of a text is."""

import pytest

from palimpsest.text.editorconfig import level
from palimpsest.text.levels import is_indented, level_of, with_level

TABS = "indent_style = tab\n"


def says(glob: str, path: str) -> bool:
    return level([(f"[{glob}]\n{TABS}", path)]) == "\t"


@pytest.mark.parametrize(
    ("glob", "paths", "others"),
    [
        ("*", ["a.py", "a/b/c.go", "Makefile"], []),
        ("*.py", ["a.py", "a/b.py"], ["a.pyc", "apy"]),
        ("*.{js,ts}", ["a.js", "b/a.ts"], ["a.tsx", "a.{js,ts}"]),
        ("*.{c,h}{,pp}", ["a.c", "a.hpp"], ["a.cp"]),
        ("{a,{b,c}d}.py", ["a.py", "cd.py"], ["b.py"]),
        ("{single}.py", ["{single}.py"], ["single.py"]),
        ("v{1..12}.py", ["v1.py", "v12.py"], ["v13.py", "v0.py"]),
        ("{package.json,.travis.yml}", ["package.json", "a/.travis.yml"], ["x.json"]),
        ("src/*.py", ["src/a.py"], ["src/b/a.py", "x/src/a.py"]),
        ("/a.py", ["a.py"], ["b/a.py"]),
        ("src/**.py", ["src/a.py", "src/b/c/a.py"], ["a.py"]),
        ("src/**", ["src/a.py", "src/b/a.py"], ["a.py"]),
        ("**.py", ["a.py", "a/b.py"], ["a.go"]),
        ("[ab]?.py", ["ax.py"], ["cx.py", "a.py"]),
        ("[!ab].py", ["c.py"], ["a.py"]),
        ("!a.py", ["!a.py"], ["b.py"]),
    ],
)
def test_sections_match_paths(glob: str, paths: list[str], others: list[str]) -> None:
    assert [path for path in [*paths, *others] if says(glob, path)] == paths


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[*]\nindent_style = space\nindent_size = 2\n", "  "),
        ("[*]\r\nIndent_Style = SPACE\r\nindent_size = 3\r\n", "   "),
        ("[*]\nindent_style = space\nindent_size = tab\ntab_width = 8\n", " " * 8),
        ("[*]\nindent_style = tab\nindent_size = 2\n", "\t"),
        ("[*]\n# indent_style = tab\n; indent_style = tab\n", None),
        ("[*]\nindent_style = space\n", None),
        ("[*]\nindent_style = space\nindent_size = 4000000000\n", None),
        ("[*]\nindent_style = space\nindent_size = 0\n", None),
        ("[*]\nindent_style = tab\n[*.py]\nindent_style = unset\n", None),
        ("indent_style = tab\n", None),
        ("[*.py\nindent_style = tab\n[*.go]\nindent_style = tab\n", None),
        ("\0[[]]]{{,}}=\n[" + "{a,b}" * 400 + "]\nindent_style = tab\n", None),
        ("[a]\n" * 1000 + "[*]\nindent_style = tab\n", None),
    ],
)
def test_what_a_level_is(text: str, expected: str | None) -> None:
    assert level([(text, "a.py")]) == expected


def test_the_nearest_file_counts_then_those_around_it_up_to_the_root() -> None:
    near, around = "[*.py]\nindent_size = 2\n", "[*]\nindent_style = space\nindent_size = 8\n"
    assert level([(near, "a.py"), (around, "b/a.py")]) == "  "
    assert level([("root = true\n" + near, "a.py"), (around, "b/a.py")]) is None
    assert level([("[*]\nroot = true\n", "a.py"), (around, "b/a.py")]) == " " * 8


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f():\n    if x:\n        return 1\n    return 2\n", "    "),
        ("a {\n  b {\n    c\n  }\n}\n", "  "),
        ("func f() {\n\tif x {\n\t\ty()\n\t}\n}\n", "\t"),
        ("/**\n * A comment.\n *   More.\n */\n", None),
        ("x = 1\n\n\ny = 2\n", None),
        ("call(a,\n     b,\n     c)\ndef f():\n    x\ndef g():\n    y\n", "    "),
    ],
)
def test_one_level_is_what_lines_are_mostly_indented_by(text: str, expected: str | None) -> None:
    assert level_of(text.split("\n")) == expected
    assert is_indented(text.split("\n")) == (expected is not None)


def test_a_text_is_written_with_another_level_and_keeps_what_aligns() -> None:
    text = "f():\n    if x:\n        g(a,\n          b)\n\n    return 1"
    tabs = "f():\n\tif x:\n\t\tg(a,\n\t\t  b)\n\n\treturn 1"
    assert with_level(text, "\t", at_start=False) == tabs
    assert with_level(tabs, "    ", at_start=False) == text
    assert with_level("    x\n    y", "\t", at_start=True) == "\tx\n\ty"
    assert with_level("    x\n    y", "\t", at_start=False) == "    x\n\ty"
    for same in ("", "x", "x\ny", text):
        assert with_level(same, "    ", at_start=False) == same
