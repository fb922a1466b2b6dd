"""Where slips are looked for, and what happens where lines cannot be compared."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.test_requests import view

from palimpsest import wire
from palimpsest.config.layers import merged
from palimpsest.edits.shown import of_editing
from palimpsest.edits.suggestions import slip_fixes
from palimpsest.edits.suggestions.name_fixes import NameQuery
from palimpsest.edits.suggestions.proposals import SuggestionRequest
from palimpsest.errors import ContextTooLarge
from palimpsest.text.snapshot import Position
from palimpsest.window.requests import Requests

WRONG = "def total(items):\n    use(items\n    count = 1\n    count = 1\n    return count\n"
URI = "file:///w/a.py"


class Engine:
    """One that compares lines, or has no room to."""

    def __init__(self, *gains: float, in_place: bool = True) -> None:
        self.gains, self.in_place = gains, in_place
        self.asked: list[wire.ScoreRequest] = []

    async def model(self) -> Any:
        return SimpleNamespace(in_place=self.in_place)

    async def score(self, request: wire.ScoreRequest) -> wire.ScoreAnswer:
        self.asked.append(request)
        if not self.gains:
            raise ContextTooLarge("There is no room.", fitting=1)
        return wire.ScoreAnswer([*self.gains, *[-9.0] * (len(request.variants) - len(self.gains))], 1)


async def replies(engine: Any, code: str, request: SuggestionRequest) -> list[str]:
    async def score(engine: Engine, request: wire.ScoreRequest, blocks: Any) -> wire.ScoreAnswer:
        return await engine.score(request)

    services, seen = SimpleNamespace(requests=Requests("w", merged([])[0]), score=score), view(code)
    place = NameQuery(engine, seen, ())
    return await slip_fixes.replies(cast(Any, services), place, request, of_editing(seen.editing))


async def indexes(position: tuple[int, int] = (4, 4), **asked: Any) -> set[int]:
    """The lines that the engine is asked to compare with others."""
    engine = Engine()
    assert await replies(engine, WRONG, SuggestionRequest(URI, Position(*position), **asked)) == []
    return {variant.start - 1 for request in engine.asked for variant in request.variants}


async def test_the_lines_asked_about_are_looked_at() -> None:
    assert await indexes() >= {1, 3}
    assert await indexes(lines=range(3, 4)) == {3}
    assert await indexes(lines=range(4, 5)) == set()
    assert await indexes(instruction="fix the bug") >= {1, 3}
    assert await indexes(instruction="add a prefix") == set(), "a word with fix in it asks for nothing"
    assert await indexes(round=1) == set(), "who asks again wants something else"


@pytest.mark.parametrize(
    ("engine", "n_replies"),
    [(Engine(), 0), (Engine(9.0, in_place=False), 0), (Engine(4.9), 0), (Engine(5.0), 1), (object(), 0)],
)
async def test_one_reply_where_the_model_is_sure_and_none_where_it_cannot_say(engine: Any, n_replies: int) -> None:
    code = "def total(items):\n    count = 1\n    count = 1\n    return count\n"
    found = await replies(engine, code, SuggestionRequest(URI, Position(1, 4)))
    assert len(found) == n_replies
    assert all("L3-" in reply for reply in found)
