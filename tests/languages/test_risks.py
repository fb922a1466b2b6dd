"""Grammars that can end the process: never given what may be too deep for them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from palimpsest.context.editing.block import editing_at
from palimpsest.languages.grammars import LONGEST_LINE, MOST_LEVELS, RISKY, may_parse
from palimpsest.languages.registry import language_of, languages
from palimpsest.syntax.parser import Parser
from palimpsest.text.snapshot import ContentChange, Position, Range, Snapshot
from tests.examples import examples
from tests.languages import deep_texts
from tests.languages.reading import parsed_as

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("module", sorted(RISKY))
def test_the_installed_version_lives(module: str) -> None:
    done = subprocess.run([sys.executable, "-m", deep_texts.__name__, module], cwd=ROOT, timeout=250)
    assert done.returncode == 0
    assert any(language.grammar_module == module for language in languages())  # type: ignore[attr-defined]


def test_the_texts_are_deep() -> None:
    every = list(deep_texts.texts())
    assert len(every) > 300
    for module, levels in RISKY.items():
        deepest = max(max(map(levels, text.split("\n"))) for text in every if may_parse(module, text))
        assert MOST_LEVELS - 10 < deepest < MOST_LEVELS
        assert all("\0" not in text or may_parse(module, text) for text in every)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("a.yaml", "- " * 5000 + "a\n"),
        ("a.yaml", "".join(" " * level + "a:\n" for level in range(600))),
        ("a.yml", "? " * 300 + "a"),
        ("a.md", ">" * 5000 + " a\n"),
        ("a.md", "".join("  " * level + "- a\n" for level in range(600))),
    ],
)
def test_what_may_be_too_deep_is_not_parsed(file: str, text: str) -> None:
    parsed = parsed_as(file, text)
    assert parsed.tree is None
    block = editing_at(parsed, Position(0, 3), file, 100)
    assert block.prefix.endswith(text[:3].rstrip("\n"))


def test_what_only_looks_deep_is_parsed() -> None:
    for file, text in {
        "a.yaml": f"a: {'word - ' * 20}{'x' * 500}\nb: [{'1, ' * 300}]\n",
        "a.md": f"{'word - > ' * 100}\n- {'1' * 150} a\n",
    }.items():
        assert parsed_as(file, text).tree is not None


def test_a_document_that_becomes_too_deep_loses_its_tree_and_gets_it_back() -> None:
    from palimpsest.languages.registry import language_of

    parser = Parser(language_of)
    shallow = Snapshot("file:///a.yaml", 1, "yaml", "a: 1\n")
    assert parser.parse(shallow).tree is not None
    start = Position(0, 0)
    deep, edits = shallow.changed([ContentChange(Range(start, start), "- " * 300)], 2)
    assert parser.update(shallow, deep, edits).tree is None
    again, edits = deep.changed([ContentChange(Range(start, Position(0, 600)), "")], 3)
    assert parser.update(deep, again, edits).tree is not None


@pytest.mark.parametrize("name", ["line.js", "line.json", "line.py"])
def test_a_line_as_long_as_a_file_is_not_parsed(name: str) -> None:
    """Nor where it becomes so long as somebody types."""
    assert parsed_as(name, f"a = [\n{'1,' * 1_000}\n]\n" * 100).tree is not None
    line = "1," * LONGEST_LINE
    assert parsed_as(name, f"a = [{line}]").tree is None
    parser = Parser(language_of)
    short = Snapshot(f"file:///{name}", 1, "", "a = 1\n" * 20_000)
    assert parser.parse(short).tree is not None
    start = Position(0, 0)
    long, edits = short.changed([ContentChange(Range(start, start), line)], 2)
    assert parser.update(short, long, edits).tree is None
    again, edits = long.changed([ContentChange(Range(start, Position(0, len(line))), "")], 3)
    assert parser.update(long, again, edits).tree is not None


def test_made_up_texts() -> None:
    """The last language that is named is the one that ended the process."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.languages.fuzzing", str(examples(2).max_examples)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=250,
    )
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
