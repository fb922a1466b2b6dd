"""Real files that others wrote, in every language: what is installed beside the project, read when the test runs.

Nothing of it is copied into the project or run.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from palimpsest.context.editing.block import editing_at
from palimpsest.context.sources.skeleton import skeleton
from palimpsest.edits.misspelt import slips
from palimpsest.syntax.calls import calls, functions
from palimpsest.syntax.imports import imports
from palimpsest.syntax.names import visible
from palimpsest.syntax.parse import Parsed
from palimpsest.syntax.scopes import docstring, scope_at, scopes, signature
from palimpsest.syntax.shape import shape_at
from palimpsest.text.snapshot import Position
from tests.real_files import PER_LANGUAGE, files, known

FEW = {"csharp": 8, "bash": 4}
"""Languages of which less is at hand: as many files at least."""
STRUCTURED = {"bash": 0.4}
"""The share of files with a function or class, where it is less: many scripts are commands alone."""
ALIKE = 0.01
"""At most so many of a language's lines have a name that is called misspelt, though nobody misspelt it."""


every_language = pytest.mark.parametrize("language", known())


def test_ten_languages_and_two_hundred_files_are_at_hand() -> None:
    counts = {language: len(files(language)) for language in known()}
    assert all(count >= FEW.get(language, PER_LANGUAGE) for language, count in counts.items()), counts
    assert len(counts) >= 10
    assert sum(counts.values()) >= 200


def places(parsed: Parsed) -> Iterator[Position]:
    """Every third line, by turns: where it begins, where its text begins, where it ends."""
    for number, line in list(enumerate(parsed.snapshot.lines))[::3]:
        yield Position(number, (0, len(line) - len(line.lstrip()), len(line))[number // 3 % 3])


@every_language
def test_a_cursor_anywhere_gets_an_editing_block_with_its_line(language: str) -> None:
    for parsed in files(language):
        uri = parsed.snapshot.uri
        assert parsed.root is not None
        assert parsed.language.id == language, uri
        for place in places(parsed):
            block = editing_at(parsed, place, "a", 900)
            shown = block.lines[block.cursor_line]
            assert (shown.document_line, shown.text) == (place.line, parsed.snapshot.lines[place.line]), (uri, place)


@every_language
def test_everything_can_be_asked_of_it(language: str) -> None:
    for parsed in files(language):
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
        for place in list(places(parsed))[::3]:
            shape_at(parsed, place)
            assert scope_at(parsed, place.line, place.column).start_line <= place.line


@every_language
def test_scopes_are_found(language: str) -> None:
    """A language whose queries find nothing would pass everything else."""
    found = [len(scopes(parsed)) > 1 for parsed in files(language)]
    assert sum(found) >= STRUCTURED.get(language, 0.6) * len(found), "in most files there is a function or a class"


@every_language
def test_what_others_wrote_is_hardly_called_misspelt(language: str) -> None:
    lines, wrong = 0, list[str]()
    for parsed in files(language):
        lines += parsed.snapshot.line_count
        for slip in slips(parsed, 0, parsed.snapshot.line_count):
            wrong.append(f"{parsed.snapshot.uri}:{slip.start.line + 1} {slip.name} for {slip.meant[0]}")
    assert len(wrong) <= ALIKE * lines, wrong
