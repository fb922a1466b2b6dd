"""The engine without its HTTP: requests in, futures out, one native thread behind them.

In: `wire` requests, from any thread.  Out: `concurrent.futures.Future`s of `wire` answers, and the engine's health.
Knows no socket, no document and no editor.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from palimpsest import __version__, wire
from palimpsest.config.settings import EngineSettings
from palimpsest.engine.jobs.cancel import CancelToken
from palimpsest.engine.jobs.idle import WhenIdle
from palimpsest.engine.jobs.loop import Loop
from palimpsest.engine.jobs.queue import Job, Kind
from palimpsest.errors import (
    ContextTooLarge,
    DecodeError,
    EngineError,
    EngineLoading,
    EngineUnavailable,
    InvalidArgument,
    PalimpsestError,
    UnknownTail,
    UnknownText,
)
from palimpsest.kv.engine import Engine
from palimpsest.kv.generation.admission import admit
from palimpsest.kv.generation.batch import generate_batch
from palimpsest.kv.generation.check import check_batch, check_fork, check_request
from palimpsest.kv.generation.generate import generate
from palimpsest.kv.llama.native import Context

__all__ = ["CancelToken", "EngineCore", "error_object"]

T = TypeVar("T")
OnText = Callable[[int, str], None]
"""(choice, text): called on the engine's thread as text becomes final; it must not block."""


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


class EngineCore:
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
        save_after_s: float = 20.0,
    ) -> None:
        """Cheap; nothing is loaded.  `caution` leaves `extra_bufts = auto` off (after a native fault).  `save_after_s`:
        so long after the last work the blocks are saved, where there is a store on disk, for a crash to cost little."""
        self._path = model_path
        self._settings = settings
        self._caution = caution
        self._log = log or logging.getLogger("palimpsest.engine")
        self._make_context = make_context
        self._engine: Engine | None = None
        self._info: wire.ModelInfo | None = None
        self._health = wire.Health("loading", __version__, os.getpid(), model=model_path.name)
        self._error: PalimpsestError | None = None
        self._callbacks: list[Callable[[wire.Health], None]] = []
        self._lock = threading.Lock()
        self._loop = Loop(self._load, self._free, self._busy)
        self._when_idle = WhenIdle(save_after_s, self._save)

    def start(self) -> None:
        """Start the native thread, which loads the model: state loading → ready | failed.  Call it once."""
        self._loop.start()

    def stop(self) -> None:
        """Cancel what waits and runs, free the model, end the thread (joined).  Idempotent."""
        self._when_idle.close()
        self._loop.stop()

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

    def prepare(self, request: wire.GenerateRequest) -> None:
        """Do for a request what may take seconds and needs no cache, so that the engine's thread does not wait for it:
        its grammar is looked at, its chat template run.  Raises InvalidArgument, EngineUnavailable."""
        if request.grammar:
            admit(request.grammar)
        if request.chat is not None and self._engine is not None:
            self._engine.generator.composer.prepare(request.chat)

    def sync(self, request: wire.SyncRequest, cancel: CancelToken | None = None) -> Future[wire.SyncAnswer]:
        """Make the workspace's attached blocks what the request says.  A newer background sync of a workspace
        replaces an older one that still waits or is suspended (that future: Cancelled)."""
        if request.slot not in wire.SLOTS:
            return _failed(InvalidArgument("slot", f"expected one of {', '.join(wire.SLOTS)}, got {request.slot!r}."))

        def work(engine: Engine, _job: Job[wire.SyncAnswer]) -> Generator[None, None, wire.SyncAnswer]:
            workspace = engine.workspaces.open(request.workspace)
            with workspace.active():
                return (yield from workspace.sync(request))

        return self._submit(work, cancel, slot=request.slot, kind="sync", workspace=request.workspace, syncs=True)

    def generate(
        self, request: wire.GenerateRequest, cancel: CancelToken | None = None, on_text: OnText | None = None
    ) -> Future[wire.GenerateAnswer]:
        try:
            check_request(request)
        except InvalidArgument as error:
            return _failed(error)

        def work(engine: Engine, job: Job[wire.GenerateAnswer]) -> Generator[None, None, wire.GenerateAnswer]:
            queued = 1000 * (time.perf_counter() - job.submitted)
            workspace = engine.workspaces.open(request.workspace)

            def tell(choice: int, text: str) -> None:
                if on_text is not None:
                    job.repeatable = False
                    on_text(choice, text)

            answer = yield from generate(engine.generator, workspace, request, tell)
            return replace(answer, ms={"queue": queued, **answer.ms})

        return self._submit(
            work,
            cancel,
            slot=request.slot,
            kind="generate",
            workspace=request.workspace,
            line=request.replace,
            syncs=request.sync is not None,
        )

    def fork(self, request: wire.ForkRequest, cancel: CancelToken | None = None) -> Future[wire.ForkAnswer]:
        """Copies of a tail under other names; nothing is decoded.  The future fails with UnknownTail where no tail is
        kept under its name."""
        try:
            check_fork(request)
        except InvalidArgument as error:
            return _failed(error)

        def work(engine: Engine, _job: Job[wire.ForkAnswer]) -> Generator[None, None, wire.ForkAnswer]:
            yield from ()
            workspace = engine.workspaces.get(request.workspace)
            if workspace is None:
                raise UnknownTail(request.tail)
            with workspace.active():
                tail = workspace.tails.fork(request.tail, request.names)
                return wire.ForkAnswer(tail.n_tokens)

        return self._submit(work, cancel, slot=request.slot, workspace=request.workspace)

    def generate_batch(self, request: wire.BatchRequest, cancel: CancelToken | None = None) -> Future[wire.BatchAnswer]:
        """Several requests side by side."""
        try:
            check_batch(request)
        except InvalidArgument as error:
            return _failed(error)

        def work(engine: Engine, job: Job[wire.BatchAnswer]) -> Generator[None, None, wire.BatchAnswer]:
            queued = 1000 * (time.perf_counter() - job.submitted)
            workspace = engine.workspaces.open(request.workspace)
            answer = yield from generate_batch(engine.generator, workspace, request)
            return replace(answer, ms={"queue": queued, **answer.ms})

        return self._submit(
            work,
            cancel,
            slot=request.slot,
            kind="generate",
            workspace=request.workspace,
            line=request.replace,
            syncs=request.sync is not None,
        )

    def count(self, texts: Sequence[str]) -> Future[list[int]]:
        """Tokens of each text, tokenized as a block is."""

        def work(engine: Engine, _job: Job[list[int]]) -> Generator[None, None, list[int]]:
            counts = []
            for text in texts:
                yield
                counts.append(len(engine.tokenizer.tokens_of(text)))
            return counts

        return self._submit(work, None)

    def cache_map(self, workspace: str) -> Future[wire.CacheMap]:
        return self.call(lambda engine: engine.map(workspace))

    def reset(self, workspace: str) -> Future[None]:
        """Forget all of the workspace's cache, the host store's copies included; its jobs are cancelled."""
        return self._end_workspace(
            workspace, "The workspace was reset.", lambda engine: engine.workspaces.reset(workspace)
        )

    def close(self, workspace: str) -> Future[None]:
        """Free the workspace's cells; its blocks' KV goes to the host store; its jobs are cancelled."""
        return self._end_workspace(
            workspace, "The workspace was closed.", lambda engine: engine.workspaces.close(workspace)
        )

    def call(self, function: Callable[[Engine], T]) -> Future[T]:
        """Run `function(engine)` on the engine's thread between jobs, with the `Engine` that owns the cache: for
        measurements and tests that look at logits."""

        def work(engine: Engine, _job: Job[T]) -> Generator[None, None, T]:
            yield from ()
            return function(engine)

        return self._submit(work, None)

    def run(
        self,
        work: Callable[[Engine], Generator[None, None, T]],
        cancel: CancelToken | None = None,
        *,
        slot: wire.Slot = "typing",
        workspace: str = "",
    ) -> Future[T]:
        """A job of another protocol's: `work(engine)` yields between micro-batches and between tokens, as every job
        does.  `workspace`: the one it works on.  What it tells on its way is not known here: it is not done over."""

        def begun(engine: Engine, job: Job[T]) -> Generator[None, None, T]:
            job.repeatable = False
            return (yield from work(engine))  # what `work` itself raises is the job's failure, too

        return self._submit(begun, cancel, slot=slot, kind="generate", workspace=workspace)

    def _end_workspace(self, workspace: str, why: str, end: Callable[[Engine], None]) -> Future[None]:
        def work(engine: Engine, job: Job[None]) -> Generator[None, None, None]:
            yield from ()
            self._loop.end_others(job, why)
            end(engine)

        return self._submit(work, None, workspace=workspace)

    def _submit(
        self,
        work: Callable[[Engine, Job[T]], Generator[None, None, T]],
        cancel: CancelToken | None,
        *,
        slot: wire.Slot = "typing",
        kind: Kind = "other",
        workspace: str = "",
        line: str = "",
        syncs: bool = False,
    ) -> Future[T]:
        engine = self._engine
        if engine is None:
            return _failed(self._not_ready())
        job: Job[T] = Job(lambda: work(engine, job), slot, kind, workspace, line, syncs, cancel or CancelToken())
        self._loop.submit(job)
        return job.future

    def _not_ready(self) -> PalimpsestError:
        return self._error or EngineLoading("The model is still being loaded.")

    # On the engine's thread

    def _load(self) -> None:
        began = time.perf_counter()
        try:
            engine = Engine(self._path, self._settings, caution=self._caution, make_context=self._make_context)
        except Exception as error:
            if not isinstance(error, PalimpsestError):
                self._log.exception("loading failed")
                error = EngineError(f"The model could not be loaded ({type(error).__name__}: {error}).")
            self._error = error
            self._say(replace(self._health, state="failed", error=error_object(error)))
            return
        self._info = engine.loaded.info()
        self._engine = engine
        engine.pool.end_suspended = self._loop.end_suspended
        self._log.info("%s loaded in %.2f s", self._path, time.perf_counter() - began)
        self._say(replace(self._health, state="ready", model=self._info.name))

    def _free(self) -> None:
        engine, self._engine, self._info = self._engine, None, None
        if self._error is None:
            self._error = EngineUnavailable("The engine has stopped.")
        if engine is not None:
            engine.close()

    def _busy(self, busy: bool) -> None:
        if self._settings.disk_mb:
            self._when_idle.busy(busy)
        self._say(replace(self._health, busy=busy))

    def _save(self) -> None:
        self._submit(lambda engine, _job: engine.workspaces.save(), None, slot="background")

    def _say(self, health: wire.Health) -> None:
        self._health = health
        with self._lock:
            callbacks = list(self._callbacks)
        for callback in callbacks:
            try:
                callback(health)
            except Exception:
                self._log.exception("a listener to the engine's health failed")


def _failed(error: PalimpsestError) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_exception(error)
    return future
