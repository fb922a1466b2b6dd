"""Any server with OpenAI's protocol as an engine: vLLM, SGLang, a llama-server with RPC workers, a hosted one.

In: `wire` requests.  Out: `wire` answers, or exceptions of `errors.py`.  Starts nothing; knows no document.

* A prompt is `header blocks footer tail` as text, with blocks in a stable order (`blocks.py`), so that the server's
prefix cache finds its beginning.  A sync has it decoded ahead, unless the server is a hosted one. * A completion is
asked for in the way that the model knows (`facts.py`), in words where the server refuses that.  What is typed comes
last (`fim.py`).  There is no token healing: the prompt is sent as it is. * A conversation is sent as messages, with
the blocks before what the user says first. * Tokens are estimated for the choice of blocks, unless the server counts
them (vLLM); what a request took is what the server says, `prompt_tokens` and `cached_tokens`."""

import logging
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from palimpsest.chat_templates.spoken import spoken
from palimpsest.errors import EngineError, InvalidArgument, ModelError
from palimpsest.providers.base.endpoint import Endpoint
from palimpsest.providers.base.protocol import TextPiece
from palimpsest.providers.http.http import NotServed
from palimpsest.providers.openai.facts import OpenAIFacts, facts
from palimpsest.providers.openai.markers import Unspaced, spaced
from palimpsest.providers.openai.prompt import CHAT, COMPLETIONS, Quirks, RoutedPrompt, SentState, body, estimate, put
from palimpsest.providers.openai.tools import ComingCalls, refuses_tools
from palimpsest.providers.whole_prompt.engine import BLOCKS_SHARE, StopFilter, Tally, WholePromptEngine
from palimpsest.providers.whole_prompt.fim import answered
from palimpsest.wire import CacheMap, Choice, GenerateAnswer, GenerateRequest, ModelInfo, SyncAnswer, SyncRequest

logger = logging.getLogger(__name__)

WHY_NOT = "Another server's prefix cache reuses the longest common beginning of a prompt."


class OpenAI(WholePromptEngine[SentState]):
    """Implements `protocol.Engine`.  Made on an event loop.  `model`, `n_ctx`: the settings.  Times are as seen from
    here, to the first piece and from there on."""

    def __init__(self, endpoint: Endpoint, model: str = "", n_ctx: int = 0) -> None:
        super().__init__(endpoint)
        self._root = "" if urlsplit(endpoint.url).path else "/v1"  # an address with a path is the API's own
        self._counts = endpoint.url.removesuffix("/v1") + "/tokenize"  # vLLM's stands beside the API
        self._wanted = (model, n_ctx)
        self._facts: OpenAIFacts | None = None
        self._quirks = Quirks()
        self.estimates = False

    async def model(self) -> ModelInfo:
        known = await self._known()
        layout = {"tokens": known.family.layout if known.family else "", "suffix": "suffix", "chat": "chat"}[known.way]
        return ModelInfo(
            path=known.name,
            name=PurePosixPath(known.name).name,
            architecture="",
            n_ctx=known.n_ctx,
            n_ctx_train=known.n_ctx,
            n_params=known.n_params,
            n_vocab=0,
            fim_layout=layout,
            fim_layouts=[layout],
            in_place=False,
            backend=f"{known.maker or 'a server'} at {self._http.endpoint.url}",
            why_not=WHY_NOT,
            chat_template=known.talks,
            converses=known.talks,
            calls_tools=known.talks and self._quirks.tools,
        )

    async def sync(self, request: SyncRequest) -> SyncAnswer:
        known, workspace = await self._known(), self._workspace(request.workspace)
        answer = self._place(request, workspace, known)
        base = "".join(workspace.blocks.parts)
        if not known.maker or base in ("", workspace.ahead):
            return answer  # a hosted server is paid for what may never be used
        return await self._decode_ahead(request.workspace, base, answer, self._decode(known, spaced(base)))

    async def count(self, texts: Sequence[str]) -> list[int]:
        known = await self._known()
        if known.maker == "vLLM" and self._quirks.counts:
            try:
                asked_for = [
                    {"model": known.name, "prompt": spaced(text), "add_special_tokens": False} for text in texts
                ]
                answers = [await self._http.post(self._counts, data, short=True) for data in asked_for]
                self.estimates = False
                return [int(answer["count"]) for answer in answers]
            except (EngineError, InvalidArgument, KeyError):
                self._quirks.counts = False
        self.estimates = True
        return [estimate(text) for text in texts]

    async def cache_map(self, workspace: str) -> CacheMap:
        known, total = await self._known(), self._total
        blocks = self._workspaces.get(workspace, SentState()).blocks
        return blocks.cache_map(known.n_ctx, total.decoded, total.reused)

    async def reset(self, workspace: str) -> None:
        """The server's own cache stays: it knows no workspaces."""
        await self.close_workspace(workspace)

    # Parts ----------------------------------------------------------------------------------------------------

    async def _ask(self) -> dict[str, Any]:
        try:
            return await self._http.get(f"{self._root}/models")
        except NotServed:
            if not self._wanted[0]:
                raise
            return {}  # some list none; the model is named in the settings

    async def _known(self) -> OpenAIFacts:
        if self._facts is None:
            self._facts = facts(await self._ask(), *self._wanted)
        return self._facts

    def _workspace(self, name: str) -> SentState:
        return self._workspaces.setdefault(name, SentState())

    def _place(self, request: SyncRequest, workspace: SentState, known: OpenAIFacts) -> SyncAnswer:
        texts = workspace.blocks.texts(request)
        ends = (estimate(request.header), estimate(request.footer))
        room = int(known.n_ctx * BLOCKS_SHARE)
        return workspace.blocks.place(request, texts, [estimate(text) for text in texts], ends, room)

    async def _decode(self, known: OpenAIFacts, prompt: str) -> Tally:
        tally, began = Tally(), time.monotonic()
        body = {"model": known.name, "prompt": prompt, self._quirks.max_tokens: 1, "temperature": 0}
        with suppress(NotServed, InvalidArgument):  # it was for speed alone
            _add(tally, (await self._http.post(f"{self._root}{COMPLETIONS}", body)).get("usage") or {})
        tally.prefill_ms = (time.monotonic() - began) * 1000
        return tally

    async def _run(self, request: GenerateRequest) -> AsyncGenerator[TextPiece | GenerateAnswer, None]:
        began, known, sync = time.monotonic(), await self._known(), None
        if request.slot != "background":
            self._streams.stop_ahead(request.workspace)
        workspace = self._workspace(request.workspace)
        if request.sync is not None:
            sync = self._place(request.sync, workspace, known)
        workspace.ahead = "".join(workspace.blocks.parts)
        tally, layout = Tally(), ""
        for i in range(request.n if request.max_tokens or known.maker else 0):
            async with aclosing(self._choice(request, workspace, i, tally)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, RoutedPrompt):
                        layout = piece.layout
                    else:
                        yield piece
            if not request.max_tokens:
                break
        self._sum(tally)
        prompt = tally.decoded + tally.reused
        context = min(workspace.blocks.n_tokens, prompt)
        tail = max(0, prompt // max(1, len(tally.choices)) - context)
        yield tally.answer(began, context_tokens=context, tail_tokens=tail, layout=layout, sync=sync)

    async def _choice(
        self, request: GenerateRequest, workspace: SentState, i: int, tally: Tally
    ) -> AsyncGenerator[TextPiece | RoutedPrompt, None]:
        """How it was asked, then one alternative's text; its choice and counts are added to `tally`.  What the server
        refuses is asked in another way, from then on."""
        begun = False
        while True:
            known = await self._known()
            how = put(request, workspace, known, tools=self._quirks.tools)
            constraint = known.constraint(request.grammar) if request.grammar and self._quirks.grammar else {}
            made = body(request, known, how, self._quirks, i) | constraint
            try:
                async with aclosing(self._texts(request, how, made, tally)) as texts:
                    yield how
                    async for text, is_thought in texts:
                        begun = True
                        yield TextPiece(i, text, is_thought)
                return
            except (EngineError, InvalidArgument) as error:
                if begun or not self._goes_on(error, known, how, made, constraint):
                    raise

    def _goes_on(
        self,
        error: EngineError | InvalidArgument,
        known: OpenAIFacts,
        how: RoutedPrompt,
        made: dict[str, Any],
        constraint: dict[str, Any],
    ) -> bool:
        """Whether to ask in another way, after what the server said."""
        if refuses_tools(error, made, self._http.endpoint.url):
            self._quirks.tools = False
            logger.warning("the server takes no tools, so they are told in the prompt: %s", error)
        elif isinstance(error, NotServed):
            if how.route == CHAT:
                message, url = error.message.partition(": ")[2], self._http.endpoint.url
                raise ModelError(f"The server at {url} serves neither of the two routes: {message}") from None
            self._facts = replace(known, way="chat", talks=True)
        elif isinstance(error, InvalidArgument):
            if not self._quirks.yields_to(error, made, constraint):
                if how.suffix is None:
                    return False
                self._facts = replace(known, way="chat")
        else:
            return False
        return True

    async def _texts(
        self, request: GenerateRequest, how: RoutedPrompt, body: dict[str, Any], tally: Tally
    ) -> AsyncGenerator[tuple[str, bool], None]:
        """Pieces, and whether each is of a thought."""
        thought = ""
        cut, usage, tokens = StopFilter(() if how.line is not None else request.stop), dict[str, Any](), 0
        finish, began, first = "time", time.monotonic(), None
        calls, refused, is_filtered, plain = ComingCalls(), "", False, Unspaced(how.is_spaced)
        async with aclosing(self._http.stream(f"{self._root}{how.route}", body)) as events:
            async for event in events:
                usage = event.get("usage") or usage
                for choice in event.get("choices") or ():
                    text, more = _text_of(choice), _thought_of(choice)
                    tokens += calls.feed(choice) or bool(text or more)
                    thought += more
                    if more and how.line is None:
                        yield more, True
                    final = cut.push(plain.push(text)) if request.max_tokens else ""
                    if final and how.line is None:
                        yield final, False
                    refused += _refusal_of(choice)
                    if reason := choice.get("finish_reason"):
                        is_filtered |= reason == "content_filter"
                        finish = "length" if reason == "length" else "stop" if request.stop else "end"
                now = time.monotonic()
                first = first or (now if tokens else None)
                late = request.time_ms and first and (now - first) * 1000 >= request.time_ms
                if cut.stopped or (late and not usage):
                    finish = "stop" if cut.stopped else finish
                    break
        if refused or is_filtered:
            raise self._http.filtered(refused or "a filter of its own took the answer.")
        first = first or time.monotonic()
        tally.prefill_ms += (first - began) * 1000
        tally.sample_ms += (time.monotonic() - first) * 1000
        final = cut.push(plain.push("", is_last=True)) if request.max_tokens else ""
        if (final := final + cut.finish()) and how.line is None:
            yield final, False
        text = cut.text
        if how.line is not None:  # a chat's answer is read as a whole
            whole = StopFilter(request.stop)
            whole.push(answered(spoken(text).text, how.line))
            whole.finish()
            if text := whole.text:
                yield text, False
        _add(tally, usage)
        tokens = int(usage.get("completion_tokens") or tokens) if request.max_tokens else 0
        made = calls.finish(is_spaced=how.is_spaced)
        tally.choices.append(Choice(text, finish, tokens, calls=made, thought=thought))  # type: ignore[arg-type]


def _add(tally: Tally, usage: dict[str, Any]) -> None:
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else usage.get("prompt_cache_hit_tokens")
    tally.reused += int(cached or 0)
    tally.decoded += int(usage.get("prompt_tokens") or 0) - int(cached or 0)


def _text_of(choice: dict[str, Any]) -> str:
    delta = choice.get("delta")
    content = delta.get("content") if isinstance(delta, dict) else choice.get("text")
    return _in_parts(content, "text") if isinstance(content, list) else str(content or "")


def _thought_of(choice: dict[str, Any]) -> str:
    """In the fields of vLLM, SGLang, llama-server and DeepSeek, of OpenRouter and Ollama, and among the parts of
    Mistral's."""
    delta = choice.get("delta")
    if not isinstance(delta, dict):
        return ""
    content, beside = delta.get("content"), delta.get("reasoning_content") or delta.get("reasoning")
    parts = _in_parts(content, "thinking") if isinstance(content, list) else ""
    return parts + (beside if isinstance(beside, str) else "")


def _in_parts(parts: list[Any], kind: str) -> str:
    """The text of the parts of a kind, which may have parts in turn."""
    values = [part[kind] for part in parts if isinstance(part, dict) and part.get("type") == kind and kind in part]
    return "".join(_in_parts(inner, "text") if isinstance(inner, list) else str(inner or "") for inner in values)


def _refusal_of(choice: dict[str, Any]) -> str:
    """What a model says instead of an answer."""
    delta = choice.get("delta")
    return str((delta.get("refusal") if isinstance(delta, dict) else "") or "")
