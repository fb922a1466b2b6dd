"""What the workspaces of one cache share.

Out: `Shared`, which a workspace is made with.
"""

from __future__ import annotations

from dataclasses import dataclass

from palimpsest.engine.cache.pool import CellPool
from palimpsest.engine.cache.stores import Stores
from palimpsest.engine.cache.tokenizer import Tokenizer
from palimpsest.engine.llama.vocab import Vocabulary
from palimpsest.engine.model.facts import ModelFacts
from palimpsest.engine.model.sizes import Sizes


@dataclass(frozen=True, slots=True)
class Shared:
    """`store`: KV that is not in the cache."""

    pool: CellPool
    store: Stores
    tokenizer: Tokenizer
    sizes: Sizes
    facts: ModelFacts
    vocab: Vocabulary
