"""Tokens of texts that clients name by their hash.

In: wanted blocks.  Out: their tokens.  Bounded: a client is asked again for a text that was forgotten.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence

from palimpsest.errors import InvalidArgument, UnknownText
from palimpsest.wire import WantedBlock, text_hash

Tokens = tuple[int, ...]
MAX_TOKENS = 1 << 20
OVERHEAD = 16
"""What keeping a text costs besides its tokens, in tokens."""


class TextTokens:
    """Hash → tokens, the least recently used forgotten first beyond `max_tokens`."""

    def __init__(self, tokens_of: Callable[[str], Tokens], max_tokens: int = MAX_TOKENS) -> None:
        self._tokens_of = tokens_of
        self._max_tokens = max_tokens
        self._known: OrderedDict[str, Tokens] = OrderedDict()
        self._n_tokens = 0

    def tokens(self, blocks: Sequence[WantedBlock]) -> dict[str, Tokens]:
        """By key, in the order given.

        Raises UnknownText for texts named by a hash that is not known, InvalidArgument for a block without either,
        a hash that is not its text's, or a key given twice.
        """
        found = {block.key: self._of(block) for block in blocks}
        if len(found) < len(blocks):
            raise InvalidArgument("blocks", "one key is wanted twice.")
        if unknown := [block.hash for block in blocks if found[block.key] is None]:
            raise UnknownText(unknown)
        self._forget()
        return {key: tokens for key, tokens in found.items() if tokens is not None}

    def _of(self, block: WantedBlock) -> Tokens | None:
        if block.text is None:
            if not block.hash:
                raise InvalidArgument("blocks", f"{block.key} has neither text nor hash.")
            if block.hash in self._known:
                self._known.move_to_end(block.hash)
            return self._known.get(block.hash)
        if block.hash and block.hash != text_hash(block.text):
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
