"""Engines that say how likely a text is, whoever wrote it: ours alone.

In and out: `wire` data.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from palimpsest.wire import ScoreAnswer, ScoreRequest


@runtime_checkable
class Scores(Protocol):
    """May raise an EngineError, as every `Engine` does."""

    async def score(self, request: ScoreRequest) -> ScoreAnswer: ...
