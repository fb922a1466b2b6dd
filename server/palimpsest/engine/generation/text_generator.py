"""What every request's generation shares: the model's words, and how its prompts are laid out.

In: a loaded model, its cache.  Out: `TextGenerator`.  Knows no request.
"""

import numpy as np

from palimpsest.engine.cache.pool import CellPool
from palimpsest.engine.cache.tokenizer import Tokenizer
from palimpsest.engine.generation.compose import Composer
from palimpsest.engine.generation.grammar import Grammars
from palimpsest.engine.generation.known import KnownWords
from palimpsest.engine.generation.words import Lexicon
from palimpsest.engine.model.load import LoadedModel


class TextGenerator:
    """`hidden_with_grammar`: tokens that an answer under a grammar never contains."""

    def __init__(self, loaded: LoadedModel, pool: CellPool, tokenizer: Tokenizer, grammars: Grammars) -> None:
        vocab, facts = loaded.vocab, loaded.facts
        self.model, self.facts, self.vocab, self.sizes = loaded.model, facts, vocab, loaded.sizes
        self.pool, self.grammars = pool, grammars
        self.composer = Composer(facts, vocab, tokenizer, in_place=loaded.in_place)
        self.lexicon = Lexicon(vocab)
        self.known_words = KnownWords[tuple[int, ...]](lambda tokens: vocab.text(tokens).decode("utf-8", "replace"))
        # a grammar ends with llama.cpp's own ends alone
        others = np.array(sorted(facts.ends - facts.eog), np.int32)
        self.hidden_with_grammar = np.concatenate([vocab.hidden, others])
