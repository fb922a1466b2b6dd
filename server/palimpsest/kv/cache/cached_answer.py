"""A greedy answer that is kept, and whether what is typed since agrees with it.

In: the prompt it answered, the prompt of now.  Out: how far the answer stands.  Knows no cache.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace

from palimpsest.kv.cache.tail_prompt import TailPrompt


@dataclass(slots=True)
class CachedAnswer:
    """A greedy answer and what it answered.  The first `n_decoded` of `tokens` have their KV behind the prompt's.
    `word_search`: how its first word was chosen."""

    prompt: TailPrompt
    tokens: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    n_decoded: int = 0
    word_search: int = 0

    def agreed(self, composed: TailPrompt, text_of: Callable[[Collection[int]], bytes]) -> int | None:
        """How many of the tokens are prompt now, when typing agrees with them; None when it does not.

        Greedy choices stand as long as what they must begin with only grows towards them: the old choice was the
        best of more candidates than there are now, and is still one of them.  Where the answer does not stand
        directly behind what is typed (`after`), only the piece held back may grow: a longer prefix is another prompt.
        A word that was searched for stands likewise: it was worth more than all others that were found, of which there
        are fewer now.
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

    def after(self, composed: TailPrompt, n_typed: int) -> CachedAnswer:
        """What is left of it when the first `n_typed` of its tokens are the prompt's."""
        tokens, logprobs = self.tokens[n_typed:], self.logprobs[n_typed:]
        return CachedAnswer(composed, tokens, logprobs, self.n_decoded - n_typed, self.word_search)

    def copy(self) -> CachedAnswer:
        return replace(self, tokens=list(self.tokens), logprobs=list(self.logprobs))
