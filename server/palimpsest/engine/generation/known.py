"""Which words the prompt knows: identifiers that begin as the one being typed does.

In: the code around the cursor, the blocks, names that can stand there, what is typed of a word.  Out: candidates, and
how much more each counts than a word of which nothing is known.  Pure: knows no model; `words.py` rates the candidates.

The weights were fitted on held-out cursors inside identifiers, where anything from e³ to e⁶ does about as well; a word
of the blocks alone gains from one e-fold more, and from two more other words lose.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, TypeVar

IDENTIFIER = re.compile(r"[^\W\d]\w*")
TYPED = re.compile(r"(?P<joined>\W?)(?P<stem>[^\W\d]\w*)")
JOINED = re.compile(r"[^\w\s]{1,8}")
"""What may stand before a word of which nothing is typed."""
MOST = 16
"""Candidates of one word: each costs a token to decode, or a few."""
LONGEST = 64
"""Characters of a word that is worth completing."""
KNOWN, FOR_COUNT, BLOCK_ONLY = 4.0, 0.5, 2.0
"""Log-odds that a word gains by being known, for each e-fold of how often it stands there, and by standing in a block
and nowhere around the cursor: it was fetched because it may be needed here, and not used yet."""
CAN_STAND = 4.0
"""A name of which more is known than that it stands somewhere gains these log-odds."""
KEPT_BLOCKS, KEPT_TEXTS = 256, 8

B = TypeVar("B", bound=Hashable)
"""A block as its owner has it."""


@dataclass(frozen=True, slots=True)
class KnownWord:
    """`boost`: natural logarithm of how many times more likely the word is for being known."""

    word: str
    boost: float


def typed_word(piece: str, names: Collection[str] = ()) -> tuple[str, str] | None:
    """What a tokenizer joins in front of a word, "" for nothing, and what is typed of the word, which may be nothing
    where it is known which `names` can stand there; None for no word."""
    if names and JOINED.fullmatch(piece):
        return piece, ""
    match = TYPED.fullmatch(piece)
    return (match["joined"], match["stem"]) if match else None


class KnownWords(Generic[B]):
    """`text_of` a block is asked once for each; the words of a text are kept for as long as it stays in use."""

    def __init__(self, text_of: Callable[[B], str]) -> None:
        self._of_block: Callable[[B], Mapping[str, int]] = lru_cache(KEPT_BLOCKS)(lambda b: _words(text_of(b)))
        self._of_text: Callable[[str], Mapping[str, int]] = lru_cache(KEPT_TEXTS)(_words)

    def beginning(
        self,
        stem: str,
        prefix: str,
        suffix: str,
        blocks: Iterable[B] = (),
        names: Collection[str] = (),
        most: int = MOST,
    ) -> tuple[KnownWord, ...]:
        """At most `most` identifiers that begin with `stem`, `stem` itself among them where it stands there; those
        that count most first, of equals those nearest before the cursor.  `prefix` ends before what is typed.  Of an
        empty `stem`, only `names`."""
        around, behind = self._of_text(prefix), self._of_text(suffix)
        near, counts = dict[str, None](), Counter[str]()
        for words in (reversed([*_fitting(around, stem)]), _fitting(behind, stem)):
            for word, n in words:
                counts[word] += n
                near[word] = None
        for block in blocks:
            for word, _ in _fitting(self._of_block(block), stem):
                counts[word] += 1  # a block says a name as often as its code is long
        boosts = {word: _boost(counts[word], word in near) for word in counts} if stem else {}
        for word in names:
            if word.startswith(stem) and len(word) <= LONGEST:
                boosts[word] = CAN_STAND + (_boost(counts[word], word in near) if word in counts else 0.0)
        all_known = [KnownWord(word, boost) for word, boost in boosts.items()]
        return tuple(sorted(all_known, key=lambda known: -known.boost)[:most])


def _boost(count: int, is_near: bool) -> float:
    return KNOWN + FOR_COUNT * math.log(count) + (0.0 if is_near else BLOCK_ONLY)


def _words(text: str) -> Mapping[str, int]:
    """By first appearance, with counts."""
    return Counter(word for word in IDENTIFIER.findall(text) if len(word) <= LONGEST)


def _fitting(words: Mapping[str, int], stem: str) -> Iterator[tuple[str, int]]:
    return ((word, n) for word, n in words.items() if word.startswith(stem))
