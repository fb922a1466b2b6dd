"""The vocabulary as bytes: which tokens can begin a text.

In: each token's bytes.  Out: candidate ids as arrays.  Made once at load; a question costs two binary searches and
one look-up per byte of the text, never a walk through the vocabulary.  Knows no model handle.
"""

from bisect import bisect_left
from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int32]
LONGEST = 32
"""Bytes of a token that `longest` looks for."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """`pieces[i]` are token i's bytes, b"" for what is no text.  `hidden`: ids that an answer never contains
    (control tokens that do not end it)."""

    pieces: tuple[bytes, ...]
    hidden: Ids
    _sorted: tuple[bytes, ...]
    _ids: Ids  # of _sorted
    _by_bytes: dict[bytes, tuple[int, ...]]

    @staticmethod
    def make(
        n_vocab: int, piece: Callable[[int], bytes], is_control: Callable[[int], bool], ends: Collection[int]
    ) -> "Vocabulary":
        pieces = tuple(b"" if is_control(i) or i in ends else piece(i) for i in range(n_vocab))
        hidden = np.array([i for i in range(n_vocab) if not pieces[i] and i not in ends], np.int32)
        order = sorted((i for i in range(n_vocab) if pieces[i]), key=pieces.__getitem__)
        by_bytes: dict[bytes, tuple[int, ...]] = {}
        for i in order:
            by_bytes[pieces[i]] = (*by_bytes.get(pieces[i], ()), i)
        return Vocabulary(pieces, hidden, tuple(pieces[i] for i in order), np.array(order, np.int32), by_bytes)

    def beginning(self, rest: bytes) -> Ids:
        """Tokens that can come next when the text must begin with `rest`: those whose bytes begin with it, and
        those that it begins with.  Empty when there are none."""
        low = bisect_left(self._sorted, rest)
        high = bisect_left(self._sorted, _after(rest), low) if _after(rest) else len(self._sorted)
        shorter = [i for n in range(1, len(rest)) for i in self._by_bytes.get(rest[:n], ())]
        return np.concatenate([self._ids[low:high], np.array(shorter, np.int32)])

    def can_spell(self, text: bytes) -> bool:
        """Whether no choice of tokens on the way through `text` leads to a dead end: every byte is a token."""
        return all(text[i : i + 1] in self._by_bytes for i in range(len(text)))

    def longest(self, text: bytes) -> list[int]:
        """Tokens that spell `text`, each the longest there is; what no token spells is left out."""
        tokens, start = list[int](), 0
        while start < len(text):
            lengths = range(min(len(text) - start, LONGEST), 0, -1)
            ids = next((ids for n in lengths if (ids := self._by_bytes.get(text[start : start + n]))), None)
            tokens += ids[:1] if ids else ()
            start += len(self.pieces[tokens[-1]]) if ids else 1
        return tokens

    def text(self, tokens: Collection[int]) -> bytes:
        return b"".join(self.pieces[token] for token in tokens)


def _after(prefix: bytes) -> bytes:
    """The least byte string above all that begin with `prefix`; b"" when there is none."""
    stripped = prefix.rstrip(b"\xff")
    return stripped[:-1] + bytes([stripped[-1] + 1]) if stripped else b""
