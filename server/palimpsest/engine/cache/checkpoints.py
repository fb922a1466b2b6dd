"""States of a prompt at the ends of its blocks, for a memory that cannot give up a part of a sequence.

In: a prompt's tokens and where its parts end.  Out: where checkpoints belong (`checkpoint_digests`), and sequences that
go on from one.  The states are in the host store under the digest of all tokens before them, so that every prompt that
begins alike can use them.  A recurrent model's state is all that a sequence has.  A hybrid model's is one half, good
only for a sequence that has the attention cells of the same tokens.
"""

import hashlib
from collections.abc import Iterator, Sequence

import numpy as np

from palimpsest.engine.arena.store import StoredKV
from palimpsest.engine.cache.pool import CellPool
from palimpsest.engine.cache.stores import Stores

Tokens = tuple[int, ...]
LEAST = 32
"""A block with fewer tokens shares a checkpoint with the next one, since each checkpoint ends a micro-batch."""
EVERY = 256
"""Tokens between two checkpoints within a long block."""


def checkpoint_digests(tokens: Tokens, ends: Sequence[int]) -> dict[int, str]:
    """Number of tokens → digest of that many, ascending, for a prompt whose parts end at `ends`, ascending: header,
    blocks, footer.  The header, the blocks but the last, all blocks, and the whole always count."""
    made, done = hashlib.blake2b(digest_size=16), 0
    digests = {}
    for n in _places(ends):
        made.update(np.array(tokens[done:n], np.int32).tobytes())
        digests[n], done = made.hexdigest(), n
    return digests


def _places(ends: Sequence[int]) -> Iterator[int]:
    last = 0
    for i, end in enumerate(ends):
        while end - last >= 2 * EVERY:
            last += EVERY
            yield last
        if end > last and (end - last >= LEAST or i in (0, *range(len(ends) - 3, len(ends)))):
            last = end
            yield last


class Checkpoints:
    """Places and uses the checkpoints of one workspace's prompts."""

    def __init__(self, pool: CellPool, store: Stores, workspace: str, *, state_only: bool) -> None:
        """`state_only`: a sequence has nothing but its state."""
        self._pool, self._store, self._workspace = pool, store, workspace
        self._alone = state_only

    def save(self, seq: int, n_tokens: int, digest: str) -> None:
        """Store the state of `seq`, which has `n_tokens` tokens; `digest` is theirs."""
        store = self._store
        if store.enabled and digest not in store:
            store.note(self._workspace, digest)
            store.put(digest, StoredKV(self._pool.context.save_partial(seq), n_tokens, 0, lasting=self._alone))

    def restore(self, seq: int, n_common: int, digests: dict[int, str]) -> tuple[int, int]:
        """A sequence that goes on from the highest of `digests` that is stored, and how many tokens it has; an empty
        one and 0 when there is none.  The first `n_common` tokens of `seq` are the same; it is given back."""
        pool, store, limit = self._pool, self._store, max(digests, default=0) if self._alone else n_common
        for n in sorted(digests, reverse=True):
            held = store.get(digests[n]) if n <= limit else None
            item = None if held is None else held.read()
            if item is None:
                continue
            new = pool.take()
            try:
                if self._taken_up(seq, new, item, n):
                    store.note(self._workspace, digests[n])
                    pool.give(seq)
                    return new, n
            except BaseException:  # the sequence goes back
                pool.give(new)
                raise
            pool.give(new)
            store.drop(digests[n])
        if seq < 0:
            return pool.take(), 0
        pool.context.remove(seq)
        return seq, 0

    def _taken_up(self, seq: int, new: int, item: StoredKV, n_tokens: int) -> bool:
        """Make `new` have the state, behind the same tokens' cells of `seq` where those are kept."""
        context = self._pool.context
        if not self._alone:
            context.copy(seq, new)
        loaded = item.n_tokens == n_tokens and context.load_partial(new, item.data)
        return loaded and (self._alone or context.remove(new, n_tokens))
