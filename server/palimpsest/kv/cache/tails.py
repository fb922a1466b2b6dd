"""The tails of one workspace, by name: whose KV a tail is.

In: names.  Out: tails, each used by one job at a time.  How many are kept is bounded; beyond that, and where cells or
sequences run short, the least recently used is given up first.  How urgent a job is has no part in this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from palimpsest.kv.cache.tail import Tail

MAX_TAILS = 16


class Tails(Mapping[str, Tail]):
    """By name, the least recently used first."""

    def __init__(self, make: Callable[[], Tail], most: int = MAX_TAILS) -> None:
        self._make, self._most = make, most
        self._named: dict[str, Tail] = {}
        self._strays: list[Tail] = []  # in use, but no longer anybody's to keep

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
    def snapshots(self) -> set[int]:
        """Sequences in which suspended jobs still look at the base's cells as they were."""
        return {tail.seq for tail in self._all() if tail.busy and tail.seq >= 0}

    @contextmanager
    def use(self, name: str, revision: Callable[[], int]) -> Iterator[Tail]:
        """The tail of that name, marked busy; another one while a job uses that.  What it has of a `revision` that is
        no longer the workspace's is dropped in the end."""
        tail = self._named.pop(name, None)
        if tail is None:
            self._give_up(self._most - 1)
            self._named[name] = tail = self._make()
        else:
            self._named[name] = tail
            if tail.busy:
                tail = self._make()
                self._strays.append(tail)
        tail.busy = True
        try:
            yield tail
        finally:
            tail.busy = False
            if tail in self._strays:
                self._strays.remove(tail)
                tail.drop()
            elif tail.revision != revision():
                tail.drop_prompt()

    def drop_one(self) -> bool:
        """Give up the least recently used tail that no job uses; False when there is none."""
        name = next((name for name, tail in self._named.items() if not tail.busy), None)
        if name is None:
            return False
        self._named.pop(name).drop()
        return True

    def drop_all(self) -> None:
        """Give up the tails that no job uses."""
        while self.drop_one():
            pass

    def drop_prompts(self) -> None:
        """The blocks change: what stands behind them is no longer good, a suffix alone is."""
        for tail in self._named.values():
            if not tail.busy:
                tail.drop_prompt()

    def abandon(self) -> None:
        """Header or footer go: a suffix alone is no longer good either.  Tails in use end with their job."""
        self.drop_all()
        self._strays += self._named.values()
        self._named.clear()

    def check(self) -> None:
        for tail in self._named.values():
            tail.check()

    def _give_up(self, n: int) -> None:
        """Until there are at most `n`, or all are in use."""
        while len(self._named) > n and self.drop_one():
            pass

    def _all(self) -> list[Tail]:
        return [*self._named.values(), *self._strays]
