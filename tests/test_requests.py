"""Requests: what the settings and the model at hand make of a cursor."""

from pathlib import Path

import pytest

from palimpsest.assist.requests import SMALL, WORD_SEARCH, Requests
from palimpsest.config.layers import merged
from palimpsest.config.settings import ContextSettings
from palimpsest.context.editing import editing_at
from palimpsest.context.view import CursorView
from palimpsest.syntax.parse import Parser
from palimpsest.syntax.scopes import scope_at
from palimpsest.text.snapshot import Position, Snapshot

CODE = "def total(items):\n    return sum(items)\n"


def view() -> CursorView:
    position, settings = Position(1, 11), ContextSettings()
    parsed = Parser().parse(Snapshot("file:///w/a.py", 1, "python", CODE))
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
    ahead = requests.completion_ahead(view(), (), False)
    assert requests.completion(view(), (), False, 1).word_search == ahead.word_search == width
