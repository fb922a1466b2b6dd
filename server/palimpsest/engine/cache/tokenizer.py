"""Text as tokens, remembered where the same text comes again.

In: texts, and blocks that a client may name by their hash.  Out: tokens.  Touches no cache.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from palimpsest import wire
from palimpsest.engine.cache.texts import TextTokens
from palimpsest.engine.llama.native import Model

Tokens: TypeAlias = tuple[int, ...]
TOKEN_CACHE, SHORT_TEXT = 1024, 1 << 16
"""Texts whose tokens are remembered, and characters of the longest of them."""
TAIL_CACHE = 16


class WantedTokens(NamedTuple):
    """A sync request in tokens; blocks by key, in the request's order."""

    header: Tokens
    footer: Tokens
    blocks: dict[str, Tokens]


class Tokenizer:
    """`header_start`: tokens that every prompt begins with."""

    def __init__(self, model: Model, header_start: Tokens) -> None:
        self.header_start = header_start
        self._model = model
        self._of_short: Callable[[str], Tokens] = functools.lru_cache(maxsize=TOKEN_CACHE)(self._tokenize)
        # while a word is typed, neither what stands before it nor what stands after it changes
        self.of_tail: Callable[[str], Tokens] = functools.lru_cache(maxsize=TAIL_CACHE)(self._tokenize)
        self._texts = TextTokens(self.tokens_of)
        self._marks: tuple[str, ...] = ()

    def tokens_of(self, text: str) -> Tokens:
        """With nothing added, and nothing in it taken for a special token."""
        return self._of_short(text) if len(text) <= SHORT_TEXT else self._tokenize(text)

    def marked(self, text: str, marks: Sequence[str]) -> Tokens:
        """A mark is a special token where the vocabulary has one for it, and all the rest is not."""
        if not marks:
            return self.tokens_of(text)
        tokens = list[int]()
        for piece in re.split(f"({'|'.join(map(re.escape, marks))})", text):
            token = self.special(piece) if piece in marks else []
            tokens += token if len(token) == 1 else self.tokens_of(piece)
        return tuple(tokens)

    def special(self, text: str) -> list[int]:
        """What a template writes: special tokens are taken for what they are."""
        return self._model.tokenize(text, special=True)

    def wanted(self, request: wire.SyncRequest) -> WantedTokens:
        """Raises UnknownText, InvalidArgument."""
        marks = tuple(request.marks)
        if marks != self._marks:  # what is known by a hash has the tokens of other marks
            self._marks, self._texts = marks, TextTokens(functools.partial(self.marked, marks=marks))
        header = self.header_start + self.marked(request.header, marks)
        footer = self.marked(request.footer, marks) or self.tokens_of("\n")
        return WantedTokens(header, footer, self._texts.tokens(request.blocks))

    def _tokenize(self, text: str) -> Tokens:
        return tuple(self._model.tokenize(text))
