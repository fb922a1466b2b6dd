"""The most probable whole word that goes on from what is typed: a search over token paths, as data.

In: the vocabulary, the held-back piece, rows of logits for the paths that are wanted next, words that the prompt knows.
Out: the paths to decode, and in the end the words found, best first.  Pure: decodes nothing and knows no sequence.

Choosing token by token takes the likeliest first token, also where the words that it begins are unlikely ones.  Here a
word is rated as a whole: the probabilities of its tokens, times that of going on with something that is no part of
it, times what it counts for being known.  A path can only lose by going on, so the search ends, with the `n` best
words, where nothing that is still open can become better than these, and goes on from what can become best.  Only the
`width` likeliest paths of each length are followed, and those of the known words.

Everything is in bytes, since a token may end inside a character.
"""

import math
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from palimpsest.engine.llama.vocab import Ids, Vocabulary

Logits = npt.NDArray[np.float32]
MOST_STEPS = 10
"""Tokens of a path."""
SAID = 0.25
"""This share of what a word gains by being known, it gains in probability. All of it is right for the choice, and says
too much of how often that is right (731 words as people type them: 2.14 nats with all of it, 1.97 with none, 1.92 with
a quarter)."""

CLOSE = 1.25
"""A share counts as this many times larger where it is asked whether a word is hopeless."""


def _of_word(data: bytes, at: int) -> int:
    """How many bytes the character at `at` has when it can be part of a word, 0 when it cannot.  What is left of a
    character that began before, or is cut off, can."""
    first = data[at]
    if first < 0x80:
        return int(first == 0x5F or chr(first).isalnum())
    n = 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    try:
        character = data[at : at + n].decode("utf-8")
    except UnicodeDecodeError:
        return 1
    return n if character.isalnum() else 0


def word_end(data: bytes, start: int = 0) -> int | None:
    """Where the word that `start` is in ends; None when all the rest of `data` is part of it."""
    while start < len(data):
        n = _of_word(data, start)
        if not n:
            return start
        start += n
    return None


class Lexicon:
    """A vocabulary seen as words: which tokens go on with one (`going_on`), which end it (`ending`: any other that may
    be chosen, an answer's end among them)."""

    def __init__(self, vocab: Vocabulary) -> None:
        self.vocab = vocab

    @cached_property
    def going_on(self) -> Ids:
        return np.array([i for i, piece in enumerate(self.vocab.pieces) if piece and _of_word(piece, 0)], np.int32)

    @cached_property
    def ending(self) -> Ids:
        ends = np.ones(len(self.vocab.pieces), np.bool_)
        ends[self.going_on] = ends[self.vocab.hidden] = False
        return np.flatnonzero(ends).astype(np.int32)


@dataclass(frozen=True, slots=True)
class WordCandidate:
    """A word that is to be weighed whatever the model thinks of its beginning: `text` with what is joined in front of
    it, its tokens, and the logarithm of how many times more it counts."""

    text: bytes
    tokens: tuple[int, ...]
    boost: float


@dataclass(eq=False, slots=True)
class Path:
    """`tokens[-1]` behind `parent`; the root has none.  `score`: the sum of `logprobs`.  `row`: logits after it."""

    parent: "Path | None"
    tokens: tuple[int, ...]
    logprobs: tuple[float, ...]
    text: bytes
    score: float
    candidates: tuple[WordCandidate, ...]
    row: Logits | None = None


@dataclass(frozen=True, slots=True)
class Word:
    """`value`: logarithm of its weight; `probability`: the same for what is said of it.  It is `path` and, where its
    last token has its end in it, `last` (token and log-probability), which nobody needs to decode; else what comes next
    must not go on with the word."""

    text: bytes
    value: float
    probability: float
    path: Path
    last: tuple[int, float] | None = None

    @property
    def tokens(self) -> tuple[int, ...]:
        return self.path.tokens + ((self.last[0],) if self.last else ())

    @property
    def logprobs(self) -> tuple[float, ...]:
        return self.path.logprobs + ((self.last[1],) if self.last else ())


class WordSearch:
    """One word's.  `first`: logits before it.  `piece`: what it begins with, at least one byte; it ends inside a word,
    or before one that must follow.  While there is something `wanted`, `take` its rows."""

    def __init__(
        self,
        lexicon: Lexicon,
        piece: bytes,
        first: Logits,
        candidates: Iterable[WordCandidate] = (),
        *,
        width: int,
        n: int = 1,
        most_steps: int = MOST_STEPS,
    ) -> None:
        assert piece
        assert width > 0
        self._lexicon, self._piece = lexicon, piece
        self._is_begun = word_end(piece[-1:]) is None
        self._candidates = tuple(c for c in candidates if c.text.startswith(piece) and len(c.tokens) <= most_steps)
        self._boosts = {c.text: c.boost for c in self._candidates}
        self._width, self._n, self._most_steps = width, n, most_steps
        self._found: dict[bytes, Word] = {}
        self.root = Path(None, (), (), b"", 0.0, self._candidates)
        self.wanted: tuple[Path, ...] = ()
        """Paths to decode next, as one batch: each is one token behind its parent.  As many as words are wanted: the
        first word found mostly shows the others to be hopeless.  For 100 words with the default model 1, 2, 3, 4 and
        all at once took 593, 568, 561, 555 and 562 batches, of 213, 318, 419, 517 and 633 tokens."""
        self.waiting: tuple[Path, ...] = ()
        """Those that may still be wanted."""
        self._followed = Counter[int]()
        self._passed_over = 0.0
        """The probability of what was not followed."""
        self.n_taken = 0
        self._grow([(self.root, first)])

    def take(self, rows: Sequence[Logits]) -> None:
        """The logits after each of the paths that are wanted."""
        self.n_taken += len(rows)
        self._grow(list(zip(self.wanted, rows, strict=True)))

    @property
    def best(self) -> Word | None:
        """The best word found so far."""
        return max(self._found.values(), key=lambda word: word.value, default=None)

    @property
    def words(self) -> list[Word]:
        """All that were found, best first."""
        return sorted(self._found.values(), key=lambda word: -word.value)

    @property
    def unseen(self) -> float:
        """The probability of all words that were not looked at."""
        return self._passed_over + sum(math.exp(path.score) for path in (*self.wanted, *self.waiting))

    def is_hopeless(self, wanted: Callable[[float, int], bool]) -> bool:
        """Whether no word can come to a share of all words that is `wanted`, of a word with at least so many
        characters.  A path's share can only shrink as it goes on, beside what is known of others: of paths that say
        less than was typed nothing is, since most of what they say may be other words.  The same word by other tokens
        is counted once, so what comes close is followed."""
        paths = [(math.exp(path.score), path.text) for path in (*self.wanted, *self.waiting)]
        words = [(math.exp(word.probability), word.text) for word in self._found.values()]
        total = sum(weight for weight, text in (*words, *paths) if len(text) >= len(self._piece)) + self._passed_over
        boosts = [0.0] * len(words) + [
            max((boost for known, boost in self._boosts.items() if known.startswith(text)), default=0.0)
            for _, text in paths
        ]
        for (weight, text), boost in zip((*words, *paths), boosts, strict=True):
            most = weight * math.exp(SAID * boost)
            others = total - weight if len(text) >= len(self._piece) else total
            if wanted(CLOSE * most / max(most + others, sys.float_info.min), len(text.decode("utf-8", "ignore"))):
                return False
        return True

    def _grow(self, taken: list[tuple[Path, Logits]]) -> None:
        children = list[Path]()
        for path, row in taken:
            path.row = row
            children += self._children(path, row)
        best_first = self._open(children)
        self.wanted, self.waiting = tuple(best_first[: self._n]), tuple(best_first[self._n :])
        self._followed.update(len(path.tokens) for path in self.wanted)
        for path, _ in taken:  # a row is as long as the vocabulary
            if self.best is None or path is not self.best.path:
                path.row = None

    def _children(self, path: Path, row: Logits) -> Iterator[Path]:
        """Where it can go on; the words that end there or on the way are noted."""
        top = float(row.max())
        weights = np.exp(row - top)
        total = top + math.log(float(weights.sum()))
        if len(path.text) < len(self._piece):
            ids = self._lexicon.vocab.beginning(self._piece[len(path.text) :])
        else:
            ids = self._lexicon.going_on
            ends = float(weights[self._lexicon.ending].sum())
            self._note(path.text, path.score + _log(ends) + top - total, path)
        if len(path.tokens) == self._most_steps:
            return
        depth = len(path.tokens)
        of_candidates = {c.tokens[depth] for c in path.candidates if len(c.tokens) > depth}
        followed = {*_largest(row, ids, self._width), *of_candidates}
        not_followed = float(weights[ids].sum() - weights[list(followed)].sum())
        self._passed_over += max(0.0, not_followed) * math.exp(path.score + top - total)
        for token in followed:
            logprob = float(row[token]) - total
            child = Path(
                path,
                (*path.tokens, token),
                (*path.logprobs, logprob),
                path.text + self._lexicon.vocab.pieces[token],
                path.score + logprob,
                tuple(c for c in path.candidates if c.tokens[depth : depth + 1] == (token,)),
            )
            end = word_end(child.text, len(self._piece)) if len(child.text) > len(self._piece) else None
            if end is None:
                yield child
            else:
                self._note(child.text[:end], child.score, path, (token, logprob))

    def _note(self, text: bytes, score: float, path: Path, last: tuple[int, float] | None = None) -> None:
        if text == self._piece and not self._is_begun:
            return
        boost = self._boosts.get(text, 0.0)
        if text not in self._found or self._found[text].value < score + boost:
            self._found[text] = Word(text, score + boost, score + SAID * boost, path, last)

    def _open(self, children: list[Path]) -> list[Path]:
        """Those that may still come to more than the `n` best words, the most promising first."""
        open_paths, ranks = list[Path](), Counter(self._followed)
        for path in sorted((*self.waiting, *children), key=lambda path: -path.score):
            if ranks[len(path.tokens)] < self._width or path.candidates:
                open_paths.append(path)
            else:
                self._passed_over += math.exp(path.score)
            ranks[len(path.tokens)] += 1
        least = self.words[self._n - 1].value if len(self._found) >= self._n else -math.inf
        bounds = {path: bound for path in open_paths if (bound := self._bound(path)) > least}
        self._passed_over += sum(math.exp(path.score) for path in open_paths if path not in bounds)
        return sorted(bounds, key=lambda path: -bounds[path])

    def _bound(self, path: Path) -> float:
        """What no word that begins so can be worth more than."""
        boosts = (c.boost for c in self._candidates if c.text.startswith(path.text))
        return path.score + max(0.0, max(boosts, default=0.0))


def _log(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf


def _largest(row: Logits, ids: Ids, n: int) -> list[int]:
    """The `n` ids of the largest values."""
    if len(ids) > n:
        ids = ids[np.argpartition(row[ids], len(ids) - n)[-n:]]
    largest: list[int] = ids.tolist()
    return largest
