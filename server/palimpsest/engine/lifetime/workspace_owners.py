"""Closes a workspace when the last client that used it is gone.

In: which client uses which workspace; leases as they come and go.  Out: calls of `close`.  An editor that is killed
does not say goodbye; all that is seen of it is that its lease ends.  Belongs to the event loop's thread.  Knows no
route and no model.
"""

import asyncio
import math
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

GRACE_S = 5.0
"""How long a workspace stays after its last lease, since a connection may only have been interrupted."""
UNUSED_S = 600.0
"""How long one stays that a client without a lease used last."""


@dataclass(slots=True)
class _Ownership:
    """`clients` hold a lease and have used the workspace; without any, and with no request open, it ends at `due`."""

    clients: set[str] = field(default_factory=set)
    n_open: int = 0
    due: float = 0.0

    @property
    def over(self) -> bool:
        return not self.clients and not self.n_open


class WorkspaceOwners:
    """Made on the event loop that serves.  `close` is given a workspace's name."""

    def __init__(self, close: Callable[[str], object], *, grace_s: float = GRACE_S, unused_s: float = UNUSED_S) -> None:
        self._close = close
        self._grace_s, self._unused_s = grace_s, unused_s
        self._loop = asyncio.get_running_loop()
        self._leases: Counter[str] = Counter()
        self._owned: dict[str, _Ownership] = {}
        self._timer: asyncio.TimerHandle | None = None

    @contextmanager
    def leased(self, client: str) -> Iterator[None]:
        """While a lease is open.  A client without a name has none that counts here."""
        self._leases[client] += 1
        try:
            yield
        finally:
            self._leases[client] -= 1
            if not self._leases[client]:
                del self._leases[client]
                self._gone(client)

    @contextmanager
    def using(self, client: str, workspace: str) -> Iterator[None]:
        """While a request for a workspace is answered."""
        ownership = self._owned.setdefault(workspace, _Ownership())
        leased = bool(client) and client in self._leases
        if leased:
            ownership.clients.add(client)
        ownership.n_open += 1
        try:
            yield
        finally:
            ownership.n_open -= 1
            if not leased:
                ownership.due = max(ownership.due, self._loop.time() + self._unused_s)
            self._wait()

    def stop(self) -> None:
        """Close nothing any more."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
        self._owned.clear()

    def _gone(self, client: str) -> None:
        for ownership in self._owned.values():
            if client in ownership.clients:
                ownership.clients.remove(client)
                ownership.due = max(ownership.due, self._loop.time() + self._grace_s)
        self._wait()

    def _wait(self) -> None:
        """Look again when the next workspace is due."""
        if self._timer is not None:
            self._timer.cancel()
        next_due = min((ownership.due for ownership in self._owned.values() if ownership.over), default=math.inf)
        self._timer = self._loop.call_at(next_due, self._end_those_due) if next_due < math.inf else None

    def _end_those_due(self) -> None:
        now = self._loop.time()
        for workspace, ownership in list(self._owned.items()):
            if ownership.over and ownership.due <= now:
                del self._owned[workspace]
                self._close(workspace)
        self._wait()
