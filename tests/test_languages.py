"""Nobody but its own folder says the name of a language, and each language is whole."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator

import pytest

from palimpsest.languages.registry import language_of, languages
from palimpsest.syntax.parse import Language
from tests.sources import SERVER, sources

OF_PEOPLE = ("demo/",)
"""Shows code of a language."""
OF_THE_INTERPRETER = {
    "cli/doctor.py": "says which interpreter runs Palimpsest",
    "chat_templates/rendering.py": "starts that interpreter with its own variables",
    "config/settings.py": "a setting of people's files: which interpreter a workspace runs on",
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
        "exports",
        "passed_on",
        "enumerators",
        "variants",
        "tags",
        "packages",
        "pieces",
        "embeds",
        "mixins",
    ),
}


def said(text: str) -> Iterator[str]:
    """Names and strings of a module; docstrings and the names of llama.cpp left out."""
    before = tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        is_prose = token.type == tokenize.STRING and before in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
        if token.type not in (tokenize.COMMENT, tokenize.NL) and not is_prose:
            yield f"line {token.start[0]}: {PACKAGE.sub('', token.string)}"
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            before = token.type


def others() -> dict[str, str]:
    """The modules outside of the languages' folders: related languages know each other."""
    apart = (*(f"languages/{language.id}/" for language in languages()), *OF_PEOPLE)
    return {path: text for path, text in sources().items() if not path.startswith(apart)}


def test_nobody_else_says_a_languages_name() -> None:
    ids = [language.id for language in languages() if language.id not in FORMATS]
    short = "|".join(one for one in ids if len(one) <= SHORT)
    long = "|".join(one for one in ids if len(one) > SHORT)
    name = re.compile(rf'"(?:{short})"|(?<![A-Za-z0-9])(?i:{long})(?![A-Za-z0-9])')
    guilty = [
        f"{path} {word}"
        for path, text in others().items()
        if path not in OF_THE_INTERPRETER and path != SUFFIXES and name.search(text)
        for word in said(text)
        if name.search(word)
    ]
    assert guilty == []


def test_every_reason_is_needed() -> None:
    for path in OF_THE_INTERPRETER:
        assert any("python" in word.lower() for word in said(sources()[path])), path


@pytest.mark.parametrize("language", languages(), ids=lambda language: language.id)
def test_a_language_is_whole(language: Language) -> None:
    folder = SERVER / "languages" / language.id
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
