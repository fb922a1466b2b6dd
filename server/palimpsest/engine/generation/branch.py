"""One alternative of an answer under way: its tokens chosen one by one, how sure each is, and its text as it becomes
final.

In: logits, one row at a time.  Out: chosen tokens, pieces of text.
"""

import math
import time
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Literal

from palimpsest import wire
from palimpsest.calibration import Calibration
from palimpsest.engine.cache.cached_answer import FoundWord
from palimpsest.engine.cache.pool import CellPool, SequenceOwner
from palimpsest.engine.cache.tail import Tail
from palimpsest.engine.generation.answer import GeneratedText
from palimpsest.engine.generation.sampler import Sampler, log_probability, log_share
from palimpsest.engine.generation.text_generator import TextGenerator
from palimpsest.engine.generation.words import word_end
from palimpsest.engine.llama.native import Logits, Run
from palimpsest.engine.llama.vocab import Ids

OnText = Callable[[int, str], None]
"""(choice, text)"""
Finish = Literal["end", "stop", "length", "time", "unsure"]


@dataclass(slots=True)
class Branch:
    """`tokens` chosen so far, the first `n_decoded` of them in the cache at `start`.  The first `n_word`
    are a whole word: what follows must not go on with it.  `ends`: before each token, the logarithm of the probability
    that a word ends there.  `typed`: the logarithm of the probability that it begins with what the person has typed of
    it; `word`: the word that it begins with, where that was searched for.  `wrong`: characters of what is said that
    are expected to be wrong.
    `tail`: whose answer this is kept as, None for the alternatives."""

    index: int
    seq: int
    start: int
    sampler: Sampler
    answer: GeneratedText
    piece: bytes
    logits: Logits | None
    tokens: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    ends: list[float] = field(default_factory=list)
    n_decoded: int = 0
    n_said: int = 0
    n_word: int = 0
    typed: float = 0.0
    word: FoundWord | None = None
    wrong: float = 0.0
    finish: Finish | None = None
    tail: Tail | None = None

    def decoded(self, tokens: Sequence[int]) -> None:
        """So many of its tokens more are in the cache."""
        self.n_decoded += len(tokens)
        if self.tail is not None:
            self.tail.note(tokens)

    def logprob(self, n: int) -> float:
        """Of its first `n` tokens, given what is typed of them."""
        word = self.word
        if word is None or n == 0:
            return min(0.0, sum(self.logprobs[:n]) - self.typed) if n else 0.0
        return word.logprob(self.piece) + sum(self.logprobs[word.n_tokens : n])

    def choice(self, pieces: Sequence[bytes], calibration: Calibration) -> wire.Choice:
        """`pieces`: what each token says."""
        assert self.finish is not None
        n = self.n_said
        mean = (sum(self.logprobs[:n]) - self.typed) / n if n else 0.0
        return wire.Choice(self.answer.text, self.finish, n, mean, sure=self._sure(pieces, calibration))

    def _sure(self, pieces: Sequence[bytes], calibration: Calibration) -> list[tuple[int, float]]:
        """How probable its text is up to each place where a word may end, by characters."""
        places, written, skip = list[tuple[int, float]](), b"", len(self.piece)
        for n, token in enumerate(self.tokens[: self.n_said], 1):
            written += pieces[token]
            n_chars = min(len(written[skip:].decode("utf-8", "ignore")), len(self.answer.text))
            if not n_chars or (places and places[-1][0] == n_chars) or (self.word and n < self.word.n_tokens):
                continue
            ends = 0.0
            if word_end(written[-1:]) is None and not (self.word and n == self.word.n_tokens):
                following = pieces[self.tokens[n]] if n < len(self.tokens) else b""
                if n == len(self.ends) or (following and word_end(following) != 0):
                    continue  # the word goes on, or nobody knows
                ends = self.ends[n]
            places.append((n_chars, calibration.of(math.exp(self.logprob(n) + ends))))
        n = len(self.answer.text)
        is_cut = n > 0 and (not places or places[-1][0] < n)  # within a word it is not whole
        return [*places, (n, 0.0)] if is_cut else places


class TokenChooser:
    """Chooses and says a request's tokens within its limits.  `n_new`: tokens chosen, over all branches."""

    def __init__(self, generator: TextGenerator, request: wire.GenerateRequest, on_text: OnText | None) -> None:
        self._generator = generator
        self._stats = generator.pool.stats
        self._max_tokens = request.max_tokens
        self._time_ms = request.time_ms
        self._calibration = request.calibration
        self._least = request.least
        self._risk = request.risk or math.inf
        self._on_text = on_text
        self._deadline = 0.0
        self.n_new = 0

    def silent(self) -> "TokenChooser":
        """The same limits for branches that nobody is told of."""
        other = copy(self)
        other._on_text = None
        return other

    def start_clock(self) -> None:
        if self._time_ms:
            self._deadline = time.perf_counter() + self._time_ms / 1000

    def choose(self, branch: Branch) -> None:
        """Say the tokens that are known, then choose one more, unless the answer is at its end."""
        while branch.finish is None and branch.n_said < len(branch.tokens):
            self._say(branch, branch.tokens[branch.n_said])
        if branch.finish is not None or branch.logits is None:
            return
        token = branch.sampler.pick(branch.logits, self._among(branch))
        if token is None:
            self._finish(branch, "end")
            return
        among = self._among(branch) if branch.tokens else None  # `typed` is of the first alone
        branch.logprobs.append(log_probability(branch.logits, token, among))
        branch.ends.append(log_share(branch.logits, self._generator.lexicon.ending))
        branch.tokens.append(token)
        branch.logits = None
        self.n_new += 1
        self._stats["generated"] += 1
        self._say(branch, token)

    def begun(self, n_tokens: int) -> None:
        """So many tokens were chosen beforehand."""
        self.n_new += n_tokens
        self._stats["generated"] += n_tokens

    @property
    def out_of_time(self) -> bool:
        return bool(self._deadline) and time.perf_counter() > self._deadline

    def _among(self, branch: Branch) -> Ids | None:
        """The tokens that may come next, where not every one may."""
        if branch.n_word and branch.n_word == len(branch.tokens):
            return self._generator.lexicon.ending
        healed = self._generator.vocab.text(branch.tokens) if branch.piece else b""
        rest = branch.piece[len(healed) :]
        return self._generator.vocab.beginning(rest) if rest else None

    def _say(self, branch: Branch, token: int) -> None:
        end = token in self._generator.facts.ends
        if not end and self._is_unsure(branch, token):
            self._finish(branch, "unsure")
            return
        branch.n_said += 1
        branch.sampler.accept(token, end=end)
        if end:
            self._finish(branch, "end")
            return
        self._emit(branch, branch.answer.push(self._generator.vocab.pieces[token]))
        if branch.answer.stopped:
            branch.finish = "stop"
        elif branch.n_said >= self._max_tokens:
            self._finish(branch, "length")
        elif self.out_of_time:
            self._finish(branch, "time")

    def _is_unsure(self, branch: Branch, token: int) -> bool:
        """Whether an answer with this token would be too improbable, or too much of it expected to be wrong."""
        probability = self._calibration.of(math.exp(branch.logprob(branch.n_said + 1)))
        branch.wrong += len(self._generator.vocab.pieces[token].decode("utf-8", "ignore")) * (1 - probability)
        return probability < self._least or branch.wrong > self._risk + len(branch.piece)

    def _finish(self, branch: Branch, finish: Finish) -> None:
        branch.finish = finish
        self._emit(branch, branch.answer.finish())

    def _emit(self, branch: Branch, text: str) -> None:
        if text and self._on_text is not None:
            self._on_text(branch.index, text)


def decode_together(pool: CellPool, owner: SequenceOwner, branches: Sequence[Branch]) -> None:
    """The chosen tokens of all branches as one micro-batch; more than one of a branch where an answer goes on that was
    known further than it was decoded."""
    size = pool.context.n_batch // len(branches)
    parts = [branch.tokens[branch.n_decoded :][:size] for branch in branches]
    runs = [Run(part, b.start + b.n_decoded, b.seq, logits=True) for b, part in zip(branches, parts, strict=True)]
    for branch, part, row in zip(branches, parts, pool.decode(runs, owner), strict=True):
        branch.decoded(part)
        if branch.n_decoded == len(branch.tokens):
            branch.logits = row
