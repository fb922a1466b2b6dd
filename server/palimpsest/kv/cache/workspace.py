"""What one workspace has in the cache, as far as both modes have it in common: tails, bookkeeping, the map.

In: sync requests.  Out: the base that tails stand on.  `in_place.py` and `whole.py` are the two kinds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from palimpsest import wire
from palimpsest.errors import DecodeError
from palimpsest.kv.generation.tail import NONE, Base, Tail
from palimpsest.kv.llama.native import NO_SLOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from palimpsest.kv.cache.engine import Engine


class Workspace(ABC):
    """`revision` counts changes of what is attached; a tail is good for one revision.  `request` is the last sync."""

    def __init__(self, engine: Engine, name: str) -> None:
        self.engine = engine
        self.name = name
        self.revision = 0
        self.last_used = engine.tick()
        self.request: wire.SyncRequest | None = None
        self.tails: dict[str, Tail] = {}
        self._strays: list[Tail] = []  # in use, but no longer anybody's to keep
        self._n_active = 0

    # What the kinds do

    @property
    @abstractmethod
    def ready(self) -> bool:
        """Whether there is a base to stand on."""

    @property
    @abstractmethod
    def base(self) -> Base: ...

    @property
    @abstractmethod
    def base_seqs(self) -> tuple[int, ...]:
        """Sequences with header, blocks and footer, attached or not; none where there is no base."""

    @property
    @abstractmethod
    def context_tokens(self) -> int:
        """Cells that a tail attends to besides its own."""

    @property
    @abstractmethod
    def attended(self) -> list[tuple[int, ...]]:
        """The tokens of each block that a tail attends to."""

    @abstractmethod
    def sync(self, request: wire.SyncRequest) -> Generator[None, None, wire.SyncAnswer]:
        """Make the attached blocks what `request` says, yielding between micro-batches.  Closing it at a yield
        leaves the cache consistent."""

    @abstractmethod
    def forget(self) -> None:
        """Drop all cells without a copy to the store; tails in use keep theirs until they are done."""

    @abstractmethod
    def close(self) -> None:
        """As `forget`, but the blocks' KV goes to the store."""

    @abstractmethod
    def shrink(self, n_cells: int, *, attached: bool) -> bool:
        """Give back that many cells of detached blocks (or attached ones too); False when there are none."""

    @abstractmethod
    def spans(self) -> tuple[list[wire.SpanReport], list[tuple[int, int]]]:
        """Header, blocks and footer in order of position, and the free ranges."""

    @abstractmethod
    def verify(self) -> bool:
        """Whether llama.cpp's memory has what we think it has, as far as it can be asked."""

    def check(self) -> None:
        """Raises AssertionError where the base's cells are not those of header, attached blocks and footer."""
        assert self.verify(), f"{self.name}: {self.base_seqs}"

    # What they have in common

    @property
    def busy(self) -> bool:
        """Whether a job of this workspace is under way: it is not to be closed."""
        return self._n_active > 0

    @contextmanager
    def active(self) -> Iterator[None]:
        self._n_active += 1
        self.last_used = self.engine.tick()
        try:
            yield
        finally:
            self._n_active -= 1

    @property
    def seqs(self) -> set[int]:
        """All its sequences."""
        tails = {seq for tail in [*self.tails.values(), *self._strays] for seq in tail.seqs}
        return {*self.base_seqs, *tails} - {NONE}

    @property
    def tail_cells(self) -> int:
        """Cells that tails have and the base has not: their own, and blocks' that a suspended job still looks at."""
        return self.engine.context.cells.count(self.seqs, self.base_seqs)

    @property
    def snapshots(self) -> set[int]:
        """Sequences in which suspended jobs still look at the base's cells as they were."""
        return {tail.seq for tail in [*self.tails.values(), *self._strays] if tail.busy and tail.seq >= 0}

    @contextmanager
    def tail(self, slot: str) -> Iterator[Tail]:
        """The slot's tail, marked busy; another when a job still uses that one."""
        tail = self.tails.get(slot)
        if tail is None or tail.busy:
            kept = tail is None
            tail = Tail(self.engine, self)
            if kept:
                self.tails[slot] = tail
            else:
                self._strays.append(tail)
        tail.busy = True
        try:
            yield tail
        finally:
            tail.busy = False
            if tail in self._strays:
                self._strays.remove(tail)
                tail.drop()
            elif tail.revision != self.revision:
                tail.drop_prompt()

    def drop_tails(self) -> bool:
        """Forget the tails nobody uses; False when that freed nothing."""
        freed = False
        for slot, tail in list(self.tails.items()):
            if not tail.busy:
                freed = tail.drop() or freed
                del self.tails[slot]
        return freed

    def changed(self) -> None:
        """What is attached is about to change: tails are of an older revision now."""
        self.revision += 1
        for tail in self.tails.values():
            if not tail.busy:
                tail.drop_prompt()

    def recover(self, error: DecodeError) -> None:
        """Make the books true again after a failed decode: what llama.cpp did not keep as it was is dropped."""
        if error.return_code == NO_SLOT:
            return
        everywhere = self.engine.context.shift_pending
        if error.return_code < 0:
            self.forget()
        for workspace in list(self.engine.workspaces.values()):
            if everywhere or not workspace.verify():
                workspace.forget()

    def _abandon_tails(self) -> None:
        """Header or footer go: also a suffix alone is good no more.  Those in use end with their job."""
        self.drop_tails()
        self._strays += self.tails.values()
        self.tails.clear()

    def map_spans(self) -> tuple[list[wire.SpanReport], list[tuple[int, int]]]:
        """`spans` and the tails behind them."""
        spans, free = self.spans()
        for slot, tail in self.tails.items():
            end = tail.start + len(tail.tokens)
            if tail.seq >= 0 and end > tail.base_end:
                spans.append(wire.SpanReport(tail.base_end, end, slot, "tail"))
        return spans, free
