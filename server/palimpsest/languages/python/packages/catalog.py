"""Descriptions of modules, read in the background.

In: requests, made while the user types.  Out: the descriptions that are ready; others are read on an executor, which
then calls `on_ready`.  Owner of the descriptions and of the pending reads.
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
"""A missing module is searched for again after this time."""
_MOST_CACHED = 512


@dataclass(frozen=True, slots=True)
class _Known:
    description: Description | None
    at: float


class Catalog:
    """The modules of one location.  `open_location` may take long, is called in the background, and may return None.

    Without an executor, `describe` reads at once.
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

    def describe(self, module: str, names: frozenset[str]) -> Description | None:
        """The module as last read, or None; it is read again in the background if it is outdated or lacks some of
        `names`."""
        with self._lock:
            known = self._known.get(module)
        if known is not None and self._serves(known, names):
            return known.description
        asked = names
        if known is not None and known.description is not None:
            asked |= frozenset(known.description.looked_up)
        if self._executor is None:
            self._read(module, asked)
            return self._known[module].description
        self._schedule(self._executor, module, asked)
        return known.description if known is not None else None

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the pending reads; False on a timeout."""
        until = None if seconds is None else time.monotonic() + seconds
        while True:
            with self._lock:
                pending = list(self._pending.values())
            if not pending:
                return True
            left = None if until is None else max(0.0, until - time.monotonic())
            if wait(pending, left).not_done:
                return False

    def _serves(self, known: _Known, names: frozenset[str]) -> bool:
        description = known.description
        if description is None:
            return self._clock() - known.at < FORGET_SECONDS
        if not description.knows(names):
            return False
        path, location = description.path, self._location
        return path is None or location is None or location.stamp(path) == description.stamp

    def _schedule(self, executor: Executor, module: str, names: frozenset[str]) -> None:
        with self._lock:
            if module in self._pending:
                return
            future: Future[None] = Future()
            self._pending[module] = future
        try:
            executor.submit(self._run, module, names, future)
        except RuntimeError:  # the executor is shut down because the process is ending
            self._finish(module, future)

    def _run(self, module: str, names: frozenset[str], future: Future[None]) -> None:
        try:
            self._read(module, names)
        finally:
            self._finish(module, future)
        self._on_ready()

    def _finish(self, module: str, future: Future[None]) -> None:
        with self._lock:
            self._pending.pop(module, None)
        future.set_result(None)

    def _read(self, module: str, names: frozenset[str]) -> None:
        description = None
        try:
            with self._reading:
                if self._library is None:
                    self._location = self._open_location()
                    self._library = Library(self._location) if self._location is not None else None
                if self._library is not None:
                    description = self._library.describe(module, names)
        except Exception:
            # A module that makes the reader fail has no description; the log says why.
            log.exception("cannot describe the module %s", module)
        with self._lock:
            self._known.pop(module, None)
            self._known[module] = _Known(description, self._clock())
            if len(self._known) > _MOST_CACHED:
                del self._known[next(iter(self._known))]
