"""An infill's tail.

In: an `Infill`; the engine's tokenizer and facts.  Out: `TailPrompt` tails; the whole prompt in
llama-server's order, for caches that cannot be edited and for measurements.  Decodes nothing.

The window is llama-server's for a batch of 1,024: three quarters of it before the cursor, one quarter behind.  Where
its front has to be cut, it begins at a line that is chosen by the text itself, so that it begins there again when the
cursor has moved by a few lines."""

import hashlib

from palimpsest.engine.cache.tail_prompt import SLACK, STRIDE, TailPrompt
from palimpsest.engine.generation.compose import laid_out
from palimpsest.engine.generation.healing import held_back
from palimpsest.engine.llama_server.completions.prompt_tokens import PromptTooLong
from palimpsest.engine.llama_server.completions.workspaces import Separators
from palimpsest.engine.llama_server.requests.infill import Infill
from palimpsest.engine.native_engine import NativeEngine
from palimpsest.errors import ModelError

Tokens = tuple[int, ...]
WINDOW, LEAST_WINDOW = 1024, 64
LEEWAY = 128
"""How many tokens later than necessary a cut window may begin."""


class InfillLayout:
    """Tails for one engine's model.  Raises ModelError where it cannot fill in the middle, PromptTooLong for a cursor's
    line that leaves no room."""

    def __init__(self, engine: NativeEngine) -> None:
        self._engine = engine
        if engine.facts.fim is None:
            raise ModelError(f"Infill is not supported by this model: {engine.facts.name} has no FIM tokens.")
        self._fim = engine.facts.fim
        self.kind = engine.facts.fim_layout or "psm"

    def tail(self, infill: Infill, n_predict: int, *, heal: bool) -> TailPrompt:
        """The tail behind attached chunks."""
        sizes, kept = self._engine.sizes, n_predict + SLACK + STRIDE
        prefix, suffix, piece = self._parts(infill, sizes.fim_room - kept, sizes.tail_room - kept, heal=heal)
        return laid_out(self.kind, self._fim, prefix, suffix, piece)

    def whole(self, infill: Infill, n_predict: int, *, heal: bool, cut_as_stock: bool = False) -> TailPrompt:
        """The whole prompt, in llama-server's order."""
        engine, separators = self._engine, Separators(self._engine)
        room = engine.sizes.n_prompt - n_predict
        prefix, suffix, piece = self._parts(infill, room, room, heal=heal, cut_as_stock=cut_as_stock)
        extra = [token for chunk in infill.chunks for token in separators.chunk(chunk)]
        before = (*separators.header, *extra, *separators.footer)
        room_left = max(0, room - len(prefix) - len(suffix) - 4)
        cursor = (self._fim.prefix, *prefix, self._fim.suffix, *suffix, self._fim.middle)
        if self.kind == "spm" and self._fim.middle < 0:
            cursor = (self._fim.suffix, *suffix, self._fim.prefix, *prefix)
        kept = before[len(before) - room_left :] if len(before) > room_left else before
        return TailPrompt("text", (*kept, *engine.facts.header_start, *cursor), piece=piece)

    def _parts(
        self, infill: Infill, room: int, most: int, *, heal: bool, cut_as_stock: bool = False
    ) -> tuple[Tokens, Tokens, bytes]:
        """Tokens before and behind the cursor, `most` in all, and the piece held back for healing.  `room`: for the
        window alone."""
        tokenize = self._engine.model.tokenize
        line_start = infill.prompt or infill.indentation
        held = held_back(infill.prefix + line_start) if heal else ""
        piece = held.encode("utf-8", "replace")
        if not self._engine.vocab.can_spell(piece):
            held, piece = "", b""
        longest = self._engine.model.longest_text
        prefix, prompt, suffix = infill.prefix[-longest:], line_start, infill.suffix[:longest]
        if held:
            prefix = prefix[: len(prefix) - max(0, len(held) - len(prompt))]
            prompt = prompt[: max(0, len(prompt) - len(held))]
        line = tokenize(prompt)
        if len(line) + LEAST_WINDOW > most:
            raise PromptTooLong(len(line) + LEAST_WINDOW, most)
        window = min(WINDOW, room - 3)
        if len(line) > STRIDE:  # by whole strides: the window stays while the line grows
            window = min(window, (most - len(line)) // STRIDE * STRIDE)
        window = max(LEAST_WINDOW, window)
        before, behind = tokenize(prefix), tokenize(suffix)
        n_before = 3 * (window // 4)
        if cut_as_stock:
            before = before[max(0, len(before) - n_before) :]
        else:
            before = before[self._cut(before, n_before) :]
        behind = behind[: max(0, window // 4 - (2 + len(line) if cut_as_stock else 2))]
        return (*before, *line), tuple(behind), piece

    def _cut(self, tokens: list[int], n: int) -> int:
        """Where the last `n` tokens begin, or a little later: at the line with the smallest digest."""
        first = len(tokens) - n
        if first <= 0:
            return 0
        pieces = self._engine.vocab.pieces
        lines = [i + 1 for i in range(first - 1, min(first + LEEWAY, len(tokens))) if b"\n" in pieces[tokens[i]]]
        return min(lines, key=lambda i: _digest(tokens[i : i + 24]), default=first)


def _digest(tokens: list[int]) -> bytes:
    return hashlib.blake2b(repr(tokens).encode(), digest_size=8).digest()
