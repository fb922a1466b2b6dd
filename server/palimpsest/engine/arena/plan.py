"""Pure: the planner: from what is resident to what is wanted, as steps.

In: an arena, the wanted blocks in order of value, what the store has, limits.  Out: a `Plan`; nothing is changed.
This package knows no text, no llama.cpp and no clock.  The steps and their order are in `steps.py`.

What a wanted block costs decides how it comes, the cheapest first:

    resident and equal (under whatever key)    nothing, or a seq_cp where it was detached
    in the store                               a copy, even where a prefix is resident: that would decode something
    resident with a common prefix              decode from the first difference, in place where it can grow
    neither                                    decode it

Where it goes is `room.py`'s business.

Which blocks fit is settled before, by counting alone (`_admit`): in order of value, whatever still has positions and
cells.  Moves make any free positions one hole, so what was admitted can always be placed; and since the count does
not depend on where blocks happen to be, planning again changes nothing.

A bound on what may be decoded (`max_decode`) defers blocks of those that fit: they are left as they are, detached
where they were attached with another text, and all else is planned as though they were not wanted.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from palimpsest.engine.arena import steps as ops
from palimpsest.engine.arena.arena import Arena, Move, Resident
from palimpsest.engine.arena.room import ArenaRoom
from palimpsest.engine.arena.span import Span

Stored = Callable[[str], int | None]
"""Position at which a digest's KV was saved, None when it is not in the store (`HostStore.start_of`)."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A block that shall be attached.  `tokens` is not empty; `digest` names header, text and model."""

    key: str
    tokens: tuple[int, ...]
    digest: str


@dataclass(frozen=True, slots=True)
class PlanLimits:
    """What the plan must keep to, and what things cost.

    `cells_free`: cells this workspace may still take; negative when it shall give some back.  `pinned`: residents whose
    cells somebody else has, too, so that evicting them gives none back.  `header_tokens`: cells
    of one copy of the header, kept free while anything is written or restored (the executor may use more copies at
    once where it has the cells).  `store`: an evicted block's KV is kept.  `min_common_prefix`: fewer common tokens
    are not worth keeping.  Slack of a new block: `slack_min` or `slack_share` of its tokens, whichever is more.
    `move_cost`: how many tokens one could decode in the time of a K-shift.
    """

    cells_free: int
    header_tokens: int
    store: bool = True
    min_common_prefix: int = 8
    slack_min: int = 16
    slack_share: float = 0.125
    move_cost: int = 64
    pinned: frozenset[str] = frozenset()

    def slack(self, n_tokens: int) -> int:
        return max(self.slack_min, int(n_tokens * self.slack_share))


@dataclass(frozen=True, slots=True)
class Plan:
    """`steps` in the order in which to apply them; keys that do not fit, and those deferred, in order of value; the
    arena as after them.

    Carry out each step, then `apply(arena, step, plan.tick)`: the arena tells the truth then wherever the job stops.
    """

    steps: tuple[ops.Step, ...]
    unfit: tuple[str, ...]
    arena: Arena
    tick: int
    deferred: tuple[str, ...] = ()

    @property
    def restores(self) -> tuple[ops.Restore, ...]:
        return tuple(step for step in self.steps if isinstance(step, ops.Restore))

    @property
    def writes(self) -> tuple[ops.Write, ...]:
        return tuple(step for step in self.steps if isinstance(step, ops.Write))


def plan(
    arena: Arena, wanted: Sequence[Wanted], stored: Stored, limits: PlanLimits, max_decode: int | None = None
) -> Plan:
    """The steps after which every wanted block that fits stands complete and attached, and nothing else is attached.

    `wanted` is in order of value, its keys are distinct.  Afterwards, planning the same again yields Keep steps only.
    `max_decode` bounds the tokens of all writes together (copies of the header not counted); in order of value,
    whatever would go beyond it is deferred, a smaller block behind a larger one may still come.
    """
    assert len({w.key for w in wanted}) == len(wanted), "a key wanted twice"
    assert all(w.tokens and w.digest for w in wanted), "a block without tokens or digest"
    equal = _equal(arena, wanted)
    admitted, unfit = _admit(arena, wanted, equal, limits)
    deferred = dict[str, None]()
    while True:
        made = _plan(arena, admitted, equal, stored, limits)
        beyond = [] if max_decode is None else _beyond(made, max_decode)
        if not beyond:
            ranked = tuple(w.key for w in wanted if w.key in deferred)
            return replace(made, unfit=unfit, deferred=ranked)
        deferred.update(dict.fromkeys(beyond))
        admitted = {key: value for key, value in admitted.items() if key not in deferred}


def _beyond(made: Plan, max_decode: int) -> list[str]:
    """Keys of the writes that there are no tokens left for, when the more valuable ones come first."""
    beyond, budget = list[str](), max_decode
    for write in sorted(made.writes, key=lambda write: write.rank):
        if write.n_decoded > budget:
            beyond.append(write.key)
        else:
            budget -= write.n_decoded
    return beyond


def _plan(arena: Arena, admitted: "_Admitted", equal: dict[str, Resident], stored: Stored, limits: PlanLimits) -> Plan:
    """The plan for what was admitted, all of it."""
    planner = _Planner(arena, stored, limits)
    planner.release(admitted, {key: r for key, r in equal.items() if key in admitted})
    planner.give_back_cells(admitted)
    for rank, w in admitted.values():
        if w.key in planner.room.prefixes:
            planner.grow(rank, w)
    for rank, w in admitted.values():
        if w.key not in planner.room.arena:
            planner.put(rank, w)
    return planner.made(admitted)


def shrink(arena: Arena, n_cells: int, stored: Stored, limits: PlanLimits, *, attached: bool = False) -> Plan:
    """Give back `n_cells` cells, or as many as there are, of detached blocks; with `attached`, of any."""
    planner = _Planner(arena, stored, limits)
    for key in arena.victims(n_cells, attached=attached, but=limits.pinned):
        planner.room.evict(key)
    return planner.made({})


def common_prefix(a: Sequence[int], b: Sequence[int]) -> int:
    """How many tokens two sequences begin with alike."""
    for i, (x, y) in enumerate(zip(a, b, strict=False)):
        if x != y:
            return i
    return min(len(a), len(b))


_Admitted = dict[str, tuple[int, Wanted]]
"""Blocks that are admitted, by key and in order of value: rank and block."""


def _equal(arena: Arena, wanted: Sequence[Wanted]) -> dict[str, Resident]:
    """For each wanted key the resident block that is what it wants, whatever it is called; none serves two."""
    equal = dict[str, Resident]()
    for w in wanted:
        r = arena.get(w.key)
        if r is not None and (r.digest, r.tokens) == (w.digest, w.tokens):
            equal[w.key] = r
    others = {r.digest: r for r in arena if r.complete and r.key not in equal}
    for w in wanted:
        if w.key not in equal and w.digest in others and others[w.digest].tokens == w.tokens:
            equal[w.key] = others.pop(w.digest)
    return equal


def _admit(
    arena: Arena, wanted: Sequence[Wanted], equal: dict[str, Resident], limits: PlanLimits
) -> tuple[_Admitted, tuple[str, ...]]:
    """What fits, in order of value, and the keys of what does not.

    A block that is not resident needs room for a copy of the header too while it comes; so does then every other
    beside it.  A smaller, less valuable block may fit where a larger one did not.
    """
    admitted, unfit = _Admitted(), list[str]()
    staying = {r.key for r in equal.values()}
    pinned = sum(arena[key].n_tokens for key in limits.pinned if key not in staying)
    cells, coming = limits.cells_free + arena.n_tokens - pinned, 0
    used = 0
    for rank, w in enumerate(wanted):
        header = limits.header_tokens if w.key not in equal else coming
        n = used + len(w.tokens)
        if n > arena.size or n + header > cells:
            unfit.append(w.key)
            continue
        admitted[w.key] = rank, w
        used, coming = n, header
    return admitted, tuple(unfit)


class _Planner:
    """Works out one plan in a `ArenaRoom`, then says it in steps."""

    def __init__(self, arena: Arena, stored: Stored, limits: PlanLimits) -> None:
        self.before = arena
        self.stored = stored
        self.limits = limits
        self.room = ArenaRoom(arena, store=limits.store)
        self._renamed: dict[str, str] = {}
        self._after = arena.copy()  # the arena as after the steps so far
        self._steps: list[ops.Step] = []

    # ---- what is resident

    def release(self, admitted: _Admitted, equal: dict[str, Resident]) -> None:
        """Settle what becomes of each resident block: stays, stays as a prefix, is detached, or makes way."""
        room, stays = self.room, {r.key: key for key, r in equal.items()}
        self._renamed = {old: new for old, new in stays.items() if old != new}
        for r in self.before:
            if r.key in stays:
                continue
            if r.key not in admitted:
                room.arena.detach(r.key)
            elif r.key in equal or not self._worth_keeping(r, admitted[r.key][1]):
                room.evict(r.key)
            else:
                room.prefixes[r.key] = common_prefix(r.tokens, admitted[r.key][1].tokens)
                room.arena.truncate(r.key, room.prefixes[r.key])
        room.arena.rekey(self._renamed)
        for key in (*equal, *room.prefixes):
            room.arena.attach(key, rank=admitted[key][0], tick=room.tick)

    def _worth_keeping(self, r: Resident, w: Wanted) -> bool:
        if self.stored(w.digest) is not None:
            return False
        least = self.limits.min_common_prefix if r.complete else 1  # what was begun for it is gone on with
        return common_prefix(r.tokens, w.tokens) >= min(least, len(w.tokens))

    def give_back_cells(self, admitted: _Admitted) -> None:
        """Evict detached blocks until the cells suffice for all that is to come and one copy of the header."""
        arena = self.room.arena
        coming = sum(len(w.tokens) for _, w in admitted.values()) - sum(r.n_tokens for r in arena if r.attached)
        header = self.limits.header_tokens if coming else 0
        free = self.limits.cells_free + self.before.n_tokens - arena.n_tokens - self._stays_elsewhere()
        for key in arena.victims(coming + header - free, but=self.limits.pinned):
            self.room.evict(key)

    def _stays_elsewhere(self) -> int:
        """Cells of what goes that somebody else has, too."""
        gone = sum(r.n_tokens for r in self.room.gone if r.key in self.limits.pinned)
        prefixes = self.room.prefixes.items()
        return gone + sum(self.before[key].n_tokens - n for key, n in prefixes if key in self.limits.pinned)

    # ---- what comes

    def grow(self, rank: int, w: Wanted) -> None:
        """Give a block of which the beginning is kept the room for its new text: in place, else elsewhere by a move
        where that costs less than decoding the beginning again; else it goes, to be written anew."""
        room, n, n_kept = self.room, len(w.tokens), self.room.prefixes[w.key]
        slack = self.limits.slack(n)
        if self.limits.store:
            room.evict_behind(w.key, n)
        span = room.arena.resize(w.key, n, slack)
        if span is not None:
            room.arena.rewrite(w.key, w.tokens, w.digest, span)
            return
        old = room.arena.free(w.key)
        span = room.clear(n, slack) if n_kept > self.limits.move_cost else None
        if span is None:
            room.evict(w.key)
            return
        room.moves.append(Move(w.key, old.span, span, n_kept))
        room.settle(w.key, w.tokens, w.digest, rank, span)

    def put(self, rank: int, w: Wanted) -> None:
        """Place a block that is not resident: where it was saved if it can, which spares a K-shift."""
        room, n = self.room, len(w.tokens)
        slack = self.limits.slack(n)
        saved_start = self.stored(w.digest)
        home = None if saved_start is None else Span(saved_start, saved_start + n)
        if home is not None and room.arena.can_place(home):
            span = room.with_slack(home, slack)
        else:
            span = room.clear(n, slack) or room.compact(n, slack)
        room.coming[w.key] = saved_start
        room.settle(w.key, w.tokens, w.digest, rank, span)

    # ---- the steps

    def made(self, admitted: _Admitted) -> Plan:
        """All that was settled as a plan, its steps in the order of `steps.py`, each with the span of its time."""
        room = self.room
        for r in self.before:
            if r.attached and r.key in room.arena and not room.arena[r.key].attached:
                self._do(ops.Detach(r.key, r.span, r.n_tokens))
        cut = [(self.before[key], n) for key, n in room.prefixes.items() if n < self.before[key].n_tokens]
        for r, _ in cut:
            if self._worth_a_copy(r):
                self._do(ops.Save(r.key, r.span, r.n_tokens, r.digest))
        for r in room.gone:
            gone = (r.key, r.span, r.n_tokens)
            self._do(ops.Evict(*gone, r.digest) if self._worth_a_copy(r) else ops.Free(*gone))
        for r, n_kept in cut:
            self._do(ops.Cut(r.key, r.span, n_kept, r.n_tokens))
        if self._renamed:
            self._do(ops.Rekey(tuple(self._renamed.items())))
        for move in room.moves:
            self._do(replace(move, old=self._after[move.key].span))
        self._bring(admitted)
        return Plan(tuple(self._steps), (), self._after, room.tick)

    def _bring(self, admitted: _Admitted) -> None:
        room = self.room
        for key, (rank, _) in admitted.items():
            if key not in room.coming and key not in room.prefixes:
                r = self._after[key]
                self._do((ops.Keep if r.attached else ops.Attach)(key, r.span, r.n_tokens, rank))
        for key, (rank, w) in admitted.items():
            saved_start = room.coming.get(key)
            if saved_start is not None:
                self._do(ops.Restore(key, room.arena[key].span, w.tokens, w.digest, rank, saved_start))
        for key, (rank, w) in admitted.items():
            if key in room.prefixes or (key in room.coming and room.coming[key] is None):
                self._do(ops.Write(key, room.arena[key].span, w.tokens, w.digest, rank, room.prefixes.get(key, 0)))

    def _worth_a_copy(self, r: Resident) -> bool:
        return self.limits.store and r.complete and self.stored(r.digest) is None

    def _do(self, step: ops.Step) -> None:
        self._steps.append(step)
        ops.apply(self._after, step, self.room.tick)
