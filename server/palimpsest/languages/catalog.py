"""Reads modules in the background, and keeps their descriptions, for any language.

In: requests, made while the user types.  Out: the descriptions that are ready; others are read on an executor, which
then calls `on_ready`.  Owner of the descriptions and of the pending reads.
"""

import logging
import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Executor, Future, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from palimpsest.languages.modules import Description
from palimpsest.newest import Newest
from palimpsest.workspace.files import Stamp

log = logging.getLogger(__name__)

FORGET_SECONDS = 30.0
"""A missing module is searched for again after this time."""
_NOTHING = object()
_MOST_CACHED = 512
K = TypeVar("K", bound=Hashable)
K_contra = TypeVar("K_contra", bound=Hashable, contravariant=True)


class Describer(Protocol[K_contra]):
    """Reads modules; the key is what tells them apart, their name at least."""

    def describe(self, module: K_contra, names: frozenset[str], /) -> Description | None:
        """The module's public names, and `names` even if they are not public.  May take long; never called twice at
        once."""

    def stamp(self, path: Path) -> Stamp | None:
        """The version of a file as it is now.  Cheap, and called by whoever asks the catalog."""


@dataclass(frozen=True, slots=True)
class _Known:
    """`of`: what had decided where modules are looked for, and what could be found there."""

    description: Description | None
    at: float
    of: tuple[Hashable, Hashable]


class PendingReads(Generic[K]):
    """What is being read on an executor, or waits for it: one read for each key."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._pending: dict[K, Future[None]] = {}
        self._lock = threading.Lock()

    def begin(self, key: K, read: Callable[[], None]) -> None:
        """Unless one for the key is under way."""
        with self._lock:
            if key in self._pending:
                return
            done = self._pending[key] = Future[None]()
        try:
            run = self._executor.submit(self._run, key, read, done)
        except RuntimeError:  # the executor is shut down because the process is ending
            self._finish(key, done)
        else:  # a shutdown also cancels what has not begun
            run.add_done_callback(lambda it: self._finish(key, done) if it.cancelled() else None)

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until nothing is pending; False on a timeout."""
        until = None if seconds is None else time.monotonic() + seconds
        while True:
            with self._lock:
                pending = list(self._pending.values())
            if not pending:
                return True
            left = None if until is None else max(0.0, until - time.monotonic())
            if wait(pending, left).not_done:
                return False

    def _run(self, key: K, read: Callable[[], None], done: Future[None]) -> None:
        try:
            read()
        finally:
            self._finish(key, done)

    def _finish(self, key: K, done: Future[None]) -> None:
        with self._lock:
            self._pending.pop(key, None)
        done.set_result(None)


class ModuleCatalog(Generic[K]):
    """The modules of one describer.  `open_describer` may take long, is called in the background, and may return None.
    When the value of `decides` changes, a new describer is opened; when that of `holds` does, modules may have been
    added.  Both are cheap, and called by whoever asks.

    Without an executor, `describe` reads at once.
    """

    def __init__(
        self,
        open_describer: Callable[[], Describer[K] | None],
        executor: Executor | None = None,
        on_ready: Callable[[], None] = lambda: None,
        *,
        decides: Callable[[], Hashable] = lambda: None,
        holds: Callable[[], Hashable] = lambda: None,
    ) -> None:
        self._open_describer = open_describer
        self._reads = PendingReads[K](executor) if executor is not None else None
        self._on_ready = on_ready
        self._decides, self._holds = decides, holds
        self._describer: Describer[K] | None = None
        self._opened_for: Hashable = _NOTHING
        self._known = Newest[K, _Known](_MOST_CACHED)
        self._lock = threading.Lock()
        self._reading = threading.Lock()

    def describe(self, module: K, names: frozenset[str]) -> Description | None:
        """The module as last read, or None; it is read again in the background if it is outdated or lacks some of
        `names`."""
        of = self._decides(), self._holds()
        with self._lock:
            known = self._known.get(module)
        if known is not None and self._serves(known, names, of):
            return known.description
        asked = names
        if known is not None and known.description is not None:
            asked |= frozenset(known.description.looked_up)
        if self._reads is None:
            self._read(module, asked, of)
            return self._known[module].description

        def read() -> None:
            self._read(module, asked, of)
            self._on_ready()

        self._reads.begin(module, read)
        return known.description if known is not None else None

    def is_current(self) -> bool:
        """Whether the describer is the one that would be opened now."""
        return self._opened_for == self._decides()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the pending reads; False on a timeout."""
        return self._reads is None or self._reads.wait(seconds)

    def _serves(self, known: _Known, names: frozenset[str], of: tuple[Hashable, Hashable]) -> bool:
        description = known.description
        if description is None:
            return known.of == of and time.monotonic() - known.at < FORGET_SECONDS
        if known.of[0] != of[0] or not description.knows(names):
            return False
        describer = self._describer
        return describer is None or all(describer.stamp(path) == stamp for path, stamp in description.read)

    def _read(self, module: K, names: frozenset[str], of: tuple[Hashable, Hashable]) -> None:
        description = None
        try:
            with self._reading:
                if self._describer is None or self._opened_for != of[0]:
                    self._describer, self._opened_for = self._open_describer(), of[0]
                if self._describer is not None:
                    description = self._describer.describe(module, names)
        except Exception:
            # A module that makes the reader fail has no description; the log says why.
            log.exception("cannot describe the module %s", module)
        with self._lock:
            self._known[module] = _Known(description, time.monotonic(), of)
