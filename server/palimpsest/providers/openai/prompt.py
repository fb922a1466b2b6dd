"""Prompts for a server with OpenAI's protocol, as text, and the bodies of its routes.

In: a request, a workspace's blocks, what the server offers and what it was found to refuse.  Out: `RoutedPrompt`;
bodies. Asks nobody anything.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from palimpsest.chat_templates.frames import unframed
from palimpsest.errors import ContextTooLarge, InvalidArgument
from palimpsest.providers.http.streaming import OTHERS_TEMPERATURE
from palimpsest.providers.openai.facts import OpenAIFacts
from palimpsest.providers.openai.markers import spaced
from palimpsest.providers.openai.tools import chat_message, n_chars
from palimpsest.providers.whole_prompt.blocks import PromptBlocks
from palimpsest.providers.whole_prompt.fim import MOST_TYPED, Anchor, asked
from palimpsest.wire import ChatTail, FimTail, GenerateRequest, Message, NativeMessage, TextTail

COMPLETIONS, CHAT = "/completions", "/chat/completions"
CHARS_PER_TOKEN = 3.2
"""Source code has about this many characters a token, rounded down, so that the estimate is rather too high."""
MOST_STOPS = 4
"""OpenAI's servers refuse more; the answer is cut at all of them here in any case."""


def estimate(text: str) -> int:
    return math.ceil(len(text) / CHARS_PER_TOKEN)


@dataclass(slots=True)
class SentState:
    """One workspace's state.  `ahead`: the beginning that was sent last."""

    blocks: PromptBlocks = field(default_factory=PromptBlocks)
    anchor: Anchor | None = None
    ahead: str | None = None


@dataclass(frozen=True, slots=True)
class RoutedPrompt:
    """`prompt` for COMPLETIONS, `messages` and `tools` for CHAT; `suffix` where the server takes it.  `line`: what is
    before the cursor where the answer is a chat's; `is_spaced`: something in it was a control token's spelling
    (`markers.py`)."""

    route: str
    layout: str
    prompt: str = ""
    messages: tuple[Message | NativeMessage, ...] = ()
    tools: Sequence[dict[str, Any]] = ()
    suffix: str | None = None
    line: str | None = None
    is_spaced: bool = False


@dataclass(slots=True)
class Quirks:
    """What this server has refused so far."""

    grammar: bool = True
    max_tokens: str = "max_tokens"
    sampling: bool = True
    counts: bool = True
    tools: bool = True

    def yields_to(self, error: InvalidArgument, body: dict[str, Any], constraint: dict[str, Any]) -> bool:
        """Whether to try again after this refusal, with something left out."""
        if "max_completion_tokens" in error.message and self.max_tokens in body:
            self.max_tokens = "max_completion_tokens"
        elif self.sampling and any(name in error.message for name in ("temperature", "top_p", "seed")):
            self.sampling = False
        elif self.grammar and constraint:
            self.grammar = False
        else:
            return False
        return True


def put(request: GenerateRequest, workspace: SentState, known: OpenAIFacts, *, tools: bool = True) -> RoutedPrompt:
    """A request as a prompt for one of the routes; `tools`: whether the server takes them.  Nothing in it is a control
    token but the family's own.  Raises InvalidArgument, ContextTooLarge."""
    neutral = _Neutral()
    return replace(_put(request, workspace, known, neutral, tools=tools), is_spaced=neutral.found)


class _Neutral:
    """Whether what it was given had a control token's spelling."""

    found = False

    def __call__(self, text: str) -> str:
        made = spaced(text)
        self.found |= made != text
        return made

    def message(self, message: Message | NativeMessage) -> Message | NativeMessage:
        if isinstance(message, Message):
            return replace(message, content=self(message.content))
        calls = [replace(call, arguments=self(call.arguments)) for call in message.calls]
        return replace(message, content=self(message.content), calls=calls)


def _put(
    request: GenerateRequest, workspace: SentState, known: OpenAIFacts, neutral: _Neutral, *, tools: bool
) -> RoutedPrompt:
    base = neutral("".join(workspace.blocks.parts))
    tail = request.prompt
    room = known.n_ctx - workspace.blocks.n_tokens - request.max_tokens
    native = tail.native if isinstance(tail, ChatTail) and tools and known.talks else None
    if native is not None and _tokens(n_chars(native)) <= room:  # else in words, which are shorter
        return RoutedPrompt(
            CHAT, "chat", messages=_behind(base, map(neutral.message, native.messages)), tools=native.tools
        )
    if not isinstance(tail, FimTail):
        messages = [Message("user", tail.text)] if isinstance(tail, TextTail) else tail.messages
        _check(sum(len(message.content) for message in messages), room)
        if known.way == "chat" or (isinstance(tail, ChatTail) and known.talks):
            return RoutedPrompt(CHAT, "chat", messages=_behind(base, map(neutral.message, messages)))
        text = tail.text if isinstance(tail, TextTail) else unframed(messages)
        return RoutedPrompt(COMPLETIONS, "text", base + neutral(text))
    fim = tail
    prefix, suffix = cut_to(fim.prefix, fim.suffix, int(room * CHARS_PER_TOKEN))
    if known.way == "chat":
        question = Message("user", asked(neutral(prefix), neutral(suffix)))
        return RoutedPrompt(CHAT, "chat", messages=_behind(base, [question]), line=prefix)
    if known.way == "suffix" or known.family is None:
        return RoutedPrompt(COMPLETIONS, "suffix", base + neutral(prefix), suffix=neutral(suffix))
    family = known.family
    layout = family.layout if fim.layout == "auto" else "spm" if fim.layout == "spm" else "psm"
    typed = workspace.anchor.typed(prefix, suffix, MOST_TYPED) if workspace.anchor else None
    if typed is None or not family.types_behind(layout):
        workspace.anchor, typed = Anchor(prefix, suffix), ""
    begun = prefix[: len(prefix) - len(typed)]
    return RoutedPrompt(
        COMPLETIONS, layout, base + family.render(neutral(begun), neutral(suffix), neutral(typed), layout)
    )


def _tokens(chars: int) -> int:
    return math.ceil(chars / CHARS_PER_TOKEN)


def _check(chars: int, room: int) -> None:
    n = _tokens(chars)
    if n > room:
        raise ContextTooLarge(f"A text of some {n} tokens does not fit behind the blocks.", fitting=max(0, room))


def _behind(base: str, given: Iterable[Message | NativeMessage]) -> tuple[Message | NativeMessage, ...]:
    """The blocks come before what the user says first: nothing is sent outside of messages."""
    messages = list(given)
    first = next((i for i, message in enumerate(messages) if message.role == "user"), 0)
    return tuple(
        replace(message, content=base + message.content) if i == first else message
        for i, message in enumerate(messages)
    )


def cut_to(prefix: str, suffix: str, room: int) -> tuple[str, str]:
    """Both cut to `room` characters together: the suffix's end to a quarter, the prefix's front."""
    if len(prefix) + len(suffix) > room:
        suffix = suffix[: max(0, room) // 4]
        prefix = prefix[max(0, len(prefix) - max(0, room - len(suffix))) :]
    return prefix, suffix


def body(request: GenerateRequest, known: OpenAIFacts, how: RoutedPrompt, quirks: Quirks, i: int) -> dict[str, Any]:
    """The route's body for alternative `i`."""
    sampling = request.sampling
    made: dict[str, Any] = {
        "model": known.name,
        quirks.max_tokens: max(1, request.max_tokens),
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if how.route == CHAT:
        made["messages"] = [chat_message(message) for message in how.messages]
        if how.tools:
            made["tools"] = list(how.tools)
    else:
        made["prompt"] = how.prompt
    if how.suffix is not None:
        made["suffix"] = how.suffix
    stops = [stop for stop in request.stop if stop][:MOST_STOPS]
    if stops and how.line is None:
        made["stop"] = stops
    if quirks.sampling:
        made["temperature"] = sampling.temperature if i == 0 else max(OTHERS_TEMPERATURE, sampling.temperature)
        made["top_p"] = sampling.top_p
        if sampling.seed is not None:
            made["seed"] = sampling.seed + i
    if known.maker == "llama.cpp":
        made["return_progress"] = True  # it notices that its client has gone only when it writes
    if known.maker:
        made |= {"top_k": sampling.top_k, "min_p": sampling.min_p, "repetition_penalty": sampling.repeat_penalty}
    return made
