"""Text as tokens, remembered where the same text comes again.

In: texts, and blocks that a client may name by their hash.  Out: tokens.  Touches no cache.
"""

import functools
import re
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from palimpsest import wire
from palimpsest.engine.llama.native import Model
from palimpsest.errors import InvalidArgument, UnknownText

Tokens: TypeAlias = tuple[int, ...]
TOKEN_CACHE, SHORT_TEXT = 1024, 1 << 16
"""Texts whose tokens are remembered, and characters of the longest of them."""
TAIL_CACHE = 16
MAX_TOKENS = 1 << 20
OVERHEAD = 16
"""What keeping a text costs besides its tokens, in tokens."""


class WantedTokens(NamedTuple):
    """A sync request in tokens; blocks by key, in the request's order."""

    header: Tokens
    footer: Tokens
    blocks: dict[str, Tokens]


class TextTokens:
    """Tokens of texts that clients name by their hash, the least recently used forgotten first beyond `max_tokens`: a
    client is asked again for a text that was forgotten."""

    def __init__(self, tokens_of: Callable[[str], Tokens], max_tokens: int = MAX_TOKENS) -> None:
        self._tokens_of = tokens_of
        self._max_tokens = max_tokens
        self._known: OrderedDict[str, Tokens] = OrderedDict()
        self._n_tokens = 0

    def tokens(self, blocks: Sequence[wire.WantedBlock]) -> dict[str, Tokens]:
        """By key, in the order given.

        Raises UnknownText for texts named by a hash that is not known, InvalidArgument for a block without either,
        a hash that is not its text's, or a key given twice.
        """
        tokens_by_key = {block.key: self._of(block) for block in blocks}
        if len(tokens_by_key) < len(blocks):
            raise InvalidArgument("blocks", "one key is wanted twice.")
        if unknown := [block.hash for block in blocks if tokens_by_key[block.key] is None]:
            raise UnknownText(unknown)
        self._forget()
        return {key: tokens for key, tokens in tokens_by_key.items() if tokens is not None}

    def _of(self, block: wire.WantedBlock) -> Tokens | None:
        if block.text is None:
            if not block.hash:
                raise InvalidArgument("blocks", f"{block.key} has neither text nor hash.")
            if block.hash in self._known:
                self._known.move_to_end(block.hash)
            return self._known.get(block.hash)
        if block.hash and block.hash != wire.text_hash(block.text):
            raise InvalidArgument("blocks", f"the hash of {block.key} is not its text's.")
        tokens = self._tokens_of(block.text)
        if block.hash and block.hash not in self._known:
            self._known[block.hash] = tokens
            self._n_tokens += len(tokens) + OVERHEAD
        return tokens

    def _forget(self) -> None:
        while self._n_tokens > self._max_tokens and len(self._known) > 1:
            _, tokens = self._known.popitem(last=False)
            self._n_tokens -= len(tokens) + OVERHEAD


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
