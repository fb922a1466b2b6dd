"""What the engines have in common that are given whole prompts, by servers of other makes.

In: `wire` requests.  Out: `wire` answers, or exceptions of `errors.py`.  Starts nothing; knows no document.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, TypeVar

from palimpsest.errors import EngineLoading
from palimpsest.providers.base.endpoint import Endpoint
from palimpsest.providers.base.protocol import TextPiece
from palimpsest.providers.http.http import Http
from palimpsest.providers.http.streaming import Pieces, Streams
from palimpsest.stop_strings import StoppedText
from palimpsest.wire import Choice, GenerateAnswer, GenerateRequest, Health, SyncAnswer

BLOCKS_SHARE = 0.75
"""The share of the context that blocks may take."""


@dataclass(slots=True)
class Tally:
    """Counts of one request over its alternatives."""

    decoded: int = 0
    reused: int = 0
    prefill_ms: float = 0.0
    sample_ms: float = 0.0
    choices: list[Choice] = field(default_factory=list)

    def answer(self, began: float, **more: Any) -> GenerateAnswer:
        """`began`: when the request came; `more`: the other fields, of `ms` those that are known besides."""
        total = (time.monotonic() - began) * 1000
        ms = {**more.pop("ms", {}), "prefill": self.prefill_ms, "sample": self.sample_ms, "total": total}
        generated = sum(choice.tokens for choice in self.choices)
        return GenerateAnswer(
            choices=self.choices, decoded=self.decoded, reused=self.reused, generated=generated, ms=ms, **more
        )


class SentPrompt(Protocol):
    """The state of a workspace.  `ahead`: the beginning that was sent last, text or tokens."""

    ahead: Any


State = TypeVar("State", bound=SentPrompt)


class WholePromptEngine(ABC, Generic[State]):
    """Does a part of what `protocol.Engine` says.  Made on an event loop."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._http = Http(endpoint)
        self._workspaces: dict[str, State] = {}
        self._streams = Streams()
        self._total = Tally()

    @abstractmethod
    async def _ask(self) -> object:
        """What a server answers once it has loaded its model; raises EngineLoading before."""

    @abstractmethod
    def _run(self, request: GenerateRequest) -> AsyncGenerator[TextPiece | GenerateAnswer, None]: ...

    async def health(self) -> Health:
        try:
            await self._ask()
        except EngineLoading:
            return Health("loading", "", 0)
        return Health("ready", "", 0)

    async def generate(self, request: GenerateRequest) -> GenerateAnswer:
        return await self._streams.answer(request, self._run(request))

    def generate_stream(self, request: GenerateRequest) -> Pieces:
        return self._streams.pieces(request, self._run(request))

    async def close_workspace(self, workspace: str) -> None:
        self._streams.stop_ahead(workspace)
        self._workspaces.pop(workspace, None)

    async def aclose(self) -> None:
        await self._streams.aclose()
        await self._http.aclose()

    async def _decode_ahead(
        self, name: str, base: object, answer: SyncAnswer, work: Coroutine[Any, Any, Tally]
    ) -> SyncAnswer:
        """`work` decodes `base`, the beginning of the prompts of the workspace called `name`."""
        began, workspace = time.monotonic(), self._workspaces[name]
        workspace.ahead = base
        try:
            tally = await self._streams.ahead(name, work)
        except BaseException:  # cancelled, too: nobody knows what was decoded
            workspace.ahead = None
            raise
        self._sum(tally)
        ms = {"decode": tally.prefill_ms, "total": (time.monotonic() - began) * 1000}
        return replace(answer, decoded=tally.decoded, reused=tally.reused, ms=ms)

    def _sum(self, tally: Tally) -> None:
        self._total.decoded += tally.decoded
        self._total.reused += tally.reused


class StopFilter(StoppedText):
    """An answer's text as a server streams it: cut at a stop string, and without the piece that healing held back.

    `held`: what the answer must begin with and what is no part of the text.  An answer that begins otherwise, from a
    server that ignored it, has no text at all, and `stopped` is set."""

    def __init__(self, stops: Sequence[str], held: str = "") -> None:
        super().__init__(stops)
        self._held = held

    def push(self, piece: str) -> str:
        """Add a piece; the text that is final now."""
        n = min(len(self._held), len(piece))
        if piece[:n] != self._held[:n]:
            self.stopped = True
        self._held = self._held[n:]
        return self.add(piece[n:])
