"""A workspace whose cache is edited in place.

    [ header ][ arena: blocks and holes ................ ][ footer ][ tail ... ]
    0         len(header)                      footer_start         base.end

In: sync requests.  Out: blocks decoded each by itself, attached and detached, moved, saved and restored.  One
sequence has everything that is resident, another what is attached, which tails copy.  `arena/plan.py` plans,
`execute.py` carries the plan out.
"""

import hashlib
import math
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

import numpy as np

from palimpsest import wire
from palimpsest.engine.arena import steps as ops
from palimpsest.engine.arena.arena import Arena
from palimpsest.engine.arena.plan import Plan, PlanLimits, Wanted, common_prefix, plan, shrink
from palimpsest.engine.arena.span import Span
from palimpsest.engine.cache.execute import Executor
from palimpsest.engine.cache.header_copies import SHARE, HeaderCopies
from palimpsest.engine.cache.pace import SyncBound
from palimpsest.engine.cache.pool import NONE
from palimpsest.engine.cache.sync_stats import SyncStats
from palimpsest.engine.cache.tail import Tail, TailBase
from palimpsest.engine.cache.tokenizer import Tokens
from palimpsest.engine.cache.workspace import Shared, Workspace
from palimpsest.engine.cache.writing import BlockWriter
from palimpsest.engine.llama.native import NO_SLOT, Run
from palimpsest.errors import ContextTooLarge, DecodeError, PalimpsestError

Arrangement: TypeAlias = tuple[tuple[int, str], ...]
"""First position and digest of each block that is attached, by position."""
Synced = tuple[Tokens, Tokens, list[tuple[str, Tokens]], int]
"""What was attached last: header, footer, blocks, and the arena's version.  It is still attached while the version is
the same."""
MAX_ATTEMPTS = 3
LEAST_ARENA = 64
LEAST_RESTORED = 64
"""Tokens of a block's beginning; fewer are decoded in the time that it takes to copy them."""


class InPlaceWorkspace(Workspace):
    """`arena` is None until the first sync.  `version` counts changes of the arena, so that a sync that was suspended
    sees that it must plan again."""

    def __init__(self, shared: Shared, name: str) -> None:
        super().__init__(shared, name)
        self.resident_seq = self.attached_seq = NONE
        self.copies = HeaderCopies(self.pool)
        self.footer: Tokens = ()
        self.arena: Arena | None = None
        self.version = 0
        self._numbers: dict[Arrangement, int] = {}
        """Of one header and footer.  No number is given to two arrangements, `forget` or not."""
        self._last_number = 0
        self._is_numbered = False
        self._synced: Synced | None = None
        self._n_locks = 0

    @property
    def ready(self) -> bool:
        return self.arena is not None

    @property
    def revision(self) -> int:
        """The same blocks at the same places have the same one again, so that a tail outlasts other blocks in between:
        a conversation goes on where it was after completions."""
        if not self._is_numbered:
            places = tuple((r.span.start, r.digest) for r in self.arena or () if r.attached)
            held = self.tails.revisions  # the numbers that something depends on; the others are forgotten
            self._numbers = {known: n for known, n in self._numbers.items() if known == places or n in held}
            if places not in self._numbers:
                self._last_number += 1
                self._numbers[places] = self._last_number
            self._revision = self._numbers[places]
            self._is_numbered = True
        return self._revision

    @property
    def base(self) -> TailBase:
        assert self.arena is not None
        return TailBase(self.attached_seq, self.arena.span.end + len(self.footer), self.revision, self.copies)

    @property
    def header(self) -> Tokens:
        return self.copies.tokens

    @property
    def moves(self) -> bool:
        return True

    @property
    def base_seqs(self) -> tuple[int, ...]:
        return (self.resident_seq, self.attached_seq, self.copies.seq) if self.arena is not None else ()

    @property
    def header_copies(self) -> int:
        return self.copies.n_cells

    @property
    def context_tokens(self) -> int:
        assert self.arena is not None
        return len(self.header) + len(self.footer) + sum(r.n_tokens for r in self.arena if r.attached)

    @property
    def attended(self) -> list[Tokens]:
        return [r.tokens for r in self.arena if r.attached] if self.arena is not None else []

    def changed(self) -> None:
        self._is_numbered = False

    def keeps(self, tail: Tail) -> bool:
        """While all blocks that it stands on are resident as well: it costs no cell but its own."""
        return not self.context.cells.count(tail.seqs, (self.resident_seq,), 0, tail.base_end)

    def let_go(self, start: int, end: int) -> None:
        """These positions of the resident sequence are about to be freed or moved: tails at rest that stand on them are
        given up."""

        def stands_there(seqs: set[int]) -> bool:
            first, last = np.searchsorted(self.context.cells.shared(self.resident_seq, seqs), (start, end))
            return bool(first < last)

        self.tails.drop_prompts(stands_there)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """While a step is carried out, nobody takes blocks from under it to make room."""
        self._n_locks += 1
        try:
            yield
        finally:
            self._n_locks -= 1

    @property
    def busy(self) -> bool:
        return super().busy or self._n_locks > 0

    # Sync

    def sync(self, request: wire.SyncRequest) -> Generator[None, None, wire.SyncAnswer]:
        stats = SyncStats()
        bound = SyncBound.of(request, self.pool.pace)
        header, footer, blocks = self.tokenized(request, stats)
        if self._synced != (header, footer, list(blocks.items()), self.version):
            yield from self._plan_and_carry_out(header, footer, blocks, bound, stats)
        self._report_places(blocks, stats)
        self.request = request
        answer = stats.answer(self.revision)
        for name in ("reused", "restored", "moved", "evicted"):
            self.pool.stats[name] += getattr(answer, name)
        return answer

    def _plan_and_carry_out(
        self, header: Tokens, footer: Tokens, blocks: dict[str, Tokens], bound: SyncBound, stats: SyncStats
    ) -> Generator[None, None, None]:
        """Until all blocks are in place.  A block without tokens always is."""
        wanted = [Wanted(key, tokens, self._digest(header, tokens)) for key, tokens in blocks.items() if tokens]
        for attempt in range(MAX_ATTEMPTS):
            try:
                yield from self._have_base(header, footer, stats)
                yield from self._attach(header, wanted, bound, stats)
                break
            except DecodeError as error:
                self.pool.recover(error, self)
                if attempt == MAX_ATTEMPTS - 1:
                    raise
            except PalimpsestError:
                raise
            except Exception:  # no memory, or a defect: nobody knows how far it went
                self.forget()
                raise
        all_here = not any(report.action in ("unfit", "deferred") for report in stats.blocks.values())
        self._synced = (header, footer, list(blocks.items()), self.version) if all_here else None

    def _report_places(self, blocks: dict[str, Tokens], stats: SyncStats) -> None:
        assert self.arena is not None
        for key in blocks:
            resident = self.arena.get(key)
            if resident is not None and resident.attached:
                stats.placed(key, resident.span.start, resident.n_tokens)

    def _digest(self, header: Tokens, tokens: Tokens) -> str:
        """Names a block's KV in the store, which keeps it for whoever wants the same tokens behind the same header."""
        digest = _digest(header, tokens)
        self.store.note(self.name, digest)
        return digest

    def _have_base(self, header: Tokens, footer: Tokens, stats: SyncStats) -> Generator[None, None, None]:
        """Put header and footer in place; where they changed, everything begins anew."""
        while self.arena is None or (header, footer) != (self.header, self.footer):
            self.forget()
            end = self.sizes.n_positions - self.sizes.tail_room - len(footer)
            if end - len(header) < LEAST_ARENA or len(header) + len(footer) > self.sizes.n_ctx // 4:
                raise ContextTooLarge(
                    "Header and footer leave no room for blocks.", fitting=0, hint="Set a larger `engine.n_ctx`."
                )
            resident = self.pool.take()
            attached = NONE
            try:
                attached = self.pool.take()
                with stats.timed("decode"):
                    yield from self._decode_base(header, footer, resident, attached, end)
            except BaseException:  # also when it is closed at a yield
                self.pool.give(resident)
                self.pool.give(attached)
                raise
            if self.arena is not None:  # another sync was faster while this one was suspended
                self.pool.give(resident)
                self.pool.give(attached)
                continue
            stats.decoded += 2 * len(header) + len(footer)
            stats.replayed += len(header)
            self.resident_seq, self.attached_seq, self.footer = resident, attached, footer
            self.copies = HeaderCopies(self.pool, header, self.sizes.n_ctx // SHARE)
            self.arena = Arena(len(header), end)
            self.version += 1
            self.changed()

    def _decode_base(
        self, header: Tokens, footer: Tokens, resident: int, attached: int, end: int
    ) -> Generator[None, None, None]:
        """Header at 0; footer behind a copy of the header at `end`; both in both sequences."""
        size = self.pool.n_batch
        for i in range(0, len(header), size):
            yield
            self.pool.decode([Run(header[i : i + size], i, attached)], self)
            self.pool.count("headers", header[i : i + size])

        def publish(step: ops.Write, scratch: int) -> None:
            self.context.copy(scratch, attached, step.span.start, step.span.end)
            self.context.copy(attached, resident)

        step = ops.Write("", Span(end, end + len(footer)), footer, "", 0)
        for _ in BlockWriter(self.pool, self, HeaderCopies(self.pool, header), resident).write([step], publish):
            yield

    def _attach(
        self, header: Tokens, wanted: Sequence[Wanted], bound: SyncBound, stats: SyncStats
    ) -> Generator[None, None, None]:
        """Plan and carry out, again where another job changed the arena in between."""
        done = False
        while not done:
            self._check_base(header)
            yield from self._restore_older(wanted, stats)
            arena = self._check_base(header)
            with stats.timed("plan"):
                self._room_from_others(wanted)
                max_decode = bound.remaining(stats.decoded_of_blocks)
                made = plan(arena, wanted, self.store.start_of, self._limits(), max_decode)
            for key in made.unfit:
                stats.did(key, "unfit")
            for key in made.deferred:
                stats.did(key, "deferred")
            done = yield from self._executor(made, stats, deadline=bound.deadline).run()

    def _check_base(self, header: Tokens) -> Arena:
        """The arena behind this header: blocks that were decoded behind another one are not what their digests say."""
        if self.arena is None or self.header != header:
            raise DecodeError("The workspace was reset during a sync.", return_code=NO_SLOT)
        return self.arena

    def _restore_older(self, wanted: Sequence[Wanted], stats: SyncStats) -> Generator[None, None, None]:
        """Bring back what blocks were when they were last here, where their new texts begin as those did: by copies
        alone, and where nothing that is wanted makes way for what of them is not."""
        assert self.arena is not None
        older = [self._older(w) or w for w in wanted]
        if older == list(wanted):
            return
        with stats.timed("plan"):
            self._room_from_others(wanted)
            made = plan(self.arena, older, self.store.start_of, self._limits(), 0)
        keys = {w.key for w in wanted}
        if not any(isinstance(step, (ops.Evict, ops.Free)) and step.key in keys for step in made.steps):
            yield from self._executor(made, stats).run(writes=False)

    def _older(self, wanted: Wanted) -> Wanted | None:
        """The version in the store that has most of the beginning of a block that is not resident; none that only
        another workspace has named."""
        assert self.arena is not None
        if wanted.key in self.arena or wanted.digest in self.store:
            return None
        versions = self.store.memory.versions(wanted.key)
        known = [(digest, item.tokens) for digest, item in versions if self.store.is_of(self.name, digest)]
        known = [(digest, tokens) for digest, tokens in known if tokens and _digest(self.header, tokens) == digest]
        digest, tokens = max(known, key=lambda it: common_prefix(it[1], wanted.tokens), default=("", ()))
        is_worth_it = common_prefix(tokens, wanted.tokens) >= LEAST_RESTORED
        return Wanted(wanted.key, tokens, digest) if is_worth_it else None

    def _limits(self) -> PlanLimits:
        """Cells for blocks: what is free, but for the room a tail may take."""
        reserve = max(0, self.sizes.tail_room - self.tail_cells)
        free = self.pool.free_cells + self.copies.n_cells - reserve
        return PlanLimits(free, len(self.header), store=self.store.enabled, pinned=self._pinned())

    def _pinned(self) -> frozenset[str]:
        """Blocks whose cells suspended jobs use as well: evicting one would free nothing."""
        snapshots = self.snapshots
        if not snapshots or self.arena is None:
            return frozenset()
        shared = self.context.cells.shared(self.resident_seq, snapshots)
        places = [(r.key, np.searchsorted(shared, r.used)) for r in self.arena]
        return frozenset(key for key, (first, last) in places if first < last)

    def _room_from_others(self, wanted: Sequence[Wanted]) -> None:
        """Have tails that are longer than their room, and other workspaces, make room for the wanted blocks."""
        assert self.arena is not None
        digests, held = {w.digest for w in wanted}, {r.digest for r in self.arena}
        coming = sum(len(w.tokens) for w in wanted if w.digest not in held)

        def short(limits: PlanLimits, goes: int) -> int:
            return coming + len(self.header) - limits.cells_free - goes

        limits = self._limits()
        goes = sum(r.n_tokens for r in self.arena if r.digest not in digests and r.key not in limits.pinned)
        # a block that goes can be copied back from the store, a tail has to be decoded again
        first = goes if self.store.enabled else 0
        while short(limits, first) > 0 and self.tail_cells > self.sizes.tail_room and self.tails.drop_one():
            limits = self._limits()
        missing = short(limits, goes)
        if coming and missing > 0:
            with self.locked():
                self.pool.make_room(self.pool.free_cells + missing, self)

    # Giving up

    def drop_tail(self) -> bool:
        return super().drop_tail() or self.copies.drop()

    def drop_tail_aside(self) -> bool:
        return super().drop_tail_aside() or self.copies.drop()

    def forget(self) -> None:
        held, self.resident_seq, self.attached_seq = (self.resident_seq, self.attached_seq), NONE, NONE
        self.arena = None
        self.version += 1
        self._numbers.clear()
        self._is_numbered = False
        self.tails.abandon()
        self.copies.close()
        for seq in held:
            self.pool.give(seq)

    def close(self) -> None:
        assert not self._n_locks, f"{self.name} is closed in the middle of a step"
        try:
            if self.arena is not None:
                self.tails.drop_all()
                self.shrink(self.arena.n_tokens, attached=True)
        finally:
            self.forget()

    def shrink(self, n_cells: int, *, attached: bool) -> bool:
        if self.arena is None or self._n_locks or n_cells <= 0:
            return False
        made = shrink(self.arena, n_cells, self.store.start_of, self._limits(), attached=attached)
        stats = SyncStats()
        for _ in self._executor(made, stats).run():
            pass
        self.pool.stats["evicted"] += stats.evicted
        return bool(made.steps)

    def save(self) -> Generator[None, None, None]:
        """Copy to the store what is resident and not stored yet; ends where another job changes the arena."""
        if self.arena is None or self._n_locks:
            return
        unsaved = [r for r in self.arena if r.complete and r.digest not in self.store]
        saves = tuple(ops.Save(r.key, r.used, r.n_tokens, r.digest) for r in unsaved)
        yield from self.carry_out(Plan(saves, (), self.arena, self.arena.tick))

    def carry_out(self, made: Plan) -> Generator[None, None, None]:
        """Carry out a plan that was made elsewhere."""
        yield from self._executor(made, SyncStats()).run()

    def _executor(self, made: Plan, stats: SyncStats, *, deadline: float = math.inf) -> Executor:
        return Executor(self, self.pool, self.store, made, stats, deadline=deadline)

    # Looking

    def spans(self) -> tuple[list[wire.SpanReport], list[tuple[int, int]]]:
        if self.arena is None:
            return [], []
        end = self.arena.span.end
        spans = [wire.SpanReport(0, len(self.header), "", "header")] if self.header else []
        for r in self.arena:
            spans.append(wire.SpanReport(r.used.start, r.used.end, r.key, "attached" if r.attached else "detached"))
        spans.append(wire.SpanReport(end, end + len(self.footer), "", "footer"))
        return spans, [(hole.start, hole.end) for hole in self.arena.holes]

    def verify(self) -> bool:
        if self.arena is None:
            return True
        residents = list(self.arena)
        attached = [r for r in residents if r.attached]
        for seq, blocks in ((self.resident_seq, residents), (self.attached_seq, attached)):
            starts = [0] if self.header else [*(r.span.start for r in blocks), self.arena.span.end]
            if (self.context.first(seq), self.context.last(seq)) != (starts[0], self.base.end - 1):
                return False
        return True

    def check(self) -> None:
        if self.arena is None:
            return
        self.arena.check()
        self.copies.check()
        residents = list(self.arena)
        for seq, blocks in ((self.resident_seq, residents), (self.attached_seq, [r for r in residents if r.attached])):
            spans = [(0, len(self.header)), *(r.used for r in blocks), (self.arena.span.end, self.base.end)]
            expected = [position for start, end in spans for position in range(start, end)]
            assert self.context.cells.positions(seq).tolist() == expected, f"{self.name}: {spans} in sequence {seq}"


def _digest(header: Tokens, tokens: Tokens) -> str:
    return hashlib.blake2b(np.array([*header, NONE, *tokens], np.int32).tobytes(), digest_size=16).hexdigest()
