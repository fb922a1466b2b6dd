"""Between the routes and the engine's thread: a request's work goes over, its pieces come back.

In: `Params` and what to do with a `Completion`.  Out: `Done`s, or `StreamPiece`s as they come.  A client that closes
its connection cancels its work.  Used on the event loop's thread alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Generator

from starlette.requests import Request

from palimpsest import wire
from palimpsest.chat_templates.rendering import Renderer
from palimpsest.engine.core.core import EngineCore
from palimpsest.engine.http.request_handling import result_of, why_cancelled
from palimpsest.engine.lifetime.lifetime import Life
from palimpsest.engine.llama_server.completions.completion import Completion
from palimpsest.engine.llama_server.completions.outcome import Done, StreamPiece
from palimpsest.engine.llama_server.requests.params import Params
from palimpsest.engine.llama_server.serving.properties import ModelProperties, properties
from palimpsest.engine.llama_server.serving.slots import Slot, Slots
from palimpsest.engine.native_engine import NativeEngine
from palimpsest.errors import Cancelled

WorkInSlot = Callable[[Completion, int], Generator[None, None, list[Done]]]
"""What is done with a completion in a slot, on the engine's thread."""


class Serving:
    """Gives the engine's thread work, and has its pieces."""

    def __init__(self, core: EngineCore, life: Life) -> None:
        self.core = core
        self.life = life
        self.slots = Slots()
        self.renderer = Renderer()
        self._properties: ModelProperties | None = None

    async def properties(self) -> ModelProperties:
        """Read once.  Raises EngineLoading, or what the load failed with."""
        self.core.model()
        if self._properties is None:
            self._properties = await asyncio.wrap_future(self.core.call(properties))
        return self._properties

    async def done(
        self,
        request: Request,
        params: Params,
        work_in_slot: WorkInSlot,
        urgency: wire.Slot,
        *,
        wants_prompt: bool = False,
    ) -> tuple[int, list[Done]]:
        """The slot, and as many completions as are asked for."""
        self.core.model()
        with self.slots.taken(params) as slot:
            work = self._work(params, work_in_slot, slot, lambda _piece: None, wants_prompt)
            name = f"http-{slot.index}"
            dones = await result_of(
                request, self.life, lambda token: self.core.run(work, token, slot=urgency, workspace=name)
            )
            self.slots.note(slot, dones)
            return slot.index, dones

    async def stream(
        self, params: Params, work_in_slot: WorkInSlot, urgency: wire.Slot, *, wants_prompt: bool = False
    ) -> AsyncIterator[StreamPiece | tuple[int, list[Done]]]:
        """Pieces as they come; last the slot and each completion's `Done`."""
        self.core.model()
        loop = asyncio.get_running_loop()
        pieces: asyncio.Queue[StreamPiece | None] = asyncio.Queue()

        def put(piece: StreamPiece | None) -> None:
            loop.call_soon_threadsafe(pieces.put_nowait, piece)

        with self.slots.taken(params) as slot, self.life.job() as token, self.life.request():
            work = self._work(params, work_in_slot, slot, put, wants_prompt)
            job = self.core.run(work, token, slot=urgency, workspace=f"http-{slot.index}")
            job.add_done_callback(lambda _job: put(None))
            while (piece := await pieces.get()) is not None:
                yield piece
            try:
                dones = job.result()
            except Cancelled:
                raise why_cancelled(self.life) from None
            self.slots.note(slot, dones)
            yield slot.index, dones

    @staticmethod
    def _work(
        params: Params, work_in_slot: WorkInSlot, slot: Slot, emit: Callable[[StreamPiece], None], wants_prompt: bool
    ) -> Callable[[NativeEngine], Generator[None, None, list[Done]]]:
        return lambda engine: work_in_slot(Completion(engine, params, emit, wants_prompt), slot.index)
