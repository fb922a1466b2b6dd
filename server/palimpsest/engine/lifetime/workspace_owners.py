"""Whose the workspaces are: one ends with the last of the clients that used it.

In: which client names which workspace, leases as they come and go.  Out: calls of `close`.  An editor that is killed,
or closes its pipes right behind `shutdown`, says no goodbye: all that tells of it is that its lease is gone.  Knows no
route and no model; belongs to the event loop's thread.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

GRACE_S = 5.0
"""How long a workspace stays when its last lease is gone: a connection may only have been interrupted."""
UNUSED_S = 600.0
"""How long one stays that was last used by a client without a lease."""


@dataclass(slots=True)
class _Tenancy:
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
        self._tenancies: dict[str, _Tenancy] = {}
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
        tenancy = self._tenancies.setdefault(workspace, _Tenancy())
        leased = bool(client) and client in self._leases
        if leased:
            tenancy.clients.add(client)
        tenancy.n_open += 1
        try:
            yield
        finally:
            tenancy.n_open -= 1
            if not leased:
                tenancy.due = max(tenancy.due, self._loop.time() + self._unused_s)
            self._wait()

    def stop(self) -> None:
        """Close nothing any more."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
        self._tenancies.clear()

    def _gone(self, client: str) -> None:
        for tenancy in self._tenancies.values():
            if client in tenancy.clients:
                tenancy.clients.remove(client)
                tenancy.due = max(tenancy.due, self._loop.time() + self._grace_s)
        self._wait()

    def _wait(self) -> None:
        """Look again when the next workspace is due."""
        if self._timer is not None:
            self._timer.cancel()
        next_due = min((tenancy.due for tenancy in self._tenancies.values() if tenancy.over), default=math.inf)
        self._timer = self._loop.call_at(next_due, self._end_those_due) if next_due < math.inf else None

    def _end_those_due(self) -> None:
        now = self._loop.time()
        for workspace, tenancy in list(self._tenancies.items()):
            if tenancy.over and tenancy.due <= now:
                del self._tenancies[workspace]
                self._close(workspace)
        self._wait()
