"""What a model loses to each token of a text that others wrote, in nats.

In: tokens, a sequence that ends where they begin.  Out: a loss for each; they are in the sequence then.  Yields before
each micro-batch.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TypeAlias

from palimpsest.engine.cache.pool import CellPool
from palimpsest.engine.cache.tenants import Tenant
from palimpsest.engine.generation.sampler import log_probability
from palimpsest.engine.llama.native import Logits, Run

Losses: TypeAlias = Generator[None, None, tuple[list[float], Logits | None]]
"""The losses, and the row of logits behind the last token."""


def losses(
    pool: CellPool, tenant: Tenant, seq: int, tokens: Sequence[int], start: int, before: Logits | None
) -> Losses:
    """`before`: the row of logits in front of the first token, whose loss is 0 where it is not known."""
    size, found, row = min(pool.n_batch, pool.context.n_seq_max), list[float](), before
    for at in range(0, len(tokens), size):
        part = tokens[at : at + size]
        yield
        rows = pool.decode([Run([token], start + at + i, seq, logits=True) for i, token in enumerate(part)], tenant)
        for token, behind in zip(part, rows, strict=True):
            found.append(0.0 if row is None else -log_probability(row, token))
            row = behind
    return found, row
