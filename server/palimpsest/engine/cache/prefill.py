"""Decoding prompts: one by itself, or several side by side in the same micro-batches.

In: tokens of one sequence.  Out: how many of them were decoded, and the logits behind the last.  Knows no tail.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from palimpsest.engine.cache.pool import CellPool, SequenceOwner
from palimpsest.engine.llama.native import Logits, Run

T = TypeVar("T")


class OneByOne:
    """Each micro-batch is one prompt's."""

    def __init__(self, pool: CellPool, owner: SequenceOwner) -> None:
        self._pool, self._owner = pool, owner

    def decode(
        self, tokens: Sequence[int], start: int, seq: int, *, logits: bool
    ) -> Generator[None, None, tuple[int, Logits | None]]:
        """Decode as many of `tokens` as the next micro-batch holds, the first at position `start`.  Yields before it.
        `logits`: those behind the last token are wanted, once that is decoded."""
        yield
        part = tokens[: self._pool.part(len(tokens))]
        (row,) = self._pool.decode([Run(part, start, seq, logits and len(part) == len(tokens))], self._owner)
        return len(part), row


@dataclass(slots=True)
class _Waiting:
    tokens: Sequence[int]
    start: int
    seq: int
    logits: bool
    n_decoded: int = 0
    row: Logits | None = None

    def run(self, room: int) -> Run:
        part = self.tokens[:room]
        return Run(part, self.start, self.seq, self.logits and len(part) == len(self.tokens))


class SideBySide:
    """A micro-batch holds tokens of all prompts that wait."""

    def __init__(self, pool: CellPool, owner: SequenceOwner) -> None:
        self._pool, self._owner = pool, owner
        self._waiting: list[_Waiting] = []

    def decode(
        self, tokens: Sequence[int], start: int, seq: int, *, logits: bool
    ) -> Generator[None, None, tuple[int, Logits | None]]:
        """As `OneByOne` does."""
        waiting = _Waiting(tokens, start, seq, logits)
        self._waiting.append(waiting)
        while not waiting.n_decoded:
            yield
        return waiting.n_decoded, waiting.row

    def results(self, works: Sequence[Generator[None, None, T]]) -> Generator[None, None, list[T]]:
        """What works that decode through this come to, in their order.  Yields before each micro-batch."""
        made, going = dict[int, T](), dict(enumerate(works))
        try:
            while going:
                for i, work in list(going.items()):
                    try:
                        next(work)
                    except StopIteration as end:
                        made[i] = end.value
                        del going[i]
                if self._waiting:
                    yield
                    self._micro_batch()
            return [made[i] for i in range(len(works))]
        finally:
            for work in going.values():
                work.close()

    def _micro_batch(self) -> None:
        taken, runs, room = list[_Waiting](), list[Run](), self._pool.n_batch
        while self._waiting and room:
            taken.append(self._waiting.pop(0))
            runs.append(taken[-1].run(room))
            room -= len(runs[-1].tokens)
        for waiting, run, row in zip(taken, runs, self._pool.decode(runs, self._owner), strict=True):
            waiting.n_decoded, waiting.row = len(run.tokens), row


Prefill: TypeAlias = OneByOne | SideBySide
