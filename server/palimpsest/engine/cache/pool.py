"""The cells and sequences of one cache: who needs some takes them here, and others give some back when there are none.

In: micro-batches, from the workspaces that share the cache.  Out: logits, sequences, and counts of what was done.
Knows workspaces only by what they can give back (`SequenceOwner`): no block, no tail and no request.  Belongs to the
engine's thread.
"""

import functools
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Literal, Protocol

from palimpsest.engine.cache.pace import Pace
from palimpsest.engine.llama.native import NO_SLOT, Context, Logits, Run
from palimpsest.errors import ContextTooLarge, DecodeError, EngineError

NONE = -1
"""No sequence."""
Part = Literal["headers", "blocks", "tails"]
PARTS: tuple[Part, ...] = ("headers", "blocks", "tails")
AGAIN = {part: f"{part}_again" for part in PARTS}
STATS = ("decoded", *PARTS, *AGAIN.values(), "reused", "restored", "moved", "evicted", "generated", "searched")


STRETCH = 8
"""Tokens in a row that stood together before: fewer are alike by chance."""
MOST_STRETCHES = 1 << 16
"""Stretches that are remembered, some 6 MB; those decoded longest ago are forgotten first."""


class SequenceOwner(Protocol):
    """A workspace as the pool sees it: who has sequences and their cells, and what can be had back of them."""

    @property
    def name(self) -> str: ...

    @property
    def busy(self) -> bool:
        """Whether a job of this owner's is under way: it is not to be closed."""

    def drop_tail(self) -> bool:
        """Give back the least recently used tail that no job uses; False where there is none."""

    def drop_tail_aside(self) -> bool:
        """The same of tails that are kept for other places than the present one."""

    def shrink(self, n_cells: int, *, attached: bool) -> bool:
        """Give back that many cells of detached blocks (or of attached ones too); False when there are none."""

    def verify(self) -> bool:
        """Whether llama.cpp's memory has what the owner thinks it has, as far as it can be asked."""

    def forget(self) -> None:
        """Give everything back without a copy to the store."""


class SequenceOwners(Protocol):
    """All that have sequences of a cache."""

    def oldest_first(self) -> Sequence[SequenceOwner]:
        """What was used least recently comes first."""

    def close(self, name: str) -> None:
        """Have an owner give everything back, its blocks' KV to the store."""


class DecodedBefore:
    """What the model was shown before: of the tokens that are decoded, how many were decoded already."""

    def __init__(self) -> None:
        self._stretches: dict[int, None] = {}

    def note(self, tokens: Sequence[int]) -> int:
        """Of one prompt's tokens in a micro-batch, how many stand in a stretch that was decoded before."""
        stretches = [hash(tuple(tokens[i : i + STRETCH])) for i in range(len(tokens) - STRETCH + 1)]
        n = end = 0
        for i, stretch in enumerate(stretches):
            if stretch in self._stretches:
                n, end = n + i + STRETCH - max(i, end), i + STRETCH
        for stretch in stretches:
            self._stretches.pop(stretch, None)
            self._stretches[stretch] = None
        for stretch in list(islice(self._stretches, max(0, len(self._stretches) - MOST_STRETCHES))):
            del self._stretches[stretch]
        return n


class CellPool:
    """`stats`: sums since the engine started; of what was `decoded`, `headers` (with their copies, and footers),
    `blocks` and `tails` are counted besides, the rest were answers; and of each what was decoded before
    (`headers_again` …).  `end_suspended` ends the least urgent job that waits for others in the middle of its work;
    False when there is none."""

    def __init__(
        self,
        context: Context,
        owners: SequenceOwners,
        *,
        reserve: bool,
        filler: int,
        end_suspended: Callable[[], bool],
    ) -> None:
        """`reserve`: a sequence is set aside for `scratch`.  `filler`: any token that can be decoded."""
        self.context = context
        self.end_suspended = end_suspended
        self.pace = Pace()
        self.stats = dict.fromkeys(STATS, 0)
        self._decoded_before = DecodedBefore()
        self._owners = owners
        self._filler = filler
        self._clock = 0
        self._free = list(range(context.n_seq_max - 1, -1, -1))
        self._reserve = self._free.pop() if reserve else NONE

    @property
    def used_cells(self) -> int:
        return self.context.cells.used

    @property
    def free_cells(self) -> int:
        return self.context.cells.free

    @property
    def free_sequences(self) -> int:
        return len(self._free)

    def tick(self) -> int:
        """Later than every tick before: for what was used least recently."""
        self._clock += 1
        return self._clock

    def check(self, known: set[int]) -> None:
        """Raises AssertionError where llama.cpp and the account of its cells differ, or cells or sequences are in use
        that are not among `known`, the owners' sequences.  For tests, while no job is under way."""
        self.context.check()
        unknown = self.used_cells - self.context.cells.count(known)
        assert not unknown, f"{unknown} cells are used by nobody"
        taken = set(range(self.context.n_seq_max)) - {*self._free, self._reserve}
        assert taken == known, f"sequences {taken} are taken, {known} in use"

    # Sequences

    def take(self) -> int:
        """An empty sequence.  Raises EngineError when every one is in use by something that runs."""
        if not self._free:
            self._give_up_sequences()
        if not self._free:
            raise EngineError("All sequences of the cache are in use.", hint="Ask for fewer alternatives at a time.")
        return self._free.pop()

    def spare(self, n: int) -> int:
        """Have tails that are kept for other places make way until so many sequences are free; how many are."""
        for owner in self._owners.oldest_first():
            while len(self._free) < n and owner.drop_tail_aside():
                pass
        return len(self._free)

    def give(self, seq: int) -> None:
        """Empty a sequence and take it back; `NONE` is ignored."""
        if seq >= 0:
            assert seq not in self._free, f"sequence {seq} given back twice"
            self.context.remove(seq)
            self._free.append(seq)

    @contextmanager
    def scratch(self) -> Iterator[int]:
        """An empty sequence for a copy that is made and gone without a yield.  It is kept in reserve for that, so that
        a workspace can be closed where no other sequence is left.  Only where the cache is edited in place."""
        assert self._reserve >= 0, "the reserve is in use, or there is none"
        seq, self._reserve = self._reserve, NONE
        try:
            yield seq
        finally:
            self.context.remove(seq)
            self._reserve = seq

    def _give_up_sequences(self) -> None:
        """Until one is free: tails of other places, then others that no job uses, then workspaces at rest, the least
        recently used first; then jobs that wait for others end."""
        if self.spare(1):
            return
        oldest = self._owners.oldest_first()
        self._drop_tails(oldest, lambda: bool(self._free))
        for owner in oldest:
            if self._free:
                return
            self._close_at_rest(owner)
        while not self._free and self.end_suspended():
            self._drop_tails(oldest, lambda: bool(self._free))

    # Decoding, with room made for it

    @property
    def n_batch(self) -> int:
        """Tokens of the next micro-batch: what can be decoded while a keystroke waits for it."""
        return self.pace.batch(self.context.n_batch)

    def part(self, n_tokens: int) -> int:
        """Of a prompt's tokens, those for the next micro-batch."""
        return self.pace.part(n_tokens, self.context.n_batch)

    def decode(self, runs: Sequence[Run], asking: SequenceOwner) -> list[Logits | None]:
        """Decode one micro-batch for `asking`; others give up cells when there are too few.

        Raises ContextTooLarge (nothing happened) when there is no room, DecodeError when llama.cpp failed.
        """
        n_tokens = sum(len(run.tokens) for run in runs)
        if self.free_cells < n_tokens and not self.make_room(n_tokens, asking, at_any_cost=True):
            raise self._no_room()
        try:
            logits = self._timed_decode(runs, n_tokens)
        except DecodeError as error:
            if error.return_code != NO_SLOT:
                raise
            raise self._no_room() from error
        self.stats["decoded"] += n_tokens
        return logits

    def count(self, part: Part, tokens: Sequence[int], *, copy: bool = False) -> None:
        """Of the tokens just decoded, some that belong together: what they were.  `copy`: of what is in the cache."""
        self.stats[part] += len(tokens)
        self.stats[AGAIN[part]] += len(tokens) if copy else self._decoded_before.note(tokens)

    def _no_room(self) -> ContextTooLarge:
        return ContextTooLarge(
            "The cache has no room for this.",
            fitting=self.free_cells,
            hint="Set a larger `engine.n_ctx`, or a smaller `context.budget`.",
        )

    def _timed_decode(self, runs: Sequence[Run], n_tokens: int) -> list[Logits | None]:
        shifts = self.context.shift_pending
        began = time.perf_counter()
        logits = self.context.decode(runs)
        if not shifts:
            self.pace.note(n_tokens, time.perf_counter() - began)
        return logits

    def apply_shifts(self) -> bool:
        """Have llama.cpp carry out pending shifts, which only a decode does; False without a cell for it."""
        if not self.context.shift_pending:
            return True
        with self.scratch() as seq:
            try:
                self.context.decode([Run([self._filler], 0, seq)])
            except DecodeError as error:
                if error.return_code != NO_SLOT:
                    raise
                return False
        return True

    def recover(self, error: DecodeError, asking: SequenceOwner) -> None:
        """Make the books true again after a failed decode: what llama.cpp did not keep as it was is dropped."""
        if error.return_code == NO_SLOT:
            return
        everywhere = self.context.shift_pending
        if error.return_code < 0:
            asking.forget()
        for owner in self._owners.oldest_first():
            if everywhere or not owner.verify():
                owner.forget()

    # Room

    def make_room(self, n_cells: int, asking: SequenceOwner, *, at_any_cost: bool = False) -> bool:
        """Free cells until `n_cells` are free: what can be had again for little and was used least recently first.

        `at_any_cost`: jobs that wait for others in the middle of their work end, too.  False where that is too few.
        """
        self._give_up_cells(n_cells, asking)
        while at_any_cost and self.free_cells < n_cells and self.end_suspended():
            self._give_up_cells(n_cells, asking)
        return self.free_cells >= n_cells

    def _give_up_cells(self, n_cells: int, asking: SequenceOwner) -> None:
        def enough() -> bool:
            return self.free_cells >= n_cells

        others = [owner for owner in self._owners.oldest_first() if owner is not asking]
        ways: list[Callable[[], object]] = [functools.partial(self._drop_tails, others, enough)]
        ways += [functools.partial(self._shrink, owner, n_cells, attached=False) for owner in others]
        ways.append(functools.partial(self._shrink, asking, n_cells, attached=False))  # a tail is no copy away
        ways.append(functools.partial(self._drop_tails, [asking], enough))
        ways += [functools.partial(self._shrink, owner, n_cells, attached=True) for owner in others]
        ways += [functools.partial(self._close_at_rest, t) for t in others]  # header and footer are cells, too
        for way in ways:
            if enough():
                return
            way()

    def _shrink(self, owner: SequenceOwner, n_cells: int, *, attached: bool) -> bool:
        return owner.shrink(n_cells - self.free_cells, attached=attached)

    def _close_at_rest(self, owner: SequenceOwner) -> None:
        if not owner.busy:
            self._owners.close(owner.name)

    @staticmethod
    def _drop_tails(owners: Sequence[SequenceOwner], enough: Callable[[], bool]) -> None:
        """The least recently used of each owner first, as many as it takes."""
        for owner in owners:
            while not enough() and owner.drop_tail():
                pass
