"""A person who goes through a file from function to function: no block is decoded a second time on the way."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from lsprotocol import types as lsp

from bench.gathering.long_file import long_file
from palimpsest.languages.registry import language_of
from palimpsest.syntax.parse import parse_text
from palimpsest.syntax.scopes import scopes

from .conftest import Editor, start_editor, stop_editor

LINES = 2_000
IDENTITY = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
README = (
    "# Shop\n\n## Parts\n\nAn `Item00` of a part is added by `step_0` of a `Day0`.\n\n## Days\n\n`Day3` has `step_4`.\n"
)
EDITED = "        total = item.add(amount, self.note)"


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *IDENTITY, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A long file with the modules that it uses, documents and a history."""
    root = tmp_path / "work"
    path = long_file(root, LINES)
    (root / "README.md").write_text(README, encoding="utf-8")
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "The days of the shop")
    path.write_text(path.read_text("utf-8").replace(EDITED, f"{EDITED}  # as agreed", 1), encoding="utf-8")
    return path


def functions(text: str, language: str) -> list[lsp.Position]:
    """The end of the first line of each function's body."""
    lines = text.split("\n")
    found = scopes(parse_text(text, language_of(language, "")))
    starts = [scope.body_start_line for scope in found if scope.kind == "function"]
    return [lsp.Position(line, len(lines[line].encode())) for line in starts]


async def walked(editor: Editor, uri: str, places: list[lsp.Position]) -> dict[str, dict[str, int]]:
    """The tokens that each version of a block has, at each place."""
    seen = dict[str, dict[str, int]]()
    for place in places:
        shown = await editor.settled(uri, place)
        for block in shown["blocks"]:
            seen.setdefault(f"{block['type']}:{block['name']}", {})[block["text"]] = block["tokens"]
    return seen


def decoded_again(decoded: dict[str, int], seen: dict[str, dict[str, int]]) -> dict[str, tuple[int, int]]:
    """Blocks with the tokens decoded for them and those that they have, where the first are more."""
    tokens = {key: max(versions.values()) for key, versions in seen.items()}
    return {key: (n, tokens[key]) for key, n in decoded.items() if key in tokens and n > tokens[key]}


@pytest.mark.slow(part="storms")
@pytest.mark.timeout(900)
async def test_a_walk_through_every_function_decodes_each_block_at_most_once(
    machine: dict[str, str], file: Path
) -> None:
    editor = await start_editor(file.parents[1])
    try:
        await editor.ready()
        uri = editor.open(file)
        places = functions(editor.texts[uri], "python")
        assert len(places) > 150
        seen = await walked(editor, uri, places)
        decoded = await editor.decoded()
        assert decoded_again(decoded, seen) == {}
        assert {key: len(texts) for key, texts in seen.items() if len(texts) > 1} == {}
        assert {key.partition(":")[0] for key in seen} >= {"class", "scope", "package", "documentation", "recent"}
        own = {key for key in seen if key.startswith("class:")}  # others may be in the store of this machine already
        assert own <= set(decoded), "every block that was in the cache was decoded, so it was counted"
    finally:
        await stop_editor(editor)
