"""Engines that copy a conversation's cache and answer several requests side by side: ours alone.

In and out: `wire` data.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from palimpsest.wire import BatchAnswer, BatchRequest, ForkAnswer, ForkRequest


@runtime_checkable
class Together(Protocol):
    """Both may raise an EngineError, as every `Engine` does."""

    async def fork(self, request: ForkRequest) -> ForkAnswer:
        """Raises UnknownTail where nothing is kept under the tail's name."""
        ...

    async def generate_batch(self, request: BatchRequest) -> BatchAnswer: ...
