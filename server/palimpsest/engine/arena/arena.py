"""Pure: the arena: the positions between header and footer, handed out by a free list.

In: tokens and spans.  Out: where each block is, which positions are free, what would have to move or go.
This package knows no cell, no store, no wish and no llama.cpp; it is plain data with a `check()`.

    | A A A A a a | . . . | B B B | C C c | . . . . |
      used  slack   hole    used            hole

A resident block uses the first `n_tokens` positions of its span; the rest is slack for its growth.  Positions cost
no memory, so slack is given where there is room and taken back silently by whoever needs it.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from palimpsest.engine.arena import fit
from palimpsest.engine.arena.span import FreeList, Span


@dataclass(frozen=True, slots=True)
class Resident:
    """A block in the cache: `tokens` are at `span.start, span.start + n_tokens`.

    `digest` is empty while the block is incomplete (cut, its end not yet written).  `rank` is its place in the
    order of value, 0 the most valuable; `last_used` the tick of the last plan that wanted it.
    """

    key: str
    tokens: tuple[int, ...]
    digest: str
    span: Span
    rank: int = 0
    last_used: int = 0
    attached: bool = False

    @property
    def n_tokens(self) -> int:
        return len(self.tokens)

    @property
    def n_slack(self) -> int:
        return self.span.size - len(self.tokens)

    @property
    def used(self) -> Span:
        return Span(self.span.start, self.span.start + len(self.tokens))

    @property
    def complete(self) -> bool:
        return bool(self.digest)


@dataclass(frozen=True, slots=True)
class Move:
    """K-shift the block's `n_tokens` by `distance`; `old` and `new` are spans with slack and may overlap."""

    key: str
    old: Span
    new: Span
    n_tokens: int

    @property
    def distance(self) -> int:
        return self.new.start - self.old.start


class Arena:
    """Positions `start, end` of one workspace, and the blocks resident in them."""

    def __init__(self, start: int, end: int) -> None:
        assert 0 <= start <= end, f"arena {start}, {end}"
        self.span = Span(start, end)
        self.tick = 0
        self._residents: dict[str, Resident] = {}
        self._starts: list[int] = []  # of spans, sorted; _keys runs parallel
        self._keys: list[str] = []
        self._holes = FreeList(self.span)

    # ---- looking

    @property
    def size(self) -> int:
        return self.span.size

    @property
    def n_tokens(self) -> int:
        """Cells that the residents occupy, attached or not."""
        return sum(r.n_tokens for r in self._residents.values())

    @property
    def n_free(self) -> int:
        """Positions in holes; slack is not counted."""
        return sum(hole.size for hole in self._holes)

    @property
    def n_slack(self) -> int:
        return sum(r.n_slack for r in self._residents.values())

    @property
    def holes(self) -> tuple[Span, ...]:
        """The free ranges in order of position."""
        return tuple(self._holes)

    def __len__(self) -> int:
        return len(self._residents)

    def __contains__(self, key: object) -> bool:
        return key in self._residents

    def __getitem__(self, key: str) -> Resident:
        return self._residents[key]

    def __iter__(self) -> Iterator[Resident]:
        """Residents in order of position."""
        return iter([self._residents[key] for key in self._keys])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Arena):
            return NotImplemented
        return (self.span, self._residents, self._holes) == (other.span, other._residents, other._holes)

    def get(self, key: str) -> Resident | None:
        return self._residents.get(key)

    def copy(self) -> "Arena":
        """An arena of its own with the same content, to plan on."""
        other = Arena(*self.span)
        other.tick = self.tick
        other._residents = dict(self._residents)
        other._starts, other._keys, other._holes = list(self._starts), list(self._keys), self._holes.copy()
        return other

    # ---- taking and giving back

    def find(self, n_tokens: int, slack: int = 0) -> Span | None:
        """Best fit: the smallest hole for `n_tokens` and `slack`, else the smallest for `n_tokens`, with what slack
        that hole allows; of equal holes the lowest.  None when no hole is large enough.  Changes nothing."""
        return self._holes.find(n_tokens, slack)

    def free_until(self, position: int) -> int:
        """The end of the hole that `position` is in, else `position`."""
        return self._holes.free_until(position)

    def place(self, key: str, tokens: tuple[int, ...], digest: str, span: Span) -> Resident:
        """Put a new, detached block at `span`; other blocks' slack in the way is taken from them."""
        assert key not in self._residents, f"{key} is resident already"
        assert 0 < len(tokens) <= span.size, f"{key}: {len(tokens)} tokens in {span}"
        assert self.can_place(span), f"{key}: {span} is taken"
        self._take(span)
        return self._insert(Resident(key, tokens, digest, span))

    def can_place(self, span: Span, ignoring: str = "") -> bool:
        """Whether `span` lies in the arena and is free, or no more than slack of others, or `ignoring`'s own."""
        if not self.span.contains(span):
            return False
        return not any(r.used.overlaps(span) for r in self._around(span) if r.key != ignoring)

    def free(self, key: str) -> Resident:
        """Take a block out, its neighbouring holes become one; what it was."""
        return self._remove(self._residents[key])

    def resize(self, key: str, n_tokens: int, slack: int = 0) -> Span | None:
        """The span that `key` would have in place with `n_tokens`: its own, or grown into the hole (and the slack
        wanted, where it allows it) right after it.  None when that does not do.  Changes nothing."""
        span = self._residents[key].span
        if n_tokens <= span.size:
            return span
        free = self.free_until(span.end)
        return Span(span.start, min(free, span.start + n_tokens + slack)) if free - span.start >= n_tokens else None

    def rewrite(self, key: str, tokens: tuple[int, ...], digest: str, span: Span) -> Resident:
        """Other tokens for a block, at a span with the same start; slack of others in the way is taken from them."""
        old = self._residents[key]
        assert span.start == old.span.start, f"{key} is at {old.span}, not {span}"
        assert 0 < len(tokens) <= span.size, f"{key}: {len(tokens)} tokens in {span}"
        assert self.can_place(span, ignoring=key), f"{key}: {span} is taken"
        self._remove(old)
        self._take(span)
        return self._insert(replace(old, tokens=tokens, digest=digest, span=span))

    def truncate(self, key: str, n_tokens: int) -> Resident:
        """Keep the first `n_tokens` tokens, at least one; the block is incomplete then, its span stays."""
        old = self._residents[key]
        assert 0 < n_tokens <= old.n_tokens, f"{key}: {n_tokens} of {old.n_tokens} tokens"
        return self._set(replace(old, tokens=old.tokens[:n_tokens], digest=""))

    def relocate(self, key: str, span: Span) -> Resident:
        """The same block at another span, which may overlap its old one, and others' slack."""
        old = self._residents[key]
        assert old.n_tokens <= span.size, f"{key}: {old.n_tokens} tokens in {span}"
        assert self.can_place(span, ignoring=key), f"{key}: {span} is taken"
        self._remove(old)
        self._take(span)
        return self._insert(replace(old, span=span))

    # ---- marking

    def attach(self, key: str, *, rank: int, tick: int) -> None:
        """Mark as attached and just used."""
        self.tick = max(self.tick, tick)
        self._set(replace(self._residents[key], attached=True, rank=rank, last_used=tick))

    def detach(self, key: str) -> None:
        self._set(replace(self._residents[key], attached=False))

    def touch(self, key: str, tick: int) -> None:
        """Mark as just used."""
        self.tick = max(self.tick, tick)
        self._set(replace(self._residents[key], last_used=tick))

    def rekey(self, renamed: Mapping[str, str]) -> None:
        """Call blocks by other keys, all at once; a new key may be one that another block gives up."""
        staying = self._residents.keys() - renamed.keys()
        assert renamed.keys() <= self._residents.keys(), f"not resident: {renamed.keys() - self._residents.keys()}"
        assert len({*renamed.values()}) == len(renamed), f"one key for two blocks: {renamed}"
        assert not staying & {*renamed.values()}, f"taken: {staying & {*renamed.values()}}"
        changed = {new: replace(self._residents[old], key=new) for old, new in renamed.items()}
        for old in renamed:
            del self._residents[old]
        self._residents.update(changed)
        self._keys = [renamed.get(key, key) for key in self._keys]

    # ---- what would have to go, or to move (nothing here changes the arena)

    def victims(self, n_tokens: int | None = None, *, attached: bool = False, but: Collection[str] = ()) -> list[str]:
        """Keys in the order in which to evict them: detached ones, the least recently used first and among those
        the least valuable; with `attached`, then those, the least valuable first.

        As many as give `n_tokens` cells, all of them when those do not suffice or `n_tokens` is None; none of `but`.
        """
        residents = sorted((r for r in self if not r.attached), key=lambda r: (r.last_used, -r.rank, r.span.start))
        if attached:
            residents += sorted((r for r in self if r.attached), key=lambda r: (-r.rank, r.last_used, r.span.start))
        keys, cells = list[str](), 0
        for resident in residents:
            if n_tokens is not None and cells >= n_tokens:
                break
            if resident.key in but:
                continue
            keys.append(resident.key)
            cells += resident.n_tokens
        return keys

    def window(self, n_tokens: int, evictable: Collection[str] = ()) -> tuple[Span, list[str]] | None:
        """A run of `n_tokens` positions that are free, slack or of `evictable` blocks, and those of them in it:
        the one where the fewest cells go, then the least slack, then the lowest.  None when there is none."""
        return fit.window(self._segments(evictable), n_tokens)

    def moves_to_fit(self, n_tokens: int) -> list[Move] | None:
        """The moves, in an order in which none lands on another block, that make one hole of `n_tokens` positions:
        the fewest cells moved, slack kept where that suffices.  Empty when `window` finds one without, None when
        free positions and slack together are too few."""
        if self.window(n_tokens) is not None:
            return []
        for trim in (False, True):
            slid = fit.slide(self.span, [(r.key, r.used if trim else r.span) for r in self], n_tokens)
            if slid is not None:
                return [Move(key, self[key].span, new, self[key].n_tokens) for key, new in slid]
        return None

    # ---- holding

    def check(self) -> None:
        """Raises AssertionError, with the numbers, when anything does not add up."""
        self._holes.check()
        assert sorted(self._keys) == sorted(self._residents), f"{self._keys} in order, {[*self._residents]} resident"
        assert self._starts == [r.span.start for r in self], f"starts {self._starts} of {list(self)}"
        spans = sorted([*((r.span, r.key) for r in self), *((hole, "hole") for hole in self._holes)])
        at = self.span.start
        for span, name in spans:
            assert span.start == at, f"{name} {span} begins at {span.start}, {at} is next"
            at = span.end
        assert at == self.span.end, f"the arena ends at {self.span.end}, its spans at {at}"
        for key, r in self._residents.items():
            assert r.key == key, f"{r.key} kept as {key}"
            assert 0 < r.n_tokens <= r.span.size, f"{key}: {r.n_tokens} tokens in {r.span}"
        assert self.n_free + self.n_slack + self.n_tokens == self.size, (
            f"{self.n_free} free, {self.n_slack} slack, {self.n_tokens} used, of {self.size}"
        )

    # ---- inside

    def _segments(self, evictable: Collection[str]) -> list[fit.Segment]:
        evictable = frozenset(evictable)
        segments = [fit.Segment(hole, "hole") for hole in self._holes]
        for r in self:
            segments.append(fit.Segment(r.used, "block" if r.key in evictable else "wall", r.key))
            if r.n_slack:
                segments.append(fit.Segment(Span(r.used.end, r.span.end), "slack", r.key))
        return sorted(segments, key=lambda segment: segment.span)

    def _around(self, span: Span) -> list[Resident]:
        """Residents whose spans overlap `span`."""
        first = max(0, bisect_right(self._starts, span.start) - 1)
        last = bisect_left(self._starts, span.end)
        near = [self._residents[key] for key in self._keys[first:last]]
        return [r for r in near if r.span.overlaps(span)]

    def _take(self, span: Span) -> None:
        """Make `span` no hole, taking slack from those who have it there."""
        for r in self._around(span):
            shortened = Span(r.span.start, max(r.used.end, span.start))
            self._set(replace(r, span=shortened))
            self._holes.give(Span(shortened.end, r.span.end))
        self._holes.take(span)

    def _insert(self, resident: Resident) -> Resident:
        i = bisect_left(self._starts, resident.span.start)
        self._starts.insert(i, resident.span.start)
        self._keys.insert(i, resident.key)
        return self._set(resident)

    def _remove(self, resident: Resident) -> Resident:
        i = bisect_left(self._starts, resident.span.start)
        del self._starts[i], self._keys[i], self._residents[resident.key]
        self._holes.give(resident.span)
        return resident

    def _set(self, resident: Resident) -> Resident:
        self._residents[resident.key] = resident
        return resident
