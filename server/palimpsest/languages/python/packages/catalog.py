"""Descriptions of modules at hand at once, and the rest read in the background.

In: requests while somebody types.  Out: what is known by now; the rest is read on an executor, which then calls
`on_ready`.  Owner of the descriptions and of the work under way.  Knows no block.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, wait
from dataclasses import dataclass

from palimpsest.languages.modules import Description
from palimpsest.languages.python.packages.library import Library, ModuleLocation

log = logging.getLogger(__name__)

FORGET_SECONDS = 30.0
"""After so long a module that was not found is looked for again."""
_KEPT = 512


@dataclass(frozen=True, slots=True)
class _Known:
    description: Description | None
    at: float


class Catalog:
    """One location's modules.  `open_location` may take long and is called in the background; None: there is none.

    Without an executor everything is read at once, in `describe`.
    """

    def __init__(
        self,
        open_location: Callable[[], ModuleLocation | None],
        executor: Executor | None = None,
        on_ready: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._open_location = open_location
        self._executor = executor
        self._on_ready = on_ready
        self._clock = clock
        self._location: ModuleLocation | None = None
        self._library: Library | None = None
        self._known: dict[str, _Known] = {}
        self._pending: dict[str, Future[None]] = {}
        self._lock = threading.Lock()
        self._reading = threading.Lock()

    def describe(self, module: str, wanted: frozenset[str]) -> Description | None:
        """The module as last read; if that is too old or says nothing about `wanted`, it is read again meanwhile."""
        with self._lock:
            known = self._known.get(module)
        if known is not None and self._serves(known, wanted):
            return known.description
        asked = wanted
        if known is not None and known.description is not None:
            asked |= frozenset(known.description.looked_up)
        if self._executor is None:
            self._read(module, asked)
            return self._known[module].description
        self._schedule(self._executor, module, asked)
        return known.description if known is not None else None

    def wait(self, seconds: float | None = None) -> bool:
        """Until nothing is under way; False when time ran out."""
        until = None if seconds is None else time.monotonic() + seconds
        while True:
            with self._lock:
                pending = list(self._pending.values())
            if not pending:
                return True
            left = None if until is None else max(0.0, until - time.monotonic())
            if wait(pending, left).not_done:
                return False

    def _serves(self, known: _Known, wanted: frozenset[str]) -> bool:
        description = known.description
        if description is None:
            return self._clock() - known.at < FORGET_SECONDS
        if not description.knows(wanted):
            return False
        path, location = description.path, self._location
        return path is None or location is None or location.stamp(path) == description.stamp

    def _schedule(self, executor: Executor, module: str, wanted: frozenset[str]) -> None:
        with self._lock:
            if module in self._pending:
                return
            future: Future[None] = Future()
            self._pending[module] = future
        try:
            executor.submit(self._run, module, wanted, future)
        except RuntimeError:  # the executor is shut down, as everything is about to be
            self._finish(module, future)

    def _run(self, module: str, wanted: frozenset[str], future: Future[None]) -> None:
        try:
            self._read(module, wanted)
        finally:
            self._finish(module, future)
        self._on_ready()

    def _finish(self, module: str, future: Future[None]) -> None:
        with self._lock:
            self._pending.pop(module, None)
        future.set_result(None)

    def _read(self, module: str, wanted: frozenset[str]) -> None:
        description = None
        try:
            with self._reading:
                if self._library is None:
                    self._location = self._open_location()
                    self._library = Library(self._location) if self._location is not None else None
                if self._library is not None:
                    description = self._library.describe(module, wanted)
        except Exception:
            # Somebody's module that our reading did not foresee: it has no block, and the log says why.
            log.exception("cannot describe the module %s", module)
        with self._lock:
            self._known.pop(module, None)
            self._known[module] = _Known(description, self._clock())
            if len(self._known) > _KEPT:
                del self._known[next(iter(self._known))]
