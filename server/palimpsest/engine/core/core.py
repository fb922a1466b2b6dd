"""What an engine can be asked, without HTTP: each request is a job of the engine's thread.

In: `wire` requests, from any thread.  Out: futures of `wire` answers.  Knows no socket and no document.
"""

import time
import traceback
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future
from dataclasses import replace
from threading import Event
from typing import Any, TypeVar

from palimpsest import wire
from palimpsest.engine.core.engine_thread import EngineThread, failed
from palimpsest.engine.generation.batch import generate_batch
from palimpsest.engine.generation.check import Request, check
from palimpsest.engine.generation.generate import generate
from palimpsest.engine.generation.grammar import check_gbnf, check_schema
from palimpsest.engine.generation.score import score
from palimpsest.engine.jobs.queue import QueuedJob
from palimpsest.engine.native_engine import NativeEngine
from palimpsest.errors import InvalidArgument, UnknownTail

T = TypeVar("T")
Answer = TypeVar("Answer", wire.GenerateAnswer, wire.BatchAnswer, wire.ScoreAnswer)
OnText = Callable[[int, str], None]
"""(choice, text): called on the engine's thread as text becomes final; it must not block."""


class EngineCore(EngineThread):
    """What an engine can be asked; as its thread's, every method may be called from any thread."""

    _checking: Future[wire.CheckAnswer] | None = None

    def prepare(self, request: wire.GenerateRequest) -> None:
        """Do for a request what may take seconds and needs no cache, so that the engine's thread does not wait for it:
        its grammar is looked at, its chat template run.  Raises InvalidArgument, EngineUnavailable."""
        engine = self._engine
        self.prepare_grammar(request.grammar)
        if request.chat is not None and engine is not None:
            engine.generator.composer.prepare(request.chat)

    def prepare_grammar(self, grammar: str, schema: Any = None) -> None:
        """The same for what an answer is to keep to: a grammar, else a schema that is not None.  Raises InvalidArgument
        for what is none, or too much."""
        engine = self._engine
        if grammar:
            check_gbnf(grammar) if engine is None else engine.grammars.gbnf(grammar)
        elif schema is not None:
            check_schema(schema) if engine is None else engine.grammars.schema(schema)

    def sync(self, request: wire.SyncRequest, cancel: Event | None = None) -> Future[wire.SyncAnswer]:
        """Make the workspace's attached blocks what the request says.  A newer background sync of a workspace
        replaces an older one that still waits or is suspended (that future: Cancelled)."""

        def work(engine: NativeEngine, _job: QueuedJob[wire.SyncAnswer]) -> Generator[None, None, wire.SyncAnswer]:
            workspace = engine.workspaces.open(request.workspace)
            with workspace.active():
                return (yield from workspace.sync(request))

        return self._checked(request, work, cancel, kind="sync", syncs=True)

    def generate(
        self, request: wire.GenerateRequest, cancel: Event | None = None, on_text: OnText | None = None
    ) -> Future[wire.GenerateAnswer]:
        def work(
            engine: NativeEngine, job: QueuedJob[wire.GenerateAnswer]
        ) -> Generator[None, None, wire.GenerateAnswer]:
            def tell(choice: int, text: str) -> None:
                if on_text is not None:
                    job.repeatable = False
                    on_text(choice, text)

            return generate(engine.generator, engine.workspaces.open(request.workspace), request, tell)

        return self._submit_generation(request, work, cancel)

    def fork(self, request: wire.ForkRequest, cancel: Event | None = None) -> Future[wire.ForkAnswer]:
        """Copies of a tail under other names; nothing is decoded.  The future fails with UnknownTail where no tail is
        kept under its name."""

        def work(engine: NativeEngine, _job: QueuedJob[wire.ForkAnswer]) -> Generator[None, None, wire.ForkAnswer]:
            yield from ()
            workspace = engine.workspaces.get(request.workspace)
            if workspace is None:
                raise UnknownTail(request.tail)
            with workspace.active():
                tail = workspace.tails.fork(request.tail, request.names)
                return wire.ForkAnswer(tail.n_tokens)

        return self._checked(request, work, cancel)

    def generate_batch(self, request: wire.BatchRequest, cancel: Event | None = None) -> Future[wire.BatchAnswer]:
        """Several requests side by side."""

        def work(engine: NativeEngine, _job: QueuedJob[wire.BatchAnswer]) -> Generator[None, None, wire.BatchAnswer]:
            return generate_batch(engine.generator, engine.workspaces.open(request.workspace), request)

        return self._submit_generation(request, work, cancel)

    def score(self, request: wire.ScoreRequest, cancel: Event | None = None) -> Future[wire.ScoreAnswer]:
        """How likely lines are with others instead."""

        def work(engine: NativeEngine, _job: QueuedJob[wire.ScoreAnswer]) -> Generator[None, None, wire.ScoreAnswer]:
            return score(engine.generator, engine.workspaces.open(request.workspace), request)

        return self._submit_generation(request, work, cancel)

    def _submit_generation(
        self,
        request: wire.GenerateRequest | wire.BatchRequest | wire.ScoreRequest,
        work: Callable[[NativeEngine, QueuedJob[Answer]], Generator[None, None, Answer]],
        cancel: Event | None,
    ) -> Future[Answer]:
        """The answer also says how long the job waited in the queue."""

        def timed(engine: NativeEngine, job: QueuedJob[Answer]) -> Generator[None, None, Answer]:
            queued = 1000 * (time.perf_counter() - job.submitted)
            answer = yield from work(engine, job)
            return replace(answer, ms={"queue": queued, **answer.ms})

        return self._checked(
            request, timed, cancel, kind="generate", line=request.replace, syncs=request.sync is not None
        )

    def _checked(
        self,
        request: Request,
        work: Callable[[NativeEngine, QueuedJob[T]], Generator[None, None, T]],
        cancel: Event | None,
        **how: Any,
    ) -> Future[T]:
        """A request that means nothing never reaches the engine's thread."""
        try:
            check(request)
        except InvalidArgument as error:
            return failed(error)
        return self.submit(work, cancel, slot=request.slot, workspace=request.workspace, **how)

    def count(self, texts: Sequence[str]) -> Future[list[int]]:
        """Tokens of each text, tokenized as a block is."""

        def work(engine: NativeEngine, _job: QueuedJob[list[int]]) -> Generator[None, None, list[int]]:
            counts = []
            for text in texts:
                yield
                counts.append(len(engine.tokenizer.tokens_of(text)))
            return counts

        return self.submit(work, None)

    def cache_map(self, workspace: str) -> Future[wire.CacheMap]:
        return self.call(lambda engine: engine.map(workspace))

    def check(self) -> Future[wire.CheckAnswer]:
        """Behind all other work: what is under way may leave the cache between two states.  One at a time, since it
        cannot be interrupted: whoever asks before it is done gets its answer."""

        def work(engine: NativeEngine, _job: QueuedJob[wire.CheckAnswer]) -> Generator[None, None, wire.CheckAnswer]:
            yield from ()
            try:
                engine.workspaces.check()
            except AssertionError as error:
                where = traceback.extract_tb(error.__traceback__)[-1]
                return wire.CheckAnswer(f"{where.name}: {error or where.line}")
            return wire.CheckAnswer("")

        with self._lock:
            if self._checking is None or self._checking.done():
                self._checking = self.submit(work, None, slot="background")
            return self._checking

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

    def _end_workspace(self, workspace: str, why: str, end: Callable[[NativeEngine], None]) -> Future[None]:
        def work(engine: NativeEngine, job: QueuedJob[None]) -> Generator[None, None, None]:
            yield from ()
            self._loop.end_others(job, why)
            end(engine)

        return self.submit(work, None, workspace=workspace)
