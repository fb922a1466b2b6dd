"""No room but its own folder says the name of a language, and each language is whole."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

import palimpsest
from palimpsest.languages.registry import language_of, languages
from palimpsest.syntax.parse import Language

ROOT = Path(palimpsest.__file__).parent
OF_PEOPLE = ("bench", "demo", "measure")
"""Rooms that measure with code of a language, or show some."""
OF_THE_INTERPRETER = {
    "cli/doctor.py": "says which interpreter runs Palimpsest",
    "system/installation.py": "says how to install what is missing beside that interpreter",
    "chat_templates/rendering.py": "starts that interpreter with its own variables",
    "config/settings.py": "a setting of people's files: which interpreter a workspace runs on",
    "config/permissions.py": "who may set it",
}
"""What speaks of an interpreter, and not of code that somebody edits."""
SUFFIXES = "text/secret_names.py"
"""Says the suffixes of sources, some of which are languages' names."""
PACKAGE = re.compile(r"llama[-_.]cpp(?:[-_]python)?")
FORMATS = {"json", "toml", "yaml", "markdown", "html", "css", "sql"}
"""What Palimpsest itself reads and writes, too."""
SHORT = 2
"""Characters of a language's id that are also what many variables are called."""
SECTIONS = {
    *("scopes", "imports", "names", "attributes", "parameters", "assignments", "bases", "shape", "binds", "verbatim"),
    *(
        "comments",
        "roles",
        "calls",
        "signatures",
        "indented",
        "documented",
        "pairs",
        "aliases",
        "packages",
        "pieces",
        "embeds",
        "mixins",
    ),
}


def said(path: Path) -> Iterator[str]:
    """Names and strings of a module; docstrings and the names of llama.cpp left out."""
    before = tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline):
        is_prose = token.type == tokenize.STRING and before in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
        if token.type not in (tokenize.COMMENT, tokenize.NL) and not is_prose:
            yield f"line {token.start[0]}: {PACKAGE.sub('', token.string)}"
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            before = token.type


def files() -> list[Path]:
    """Those outside of the languages' folders: related languages know each other."""
    folders = {ROOT / "languages" / language.id for language in languages()}
    found = (path for path in sorted(ROOT.rglob("*.py")) if not folders & set(path.parents))
    return [path for path in found if path.relative_to(ROOT).parts[0] not in OF_PEOPLE]


def says(language: str, text: str) -> bool:
    if len(language) <= SHORT:
        return f'"{language}"' in text
    return re.search(rf"(?<![a-z0-9]){language}(?![a-z0-9])", text.lower()) is not None


@pytest.mark.parametrize(
    "language", [one for one in languages() if one.id not in FORMATS], ids=lambda language: language.id
)
def test_nobody_else_says_its_name(language: Language) -> None:
    guilty = []
    for path in files():
        where = path.relative_to(ROOT).as_posix()
        if where not in OF_THE_INTERPRETER and where != SUFFIXES:
            guilty += [f"{where} {said_}" for said_ in said(path) if says(language.id, said_)]
    assert guilty == []


def test_every_reason_is_needed() -> None:
    for name in OF_THE_INTERPRETER:
        assert any("python" in word.lower() for word in said(ROOT / name)), name


@pytest.mark.parametrize("language", languages(), ids=lambda language: language.id)
def test_a_language_is_whole(language: Language) -> None:
    folder = ROOT / "languages" / language.id
    assert folder.is_dir()
    assert language.grammar is not None
    assert language.name
    texts = [(folder / name).read_text(encoding="utf-8") for name in language.query_files]  # type: ignore[attr-defined]
    lines = [line for text in texts for line in text.splitlines()]
    sections = {line.removeprefix(";; ").removeprefix("more ") for line in lines if line.startswith(";; ")}
    assert sections
    assert sections <= SECTIONS, "base.py does not know the section"
    assert all(language.query(section) is not None for section in sections)
    for language_id in language.language_ids:
        assert language_of(language_id) is language
    for suffix in language.suffixes:
        assert suffix == suffix.lower()
        assert language_of("", f"a/b{suffix}") is language


def test_what_has_no_grammar_has_no_tree_and_says_so() -> None:
    plain = language_of("asciidoc", "README.adoc")
    assert plain.grammar is None
    assert plain.query("scopes") is None
    assert list(plain.statements(["a", "b", "", "", "c"], 0, 5)) == [range(2), range(4, 5)]
