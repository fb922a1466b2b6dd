"""Real files that others wrote, in every language: what is installed beside the project, read when the test runs.

Nothing of it is copied into the project or run.
"""

from __future__ import annotations

import hashlib
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from palimpsest.context.editing.block import editing_at
from palimpsest.context.sources.skeleton import skeleton
from palimpsest.edits.misspelt import slips
from palimpsest.languages.registry import language_of, languages
from palimpsest.syntax.calls import calls, functions
from palimpsest.syntax.names import imports, visible
from palimpsest.syntax.parse import Parsed, parse_snapshot
from palimpsest.syntax.scopes import docstring, scope_at, scopes, signature
from palimpsest.syntax.shape import shape_at
from palimpsest.text.snapshot import Position, Snapshot
from tests.installing import installed

PER_LANGUAGE = 20
BYTES = range(800, 60_000)
ENDINGS = {
    "python": ".py",
    "javascript": ".js",
    "typescript": ".ts",
    "tsx": ".tsx",
    "rust": ".rs",
    "go": ".go",
    "c": ".c",
    "cpp": ".cpp .cc",
    "java": ".java",
    "csharp": ".cs",
    "ruby": ".rb",
    "php": ".php",
    "lua": ".lua",
    "kotlin": ".kt",
    "swift": ".swift",
    "bash": ".sh .bash",
}
FEW = {"csharp": 8, "bash": 4}
"""Languages of which less is at hand: as many files at least."""
STRUCTURED = {"bash": 0.4}
"""The share of files with a function or class, where it is less: many scripts are commands alone."""
ALIKE = 0.01
"""At most so many of a language's lines have a name that is called misspelt, though nobody misspelt it."""


@cache
def files(language: str) -> tuple[Path, ...]:
    """Always the same of what is there, and no more from one folder than from another by its name."""
    root = Path(sysconfig.get_path("stdlib")) if language == "python" else installed("real_sources.sh")
    endings = ENDINGS[language].split()
    found = [
        path
        for path in root.rglob("*")
        if path.suffix in endings
        and not {"site-packages", "dist-packages"} & {*path.parts}
        and path.is_file()
        and path.stat().st_size in BYTES
    ]
    found.sort(key=lambda path: hashlib.sha256(path.name.encode()).digest())
    return tuple(found[:PER_LANGUAGE])


def parsed_file(path: Path) -> Parsed:
    language = language_of("", path.name)
    text = path.read_text(encoding="utf-8", errors="replace")
    return parse_snapshot(Snapshot(path.as_uri(), 1, language.id, text), language)


def known() -> list[str]:
    return sorted({language.id for language in languages()} & set(ENDINGS))


every_language = pytest.mark.parametrize("language", known())


@pytest.mark.slow
def test_ten_languages_and_two_hundred_files_are_at_hand() -> None:
    counts = {language: len(files(language)) for language in known()}
    assert all(count >= FEW.get(language, PER_LANGUAGE) for language, count in counts.items()), counts
    assert len(counts) >= 10
    assert sum(counts.values()) >= 200


def places(parsed: Parsed) -> Iterator[Position]:
    """Every line: where it begins, where its text begins, where it ends."""
    for number, line in enumerate(parsed.snapshot.lines):
        yield from (Position(number, at) for at in {0, len(line) - len(line.lstrip()), len(line)})


@pytest.mark.slow
@every_language
def test_a_cursor_on_any_line_gets_an_editing_block_with_that_line(language: str) -> None:
    for path in files(language):
        parsed = parsed_file(path)
        assert parsed.root is not None
        assert parsed.language.id == language, path
        for place in places(parsed):
            block = editing_at(parsed, place, path.name, 900)
            shown = block.lines[block.cursor_line]
            assert (shown.document_line, shown.text) == (place.line, parsed.snapshot.lines[place.line]), (path, place)


@pytest.mark.slow
@every_language
def test_everything_can_be_asked_of_it(language: str) -> None:
    for path in files(language):
        parsed = parsed_file(path)
        last = parsed.snapshot.line_count
        imports(parsed)
        functions(parsed)
        calls(parsed, 0, last)
        for scope in scopes(parsed):
            signature(parsed, scope)
            docstring(parsed, scope)
            visible(parsed, scope)
            if scope.kind == "class":
                skeleton(parsed, scope)
        for place in list(places(parsed))[::25]:
            shape_at(parsed, place)
            assert scope_at(parsed, place.line, place.column).start_line <= place.line


@pytest.mark.slow
@every_language
def test_scopes_are_found(language: str) -> None:
    """A language whose queries find nothing would pass everything else."""
    found = [len(scopes(parsed_file(path))) > 1 for path in files(language)]
    assert sum(found) >= STRUCTURED.get(language, 0.6) * len(found), "in most files there is a function or a class"


@pytest.mark.slow
@every_language
def test_what_others_wrote_is_hardly_called_misspelt(language: str) -> None:
    lines, wrong = 0, list[str]()
    for path in files(language):
        parsed = parsed_file(path)
        lines += parsed.snapshot.line_count
        for slip in slips(parsed, 0, parsed.snapshot.line_count):
            wrong.append(f"{path.name}:{slip.start.line + 1} {slip.name} for {slip.meant[0]}")
    assert len(wrong) <= ALIKE * lines, wrong
