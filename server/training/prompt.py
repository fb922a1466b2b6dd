"""A workspace's prompt in llama.cpp, in the orders that are compared.

In: blocks and tails as text.  Out: logits and greedy answers.

    in_place   every block encoded alone behind its own copy of the header, at positions with gaps: as the engine does
    redecoded  likewise without gaps, then the first 16 tokens of each block encoded anew behind all before it
    causal     the same text in ordinary order

A model that says `palimpsest.fim_layout = spm` gets its suffix as one more block; another with FIM tokens prefix,
suffix and middle in order; one without them the prefix alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from palimpsest.engine.generation.known import KnownWords, typed_word
from palimpsest.engine.generation.sampler import log_probability
from palimpsest.engine.generation.words import Word, WordCandidate, WordSearch
from palimpsest.prompt.blocks import FOOTER, HEADER
from training.arena import Arena, Grammar
from training.examples import Tail
from training.vocabulary import END_KEY

Order = Literal["in_place", "redecoded", "causal"]
ORDERS: tuple[Order, ...] = ("in_place", "redecoded", "causal")
Ways = Literal["greedy", "searched", "known"]
"""How a word is chosen: token by token, as a whole, or as a whole with those that the prompt knows counting more, which
is what the engine does with small models."""
GAP, SLACK, N_REDECODED = 48, 32, 16
WIDTH = 4
"""Paths of a search for a word, as many as the product follows."""
Rows = np.ndarray[Any, Any]


class Prompt:
    """A workspace laid out, ready for one tail after another."""

    def __init__(self, arena: Arena) -> None:
        self.arena = arena
        self.header, self.footer = arena.tokens(HEADER, bos=True), arena.tokens(FOOTER)
        self.is_spm = arena.metadata("palimpsest.fim_layout") == "spm"
        self.end_token = int(arena.metadata(END_KEY) or min(arena.ends))
        self.end, self.order = 0, ORDERS[0]
        self._laid: tuple[Any, ...] = ()
        self._begun: tuple[Tail, Rows, int] | None = None
        self.logprobs: list[float] = []
        """Of the tokens generated last, the end among them."""
        self.known_words: KnownWords[str] = KnownWords(lambda block: block)

    def lay_out(self, blocks: Sequence[str], order: Order) -> None:
        """Header, blocks and footer; nothing where they lie so already."""
        if self._laid == (tuple(blocks), order):
            return
        self.arena.clear()
        self._begun = None
        self.arena.decode(self.header, 0)
        self.end, self.order, self._laid = len(self.header), order, (tuple(blocks), order)
        for text in [*blocks, FOOTER]:
            tokens = self.arena.tokens(text)
            if order == "in_place":
                self.end += len(self.header) + (GAP if text != FOOTER else 0)
            self._add(tokens)
            if order == "redecoded" and text != FOOTER:
                start = self.end - len(tokens)
                self.arena.redecode(tokens[:N_REDECODED], start)

    def _add(self, tokens: Sequence[int]) -> None:
        if self.order == "causal":
            self.arena.decode(tokens, self.end)
        else:
            self.arena.put(self.header, tokens, self.end)
        self.end += len(tokens)

    def target(self, tail: Tail) -> list[int]:
        """The tokens of a tail's middle; with the end where the model was trained on this layout."""
        return [*self.arena.tokens(tail.middle), *([self.end_token] if self.is_spm else [])]

    def logits(self, tail: Tail, n_wanted: int, continuation: Sequence[int]) -> tuple[Rows, int]:
        """Decodes a tail and what follows it; logits of the last `n_wanted` tokens, and the next position."""
        arena, base = self.arena, self.end
        arena.cut_back(base)
        self._begun = None
        head = self._head(tail)
        logits = arena.decode([*head, *continuation], self.end, n_wanted)
        position, self.end = self.end + len(head) + len(continuation), base
        return logits, position

    def _start(self, tail: Tail) -> tuple[Rows, int]:
        """Logits after a tail, and the next position; nothing is decoded where the tail is there from the last time."""
        if self._begun is None or self._begun[0] != tail:
            self._begun = (tail, *self.logits(tail, 1, ()))
        _, logits, position = self._begun
        self.arena.cut_back(position)
        return logits, position

    def _head(self, tail: Tail) -> list[int]:
        """What the middle follows; suffixes of their own are put into place."""
        arena = self.arena
        pre, suf, mid = arena.fim
        prefix, suffix = arena.tokens(tail.prefix), arena.tokens(tail.suffix)
        layout = tail.layout if self.is_spm or tail.layout == "repair" else "psm"
        if layout == "repair" or min(arena.fim) < 0:
            return prefix
        if layout == "spm":
            self._add([suf, *suffix])
            return [pre, *prefix]
        if layout == "isolated":
            arena.decode([pre, *prefix], self.end)
            self.end += len(prefix) + 1 + (SLACK if self.order != "causal" else 0)
            self._add([suf, *suffix])
            return [mid]
        return [pre, *prefix, suf, *suffix, mid]

    def _word(self, tail: Tail, piece: bytes, ways: Ways, first: Rows, position: int) -> Word | None:
        """The best word that begins with `piece` behind what is decoded, None where it is the beginning of none."""
        arena, typed = self.arena, typed_word(piece.decode())
        if ways == "greedy" or typed is None:
            return None
        joined, stem = typed
        words = self.known_words.beginning(stem, tail.prefix, tail.suffix, self._laid[0]) if ways == "known" else ()
        texts = [(joined + known.word, known.boost) for known in words]
        candidates = [WordCandidate(text.encode(), tuple(arena.tokens(text)), boost) for text, boost in texts]
        search = WordSearch(arena.lexicon, piece, first, candidates, width=WIDTH)
        while search.wanted:
            search.take([*arena.after([path.tokens for path in search.wanted], position)])
        return search.best

    def generate(
        self,
        tail: Tail,
        stop: Callable[[bytes], bool],
        n_most: int,
        constraint: bytes = b"",
        grammar: Grammar | None = None,
        ways: Ways = "greedy",
    ) -> str:
        """Greedy text that begins with `constraint`, until an end token, `stop` or `n_most` tokens; `ways`: how its
        first word is chosen."""
        logits, position = self._start(tail)
        text, left, self.logprobs = b"", constraint, []
        word = self._word(tail, constraint, ways, logits[-1], position)
        if word is not None:
            text, left = self.arena.lexicon.vocab.text(word.tokens), b""
            self.logprobs += word.logprobs
            if stop(text):
                return text.decode("utf-8", "replace")
            logits, position = self.arena.decode(word.tokens, position, 1), position + len(word.tokens)
        for i in range(n_most):
            row = logits[-1]
            if word is not None and not word.last and i == 0:
                ending = self.arena.lexicon.ending
                token = int(ending[row[ending].argmax()])
            elif left:
                token = max(self.arena.fitting(left), key=lambda t: row[t])
            else:
                token = grammar.best(row) if grammar else int(row.argmax())
            self.logprobs.append(log_probability(row, token))
            if token in self.arena.ends:
                break
            if grammar:
                grammar.accept(token)
            piece = self.arena.pieces[token]
            text, left = text + piece, left[len(piece) :]
            if stop(text):
                break
            logits, position = self.arena.decode([token], position, 1), position + 1
        return text.decode("utf-8", "replace")
