"""The tails of one workspace.  A tail's name says whose KV it is; how urgent a job is has nothing to do with it.

In: names.  Out: tails, each used by one job at a time, and copies of them under other names.  Where a prompt takes a
name that has nothing to do with what was decoded under it, as when the cursor goes to another place, that is set aside:
whoever comes back with the same blocks goes on there.  The number of either kind is bounded: beyond it, and where cells
or sequences run short, those behind other blocks than the present ones are given up first, then the least recently
used; those set aside before others.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from palimpsest.engine.cache.tail import Tail
from palimpsest.engine.cache.tail_prompt import TailPrompt
from palimpsest.errors import EngineError, InvalidArgument, UnknownTail

MAX_TAILS = 16
MAX_ASIDE = 16
"""Places that a person goes to and fro between.  Each costs two or three sequences, which searches need as well and
get where they run short."""
LEAST_ASIDE = 64
"""Tokens; fewer are decoded again in no time."""


class Tails(Mapping[str, Tail]):
    """By name, the least recently used first."""

    def __init__(
        self,
        make: Callable[[], Tail],
        revision: Callable[[], int],
        keeps: Callable[[Tail], bool],
        most: int = MAX_TAILS,
    ) -> None:
        """`revision`: the workspace's, for which alone a tail is good.  `keeps`: whether one of another revision stays
        until that comes again."""
        self._make, self._revision, self._keeps, self._most = make, revision, keeps, most
        self._named: dict[str, Tail] = {}
        self._unnamed: list[Tail] = []  # in use, and dropped afterwards
        self._aside: list[tuple[str, Tail]] = []  # with the names they had, the least recently used first

    def __getitem__(self, name: str) -> Tail:
        return self._named[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._named)

    def __len__(self) -> int:
        return len(self._named)

    @property
    def seqs(self) -> set[int]:
        """All their sequences."""
        return {seq for tail in self._all() for seq in tail.seqs}

    @property
    def revisions(self) -> set[int]:
        """Those for which there are tails."""
        return {tail.revision for tail in self._all()}

    @property
    def snapshots(self) -> set[int]:
        """Sequences in which suspended jobs still look at the base's cells as they were."""
        return {tail.seq for tail in self._all() if tail.busy and tail.seq >= 0}

    @contextmanager
    def use(self, name: str, wanted: TailPrompt | None = None, *, fresh: int = 0) -> Iterator[Tail]:
        """The tail of that name, marked busy; another one while a job uses that.  `wanted`: of what was decoded under
        the name, what goes on furthest with this; the rest is set aside.  `fresh`: also what was decoded behind other
        blocks goes on, but for so many tokens (`Tail.snapshot`)."""
        tail = self._named.pop(name, None)
        if tail is None:
            self._give_up(self._most - 1)
            tail = self._make()
        elif tail.busy:
            self._named[name] = tail
            tail = self._make()
            self._unnamed.append(tail)
        elif wanted is not None and tail.rolls_back:
            tail = self._furthest(name, tail, wanted, fresh)
        if tail not in self._unnamed:
            self._named[name] = tail
        with self._busy(tail):
            yield tail

    def _furthest(self, name: str, present: Tail, wanted: TailPrompt, fresh: int) -> Tail:
        """Of the tails under a name the one that has most of a prompt; a copy of it where it has much else."""
        self._aside.append((name, present))  # listed, so that any of them can make way for a copy
        revision = self._revision()

        def n_good(tail: Tail) -> int:
            if tail.revision == revision:
                return tail.n_common(wanted)
            return max(0, tail.n_common(wanted) - fresh) if fresh and tail.leaves else 0

        def n_movable(tail: Tail) -> int:
            """The same of one whose suffix is another one."""
            return tail.n_movable(wanted, fresh) if fresh and tail.leaves else 0

        def is_outdated(tail: Tail) -> bool:
            """Whether it is the same place's, with the blocks that this had: those that it has now are instead.  Little
            or nothing behind the cursor is alike at the end of any file."""
            if fresh and tail.leaves:
                return False
            is_alike = len(wanted.alone) >= LEAST_ASIDE and tail.alone == wanted.alone
            return tail.revision != revision and (is_alike or tail.n_common(wanted) > tail.n_prompt // 2)

        before = [tail for of, tail in reversed(self._aside) if of == name and not tail.busy]
        chosen = max(before, key=n_good)
        n_here = n_good(chosen)
        n_lost = chosen.n_prompt - n_here
        if wanted.n_tokens - n_here > 2 * fresh and n_here < n_movable(nearest := max(before, key=n_movable)):
            chosen, n_here = nearest, n_movable(nearest)
            n_lost = chosen.n_prompt - len(chosen.alone) - chosen.n_kept(wanted, fresh)
        elif not n_here:
            chosen = next((tail for tail in before if is_outdated(tail)), present)
            n_lost = chosen.n_prompt
        if not is_outdated(chosen) and n_lost >= LEAST_ASIDE:
            best, chosen = chosen, self._make()
            if n_here:
                with suppress(EngineError), self._busy(best):  # too few sequences: it begins anew
                    best.copy_to(chosen)
        for of, tail in tuple(self._aside):
            is_useless = tail in before and (tail.n_prompt < LEAST_ASIDE or is_outdated(tail))
            if tail is chosen or is_useless:
                self._aside.remove((of, tail))
            if tail is not chosen and is_useless:
                tail.drop()
        while len(self._aside) > MAX_ASIDE:
            self._aside.pop(0)[1].drop()
        return chosen

    @contextmanager
    def _busy(self, tail: Tail) -> Iterator[None]:
        """What a tail has of an older revision is dropped when its last user leaves it."""
        tail.n_users += 1
        try:
            yield
        finally:
            tail.n_users -= 1
            if not tail.busy and tail in self._unnamed:
                self._unnamed.remove(tail)
                tail.drop()
            elif not tail.busy and self._is_lost(tail):
                tail.let_base_go()

    def _is_lost(self, tail: Tail) -> bool:
        """Whether it will never be good again."""
        return tail.revision != self._revision() and not self._keeps(tail)

    def fork(self, name: str, names: Sequence[str]) -> Tail:
        """Copies of a tail under other names, in place of what had those; nothing is decoded.  The tail itself.

        Raises UnknownTail where nothing is kept under its name, InvalidArgument for names that cannot be given,
        EngineError where sequences run short; then no copy is made.
        """
        parent = self._named.get(name)
        if parent is None or parent.seq < 0 or self._is_lost(parent):
            raise UnknownTail(name)
        if name in names or len(set(names)) < len(names) or not 0 < len(names) < self._most:
            raise InvalidArgument("names", f"expected 1 to {self._most - 1} different names, none of them {name!r}.")
        made = list[Tail]()
        try:
            with self._busy(parent):
                for _ in names:
                    made.append(self._make())
                    parent.copy_to(made[-1])
        except BaseException:  # no copy is made
            for tail in made:
                tail.drop()
            raise
        self._give_names({name: parent, **dict(zip(names, made, strict=True))})
        return parent

    def _give_names(self, tails: Mapping[str, Tail]) -> None:
        """As those used last; others make way for them."""
        for name, tail in tails.items():
            old = self._named.pop(name, None)
            if old is not None and old is not tail and old.busy:
                self._unnamed.append(old)
            elif old is not None and old is not tail:
                old.drop()
        self._give_up(self._most - len(tails))
        self._named.update(tails)

    def drop_one(self) -> bool:
        """Give up the least recently used tail that no job uses, one of another revision before all others, one that
        was set aside before one that has its name; False when there is none."""
        return self._drop_of((*self._aside, *self._named.items()))

    def _drop_of(self, tails: Iterable[tuple[str, Tail]]) -> bool:
        at_rest = [(name, tail) for name, tail in tails if not tail.busy]
        if not at_rest:
            return False
        revision = self._revision()
        victim = next((it for it in at_rest if it[1].revision != revision), at_rest[0])
        if victim in self._aside:
            self._aside.remove(victim)
        else:
            del self._named[victim[0]]
        victim[1].drop()
        return True

    def drop_aside(self) -> bool:
        """The same of those that were set aside alone."""
        return self._drop_of(self._aside)

    def drop_all(self) -> None:
        """Give up the tails that no job uses."""
        while self.drop_one():
            pass

    def drop_prompts(self, which: Callable[[set[int]], bool] = lambda seqs: True) -> None:
        """The blocks change: what stands behind them is no longer good, unless the tail leaves it; a suffix alone is.
        `which`: asked of sequences, whether any is concerned."""
        named = (*self._named.values(), *(tail for _, tail in self._aside))
        at_rest = [tail for tail in named if not tail.busy and tail.seq >= 0]
        if which({seq for tail in at_rest for seq in tail.seqs}):
            for tail in at_rest:
                if which(tail.seqs):
                    tail.let_base_go()
        for _, tail in self._aside:
            if tail.seq < 0:
                tail.drop()
        self._aside = [(name, tail) for name, tail in self._aside if tail.seq >= 0]

    def abandon(self) -> None:
        """Header or footer go: a suffix alone is no longer good either.  Tails in use end with their job."""
        self.drop_all()
        self._unnamed += self._named.values()
        self._named.clear()

    def check(self) -> None:
        for tail in self._all():
            tail.check()

    def _give_up(self, n: int) -> None:
        """Until there are at most `n`, or all are in use."""
        while len(self._named) > n and self._drop_of(self._named.items()):
            pass

    def _all(self) -> list[Tail]:
        return [*self._named.values(), *self._unnamed, *(tail for _, tail in self._aside)]
