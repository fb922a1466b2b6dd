"""Keeps an engine at hand for one server: has it started or looked for, watches it, does so again when it is gone.

In: a `Target`; the wish to have an engine.  Out: an engine that is ready, or why there is none; a `Status` after
each change.  How an engine is come by is `provider.py`'s business, what deaths lead to `lifecycle.py`'s to say.  A new
engine's cache is empty: every generate carries its `sync`, so nobody needs to be told.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from palimpsest.errors import EngineDied, EngineError, EngineLoading, EngineUnavailable, InvalidArgument
from palimpsest.providers.base.errors import from_object
from palimpsest.providers.base.protocol import Engine
from palimpsest.providers.base.target import Target
from palimpsest.providers.http.http import Busy
from palimpsest.providers.lifecycle import EngineLifecycle, State
from palimpsest.providers.provider import provider_of
from palimpsest.wire import Health, ModelInfo

RESTART_HINT = "The command `palimpsest.restartEngine` tries at once."

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Status:
    """`message`: one for a person, empty while all is well.  `model` while the engine is ready, `pid` while it runs.
    `cause`: where there is no engine and a person may have to do something, what is the same as long as the reason is
    the same; else empty."""

    state: State
    message: str = ""
    model: ModelInfo | None = None
    pid: int | None = None
    caution: bool = False
    cause: str = ""


class Supervisor:
    """One per server, made and used on its event loop.  `start`, then `aclose` at the end."""

    def __init__(self, target: Target, client: str = "") -> None:
        self._client = client or f"palimpsest-{os.getpid()}"
        self._target = target
        self._lifecycle = self._first_lifecycle()
        self._error: EngineError | None = None
        self._engine: Engine | None = None
        self._provider = provider_of(target, self._client)
        self._doubt_raised = asyncio.Event()
        self._next_try = ""
        self._model: ModelInfo | None = None
        self._health: Health | None = None
        self._told: Status | None = None
        self._listeners: list[Callable[[Status], None]] = []
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @property
    def target(self) -> Target:
        """What was asked for; with caution, another one runs."""
        return self._target

    @property
    def status(self) -> Status:
        lifecycle, health = self._lifecycle, self._health
        message = f"{lifecycle.reason} {self._next_try}".strip()
        cause = (str(self._error) if self._error else lifecycle.state) if lifecycle.is_lasting else ""
        return Status(lifecycle.state, message, self._model, health.pid if health else None, lifecycle.caution, cause)

    def on_status(self, callback: Callable[[Status], None]) -> None:
        """`callback` gets each new status, on the event loop; it must neither block nor raise."""
        self._listeners.append(callback)

    def start(self) -> None:
        """Begin, and return at once.  Idempotent."""
        if self._task is None and not self._lifecycle.is_final:
            self._task = asyncio.create_task(self._run(), name="engine supervisor")

    async def restart(self, target: Target | None = None) -> None:
        """Start anew, with what was counted forgotten: the running engine leaves (for every server that shares it,
        and they start it again; one on another machine stays, and is only met anew), and one that hangs is ended.
        With another `target` the present engine is given up, others may use it."""
        await self._end()
        if target is None and self._lifecycle.state != "off":
            await self._provider.send_away()
        if target is not None:
            self._target, self._provider = target, provider_of(target, self._client)
        self._error = None
        self._go(self._first_lifecycle())
        self.start()

    async def aclose(self) -> None:
        """Give the lease back; the engine stays for others and leaves by itself."""
        await self._end()
        self._go(EngineLifecycle("closed", reason="Palimpsest is closing."))

    async def ready(self, timeout: float = 0.0) -> Engine:
        """The engine, waiting up to `timeout` seconds for it to become ready.

        Raises EngineLoading while there will be one, else why there is none: EngineUnavailable (also while it is
        away), ModelError, ContextTooLarge.
        """
        loop = asyncio.get_running_loop()
        end = loop.time() + timeout
        while self._engine is None or self._lifecycle.state != "ready":
            if self._lifecycle.has_given_up and self._error is not None:
                raise self._error.with_traceback(None)  # raised at every keystroke: it must not grow
            if self._lifecycle.is_final or self._lifecycle.has_given_up:
                raise EngineUnavailable(self.status.message, hint=RESTART_HINT if self._lifecycle.has_given_up else "")
            if self._lifecycle.state == "away":
                raise EngineUnavailable(self._lifecycle.reason)
            left = end - loop.time()
            if left <= 0:
                raise EngineLoading(self._lifecycle.reason or "The model is being loaded.")
            changed = self._changed
            with suppress(TimeoutError):
                await asyncio.wait_for(changed.wait(), left)
        return self._engine

    @asynccontextmanager
    async def engine(self, timeout: float = 0.0) -> AsyncIterator[Engine]:
        """`ready`, for one piece of work: an engine that is gone in its course is not handed out again."""
        engine = await self.ready(timeout)
        try:
            yield engine
        except Busy:  # it answered
            raise
        except (EngineDied, EngineUnavailable):
            self._doubt(engine)
            raise

    def _first_lifecycle(self) -> EngineLifecycle:
        if self._target.settings.kind == "none":
            return EngineLifecycle("off", reason="Palimpsest runs without an engine (engine.kind is none).")
        return EngineLifecycle()

    async def _run(self) -> None:
        """Have an engine and follow it, again and again, until the course is final."""
        while True:
            try:
                lifecycle = await self._one_engine()
            except Exception as error:
                logger.exception("the supervisor failed")
                lifecycle, self._error = self._lifecycle.unavailable(f"The engine cannot be used: {error!r}."), None
            pause_s = self._provider.pause_s(lifecycle)
            self._next_try = _next_try(pause_s) if lifecycle.has_given_up else ""
            self._go(lifecycle)
            if self._lifecycle.is_final:
                return
            await asyncio.sleep(pause_s)

    async def _one_engine(self) -> EngineLifecycle:
        """Follow one engine to its end; what comes of that, or of there being none."""
        gone: EngineError | None = None
        try:
            engine = await self._provider.connect(self._lifecycle)
            final = await self._follow(engine)
            if final is not None:
                return final
        except EngineError as error:
            gone = error
        except InvalidArgument as error:  # a server of another make does not understand us
            gone = EngineError(str(error))
        lifecycle = await self._provider.after(self._lifecycle, gone)
        self._error = gone if lifecycle.has_given_up and not isinstance(gone, EngineDied) else None
        return lifecycle

    async def _follow(self, engine: Engine) -> EngineLifecycle | None:
        """Watch the engine to its end; a course where it can do nothing for us.  Raises EngineError when it went
        without a word."""
        self._engine = engine
        try:
            async with aclosing(self._provider.watch(self._doubt_raised)) as healths:
                async for health in healths:
                    lifecycle = await self._hear(engine, health) if health else self._lifecycle.doubted()
                    if lifecycle.has_given_up:
                        return lifecycle
                    self._go(lifecycle)
        finally:
            self._engine = self._health = self._model = None
            await engine.aclose()
        return None

    async def _hear(self, engine: Engine, health: Health) -> EngineLifecycle:
        self._health = health
        if health.state == "failed":
            self._error = _engine_error(health)
            return self._lifecycle.failed(str(self._error))
        if health.state == "loading":
            return self._lifecycle.loading()
        self._model = self._model or await engine.model()
        return self._lifecycle.ready(asyncio.get_running_loop().time())

    def _doubt(self, engine: Engine) -> None:
        """A request found `engine` gone: do not hand it out again before its watch has heard from it.  The doubt is a
        state of the course, so that every way on leads out of it: an answer, or the engine's end."""
        if engine is self._engine:
            self._go(self._lifecycle.doubted())
            self._doubt_raised.set()

    async def _end(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait({task})

    def _go(self, lifecycle: EngineLifecycle) -> None:
        """Take a course, and tell when that changes the status."""
        if lifecycle.state != self._lifecycle.state:
            logger.info("engine: %s %s", lifecycle.state, lifecycle.reason)
        self._lifecycle = lifecycle
        if not lifecycle.has_given_up:
            self._next_try = ""
        status = self.status
        if status != self._told:
            self._told = status
            self._changed.set()
            self._changed = asyncio.Event()
            for listener in self._listeners:
                listener(status)


def _next_try(seconds: float) -> str:
    """When there will be another attempt, for a person."""
    at = (datetime.now().astimezone() + timedelta(seconds=seconds)).strftime("%H:%M:%S")
    return f"The next try is at {at}, in {seconds:.0f} seconds."


def _engine_error(health: Health) -> EngineError:
    error = from_object(health.error or {})
    return error if isinstance(error, EngineError) else EngineError(str(error))
