"""The thread that has the engine: it loads the model, runs jobs, and frees the model in the end.

In: work as generators, from any thread.  Out: futures, and the engine's health as it changes.  Knows no request: what a
job does is the job's.
"""

import logging
import os
import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from palimpsest import __version__, wire
from palimpsest.config.settings import EngineSettings
from palimpsest.engine.jobs.loop import Loop
from palimpsest.engine.jobs.queue import Kind, QueuedJob
from palimpsest.engine.llama.native import Context
from palimpsest.engine.native_engine import NativeEngine
from palimpsest.errors import (
    ContextTooLarge,
    DecodeError,
    EngineError,
    EngineLoading,
    EngineUnavailable,
    PalimpsestError,
    UnknownTail,
    UnknownText,
)
from palimpsest.models import profiles
from palimpsest.system.engine_address import CHANGED, file_facts

T = TypeVar("T")


class WhenIdle:
    """Calls `act` when `after_s` seconds have passed since the last work ended."""

    def __init__(self, after_s: float, act: Callable[[], object]) -> None:
        self._after_s, self._act = after_s, act
        self._timer: threading.Timer | None = None
        self._closed = False
        self._lock = threading.Lock()

    def busy(self, busy: bool) -> None:
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if not busy and not self._closed:
                self._timer = threading.Timer(self._after_s, self._act)
                self._timer.daemon = True
                self._timer.start()

    def close(self) -> None:
        with self._lock:
            self._closed = True
        self.busy(True)


class EngineThread:
    """One model, its cache and the thread that owns them.

    Every method may be called from any thread.  A future fails with a PalimpsestError (EngineLoading while the
    model is loading, the load's own error when that failed, Cancelled …); anything else is a defect.
    """

    def __init__(
        self,
        model_path: Path,
        settings: EngineSettings,
        *,
        caution: bool = False,
        log: logging.Logger | None = None,
        make_context: type[Context] = Context,
        idle_after_s: float = 20.0,
    ) -> None:
        """Cheap; nothing is loaded.  `caution` leaves `extra_bufts = auto` off (after a native fault).  `idle_after_s`:
        so long after the last work the blocks are saved, where there is a store on disk, for a crash to cost little."""
        self._path = model_path
        self._settings = settings
        self._caution = caution
        self._log = log or logging.getLogger("palimpsest.engine")
        self._make_context = make_context
        self._engine: NativeEngine | None = None
        self._info: wire.ModelInfo | None = None
        self._health = wire.Health("loading", __version__, os.getpid(), model=model_path.name)
        self._error: PalimpsestError | None = None
        self._callbacks: list[Callable[[wire.Health], None]] = []
        self._lock = threading.Lock()
        self._loop = Loop(self._load, self._free, self._busy)
        self._when_idle = WhenIdle(idle_after_s, self._idle)
        self._file: list[Any] = []
        self.on_replaced: Callable[[], object] = lambda: None
        """Called, on the engine's thread, where the model's file is seen to be another than was loaded: its weights are
        the file's own pages."""
        self.on_tried: Callable[[], object] = lambda: None
        """Called, on any thread, some time after the last work, where more or less is known of the model than when it
        was loaded (`palimpsest model check`)."""
        self._is_tried: Callable[[], bool] = lambda: False

    def start(self) -> None:
        """Start the native thread, which loads the model: state loading → ready | failed.  Call it once."""
        self._loop.start()

    def stop(self) -> None:
        """Cancel what waits and runs, free the model, end the thread (joined).  Idempotent."""
        self._when_idle.close()
        self._loop.stop()

    def fail(self, error: PalimpsestError) -> None:
        """There is no engine, for this reason."""
        self._error = error
        self._say(replace(self._health, state="failed", error=error_object(error)))

    def health(self) -> wire.Health:
        """`clients` is 0: leases are the HTTP side's."""
        return self._health

    @property
    def n_waiting(self) -> int:
        """Jobs that wait or are under way."""
        return self._loop.n_waiting

    def model(self) -> wire.ModelInfo:
        """Raises EngineLoading, or what the load failed with (ModelError, ContextTooLarge, EngineUnavailable)."""
        if self._info is None:
            raise self._not_ready()
        return self._info

    def on_change(self, callback: Callable[[wire.Health], None]) -> Callable[[], None]:
        """`callback` is called (on the engine's thread) after each change of health; returns the way to stop that."""
        with self._lock:
            self._callbacks.append(callback)

        def forget() -> None:
            with self._lock:
                if callback in self._callbacks:
                    self._callbacks.remove(callback)

        return forget

    def call(self, function: Callable[[NativeEngine], T]) -> Future[T]:
        """Run `function(engine)` on the engine's thread between jobs, with the `NativeEngine` that owns the cache: for
        measurements and tests that look at logits."""

        def work(engine: NativeEngine, _job: QueuedJob[T]) -> Generator[None, None, T]:
            yield from ()
            return function(engine)

        return self.submit(work, None)

    def run(
        self,
        work: Callable[[NativeEngine], Generator[None, None, T]],
        cancel: threading.Event | None = None,
        *,
        slot: wire.Slot = "typing",
        workspace: str = "",
    ) -> Future[T]:
        """A job of another protocol's: `work(engine)` yields between micro-batches and between tokens, as every job
        does.  `workspace`: the one it works on.  What it tells on its way is not known here: it is not done over."""

        def begun(engine: NativeEngine, job: QueuedJob[T]) -> Generator[None, None, T]:
            job.repeatable = False
            return (yield from work(engine))  # what `work` itself raises is the job's failure, too

        return self.submit(begun, cancel, slot=slot, kind="generate", workspace=workspace)

    def submit(
        self,
        work: Callable[[NativeEngine, QueuedJob[T]], Generator[None, None, T]],
        cancel: threading.Event | None,
        *,
        slot: wire.Slot = "typing",
        kind: Kind = "other",
        workspace: str = "",
        line: str = "",
        syncs: bool = False,
    ) -> Future[T]:
        engine = self._engine
        if engine is None:
            return failed(self._not_ready())

        def whole() -> Generator[None, None, T]:
            self._check_file()
            return (yield from work(engine, job))

        job: QueuedJob[T] = QueuedJob(whole, slot, kind, workspace, line, syncs, cancel or threading.Event())
        self._loop.submit(job)
        return job.future

    def _not_ready(self) -> PalimpsestError:
        return self._error or EngineLoading("The model is still being loaded.")

    # On the engine's thread

    def _check_file(self) -> None:
        """Raises EngineUnavailable where the file was written over.  One that is gone is still there for who has it."""
        now = file_facts(self._path)
        if now[1] and now != self._file:
            self._log.error("%s was changed since it was loaded", self._path)
            self.on_replaced()
            raise EngineUnavailable(CHANGED)

    def _load(self) -> None:
        began, self._file = time.perf_counter(), file_facts(self._path)
        self._is_tried = profiles.watched(self._path)
        try:
            engine = NativeEngine(
                self._path,
                self._settings,
                caution=self._caution,
                make_context=self._make_context,
                end_suspended=self._loop.end_suspended,
                profile=profiles.of_file(self._path),
            )
        except Exception as error:  # a defect, too, is a load that failed, and is said
            if not isinstance(error, PalimpsestError):
                self._log.exception("loading failed")
                error = EngineError(f"The model could not be loaded ({type(error).__name__}: {error}).")
            self.fail(error)
            return
        self._info = engine.loaded.info()
        self._engine = engine
        self._log.info("%s loaded in %.2f s", self._path, time.perf_counter() - began)
        self._say(replace(self._health, state="ready", model=self._info.name))

    def _free(self) -> None:
        engine, self._engine, self._info = self._engine, None, None
        if self._error is None:
            self._error = EngineUnavailable("The engine has stopped.")
        if engine is not None:
            engine.close()

    def _busy(self, busy: bool) -> None:
        self._when_idle.busy(busy)
        self._say(replace(self._health, busy=busy))

    def _idle(self) -> None:
        """Nobody has wanted anything for a while."""
        if self._is_tried():
            self._log.info("what is known of %s has changed", self._path)
            self.on_tried()
        elif self._settings.disk_mb:
            self._save()

    def _save(self) -> None:
        self.submit(lambda engine, _job: engine.workspaces.save(), None, slot="background")

    def _say(self, health: wire.Health) -> None:
        self._health = health
        with self._lock:
            callbacks = list(self._callbacks)
        for callback in callbacks:
            try:
                callback(health)
            except Exception:  # one listener's defect is not the others'
                self._log.exception("a listener to the engine's health failed")


def failed(error: PalimpsestError) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_exception(error)
    return future


def error_object(error: BaseException) -> dict[str, Any]:
    """The `error` object of the wire: code, message, hint, and field, fitting or return_code where there is one."""
    if not isinstance(error, PalimpsestError):
        return {"code": "error", "message": f"{type(error).__name__}: {error}", "hint": ""}
    out: dict[str, Any] = {"code": error.code, "message": error.message, "hint": error.hint}
    if isinstance(error, ContextTooLarge):
        out["fitting"] = error.fitting
    if isinstance(error, DecodeError):
        out["return_code"] = error.return_code
    if isinstance(error, UnknownText):
        out["hashes"] = list(error.hashes)
    if isinstance(error, UnknownTail):
        out["tail"] = error.name
    if hasattr(error, "field"):
        out["field"] = error.field
    return out
