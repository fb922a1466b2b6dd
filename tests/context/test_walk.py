"""A cursor that walks through a file: no block comes in two versions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest
from context_workspace import Workspace

from bench.gathering.long_file import long_file
from bench.gathering.long_styles import LANGUAGES
from palimpsest.languages.registry import language_of
from palimpsest.types import BlockKey

Make = Callable[..., Workspace]
LINES = 240
OFTEN = ("python", "typescript")
"""Languages whose long file `make test` has; it walks through samples of all languages besides."""
SAMPLES = sorted(path for path in (Path(__file__).parents[1] / "languages").glob("*/samples/**/*") if path.is_file())


def texts(made: Workspace, path: Path, step: int = 1) -> dict[BlockKey, set[str]]:
    """Of each block, at every place."""
    found = defaultdict[BlockKey, set[str]](set)
    text = path.read_text("utf-8")
    lines = text.split("\n")
    offset = 0
    for number, line in enumerate(lines):
        if number % step == 0:
            name = path.relative_to(made.root).as_posix()
            at = offset + len(line)
            for block in made.blocks(name, f"{text[:at]}$0{text[at:]}").values():
                found[block.key].add(block.text)
        offset += len(line) + 1
    return found


@pytest.mark.parametrize(
    "language",
    [
        it if it in OFTEN else pytest.param(it, marks=pytest.mark.slow(part="storms"))
        for it in LANGUAGES
        if language_of(it).grammar is not None
    ],
)
def test_at_every_line_each_block_has_the_same_text(workspace: Make, language: str) -> None:
    made = workspace()
    path = long_file(made.root, LINES, language)
    made.build_index()
    made.is_typing = False
    found = texts(made, path, 6)
    assert {key: sorted(some) for key, some in found.items() if len(some) > 1} == {}
    assert {"class", "scope"} <= {key.type for key in found}


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: f"{path.parts[-3]}-{path.name}")
def test_so_it_is_in_code_as_people_write_it(workspace: Make, path: Path) -> None:
    made = workspace()
    for other in path.parent.iterdir():
        if other.is_file():
            made.write({f"src/{other.name}": other.read_text("utf-8")})
    made.build_index()
    made.is_typing = False
    found = texts(made, made.root / "src" / path.name, 7)
    assert {key: sorted(some) for key, some in found.items() if len(some) > 1} == {}
