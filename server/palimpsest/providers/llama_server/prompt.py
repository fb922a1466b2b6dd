"""Prompts for a stock llama-server, as token ids, and the bodies of `/completion`.

In: a request, a workspace's blocks, the server's tokenizer and facts.  Out: a `ServerPrompt`; a body.  Asks the server
for nothing but tokens and chat templates.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from palimpsest.chat_templates.frames import opened_in, unframed
from palimpsest.errors import ContextTooLarge, InvalidArgument, ModelError
from palimpsest.models.families import fitted
from palimpsest.providers.http.streaming import OTHERS_TEMPERATURE
from palimpsest.providers.llama_server.tokenizer import RemoteTokenizer, ServerFacts
from palimpsest.providers.whole_prompt.blocks import PromptBlocks
from palimpsest.providers.whole_prompt.fim import MOST_TYPED, SETTLED, Anchor, held_back
from palimpsest.wire import FimTail, GenerateRequest, Message, TextTail

CACHE_REUSE = 256
"""The shortest run of tokens that llama-server moves within its cache; what llama.cpp's own clients set."""
LEAST_ROOM = 32
FIELDS = ("content", "stop", "stop_type", "tokens_predicted", "timings")


@dataclass(slots=True)
class SlotState:
    """One workspace's state.  `slot` is for typing, `answer_slot` for longer answers.  `ahead`: the beginning that was
    last decoded in `slot`, or is being decoded."""

    slot: int
    answer_slot: int
    blocks: PromptBlocks = field(default_factory=PromptBlocks)
    anchor: Anchor | None = None
    ahead: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class ServerPrompt:
    base: tuple[int, ...]
    tail: tuple[int, ...]
    layout: str
    held: str = ""
    opened: str = ""


async def beginning(workspace: SlotState, facts: ServerFacts, tokens: RemoteTokenizer) -> tuple[int, ...]:
    """Header, blocks and footer."""
    base = list(facts.bos)
    for part in await tokens.each(workspace.blocks.parts):
        base += part
    return tuple(base)


async def compose(
    request: GenerateRequest, workspace: SlotState, facts: ServerFacts, tokens: RemoteTokenizer
) -> ServerPrompt:
    """Raises InvalidArgument, ModelError, ContextTooLarge."""
    base = await beginning(workspace, facts, tokens)
    room = facts.n_ctx - len(base) - request.max_tokens - LEAST_ROOM
    if room < LEAST_ROOM:
        raise ContextTooLarge(
            f"The blocks and an answer of {request.max_tokens} tokens fill the server's context of {facts.n_ctx}.",
            fitting=max(0, facts.n_ctx - request.max_tokens - 2 * LEAST_ROOM),
            hint="Start it with a larger --ctx-size, or with fewer slots.",
        )
    tail = request.prompt
    if isinstance(tail, FimTail):
        return await _fim(request, tail, workspace, facts, tokens, base, room)
    opened = ""
    if isinstance(tail, TextTail):
        ids = await tokens.ids(tail.text)
    else:
        ids, opened = await _chat(tail.messages, facts, tokens)
    if not ids:
        raise InvalidArgument("text" if isinstance(tail, TextTail) else "chat", "is empty.")
    if len(ids) > room:
        raise ContextTooLarge(f"A text of {len(ids)} tokens does not fit behind the blocks.", fitting=room)
    return ServerPrompt(base, ids, "text", opened="" if request.grammar else opened)


async def _chat(
    messages: Sequence[Message], facts: ServerFacts, tokens: RemoteTokenizer
) -> tuple[tuple[int, ...], str]:
    """And the mark of a thought that the answer goes on with."""
    if facts.chat is None:
        return await tokens.ids(unframed(messages)), ""
    ids, parts = tuple[int, ...](), await facts.chat.parts(messages)
    for part in parts:
        ids += await tokens.ids(part.text, special=part.is_frame)
    ids = ids[len(facts.bos) :] if ids[: len(facts.bos)] == facts.bos else ids
    return ids, opened_in(parts)


async def _fim(
    request: GenerateRequest,
    fim: FimTail,
    workspace: SlotState,
    facts: ServerFacts,
    tokens: RemoteTokenizer,
    base: tuple[int, ...],
    room: int,
) -> ServerPrompt:
    if facts.fim is None:
        raise ModelError(
            f"{facts.info.name} has no FIM tokens, so it cannot complete in the middle of a text.",
            hint="Serve a code model trained to fill in the middle, such as Qwen2.5-Coder.",
        )
    marks = facts.fim
    layout = marks.family.layout if fim.layout == "auto" else "spm" if fim.layout == "spm" else "psm"
    held = held_back(fim.prefix) if fim.heal and not request.grammar else ""
    before_piece = fim.prefix[: len(fim.prefix) - len(held)]
    typed = ""
    if marks.family.types_behind(layout):
        most = SETTLED if request.slot == "background" else MOST_TYPED
        since = workspace.anchor.typed(before_piece, fim.suffix, most) if workspace.anchor else None
        if since is None:
            workspace.anchor = Anchor(before_piece, fim.suffix)
        else:
            typed, before_piece = since, before_piece[: len(before_piece) - len(since)]
    before, after, middle = await tokens.each([before_piece, fim.suffix, typed])
    prefix, suffix = fitted(list(before), list(after), room - len(middle) - 3)
    return ServerPrompt(base, marks.laid_out(layout, prefix, suffix, list(middle)), layout, held)


def cache_fields(slot: int) -> dict[str, Any]:
    return {"id_slot": slot, "cache_prompt": True, "n_cache_reuse": CACHE_REUSE}


def stream_fields() -> dict[str, Any]:
    """Stream the answer, and progress after each batch of the prompt: llama-server notices that its client has gone
    only when it writes, and would decode a long prompt to its end."""
    return {"stream": True, "return_progress": True}


def body(request: GenerateRequest, prompt: ServerPrompt, slot: int, i: int) -> dict[str, Any]:
    """The body of `/completion` for alternative `i`."""
    sampling = request.sampling
    temperature = sampling.temperature if i == 0 else max(OTHERS_TEMPERATURE, sampling.temperature)
    asked: dict[str, Any] = {
        "prompt": [*prompt.base, *prompt.tail],
        "n_predict": request.max_tokens,
        "stop": [stop for stop in request.stop if stop],
        "temperature": temperature,
        "top_k": sampling.top_k,
        "top_p": sampling.top_p,
        "min_p": sampling.min_p,
        "repeat_penalty": sampling.repeat_penalty,
        "repeat_last_n": sampling.repeat_last_n,
        "timings_per_token": True,
        "response_fields": FIELDS,
        **cache_fields(slot),
        **stream_fields(),
    }
    if sampling.seed is not None:
        asked["seed"] = sampling.seed + i
    if request.grammar:
        asked["grammar"] = request.grammar
    elif prompt.held and request.max_tokens:
        asked["grammar"] = f"root ::= {_literal(prompt.held)} [^\\x00]*"
    return asked


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
    return f'"{escaped}"'
