"""The tails of one workspace.  A tail's name says whose KV it is; how urgent a job is has nothing to do with it.

In: names.  Out: tails, each used by one job at a time, and copies of them under other names.  Their number is bounded:
beyond it, and where cells or sequences run short, those behind other blocks than the present ones are given up first,
then the least recently used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from palimpsest.engine.cache.tail import Tail
from palimpsest.errors import InvalidArgument, UnknownTail

MAX_TAILS = 16


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
    def use(self, name: str) -> Iterator[Tail]:
        """The tail of that name, marked busy; another one while a job uses that."""
        tail = self._named.pop(name, None)
        if tail is None:
            self._give_up(self._most - 1)
            self._named[name] = tail = self._make()
        else:
            self._named[name] = tail
            if tail.busy:
                tail = self._make()
                self._unnamed.append(tail)
        with self._busy(tail):
            yield tail

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
        except BaseException:
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
        """Give up the least recently used tail that no job uses, one of another revision before all others; False when
        there is none."""
        at_rest = [name for name, tail in self._named.items() if not tail.busy]
        if not at_rest:
            return False
        revision = self._revision()
        name = next((name for name in at_rest if self._named[name].revision != revision), at_rest[0])
        self._named.pop(name).drop()
        return True

    def drop_all(self) -> None:
        """Give up the tails that no job uses."""
        while self.drop_one():
            pass

    def drop_prompts(self, which: Callable[[set[int]], bool] = lambda seqs: True) -> None:
        """The blocks change: what stands behind them is no longer good, unless the tail leaves it; a suffix alone is.
        `which`: asked of sequences, whether any is concerned."""
        at_rest = [tail for tail in self._named.values() if not tail.busy and tail.seq >= 0]
        if which({seq for tail in at_rest for seq in tail.seqs}):
            for tail in at_rest:
                if which(tail.seqs):
                    tail.let_base_go()

    def abandon(self) -> None:
        """Header or footer go: a suffix alone is no longer good either.  Tails in use end with their job."""
        self.drop_all()
        self._unnamed += self._named.values()
        self._named.clear()

    def check(self) -> None:
        for tail in self._named.values():
            tail.check()

    def _give_up(self, n: int) -> None:
        """Until there are at most `n`, or all are in use."""
        while len(self._named) > n and self.drop_one():
            pass

    def _all(self) -> list[Tail]:
        return [*self._named.values(), *self._unnamed]
