"""How long the engine stays: counts leases and open requests, and decides when to leave.

In: leases and requests as they come and go, the core's changes of health.  Out: `stopping`, set once.  Belongs to the
event loop's thread.  Knows no route and no model.
"""

import asyncio
import dataclasses
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress

from palimpsest.engine.core.core import EngineCore
from palimpsest.engine.lifetime.workspace_owners import GRACE_S, WorkspaceOwners
from palimpsest.wire import Health

FAILED_STAYS_S = 10.0
"""An engine whose model did not load stays only long enough to say why."""


class Life:
    """Made on the event loop that serves.  `owners`: whose the workspaces are; `on_stop`: called when the engine is
    told to leave."""

    def __init__(
        self,
        core: EngineCore,
        idle_exit_s: float,
        *,
        grace_s: float = GRACE_S,
        on_stop: Callable[[], None] = lambda: None,
    ) -> None:
        self._core = core
        self._loop = asyncio.get_running_loop()
        self._idle_exit_s = idle_exit_s
        self._n_requests = 0
        self._leases: set[asyncio.Event] = set()
        self._jobs: set[threading.Event] = set()
        self._idle_since = self._loop.time()
        self._lasting = dataclasses.replace(core.health(), busy=False)
        self.http = ""  # where it also serves a person's clients, "" for nowhere
        self.stopping = asyncio.Event()
        self.owners = WorkspaceOwners(core.close, grace_s=grace_s)
        self._on_stop = on_stop
        self._unsubscribe = core.on_change(self._core_changed)

    def health(self) -> Health:
        n_waiting = self._core.n_waiting
        return dataclasses.replace(self._core.health(), clients=len(self._leases), http=self.http, waiting=n_waiting)

    def stop(self) -> None:
        """End the leases and cancel what runs.  Idempotent."""
        if not self.stopping.is_set():
            self._unsubscribe()
            self.stopping.set()
            self.owners.stop()
            self._on_stop()
            for token in self._jobs:
                token.set()
            self._changed()

    @contextmanager
    def request(self) -> Iterator[None]:
        """While a request is open the engine is not idle."""
        self._n_requests += 1
        try:
            yield
        finally:
            self._n_requests -= 1
            self._idle_since = self._loop.time()

    @contextmanager
    def job(self) -> Iterator[threading.Event]:
        """A token for one job, cancelled when the engine stops or the caller leaves (no matter once it is done).  A
        request that had been let in before the engine was told to stop may begin its job only after that."""
        token = threading.Event()
        if self.stopping.is_set():
            token.set()
        self._jobs.add(token)
        try:
            yield token
        finally:
            self._jobs.discard(token)
            token.set()

    async def lease(self, client: str = "") -> AsyncIterator[Health]:
        """Health now and after each change but of `busy`, until the engine stops; while it is read there is one
        client more, and the workspaces that it uses stay."""
        changed = asyncio.Event()
        self._leases.add(changed)
        self._changed()
        newest: Health | None = None
        try:
            with self.owners.leased(client):
                while not self.stopping.is_set():
                    changed.clear()
                    health = self.health()
                    if health != newest:
                        newest = health
                        yield health
                    await changed.wait()
        finally:
            self._leases.discard(changed)
            self._idle_since = self._loop.time()
            self._changed()

    async def leave_when_idle(self) -> None:
        """Return after `stop`, at the latest when there has been neither lease nor request for long enough."""
        while not self.stopping.is_set():
            health = self._core.health()
            if self._leases or self._n_requests or health.state == "loading":
                self._idle_since = self._loop.time()
            stays = min(self._idle_exit_s, FAILED_STAYS_S) if health.state == "failed" else self._idle_exit_s
            remaining_s = self._idle_since + stays - self._loop.time()
            if remaining_s <= 0:
                self.stop()
                return
            with suppress(TimeoutError):  # it is time to look again
                async with asyncio.timeout(min(remaining_s, 5.0)):
                    await self.stopping.wait()

    def _core_changed(self, health: Health) -> None:
        """On the core's thread.  Whether it is busy changes with each keystroke: leases are not told."""
        lasting = dataclasses.replace(health, busy=False)
        if lasting == self._lasting:
            return
        self._lasting = lasting
        with suppress(RuntimeError):  # the loop closed before the core's thread heard of it
            self._loop.call_soon_threadsafe(self._changed)

    def _changed(self) -> None:
        for lease in self._leases:
            lease.set()
