"""Decodes new blocks: each by itself behind a copy of the header, several in one micro-batch.

In: `Write` steps.  Out: their tokens' KV in the workspace's sequences, published block by block.  After each
micro-batch `begun` is called with how much of a block is there, so that no later sync decodes that again.

    scratch   [ header copy ][ kept prefix, a seq_cp ][ new tokens ]      starts len(header) before the span
    the workspace            [ the block's cells alone             ]

Of a block whose beginning is in the cache already, that beginning joins the scratch sequence only when the copy of the
header is there; where that is decoded first, its new tokens come one micro-batch later.  Knows no plan and no store.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

from palimpsest.engine.arena.steps import Write
from palimpsest.engine.cache.header_copies import HeaderCopies
from palimpsest.engine.cache.pool import CellPool, SequenceOwner
from palimpsest.engine.llama.native import Run


@dataclass(slots=True)
class BlockWriting:
    """One block under way.  `ahead`: tokens still to decode, the header's copy included, the next at `position`."""

    step: Write
    seq: int
    ahead: tuple[int, ...]
    position: int
    header_left: int  # tokens of the header's copy among `ahead`
    join: bool  # a kept beginning joins as soon as the header's copy is there

    @property
    def done(self) -> bool:
        return not self.ahead and not self.join

    @property
    def n_tokens(self) -> int:
        """Tokens of the block, from its first on, that the scratch sequence has."""
        return 0 if self.join or self.header_left else self.position - self.step.span.start

    def next_part(self, room: int) -> tuple[int, ...]:
        """What to decode in the next micro-batch, `room` tokens at most."""
        limit = self.header_left if self.join else len(self.ahead)
        return self.ahead[: min(room, limit)]

    def decoded(self, n: int) -> int:
        """`n` tokens are in; how many of them were the header's copy."""
        header = min(n, self.header_left)
        self.header_left -= header
        self.ahead, self.position = self.ahead[n:], self.position + n
        return header


@dataclass(frozen=True, slots=True)
class Decoded:
    """What a micro-batch did: tokens of the block, and of its header's copy."""

    key: str
    n_tokens: int
    n_header: int


class BlockWriter:
    """Carries out writes in the order given, behind copies of `header`.  `resident_seq` has the kept beginnings."""

    def __init__(self, pool: CellPool, owner: SequenceOwner, header: HeaderCopies, resident_seq: int) -> None:
        self._pool, self._owner, self._header, self._resident_seq = pool, owner, header, resident_seq
        self._context = pool.context

    def write(
        self,
        steps: Sequence[Write],
        publish: Callable[[Write, int], None],
        begun: Callable[[Write, int, int], None] = lambda step, scratch, n_tokens: None,
    ) -> Generator[list[Decoded], None, None]:
        """Yields after each micro-batch, when what it completed has been published.

        `publish(step, scratch)` shares the block's cells from the scratch sequence, which is dropped after it;
        `begun(step, scratch, n_tokens)` may share those of its first tokens.  Closed at a yield, or when decoding
        fails, the scratch sequences are given back.
        """
        waiting, under_way = list(steps), list[BlockWriting]()
        try:
            while waiting or under_way:
                self._begin(waiting, under_way)
                report = self._micro_batch(under_way)
                for writing in [w for w in under_way if w.done]:
                    publish(writing.step, writing.seq)
                    under_way.remove(writing)
                    self._pool.give(writing.seq)
                for writing in under_way:
                    if writing.n_tokens > writing.step.from_index:
                        begun(writing.step, writing.seq, writing.n_tokens)
                yield report
        finally:
            for writing in under_way:
                self._pool.give(writing.seq)

    def _begin(self, waiting: list[Write], under_way: list[BlockWriting]) -> None:
        """Start as many blocks as the next micro-batch has tokens for."""
        room = self._pool.n_batch - sum(len(w.next_part(self._pool.n_batch)) for w in under_way)
        while waiting and (not under_way or (room > 0 and self._pool.free_sequences > 2)):
            writing = self._start(waiting.pop(0))
            under_way.append(writing)
            room -= len(writing.next_part(self._pool.n_batch))

    def _start(self, step: Write) -> BlockWriting:
        n, start, seq = step.from_index, step.span.start, self._pool.take()
        header = self._header.put(seq, start) if step.n_decoded else ()
        assert start >= len(header), f"{step.span} leaves no room for {len(header)} tokens of the header before it"
        writing = BlockWriting(step, seq, header + step.tokens[n:], start - len(header), len(header), join=n > 0)
        if writing.join and not header:
            self._join(writing)
        return writing

    def _join(self, writing: BlockWriting) -> None:
        start, n = writing.step.span.start, writing.step.from_index
        self._context.copy(self._resident_seq, writing.seq, start, start + n)
        writing.position, writing.join = start + n, False

    def _micro_batch(self, under_way: list[BlockWriting]) -> list[Decoded]:
        runs, parts, room = list[Run](), list[tuple[BlockWriting, tuple[int, ...]]](), self._pool.n_batch
        for writing in under_way:
            part = writing.next_part(room)
            if part:
                runs.append(Run(part, writing.position, writing.seq))
                parts.append((writing, part))
                room -= len(part)
        if runs:
            self._pool.decode(runs, self._owner)
        report = []
        for writing, part in parts:
            n_header = writing.decoded(len(part))
            if n_header and not writing.header_left:
                self._header.keep(writing.seq, writing.step.span.start)
            self._pool.count("headers", part[:n_header], copy=True)
            self._pool.count("blocks" if writing.step.key else "headers", part[n_header:])  # the footer has no key
            report.append(Decoded(writing.step.key, len(part) - n_header, n_header))
            if writing.join and not writing.header_left:
                self._join(writing)
        return report
