"""What the server can ask of any engine.

In and out: `wire` data.  Knows no document, no token and no editor.
"""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from palimpsest import wire


@dataclass(frozen=True, slots=True)
class TextPiece:
    """More text of alternative `choice`; it is final.  `is_thought`: of what the model thinks, which comes beside the
    text."""

    choice: int
    text: str
    is_thought: bool = False


class Engine(Protocol):
    """Every method may raise an EngineError: EngineUnavailable where nobody listens, EngineDied where the engine went
    away during the request, EngineLoading, ModelError, ContextTooLarge, DecodeError, Cancelled; and InvalidArgument.
    Cancelling the task that waits for an answer cancels the work."""

    async def health(self) -> wire.Health: ...

    async def model(self) -> wire.ModelInfo: ...

    async def sync(self, request: wire.SyncRequest) -> wire.SyncAnswer: ...

    async def generate(self, request: wire.GenerateRequest) -> wire.GenerateAnswer: ...

    def generate_stream(self, request: wire.GenerateRequest) -> AsyncGenerator[TextPiece | wire.GenerateAnswer, None]:
        """Pieces as they come, then the answer.  Leaving the loop early (`aclose`) cancels the work."""
        ...

    async def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text."""
        ...

    async def cache_map(self, workspace: str) -> wire.CacheMap: ...

    async def reset(self, workspace: str) -> None:
        """Forget all of the workspace's cache."""
        ...

    async def close_workspace(self, workspace: str) -> None:
        """Free the workspace; its KV may be kept in the store."""
        ...

    async def aclose(self) -> None:
        """Close the connections; the engine itself goes on for others."""
        ...


async def streamed(
    engine: Engine, request: wire.GenerateRequest, on_text: Callable[[str, str], None]
) -> wire.GenerateAnswer:
    """The answer; `on_text` gets the first alternative's text and thought so far, each time there is more of them."""
    text = thought = ""
    async with aclosing(engine.generate_stream(request)) as items:
        async for item in items:
            if isinstance(item, wire.GenerateAnswer):
                return item
            if item.choice == 0:
                text += "" if item.is_thought else item.text
                thought += item.text if item.is_thought else ""
                on_text(text, thought)
    raise AssertionError("a stream ends with the answer")


@runtime_checkable
class Together(Protocol):
    """An engine that copies a conversation's cache and answers several requests side by side: ours alone.  Both may
    raise an EngineError, as every `Engine` does."""

    async def fork(self, request: wire.ForkRequest) -> wire.ForkAnswer:
        """Raises UnknownTail where nothing is kept under the tail's name."""
        ...

    async def generate_batch(self, request: wire.BatchRequest) -> wire.BatchAnswer: ...


@runtime_checkable
class HasNextEditModel(Protocol):
    """An engine that may have been started with a second model, for next edits: ours alone."""

    def for_next_edits(self) -> Engine:
        """That model, which may still be loading, or be missing; it is closed with this engine."""
        ...


@runtime_checkable
class Estimating(Protocol):
    """An engine that may have no tokenizer to ask."""

    @property
    def estimates(self) -> bool:
        """Whether what was counted last was estimated from characters."""
        ...


@runtime_checkable
class Scores(Protocol):
    """An engine that says how likely a text is, whoever wrote it: ours alone.  May raise an EngineError, as every
    `Engine` does."""

    async def score(self, request: wire.ScoreRequest) -> wire.ScoreAnswer: ...
