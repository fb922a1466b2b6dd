"""Pure: room for what is to come: an arena being planned on, and what had to go and to move for it.

In: the arena as it is, and how many positions are needed.  Out: spans; what goes and what moves is collected here.
This package knows no wish, no step and no llama.cpp; `plan.py` asks it and makes steps of what it collected.

When no hole is large enough:

1. other blocks' slack: costs nothing;
2. with a store: evict detached blocks, those not used for longest, as few as clear a run.  A copy of some cells now
   and perhaps one back later is cheaper than a K-shift, which visits every cell of every layer, re-rounds K, and
   makes the next decode wait.  Without a store: move first, since what is evicted would have to be decoded again;
3. move blocks together, evicting detached ones only as far as there are too few positions.
"""

from bisect import bisect_left
from dataclasses import replace

from palimpsest.engine.arena.arena import Arena, Move, Resident
from palimpsest.engine.arena.span import Span


class ArenaRoom:
    """A copy of an arena in which what shall stay is attached and all else detached.

    Blocks that are only coming are placed in it too (`coming`: key → where its KV was saved, None when it is to be
    decoded); sliding one of those is no move.  `kept`: key → how many tokens stay of a block that is written on.
    """

    def __init__(self, before: Arena, *, store: bool) -> None:
        self.before = before
        self.arena = before.copy()
        self.store = store
        self.tick = before.tick + 1
        self.prefixes: dict[str, int] = {}
        self.coming: dict[str, int | None] = {}
        self.gone: list[Resident] = []
        self.moves: list[Move] = []

    def evict(self, key: str) -> None:
        """Free a block that is resident, under the key it has in `before`."""
        self.prefixes.pop(key, None)
        self.moves = [move for move in self.moves if move.key != key]  # it goes before anything moves
        self.gone.append(self.before[key])
        if key in self.arena:
            self.arena.free(key)

    def settle(self, key: str, tokens: tuple[int, ...], digest: str, rank: int, span: Span) -> None:
        """Place a block for good."""
        self.arena.place(key, tokens, digest, span)
        self.arena.attach(key, rank=rank, tick=self.tick)

    def clear(self, n: int, slack: int) -> Span | None:
        """Room without a move: a hole, else others' slack, else, where there is a store, evicting detached blocks:
        none used more recently than need be, and of those as few cells as will do."""
        span = self.arena.find(n, slack)
        if span is not None:
            return span
        victims = self.arena.victims() if self.store else []
        # More victims never make less room, so the smallest number of them that does is found by bisection.
        enough = bisect_left(range(len(victims)), True, key=lambda i: self.arena.window(n, victims[:i]) is not None)
        window = self.arena.window(n, victims[:enough])
        if window is None:
            return None
        span, keys = window
        for key in keys:
            self.evict(key)
        return self.with_slack(span, slack)

    def compact(self, n: int, slack: int) -> Span:
        """Room by moving blocks together; detached ones are evicted only as far as positions are too few."""
        while (moves := self.arena.moves_to_fit(n)) is None:
            self.evict(self.arena.victims()[0])
        for move in moves:
            self.arena.relocate(move.key, move.new)
            if move.key not in self.coming:  # one that is only coming comes to its new place
                self.moves.append(replace(move, n_tokens=self.prefixes.get(move.key, move.n_tokens)))
        window = self.arena.window(n)
        assert window is not None, f"no room for {n} after {moves}"
        return self.with_slack(window[0], slack)

    def with_slack(self, span: Span, slack: int) -> Span:
        """`span` with as much of `slack` behind it as is free."""
        return Span(span.start, min(self.arena.free_until(span.end), span.end + slack))

    def evict_behind(self, key: str, n: int) -> None:
        """Evict the detached blocks that keep `key` from growing to `n` tokens in place, if nothing else does."""
        span = self.arena[key].span
        wanted = Span(span.start, span.start + n)
        behind = [r for r in self.arena if r.key != key and r.span.overlaps(wanted)]
        if wanted.end <= self.arena.span.end and not any(r.attached for r in behind):
            for r in behind:
                self.evict(r.key)
