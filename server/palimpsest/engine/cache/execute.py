"""Carries out a plan on one workspace's sequences and takes the arena along, step by step.

In: a `Plan`, the workspace it was made for.  Out: sequences, store and arena as the plan says.  Wherever a job is
closed, even in the middle of a block, the arena says what is there.  Plans nothing.
"""

import math
import time
from collections.abc import Generator
from contextlib import AbstractContextManager, suppress
from typing import Protocol

from palimpsest import wire
from palimpsest.engine.arena import steps as ops
from palimpsest.engine.arena.arena import Arena, Move
from palimpsest.engine.arena.plan import Plan
from palimpsest.engine.arena.store import StoredKV
from palimpsest.engine.cache.header_copies import HeaderCopies
from palimpsest.engine.cache.pool import CellPool, SequenceOwner
from palimpsest.engine.cache.stores import Stores
from palimpsest.engine.cache.sync_stats import SyncStats
from palimpsest.engine.cache.writing import BlockWriter
from palimpsest.engine.llama.native import NO_SLOT
from palimpsest.errors import ContextTooLarge, DecodeError


class Executed(SequenceOwner, Protocol):
    """The workspace that a plan is carried out on.  `version` counts changes of the arena; `snapshots` are sequences in
    which suspended jobs still look at cells as they were."""

    resident_seq: int
    attached_seq: int
    version: int
    copies: HeaderCopies

    @property
    def arena(self) -> Arena | None: ...

    @property
    def snapshots(self) -> set[int]: ...

    def locked(self) -> AbstractContextManager[None]:
        """While a step is carried out, nobody takes blocks from under it to make room."""

    def changed(self) -> None:
        """What is attached is about to change."""

    def let_go(self, start: int, end: int) -> None:
        """These positions of the resident sequence are about to be freed or moved."""


class Executor:
    """For one plan.  `run` returns False where another job changed the arena while it was suspended; then plan again.
    After `deadline` (of `time.perf_counter`) the blocks that are not written yet are deferred."""

    def __init__(
        self,
        workspace: Executed,
        pool: CellPool,
        store: Stores,
        made: Plan,
        stats: SyncStats,
        *,
        deadline: float = math.inf,
    ) -> None:
        assert workspace.arena is not None
        self._workspace = workspace
        self._pool = pool
        self._store = store
        self._context = pool.context
        self._arena: Arena = workspace.arena
        self._made = made
        self._stats = stats
        self._deadline = deadline
        self._stored = {step.digest: self._store.get(step.digest) for step in made.restores}
        self._moves = [step for step in made.steps if isinstance(step, Move)]
        self._writes: list[ops.Write] = []

    def run(self, *, writes: bool = True) -> Generator[None, None, bool]:
        """Yields between micro-batches and copies.  Without `writes`, what finds no copy does not come."""
        for step in self._made.steps:
            if isinstance(step, ops.Write):
                self._writes.append(step)
                continue
            with self._workspace.locked():
                self._do(step)
            if isinstance(step, (ops.Restore, ops.Evict, ops.Save)) and not (yield from self._still_valid()):
                return False
        if not writes:
            return True
        self._writes.sort(key=lambda write: write.rank)
        return (yield from self._write())

    def _still_valid(self) -> Generator[None, None, bool]:
        """Suspend; whether the plan still fits the arena afterwards."""
        version = self._workspace.version
        yield
        return self._workspace.version == version

    def _do(self, step: ops.Step) -> None:
        stats = self._stats
        match step:
            case Move():
                if step is self._moves[0]:
                    with stats.timed("move"):
                        self._move()
            case ops.Restore():
                with stats.timed("restore"):
                    self._restore(step)
            case ops.Save() | ops.Evict() | ops.Free() | ops.Cut() | ops.Detach():
                with stats.timed("evict"):
                    self._release(step)
                self._apply(step)
            case ops.Attach(key=key, span=span, n_tokens=n):
                self._context.copy(
                    self._workspace.resident_seq, self._workspace.attached_seq, span.start, span.start + n
                )
                stats.did(key, "attached")
                self._apply(step)
            case ops.Keep() | ops.Rekey():
                self._apply(step)
            case ops.Write() | ops.Begin():
                raise AssertionError("writes come last")

    def _apply(self, step: ops.Step) -> None:
        """Take the arena along with a step whose cells are done."""
        if isinstance(step, (ops.Detach, ops.Attach, ops.Restore, ops.Write)) or (
            isinstance(step, (ops.Evict, ops.Free, ops.Cut, Move)) and self._arena[step.key].attached
        ):
            self._workspace.changed()
        ops.apply(self._arena, step, self._made.tick)
        if isinstance(step, ops.Cut):
            self._arena.detach(step.key)
        if not isinstance(step, (ops.Keep, ops.Save)):
            self._workspace.version += 1

    # Taking out

    def _release(self, step: ops.Save | ops.Evict | ops.Free | ops.Cut | ops.Detach) -> None:
        context, resident, attached = self._context, self._workspace.resident_seq, self._workspace.attached_seq
        start, end = step.span.start, step.span.start + step.n_tokens
        match step:
            case ops.Save(key=key, digest=digest):
                self._save(key, digest, start, end)
            case ops.Detach():
                context.remove(attached, start, end)
            case ops.Evict(key=key, digest=digest):
                self._save(key, digest, start, end)
                self._workspace.let_go(start, end)
                context.remove(attached, start, end)
                context.remove(resident, start, end)
                self._stats.did_evict(key, step.n_tokens)
            case ops.Free():
                self._workspace.let_go(start, end)
                context.remove(attached, start, end)
                context.remove(resident, start, end)
            case ops.Cut():  # what is left is no whole block: it is attached again when it is written
                self._workspace.let_go(end, start + step.old_tokens)
                context.remove(attached, start, start + step.old_tokens)
                context.remove(resident, end, start + step.old_tokens)

    def _save(self, key: str, digest: str, start: int, end: int) -> None:
        data = self._copy_of(start, end)
        if data is not None:
            tokens = self._arena[key].tokens
            self._store.put(digest, StoredKV(data, end - start, start, key, tokens=tokens))

    def _copy_of(self, start: int, end: int) -> bytearray | None:
        """The cells' state; None where there is no memory for it, or no cell to apply a pending shift with."""
        if not self._pool.apply_shifts():
            return None
        with self._pool.scratch() as scratch, suppress(MemoryError):  # the block is decoded again
            self._context.copy(self._workspace.resident_seq, scratch, start, end)
            return self._context.save(scratch)
        return None

    # Bringing back

    def _restore(self, step: ops.Restore) -> None:
        """From the store; a block whose copy is gone, or finds no room, is written instead."""
        held = self._stored[step.digest]
        item = None if held is None else held.read()
        if item is None or not self._load(item, step.span.start, step.n_tokens, attached=True):
            if item is not None and self._pool.free_cells >= step.n_tokens:  # it is not what it says it is
                self._store.drop(step.digest)
            self._writes.append(ops.Write(step.key, step.span, step.tokens, step.digest, step.rank))
            return
        self._stats.restored += step.n_tokens
        self._stats.did(step.key, "restored")
        self._apply(step)

    def _load(self, item: StoredKV, new: int, n_tokens: int, *, attached: bool) -> bool:
        """Saved cells to `new`, attached or only resident; False, and nothing is changed, when there is no room,
        or they are not `n_tokens` cells."""
        old = item.start
        if self._pool.free_cells < n_tokens and not self._pool.make_room(n_tokens, self._workspace):
            return False
        with self._pool.scratch() as scratch:
            if not self._context.load(scratch, item.data, old, n_tokens):
                return False
            if old != new:
                self._context.shift(scratch, old, old + n_tokens, new - old)
            self._publish(scratch, new, new + n_tokens, attached=attached)
        return True

    def _publish(self, scratch: int, start: int, end: int, *, attached: bool) -> None:
        self._context.copy(scratch, self._workspace.resident_seq, start, end)
        if attached:
            self._context.copy(scratch, self._workspace.attached_seq, start, end)

    # Moving

    def _move(self) -> None:
        """All moves as one K-shift.  It moves a cell for everyone who shares it: tails at rest are given up, and where
        a suspended job looks at the cells as they were, it is done by copies instead."""
        for move in self._moves:
            self._workspace.let_go(move.old.start, move.old.start + move.n_tokens)
        if self._workspace.snapshots:
            return self._move_copies()
        for move in self._moves:
            start = move.old.start
            self._context.shift(self._workspace.resident_seq, start, start + move.n_tokens, move.distance)
            self._moved(move)
        return None

    def _moved(self, move: Move) -> None:
        self._apply(move)
        self._stats.did_move(move.key, move.n_tokens)

    def _move_copies(self) -> None:
        copies = [self._copy_of(move.old.start, move.old.start + move.n_tokens) for move in self._moves]
        for move, data in zip(self._moves, copies, strict=True):
            start, end = move.old.start, move.old.start + move.n_tokens
            attached = self._arena[move.key].attached
            self._context.remove(self._workspace.attached_seq, start, end)
            self._context.remove(self._workspace.resident_seq, start, end)
            copy = None if data is None else StoredKV(data, move.n_tokens, start)
            if copy is None or not self._load(copy, move.new.start, move.n_tokens, attached=attached):
                self._arena.free(move.key)
                self._workspace.version += 1
                self._workspace.changed()
                raise DecodeError("There was no room to move a block.", return_code=NO_SLOT)
            self._moved(move)

    # Writing

    def _write(self) -> Generator[None, None, bool]:
        """A block that finds no cells after all is unfit, one that there is no time for is deferred."""
        workspace, stats = self._workspace, self._stats
        writer = BlockWriter(self._pool, workspace, workspace.copies, workspace.resident_seq)
        writing = writer.write(self._writes, self._publish_written, self._begun)
        try:
            while True:
                with workspace.locked(), stats.timed("decode"):
                    report = next(writing, None)
                if report is None:
                    return True
                for part in report:
                    stats.decoded += part.n_tokens + part.n_header
                    stats.replayed += part.n_header
                    stats.did_decode(part.key, part.n_tokens)
                if not (yield from self._still_valid()):
                    return False
                if time.perf_counter() > self._deadline and any(part.n_tokens for part in report):  # never without any
                    self._leave("deferred")
                    return True
        except ContextTooLarge:
            self._leave("unfit")
            return True
        finally:
            writing.close()

    def _leave(self, action: wire.BlockAction) -> None:
        """The rest is not written: detach what their blocks have of an older text."""
        for write in self._writes:
            resident = self._arena.get(write.key)
            if resident is not None and resident.attached and resident.digest == write.digest:
                continue
            if resident is not None and resident.attached:
                with self._workspace.locked():
                    self._do(ops.Detach(write.key, resident.span, resident.n_tokens))
            self._stats.did(write.key, action)

    def _begun(self, step: ops.Write, scratch: int, n_tokens: int) -> None:
        """The block's first tokens are decoded: a later sync goes on from there."""
        resident, start = self._arena.get(step.key), step.span.start
        if resident is not None and resident.attached:
            self._context.remove(self._workspace.attached_seq, start, start + resident.n_tokens)
            self._workspace.changed()
        self._context.copy(scratch, self._workspace.resident_seq, start + step.from_index, start + n_tokens)
        self._apply(ops.Begin(step.key, step.span, step.tokens[:n_tokens]))

    def _publish_written(self, step: ops.Write, scratch: int) -> None:
        start, n = step.span.start, step.from_index
        self._context.copy(scratch, self._workspace.resident_seq, start + n, start + step.n_tokens)
        self._context.copy(self._workspace.resident_seq, self._workspace.attached_seq, start, start + step.n_tokens)
        self._stats.did(step.key, "extended" if n else "written")
        self._apply(step)
