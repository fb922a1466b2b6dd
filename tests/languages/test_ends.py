"""A text may end anywhere: some scanners of grammars look for what comes next, and not for the end of the text.

What is tried hangs, where it is wrong, in code that nothing stops, so it runs in a process of its own.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from palimpsest.languages.registry import language_of, languages
from palimpsest.syntax.parse import parse_text
from palimpsest.syntax.parser import Parser
from palimpsest.text.snapshot import ContentChange, Position, Range, Snapshot

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ENDS = (
    "",
    "@",
    "@a",
    "@a(b",
    "@[a",
    '"',
    "'",
    "`",
    "$",
    "#",
    "\\",
    "<<A",
    "/*",
    "(",
    "<",
    "get",
    "set(",
    "0x",
    "r#",
    "!",
)
CHARACTERS = 1_200


def look(path: Path) -> None:
    """At the beginnings of a file, each as if something was being typed behind it."""
    text = path.read_text("utf-8")[:CHARACTERS]
    language = language_of("", path.name)
    lines = text.splitlines(keepends=True)
    for n in range(len(lines)):
        before = "".join(lines[:n])
        indent = lines[n][: len(lines[n]) - len(lines[n].lstrip())]
        for end in ENDS:
            parse_text(before + indent + end, language)
        parse_text(before + lines[n][: len(lines[n]) // 2].rstrip(), language)


def test_a_file_may_end_in_the_middle_of_anything() -> None:
    """All of them in one process, which takes longer to start than to look at a language."""
    samples = [str(path) for path in HERE.glob("*/samples/**/*") if path.is_file()]
    has = {language_of("", Path(path).name).id for path in samples}
    assert {it.id for it in languages()} - {"python"} <= has
    code = f"import pathlib, sys; from {__name__} import look; [*map(look, map(pathlib.Path, sys.argv[1:]))]"
    subprocess.run([sys.executable, "-c", code, *samples], cwd=ROOT, timeout=240, check=True)


@pytest.mark.parametrize("end", ["@", "@A", "@A(b)", "@get:A"])
def test_what_is_given_behind_a_text_is_no_part_of_it(end: str) -> None:
    uri, at = "file:///a.kt", Position(1, 0)
    parser = Parser(language_of)
    snapshot = Snapshot(uri, 1, "kotlin", "var n: Int\n")
    for version, letter in enumerate(end, 2):
        before = snapshot
        snapshot, edits = before.changed([ContentChange(Range(at, at), letter)], version)
        at = Position(1, at.column + 1)
        parser.update(before, snapshot, edits)
        parsed = parser.parse(snapshot)
        assert parsed.root is not None
        assert parsed.root.end_point == (1, at.column)
        fresh = parse_text(snapshot.text, parsed.language)
        assert fresh.root is not None
        assert str(parsed.root) == str(fresh.root)
