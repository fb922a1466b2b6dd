"""Requests: what the settings and the model at hand make of a cursor."""

from pathlib import Path

import pytest

from palimpsest import wire
from palimpsest.calibration import AS_SAID
from palimpsest.completions.requests import SMALL, WORD_SEARCH, completion, completion_ahead
from palimpsest.completions.sureness import WHATEVER
from palimpsest.config.layers import merged
from palimpsest.config.settings import ContextSettings
from palimpsest.context.editing.block import editing_at
from palimpsest.context.view import CursorView
from palimpsest.edits.line_fixes import LineFix
from palimpsest.edits.suggestions.requests import scores
from palimpsest.languages.registry import language_of
from palimpsest.prompt.blocks import render_numbered
from palimpsest.syntax.parser import Parser
from palimpsest.syntax.scopes import scope_at
from palimpsest.text.snapshot import Position, Snapshot
from palimpsest.types import Block, BlockKey
from palimpsest.window.requests import Requests
from palimpsest.window.usage import Usage

CODE = "def total(items):\n    return sum(items)\n"


def view(code: str = CODE) -> CursorView:
    position, settings = Position(1, 11), ContextSettings()
    parsed = Parser(language_of).parse(Snapshot("file:///w/a.py", 1, "python", code))
    editing = editing_at(parsed, position, "a.py", settings.editing_tokens)
    return CursorView(parsed, scope_at(parsed, 1, 11), editing, position, "a.py", (Path("/w"),), Path("/w"), settings)


@pytest.mark.parametrize(
    ("choice", "n_params", "width"),
    [
        ("auto", SMALL, WORD_SEARCH),
        ("auto", SMALL + 1, 0),
        ("auto", None, 0),
        ("always", SMALL + 1, WORD_SEARCH),
        ("always", None, WORD_SEARCH),
        ("never", 1, 0),
    ],
)
def test_words_are_searched_for_where_it_is_wanted_and_costs_little(
    choice: str, n_params: int | None, width: int
) -> None:
    settings, problems = merged([{"completion.known_words": choice}])
    assert not problems
    requests = Requests("w", settings, lambda: n_params)
    asked = completion(requests, view(), (), False, first=False, calibration=AS_SAID, bound=WHATEVER)
    ahead = completion_ahead(requests, asked, ())
    assert completion(requests, view(), (), False, 1).word_search == ahead.word_search == width


def test_the_code_at_the_cursor_is_completed_without_its_secrets() -> None:
    key = "q7Zp3" + "vK9xT2mW8rB4nL6"
    here = view(f"def total(items, key='{key}'):\n    return sum(items)\n    login('{key}', 1)\n")
    request = completion(Requests("w", merged([])[0], lambda: 1), here, (), False, 1)
    assert request.fim is not None
    assert "def total(items, key='...'):\n    return" in request.fim.prefix
    assert "    login('...', 1)" in request.fim.suffix


@pytest.mark.parametrize("name", ["shop.cart", "README.md#a: b", "cell 1"])
def test_a_report_finds_the_block_it_is_about_as_long_as_its_text_is_the_same(name: str) -> None:
    block = Block("scope", name, "def total(items)")
    asked = Requests("w", merged([])[0]).sync([block], "background")
    reports = [wire.BlockReport(wanted.key, 7, "written") for wanted in asked.blocks]
    usage = Usage()
    usage.synced(wire.SyncAnswer(1, reports, []), [block])
    assert usage.report_of(Block("scope", name, block.text, value=3.0)) == reports[0]
    assert usage.report_of(Block("scope", name, "def total(items, tax)")) is None
    assert usage.report_of(Block("class", name, block.text)) is None
    assert [BlockKey.parse(wanted.key) for wanted in asked.blocks] == [block.key]


def test_variants_are_the_block_as_it_would_be_shown() -> None:
    """Each is what its lines and the next three would be, numbers included."""
    lines = ["def total(items):", "    a = 1", "    a = 1", "    b = '</editing>'", "", "    return a"]
    seen = view("\n".join(lines) + "\n")
    fixes = [
        LineFix(2, (), "Remove the repeated line."),
        LineFix(1, ("    a = 2",), "Two."),
        LineFix(5, ("    return b",), "B."),
    ]
    asked = scores(Requests("w", merged([])[0]), seen, (), fixes)
    assert "".join(asked.lines) == render_numbered(seen.editing)
    for fix, variant in zip(fixes, asked.variants, strict=True):
        after = [*lines[: fix.index], *fix.instead, *lines[fix.index + 1 :]]
        whole = "".join([*asked.lines[: variant.start], *variant.lines, *asked.lines[variant.end :]])
        expected = render_numbered(view("\n".join(after) + "\n").editing)
        n_seen = len(asked.lines[: variant.start]) + len(variant.lines)
        assert whole.split("\n")[:n_seen] == expected.split("\n")[:n_seen], fix
    assert asked.variants[0].end == len(asked.lines), "what follows to the end bears on it"
    assert asked.variants[1].end == 6
