"""What every request's generation shares: the model's words, and how its prompts are laid out.

In: a loaded model, its cache.  Out: `TextGenerator`.  Knows no request.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from palimpsest.engine.cache.pool import CellPool
from palimpsest.engine.cache.tokenizer import Tokenizer
from palimpsest.engine.generation.compose import Composer
from palimpsest.engine.generation.grammar import Grammars
from palimpsest.engine.generation.known import KnownWords
from palimpsest.engine.generation.words import Lexicon
from palimpsest.engine.llama.native import Model
from palimpsest.engine.llama.vocab import Ids, Vocabulary
from palimpsest.engine.model.facts import ModelFacts
from palimpsest.engine.model.load import LoadedModel
from palimpsest.engine.model.sizes import Sizes


@dataclass(slots=True)
class TextGenerator:
    """`hidden_with_grammar`: tokens that an answer under a grammar never contains."""

    model: Model
    facts: ModelFacts
    vocab: Vocabulary
    sizes: Sizes
    pool: CellPool
    grammars: Grammars
    composer: Composer
    lexicon: Lexicon
    known_words: KnownWords[tuple[int, ...]]
    hidden_with_grammar: Ids = field(init=False)

    def __post_init__(self) -> None:
        # a grammar ends with llama.cpp's own ends alone
        others = np.array(sorted(self.facts.ends - self.facts.eog), np.int32)
        self.hidden_with_grammar = np.concatenate([self.vocab.hidden, others])

    @classmethod
    def of(cls, loaded: LoadedModel, pool: CellPool, tokenizer: Tokenizer, grammars: Grammars) -> TextGenerator:
        vocab = loaded.vocab
        return cls(
            loaded.model,
            loaded.facts,
            vocab,
            loaded.sizes,
            pool,
            grammars,
            Composer(
                loaded.facts,
                vocab,
                lambda text: list(tokenizer.of_tail(text)),
                tokenizer.special,
                lambda text, marks: list(tokenizer.marked(text, marks)),
                in_place=loaded.in_place,
            ),
            Lexicon(vocab),
            KnownWords(lambda tokens: vocab.text(tokens).decode("utf-8", "replace")),
        )
