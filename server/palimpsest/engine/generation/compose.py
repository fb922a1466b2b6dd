"""A request's prompt as tokens, laid out as the model knows it and cut to the room there is.

In: the request, the model's facts, a tokenizer.  Out: a `TailPrompt`.  Touches no cache.

    spm        footer │ <suffix> suffix (alone) │ <prefix> prefix → answer   (other orders: `models/families.py`)
    isolated   footer │ <prefix> prefix │ slack │ <suffix> suffix (alone) │ <middle> → answer
    psm        footer │ <prefix> prefix │ <suffix> suffix <middle> → answer
    text       footer │ text → answer
"""

from collections.abc import Sequence
from typing import Literal

from palimpsest.chat_templates.frames import opened_in, unframed
from palimpsest.chat_templates.template import ChatTemplate
from palimpsest.engine.cache.tail_prompt import SLACK, STRIDE, Layout, TailPrompt
from palimpsest.engine.cache.tokenizer import Tokenizer
from palimpsest.engine.generation.healing import held_back
from palimpsest.engine.llama.native import LONGEST_TEXT
from palimpsest.engine.llama.vocab import Vocabulary
from palimpsest.engine.model.facts import FimTokens, ModelFacts
from palimpsest.errors import ContextTooLarge, InvalidArgument, ModelError
from palimpsest.models.families import fitted
from palimpsest.wire import ChatTail, FimTail, GenerateRequest, Message, TextTail

USUAL_ANSWER = 256
"""Room for an answer that a FIM tail leaves however short the answer may be: a tail that was warmed (`max_tokens` 0)
is cut as the request after it will cut it."""
LEAST_ANSWER = 64
"""A text that leaves less room than the answer may take gets a shorter answer, but no shorter one than this."""


class Composer:
    """Where the cache is not edited in place, nothing of a tail stands alone."""

    def __init__(self, facts: ModelFacts, vocab: Vocabulary, tokenizer: Tokenizer, *, in_place: bool) -> None:
        self.facts = facts
        self.chat_template = ChatTemplate(facts.chat) if facts.chat is not None else None
        self._vocab = vocab
        self._in_place = in_place
        self._tokenizer = tokenizer

    def _tokenize(self, text: str) -> list[int]:
        """With nothing added, and nothing in it taken for a special token."""
        return list(self._tokenizer.of_tail(text))

    def compose(self, request: GenerateRequest, room: int) -> TailPrompt:
        """`room`: positions for the tail, answer included.  Behind a text, the answer is what there is room left for.

        Raises InvalidArgument for a request that is not one, ModelError where the model cannot do it,
        ContextTooLarge for a text that does not fit with `LEAST_ANSWER` behind it (a FIM tail is cut instead).
        """
        prompt = request.prompt
        room_left = room - (request.max_tokens if request.fim is not None else min(request.max_tokens, LEAST_ANSWER))
        if room_left < 16:
            raise ContextTooLarge(
                f"An answer of {request.max_tokens} tokens leaves no room for what it answers.",
                fitting=max(0, room - 16),
                hint="Ask for fewer tokens, or set a larger `engine.n_ctx`.",
            )
        if request.fim is not None:
            room_left = min(room_left, room - min(USUAL_ANSWER, room // 4))
            composed = self._fim(request.fim, room_left, heal=request.fim.heal and not request.grammar)
            return composed.in_order if composed.alone and not self._in_place else composed
        assert not isinstance(prompt, FimTail)
        return self._text(prompt, room_left)

    def layout_of(self, fim: FimTail) -> Literal["spm", "isolated", "psm"]:
        """The layout that a FIM tail gets.  Raises ModelError for a model that has no FIM tokens for it."""
        facts = self.facts
        if facts.fim is None:
            raise ModelError(
                f"{facts.name} has no FIM tokens, or does not use them, so it cannot complete in the middle of a text.",
                hint="Choose a code model trained to fill in the middle, such as Qwen2.5-Coder.",
            )
        wanted = facts.fim_layout if fim.layout == "auto" else fim.layout
        if wanted not in facts.fim_layouts:
            known = ", ".join(facts.fim_layouts)
            raise ModelError(f"{facts.name} has no tokens for the layout {wanted}.", hint=f"It knows {known}.")
        if wanted == "isolated":
            return "isolated" if self._in_place else "psm"
        return "spm" if wanted == "spm" else "psm"

    def _fim(self, fim: FimTail, room: int, *, heal: bool) -> TailPrompt:
        layout = self.layout_of(fim)
        tokens = self.facts.fim
        assert tokens is not None
        held = held_back(fim.prefix) if heal else ""
        piece = held.encode("utf-8", "replace")
        if not self._vocab.can_spell(piece):
            held, piece = "", b""
        before = fim.prefix[: len(fim.prefix) - len(held)]
        room -= 3 + (SLACK + STRIDE if layout == "isolated" else 0)
        prefix, suffix = fitted(self._tokenize(before[-LONGEST_TEXT:]), self._tokenize(fim.suffix[:LONGEST_TEXT]), room)
        return laid_out(layout, tokens, prefix, suffix, piece)

    def _text(self, tail: TextTail | ChatTail, room: int) -> TailPrompt:
        opened = ""
        if isinstance(tail, TextTail):
            ids = list(self._tokenizer.marked(tail.text, tail.marks)) if tail.marks else self._tokenize(tail.text)
        else:
            ids, opened = self._chat(tail.messages)
        if not ids:
            raise InvalidArgument("text" if isinstance(tail, TextTail) else "chat", "is empty.")
        if len(ids) > room:
            raise ContextTooLarge(
                f"A text of {len(ids)} tokens does not fit behind the blocks.",
                fitting=room,
                hint="Shorten it, or set a larger `engine.n_ctx`.",
            )
        return TailPrompt("text", tuple(ids), opened=opened)

    def _chat(self, messages: Sequence[Message]) -> tuple[list[int], str]:
        """And the mark of a thought that the answer goes on with."""
        if self.chat_template is None:
            return self._tokenize(unframed(messages)), ""
        start, ids, parts = self.facts.header_start, list[int](), self.chat_template.parts(messages)
        for part in parts:
            ids += self._tokenizer.special(part.text) if part.is_frame else self._tokenize(part.text)
        has_start = start and tuple(ids[: len(start)]) == start  # the header has it already
        return ids[len(start) :] if has_start else ids, opened_in(parts)

    def prepare(self, chat: ChatTail) -> None:
        """Have the chat template run for these messages, on any thread."""
        if self.chat_template is not None:
            self.chat_template.parts(chat.messages)

    def close(self) -> None:
        if self.chat_template is not None:
            self.chat_template.close()


def laid_out(
    layout: Layout, fim: FimTokens, prefix: Sequence[int], suffix: Sequence[int], piece: bytes = b""
) -> TailPrompt:
    """Prefix and suffix between the model's FIM tokens, in the order that it knows."""
    before, behind = (fim.prefix, *prefix), (fim.suffix, *suffix)
    if layout == "isolated":
        return TailPrompt(layout, before, alone=behind, after=(fim.middle,), piece=piece)
    if layout == "psm":
        return TailPrompt(layout, before, after=(*behind, fim.middle), piece=piece)
    match fim.order:
        case "suffix-prefix":
            return TailPrompt(layout, before, alone=behind, piece=piece)
        case "suffix-prefix-middle":
            return TailPrompt(layout, before, alone=behind, after=(fim.middle,), piece=piece)
        case "prefix-suffix-middle":
            return TailPrompt(layout, (fim.middle, *prefix), alone=(fim.prefix, *behind), piece=piece)
