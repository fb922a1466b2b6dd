"""A greedy answer and the prompt it answered; whether what has been typed since agrees with it.

In: the prompt then, the prompt now.  Out: how much of the answer can still be used.  Knows no cache.
"""

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace

from palimpsest.engine.cache.tail_prompt import TailPrompt


@dataclass(frozen=True, slots=True)
class FoundWord:
    """A word that was searched for: `n_tokens` of an answer that say `text`, beside the others that were found, with
    the logarithms of what each is worth.  `unseen`: the probability of all words that were not looked at."""

    text: bytes
    n_tokens: int
    values: dict[bytes, float]
    unseen: float

    def logprob(self, piece: bytes) -> float:
        """The logarithm of its share in all that begins with what is typed by now."""
        known = sum(math.exp(value) for text, value in self.values.items() if text.startswith(piece))
        return self.values[self.text] - math.log(known + self.unseen)


@dataclass(slots=True)
class CachedAnswer:
    """The first `n_decoded` of `tokens` have their KV behind the prompt's.  `logprobs` of the tokens; `ends`: before
    each, the logarithm of the probability that a word ends there.
    `word_search` and `names`: how its first word was chosen, and among which it was known to be; `word`: what it is."""

    prompt: TailPrompt
    tokens: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    ends: list[float] = field(default_factory=list)
    n_decoded: int = 0
    word_search: int = 0
    names: tuple[str, ...] = ()
    word: FoundWord | None = None

    def chosen_as(self, word_search: int, names: tuple[str, ...]) -> bool:
        """Whether it would be chosen so again.  Behind the word that it begins with, there are no names, or others."""
        return self.word_search == word_search and names in ((), self.names)

    def agreed(self, composed: TailPrompt, text_of: Callable[[Collection[int]], bytes]) -> int | None:
        """How many of the tokens are prompt now, when typing agrees with them; None when it does not.

        A greedy choice is still right where the text that it must begin with has only grown towards it: it was the best
        of more candidates than there are now, and is still one of them.  The same holds for a word that was searched
        for.  Where something stands between prompt and answer (`after`), only the piece held back may grow, since a
        longer prefix is another prompt.
        """
        old = self.prompt
        if self.n_decoded >= len(self.tokens):
            return None
        if (old.layout, old.alone, old.after) != (composed.layout, composed.alone, composed.after):
            return None
        n = len(old.tokens)
        typed = composed.tokens[n:]
        if composed.tokens[:n] != old.tokens or len(typed) >= len(self.tokens) or (typed and old.after):
            return None
        beginning = text_of(typed) + composed.piece
        agrees = tuple(self.tokens[: len(typed)]) == typed and beginning.startswith(old.piece)
        return len(typed) if agrees and text_of(self.tokens).startswith(beginning) else None

    def after(self, composed: TailPrompt, n_typed: int) -> "CachedAnswer":
        """The rest, when the first `n_typed` of its tokens belong to the prompt."""
        rest = replace(self, prompt=composed, n_decoded=self.n_decoded - n_typed, word=None if n_typed else self.word)
        rest.tokens, rest.logprobs, rest.ends = self.tokens[n_typed:], self.logprobs[n_typed:], self.ends[n_typed:]
        return rest

    def copy(self) -> "CachedAnswer":
        return replace(self, tokens=list(self.tokens), logprobs=list(self.logprobs), ends=list(self.ends))
