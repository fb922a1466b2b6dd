"""How fast this machine decodes this model, and what follows for micro-batches and for a sync's bounds.

In: tokens and seconds of micro-batches.  Out: numbers of tokens.  Knows no llama.cpp.
"""

import math
import time
from dataclasses import dataclass

from palimpsest import wire

WAIT_S = 0.1
"""A micro-batch takes at most so long, since a keystroke may have to wait for one."""
LEAST_BATCH = 32
"""With fewer tokens, reading the weights takes longer than the tokens do: a smaller batch is hardly faster."""
TILE = 64
"""From so many tokens on, llama.cpp's flash attention on a processor works in tiles: behind 2,600 others 63 took 834 ms
and 64 took 470, 32 took 446 (135 million parameters, two cores)."""
TILE_S = 1.5
"""Where a tile would take longer at the pace of smaller batches, a keystroke does not wait for one."""
FIRST_BATCH = 128
"""Before anything was measured."""
WEIGHT = 0.3
"""The newest micro-batch has this weight in the average, which so follows the machine's load within a few batches."""


@dataclass(slots=True)
class Pace:
    """`seconds` for one token of a micro-batch, an average over the last ones; 0.0 before the first."""

    seconds: float = 0.0

    def note(self, n_tokens: int, seconds: float) -> None:
        """A micro-batch was decoded.  One of fewer tokens than `LEAST_BATCH` tells of its overhead, not of the pace."""
        if n_tokens < LEAST_BATCH or seconds <= 0:
            return
        each = seconds / n_tokens
        self.seconds = each if not self.seconds else (1 - WEIGHT) * self.seconds + WEIGHT * each

    def batch(self, n_batch: int) -> int:
        """Tokens of the next micro-batch: a power of two from `LEAST_BATCH` on, and never more than `n_batch`."""
        fitting = int(WAIT_S / self.seconds) if self.seconds else FIRST_BATCH
        size = TILE if TILE * self.seconds < TILE_S else LEAST_BATCH
        while 2 * size <= fitting:
            size *= 2
        return min(size, n_batch)

    def part(self, n_tokens: int, n_batch: int) -> int:
        """Of so many, those for the next micro-batch.  No rest is left that would take about as long as a tile does."""
        size = self.batch(n_batch)
        rest = n_tokens - size
        return n_tokens if rest <= 0 or (rest < TILE <= size and n_tokens <= n_batch) else size

    def tokens_in(self, ms: int) -> int | None:
        """How many tokens can be decoded in that time; None as long as nothing is known."""
        return int(ms / 1000 / self.seconds) if self.seconds else None


PATIENCE = 2.0
"""A sync that takes so many times longer than expected stops where it is."""


@dataclass(frozen=True, slots=True)
class SyncBound:
    """What one sync may decode: tokens of blocks, None without a bound, until `deadline` (of `time.perf_counter`)."""

    tokens: int | None = None
    deadline: float = math.inf

    @classmethod
    def of(cls, request: wire.SyncRequest, pace: Pace) -> "SyncBound":
        """The request's bounds, its time turned into tokens as far as the pace is known."""
        in_time = pace.tokens_in(request.max_decode_ms) if request.max_decode_ms else None
        bounds = [n for n in (request.max_decode or None, in_time) if n is not None]
        deadline = math.inf
        if request.max_decode_ms:
            deadline = time.perf_counter() + PATIENCE * request.max_decode_ms / 1000
        return cls(min(bounds, default=None), deadline)

    def remaining(self, n_decoded: int) -> int | None:
        return None if self.tokens is None else max(0, self.tokens - n_decoded)
