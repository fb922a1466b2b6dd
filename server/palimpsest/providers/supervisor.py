"""Keeps an engine connected for one server: gets one, watches it, and gets it again when it is gone.

In: a `Target`.  Out: an engine that is ready, or why there is none; an `EngineStatus` after each change.  `provider.py`
starts or reaches the engine, `lifecycle.py` says what follows from what happens to it.  The cache of a new engine is
empty: every generate carries its `sync`, so nobody has to be told.
"""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from palimpsest.errors import (
    EngineDied,
    EngineError,
    EngineLoading,
    EngineRefused,
    EngineUnavailable,
    InvalidArgument,
    ModelError,
)
from palimpsest.providers.base.errors import from_object
from palimpsest.providers.base.protocol import Engine
from palimpsest.providers.base.target import Target
from palimpsest.providers.http.http import Filtered, NoEngine, NotServed, ServerBusy
from palimpsest.providers.lifecycle import EngineLifecycle, State
from palimpsest.providers.provider import EngineProvider, LocalEngine, RemoteEngine
from palimpsest.system import folders
from palimpsest.wire import Health, ModelInfo

REFUSED_HINT = "Look at `engine.url`, `engine.model` and the key; it is asked again each time."
RESTART_HINT = "The command `palimpsest.restartEngine` tries at once."

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class EngineStatus:
    """`message` is for a person, empty while all is well.  `model`: while the engine is ready.  `pid`: while it runs.
    `cause`: where there is no engine, or one that refuses what it is asked, and a person may have to act: a text that
    stays the same while the reason does."""

    state: State
    message: str = ""
    model: ModelInfo | None = None
    pid: int | None = None
    safe_mode: bool = False
    cause: str = ""


class Supervisor:
    """One per server, made and used on its event loop.  `start`, then `aclose` at the end."""

    def __init__(self, target: Target, client: str = "") -> None:
        self._client = client or f"palimpsest-{os.getpid()}"
        self._target = target
        self._lifecycle = self._first_lifecycle()
        self._error: EngineError | None = None
        self._refusal: EngineError | None = None
        self._engine: Engine | None = None
        self._provider = self._provider_of(target)
        self._check_now = asyncio.Event()
        self._next_try = ""
        self._model: ModelInfo | None = None
        self._health: Health | None = None
        self._announced: EngineStatus | None = None
        self._listeners: list[Callable[[EngineStatus], None]] = []
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @property
    def target(self) -> Target:
        """What was asked for; in safe mode another one runs."""
        return self._target

    @property
    def status(self) -> EngineStatus:
        lifecycle, health, refusal = self._lifecycle, self._health, self._refusal
        message = f"{lifecycle.reason} {self._next_try}".strip()
        cause = str(self._error or lifecycle.cause) if lifecycle.is_lasting else ""
        if lifecycle.state == "ready" and refusal is not None:
            message = f"{refusal.message.rstrip('.')}. {refusal.hint or REFUSED_HINT}"
            cause = f"{refusal.message.partition(': ')[0].rstrip('.')}."  # the server's words may number requests
        return EngineStatus(
            lifecycle.state, message, self._model, health.pid if health else None, lifecycle.safe_mode, cause
        )

    def on_status(self, callback: Callable[[EngineStatus], None]) -> None:
        """`callback` gets each new status, on the event loop; it must neither block nor raise."""
        self._listeners.append(callback)

    def start(self) -> None:
        """Begin, and return at once.  Idempotent."""
        if self._task is None and not self._lifecycle.is_final:
            self._task = asyncio.create_task(self._run(), name="engine supervisor")

    async def restart(self, target: Target | None = None) -> None:
        """Forget what failed and start again.

        The running engine is stopped, also for other servers that share it, which then start it again; one that hangs
        is ended; one on another machine is only connected to again.  With another `target`, the present engine is left
        to others.
        """
        await self._end()
        if target is None and self._lifecycle.state != "off":
            await self._provider.send_away()
        if target is not None:
            self._target, self._provider = target, self._provider_of(target)
        self._error = None
        self._go(self._first_lifecycle())
        self.start()

    async def aclose(self) -> None:
        """End the lease; the engine stays while others use it, and then leaves by itself."""
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
            remaining_s = end - loop.time()
            if remaining_s <= 0:
                raise EngineLoading(self._lifecycle.reason or "The model is being loaded.")
            changed = self._changed
            with suppress(TimeoutError):  # the loop says what there is by then
                async with asyncio.timeout(remaining_s):
                    await changed.wait()
        return self._engine

    @asynccontextmanager
    async def engine(self, timeout: float = 0.0) -> AsyncIterator[Engine]:
        """`ready`, for one piece of work: an engine that fails during it is not given to others before a probe.  That
        one elsewhere refuses it stands in the status until it takes another."""
        engine = await self.ready(timeout)
        try:
            yield engine
        except (EngineError, InvalidArgument) as error:
            if _is_refusal(error):
                self._refused(engine, error)
            elif isinstance(error, (EngineDied, EngineUnavailable)):
                self._suspect(engine)
            raise
        self._refused(engine, None)

    async def look_again(self) -> None:
        """What an engine can do is known better once it was asked: its server may have refused tools."""
        engine = self._engine
        model = await engine.model() if engine is not None else None
        if engine is self._engine and model != self._model:
            self._model = model
            self._go(self._lifecycle)

    def _provider_of(self, target: Target) -> EngineProvider:
        return RemoteEngine(target.settings, self._client) if target.is_remote else LocalEngine(target, self._client)

    def _first_lifecycle(self) -> EngineLifecycle:
        if self._target.settings.kind == "none":
            return EngineLifecycle("off", reason="Palimpsest runs without an engine (engine.kind is none).")
        return EngineLifecycle()

    async def _run(self) -> None:
        """Get an engine and watch it to its end, again and again, until the lifecycle is final."""
        while True:
            try:
                lifecycle = await self._one_engine()
            except Exception as error:  # a defect of ours must not end the watch
                logger.exception("the supervisor failed")
                lifecycle, self._error = self._lifecycle.unavailable(f"The engine cannot be used: {_why(error)}."), None
            pause_s = self._provider.pause_s(lifecycle)
            self._next_try = _next_try(pause_s) if lifecycle.has_given_up and not lifecycle.for_good else ""
            self._go(lifecycle)
            if self._lifecycle.is_final:
                return
            await asyncio.sleep(pause_s)

    async def _one_engine(self) -> EngineLifecycle:
        """Watch one engine to its end.  The next state, also where none could be had."""
        gone: EngineError | None = None
        try:
            engine = await self._provider.connect(self._lifecycle)
            final = await self._watch(engine)
            if final is not None:
                return final
        except EngineError as error:
            gone = error
        except InvalidArgument as error:  # a server of another make does not understand us
            gone = EngineError(str(error))
        lifecycle = await self._provider.after(self._lifecycle, gone)
        self._error = gone if lifecycle.has_given_up and not isinstance(gone, EngineDied) else None
        return lifecycle

    async def _watch(self, engine: Engine) -> EngineLifecycle | None:
        """Watch the engine until it ends; a state is returned where it is of no use.  Raises EngineError when it dies
        or hangs."""
        self._engine = engine
        try:
            async with aclosing(self._provider.watch(self._check_now)) as healths:
                async for health in healths:
                    lifecycle = await self._after_health(engine, health) if health else self._lifecycle.suspected()
                    if lifecycle.has_given_up:
                        return lifecycle
                    self._go(lifecycle)
        finally:
            self._engine = self._health = self._model = self._refusal = None
            await engine.aclose()
        return None

    async def _after_health(self, engine: Engine, health: Health) -> EngineLifecycle:
        self._health = health
        if health.state == "failed":
            self._error = _engine_error(health)
            return self._lifecycle.failed(str(self._error))
        if health.state == "loading":
            return self._lifecycle.loading()
        self._model = self._model or await engine.model()
        return self._lifecycle.ready(asyncio.get_running_loop().time())

    def _suspect(self, engine: Engine) -> None:
        """A request to `engine` failed: give it to nobody before a probe was answered.  That is a state of the
        lifecycle, so that whatever happens next ends it: an answer, or the engine's end."""
        if engine is self._engine:
            self._go(self._lifecycle.suspected())
            self._check_now.set()

    def _refused(self, engine: Engine, error: EngineError | InvalidArgument | None) -> None:
        if engine is self._engine and self._target.is_remote:
            if isinstance(error, InvalidArgument):
                error = EngineError(
                    f"The engine does not take what it is asked{error.message.removeprefix(error.field)}"
                )
            self._refusal = error
            self._go(self._lifecycle)

    async def _end(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait({task})

    def _go(self, lifecycle: EngineLifecycle) -> None:
        """Enter a state, and tell the listeners where that changes the status."""
        if lifecycle.state != self._lifecycle.state:
            logger.info("engine: %s %s", lifecycle.state, lifecycle.reason)
        self._lifecycle = lifecycle
        if not lifecycle.has_given_up:
            self._next_try = ""
        status = self.status
        if status != self._announced:
            self._announced = status
            self._changed.set()
            self._changed = asyncio.Event()
            for listener in self._listeners:
                listener(status)


def _is_refusal(error: EngineError | InvalidArgument) -> bool:
    """It answered, and would so to any request, or at least to this one."""
    if isinstance(error, InvalidArgument):
        return error.field == "request"
    kinds = (EngineLoading, EngineRefused, ServerBusy, Filtered, NoEngine, NotServed, ModelError)
    return isinstance(error, kinds) or type(error) is EngineError


def _next_try(seconds: float) -> str:
    """When there will be another attempt, for a person."""
    at = (datetime.now().astimezone() + timedelta(seconds=seconds)).strftime("%H:%M:%S")
    return f"The next try is at {at}, in {seconds:.0f} seconds."


def _why(error: Exception) -> str:
    """For a person: what the system said of which file; of other errors the log has the rest."""
    if isinstance(error, OSError):
        return folders.refusal(error)
    return f"a mistake of Palimpsest's own ({type(error).__name__}), see the log"


def _engine_error(health: Health) -> EngineError:
    error = from_object(health.error or {})
    return error if isinstance(error, EngineError) else EngineError(str(error))
