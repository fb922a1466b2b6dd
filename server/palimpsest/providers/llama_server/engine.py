"""A stock llama-server as an engine: whole prompts, whose beginning it finds in its cache.

In: `wire` requests.  Out: `wire` answers, or exceptions of `errors.py`.  Starts nothing; knows no document.

* A prompt is `header blocks footer tail` as token ids (`/completion`).  The server tokenizes each piece once, so that
no text of a document is taken for a special token, and counts are exact. * Blocks have a stable order (`blocks.py`), a
workspace keeps its slots (`id_slot`), and `cache_prompt` and `n_cache_reuse` are set.  Edits use a second slot, where
there is one: a slot has no priorities, and a keystroke would wait for the end of the edit. * A sync has changed blocks
decoded ahead, until other work of its workspace comes. * A FIM tail ends with what is typed (`fim.py`), so that a
keystroke decodes no more than that. * Token healing: the piece at the cursor is left out of the prompt, and a grammar
makes the answer begin with it. llama-server tries a grammar on the sampled token first, so it costs little. *
Alternatives are generated one after the other in the same slot: in another one the prompt would be decoded again."""

import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from typing import Any

from palimpsest.errors import EngineError, InvalidArgument
from palimpsest.providers.base.endpoint import Endpoint
from palimpsest.providers.base.protocol import TextPiece
from palimpsest.providers.http.http import NotServed
from palimpsest.providers.llama_server.prompt import (
    FIELDS,
    ServerPrompt,
    SlotState,
    beginning,
    body,
    cache_fields,
    compose,
    stream_fields,
)
from palimpsest.providers.llama_server.tokenizer import RemoteTokenizer, ServerFacts, read
from palimpsest.providers.whole_prompt.blocks import PromptBlocks
from palimpsest.providers.whole_prompt.engine import BLOCKS_SHARE, StopFilter, Tally, WholePromptEngine
from palimpsest.wire import CacheMap, Choice, GenerateAnswer, GenerateRequest, ModelInfo, SyncAnswer, SyncRequest

FINISH = {"eos": "end", "limit": "length", "word": "stop"}


class LlamaServer(WholePromptEngine[SlotState]):
    """Implements `protocol.Engine`.  Made on an event loop."""

    def __init__(self, endpoint: Endpoint) -> None:
        super().__init__(endpoint)
        self._tokens = RemoteTokenizer(self._http)
        self._facts: ServerFacts | None = None

    async def model(self) -> ModelInfo:
        return (await self._known()).info

    async def sync(self, request: SyncRequest) -> SyncAnswer:
        workspace, answer = await self._place(request)
        base = await beginning(workspace, await self._known(), self._tokens)
        if base == workspace.ahead or not base:
            return answer
        return await self._decode_ahead(request.workspace, base, answer, self._decode(base, workspace.slot))

    async def count(self, texts: Sequence[str]) -> list[int]:
        return [len(ids) for ids in await self._tokens.each(texts)]

    async def cache_map(self, workspace: str) -> CacheMap:
        facts, known = await self._known(), self._workspaces.get(workspace)
        blocks = known.blocks if known else PromptBlocks()
        return blocks.cache_map(facts.n_ctx, self._total.decoded, self._total.reused)

    async def reset(self, workspace: str) -> None:
        self._streams.stop_ahead(workspace)
        known = self._workspaces.pop(workspace, None)
        if known is not None:
            with suppress(NotServed):  # without --slot-save-path a slot cannot be erased; the next prompt replaces it
                for slot in {known.slot, known.answer_slot}:
                    await self._http.post(f"/slots/{slot}?action=erase", {}, short=True)

    # Parts ----------------------------------------------------------------------------------------------------

    async def _ask(self) -> object:
        return await self._http.get("/health")

    async def _known(self) -> ServerFacts:
        if self._facts is None:
            self._facts = await read(self._http, self._tokens)
        return self._facts

    async def _workspace(self, name: str) -> SlotState:
        if name not in self._workspaces:
            slots = await self._free_slots(name)
            self._workspaces.setdefault(name, SlotState(*slots))
        return self._workspaces[name]

    async def _free_slots(self, name: str) -> tuple[int, int]:
        """Two slots, or the only one twice: idle ones that no workspace of ours has, as far as the server shows
        them."""
        n = (await self._known()).n_slots
        taken = {slot for known in self._workspaces.values() for slot in (known.slot, known.answer_slot)}
        with suppress(EngineError, InvalidArgument):  # without `--slots` it shows none
            listed = await self._http.get_list("/slots")
            taken |= {int(slot["id"]) for slot in listed if slot.get("is_processing")}
        free = [slot for slot in range(n) if slot not in taken] or list(range(n))
        first = free[sum(name.encode()) % len(free)]
        return first, next((slot for slot in [*free, *range(n)] if slot != first), first)

    async def _place(self, request: SyncRequest) -> tuple[SlotState, SyncAnswer]:
        facts, workspace = await self._known(), await self._workspace(request.workspace)
        texts = workspace.blocks.texts(request)
        header, footer, *blocks = await self._tokens.each([request.header, request.footer, *texts])
        ends = (len(facts.bos) + len(header), len(footer))
        room = int(facts.n_ctx * BLOCKS_SHARE)
        answer = workspace.blocks.place(request, texts, [len(ids) for ids in blocks], ends, room)
        return workspace, answer

    async def _decode(self, prompt: tuple[int, ...], slot: int) -> Tally:
        """Decode `prompt` into a slot's cache."""
        asked = {"prompt": prompt, "n_predict": 0, "response_fields": FIELDS, **cache_fields(slot), **stream_fields()}
        timings: dict[str, Any] = {}
        async with aclosing(self._http.stream("/completion", asked)) as events:
            async for event in events:
                timings = event.get("timings") or timings
        tally = Tally()
        _add(tally, timings)
        return tally

    async def _run(self, request: GenerateRequest) -> AsyncGenerator[TextPiece | GenerateAnswer, None]:
        began = time.monotonic()
        if request.slot != "background":
            self._streams.stop_ahead(request.workspace)
        sync = None
        if request.sync is not None:
            workspace, sync = await self._place(request.sync)
        else:
            workspace = await self._workspace(request.workspace)
        prompt = await compose(request, workspace, await self._known(), self._tokens)
        if request.slot in ("typing", "background"):
            slot, workspace.ahead = workspace.slot, prompt.base
        else:
            slot = workspace.answer_slot
        synced = time.monotonic()
        tally = Tally()
        for i in range(request.n if request.max_tokens else 1):
            async with aclosing(self._choice(request, prompt, slot, i, tally)) as pieces:
                async for text in pieces:
                    yield TextPiece(i, text)
        self._sum(tally)
        yield tally.answer(
            began,
            context_tokens=len(prompt.base),
            tail_tokens=len(prompt.tail),
            layout=prompt.layout,
            healed=prompt.held,
            sync=sync,
            ms={"sync": (synced - began) * 1000},
        )

    async def _choice(
        self, request: GenerateRequest, prompt: ServerPrompt, slot: int, i: int, tally: Tally
    ) -> AsyncGenerator[str, None]:
        """One alternative's text as it comes; its choice and counts are added to `tally`."""
        cut, last, end = StopFilter(request.stop, prompt.held), dict[str, Any](), None
        finish, tokens = "time", 0
        if prompt.opened and request.max_tokens:
            yield prompt.opened
        async with aclosing(self._http.stream("/completion", body(request, prompt, slot, i))) as events:
            async for event in events:
                last, tokens = event.get("timings") or last, int(event.get("tokens_predicted") or tokens)
                if text := cut.push(str(event.get("content") or "")) if request.max_tokens else "":
                    yield text
                if event.get("stop"):
                    finish = FINISH.get(str(event.get("stop_type")), "length")
                    break
                if cut.stopped:
                    finish = "stop"
                    break
                now = time.monotonic()
                if tokens and end is None:
                    end = now + request.time_ms / 1000
                if request.time_ms and end is not None and now >= end:
                    break
        if text := cut.finish():
            yield text
        _add(tally, last)
        tokens = tokens if request.max_tokens else 0
        tally.choices.append(Choice(prompt.opened + cut.text, finish, tokens))  # type: ignore[arg-type]


def _add(tally: Tally, timings: dict[str, Any]) -> None:
    tally.decoded += int(timings.get("prompt_n") or 0)
    tally.reused += int(timings.get("cache_n") or 0)
    tally.prefill_ms += float(timings.get("prompt_ms") or 0.0)
    tally.sample_ms += float(timings.get("predicted_ms") or 0.0)
