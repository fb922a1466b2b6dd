"""Between the routes and the engine's thread: a request's work goes over, its pieces come back.

In: `Params` and what to do with a `Completion`.  Out: `Done`s, or `StreamPiece`s as they come.  A client that closes
its connection cancels its work.  Used on the event loop's thread alone.
"""

import asyncio
import ctypes
from collections.abc import AsyncIterator, Callable, Generator
from concurrent.futures import Future
from contextlib import aclosing
from dataclasses import dataclass
from threading import Event
from typing import Any

from starlette.requests import Request

from palimpsest import wire
from palimpsest.chat_templates.program import CHATML
from palimpsest.chat_templates.rendering import Renderer
from palimpsest.engine.core.core import EngineCore
from palimpsest.engine.http.request_handling import result_of, streamed
from palimpsest.engine.lifetime.lifetime import Life
from palimpsest.engine.llama.library import library
from palimpsest.engine.llama_server.completions.completion import Completion
from palimpsest.engine.llama_server.completions.outcome import Done, StreamPiece
from palimpsest.engine.llama_server.requests.params import Params
from palimpsest.engine.llama_server.serving.slots import Slot, Slots
from palimpsest.engine.model.facts import chat_template
from palimpsest.engine.native_engine import NativeEngine

WorkInSlot = Callable[[Completion, int], Generator[None, None, list[Done]]]
"""What is done with a completion in a slot, on the engine's thread."""


@dataclass(frozen=True, slots=True)
class ModelProperties:
    """`name`: the model's in answers; `template`: the chat template, which is ChatML where the file has none; `meta`:
    as `/v1/models` has it, `size` in bytes, `ftype` the quantization in llama.cpp's words."""

    name: str
    path: str
    n_ctx: int
    template: str
    bos: str
    eos: str
    meta: dict[str, Any]


def properties(engine: NativeEngine) -> ModelProperties:
    api, model = library().api, engine.model
    buffer = ctypes.create_string_buffer(256)
    api.llama_model_desc(model.handle, buffer, len(buffer))
    template = chat_template(model)

    return ModelProperties(
        name=model.path.name,
        path=str(model.path),
        n_ctx=engine.sizes.n_prompt,
        template=template.text or CHATML,
        bos=template.bos,
        eos=template.eos,
        meta={
            "vocab_type": int(api.llama_vocab_type(model.vocab)),
            "n_vocab": model.n_vocab,
            "n_ctx": engine.sizes.n_prompt,
            "n_ctx_train": engine.facts.n_ctx_train,
            "n_embd": int(api.llama_model_n_embd(model.handle)),
            "n_params": engine.facts.n_params,
            "size": int(api.llama_model_size(model.handle)),
            "ftype": buffer.value.decode("utf-8", "replace").split(" ", 2)[2],  # after architecture and size: "all F32"
        },
    )


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
        with self.slots.taken(params) as slot:

            def submit(token: Event, put: Callable[[StreamPiece], None]) -> Future[list[Done]]:
                work = self._work(params, work_in_slot, slot, put, wants_prompt)
                return self.core.run(work, token, slot=urgency, workspace=f"http-{slot.index}")

            async with aclosing(streamed(self.life, submit)) as items:
                async for piece, dones in items:
                    if piece is not None:
                        yield piece
                    elif dones is not None:
                        self.slots.note(slot, dones)
                        yield slot.index, dones

    @staticmethod
    def _work(
        params: Params, work_in_slot: WorkInSlot, slot: Slot, emit: Callable[[StreamPiece], None], wants_prompt: bool
    ) -> Callable[[NativeEngine], Generator[None, None, list[Done]]]:
        return lambda engine: work_in_slot(Completion(engine, params, emit, wants_prompt), slot.index)
