"""The two ways to an engine: one that is started here, and one that others keep running.

In: a `Target`.  Out: a connection to the engine, its health as it changes, the lifecycle's next state when it ends.
`supervisor.py` does what is the same for both.
"""

import asyncio
import logging
import random
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, suppress
from typing import TypeAlias

from palimpsest.config.settings import EngineSettings
from palimpsest.errors import EngineDied, EngineError, EngineRefused, EngineUnavailable, InvalidArgument, ModelError
from palimpsest.providers.base.endpoint import Endpoint
from palimpsest.providers.base.protocol import Engine
from palimpsest.providers.base.target import Target
from palimpsest.providers.http.http import NotServed, pause
from palimpsest.providers.lifecycle import EngineLifecycle
from palimpsest.providers.palimpsest.client import InPlaceEngine
from palimpsest.providers.palimpsest.engine_process import EngineProcess, WrongProcessor
from palimpsest.providers.palimpsest.launch import end_hung, launch, send_away
from palimpsest.providers.palimpsest.liveness import EngineHung, liveness
from palimpsest.system.engine_address import CHANGED, Address
from palimpsest.wire import Health

PAUSE_S = 0.2
"""Before an engine that left or died is started again."""
EXIT_STATUS_S = 2.0
"""How long to wait for the exit status of a process that was started here."""
LOADING_S = 0.5
PROBE_S: Mapping[str, float] = {"in-place": 15.0, "llama-server": 5.0, "openai": 60.0}
"""How often an idle engine of each kind is probed."""
LONGEST_BACKOFF = 6
"""How often the pause between probes of an engine that is away is doubled."""

logger = logging.getLogger(__name__)


class LocalEngine:
    """Our engine on this machine: a process that is started when none runs, and again when it dies.  One engine at a
    time: `connect`, `watch` until it ends, `after`.  `client`: the name that an engine knows this server by."""

    def __init__(self, target: Target, client: str) -> None:
        self._target = target
        self._client = client
        self._running = target
        self._engine: InPlaceEngine | None = None
        self._process: EngineProcess | None = None
        self._pid = 0
        self._address: Address | None = None

    async def connect(self, lifecycle: EngineLifecycle) -> Engine:
        """An engine that answers.  Raises EngineError."""
        self._engine = self._process = None
        self._running = self._target.in_safe_mode() if lifecycle.safe_mode else self._target
        self._address = self._running.address()
        self._engine, self._process = await launch(self._running)
        return self._engine

    async def watch(self, check_now: asyncio.Event) -> AsyncGenerator[Health | None, None]:
        """The engine's health: at once, after each change, and after each probe that `check_now` asks for; None while a
        probe has no answer.  Ends when the engine leaves in good order; raises EngineError when it dies or hangs.

        By a lease, which ends with the engine, and by probes, since an engine that hangs keeps its lease open."""
        assert self._engine is not None
        async with aclosing(liveness(self._engine, self._client, check_now)) as healths:
            async for health in healths:
                self._pid = health.pid if health is not None else self._pid
                yield health

    async def after(self, lifecycle: EngineLifecycle, error: EngineError | None) -> EngineLifecycle:
        """The next state once the engine has ended, or could not be had.  `error`: why; None for a good end."""
        if isinstance(error, EngineHung) and self._address is not None:
            await end_hung(self._address, self._pid)
            return lifecycle.died(asyncio.get_running_loop().time(), str(error))
        if self._running.address() != self._address:  # whatever it ended of: its weights were the file's own pages
            return lifecycle.left(CHANGED)
        if error is None or (self._engine is not None and isinstance(error, EngineUnavailable)):
            return lifecycle.left()  # also where it was already leaving when we connected
        process = self._process
        if (
            isinstance(error, EngineDied)
            and process is not None
            and await process.ended(EXIT_STATUS_S) is not None
            and process.died
        ):
            error = process.death()
        if not isinstance(error, EngineDied):
            return lifecycle.unavailable(str(error), for_good=isinstance(error, WrongProcessor))
        return lifecycle.died(asyncio.get_running_loop().time(), str(error))

    def pause_s(self, lifecycle: EngineLifecycle) -> float:
        """Seconds until the next `connect`."""
        return lifecycle.wait_s or PAUSE_S

    async def send_away(self) -> None:
        """A person asked for a restart: stop the engine."""
        await send_away(self._address or self._running.address())


class RemoteEngine:
    """What `LocalEngine` does, for an engine that others keep running: it is watched, never started or stopped; while
    it is away it is probed again and again.  After a new connection nothing has to be set up: every generate carries
    its `sync`."""

    def __init__(self, settings: EngineSettings, client: str) -> None:
        self._settings = settings
        self._client = client
        self._engine: Engine | None = None

    async def connect(self, lifecycle: EngineLifecycle) -> Engine:
        endpoint = Endpoint.of(self._settings)
        if endpoint.is_unencrypted and lifecycle.state == "starting":
            logger.warning("what is sent to %s can be read on its way: use https, or a tunnel", endpoint.url)
        engine = _engine_of(endpoint, self._settings)
        try:
            await self._probe(engine)
        except BaseException:  # cancelled, too: nobody else knows of these connections
            await engine.aclose()
            raise
        self._engine = engine
        return engine

    async def _probe(self, engine: Engine) -> Health:
        try:
            return await engine.health()
        except InvalidArgument:  # without the right key, our engine answers `/v1/health` as llama-server does
            await engine.model()
            raise EngineUnavailable("Something that is no engine of ours answers.") from None

    async def watch(self, check_now: asyncio.Event) -> AsyncGenerator[Health | None, None]:
        """By probes now and then: a network that is gone says nothing."""
        assert self._engine is not None
        lease = asyncio.create_task(self._hold_lease(self._engine, check_now))
        try:
            known = None
            while True:
                is_asked_for = check_now.is_set()
                check_now.clear()
                health = await self._probe(self._engine)
                if is_asked_for or health.state != known:
                    known = health.state
                    yield health
                every = LOADING_S if known == "loading" else PROBE_S[self._settings.kind]
                with suppress(TimeoutError):  # it is time to look again
                    async with asyncio.timeout(every):
                        await check_now.wait()
                if lease.done() and isinstance(self._engine, InPlaceEngine):
                    raise EngineDied("The engine ended its lease.")
        finally:
            lease.cancel()
            await asyncio.wait({lease})

    async def _hold_lease(self, engine: Engine, check_now: asyncio.Event) -> None:
        """One of our engines stays while somebody reads its lease."""
        if isinstance(engine, InPlaceEngine):
            with suppress(EngineError):  # the probe that follows says what became of it
                async with aclosing(engine.lease(self._client)) as healths:
                    async for _ in healths:
                        check_now.set()
            check_now.set()

    async def after(self, lifecycle: EngineLifecycle, error: EngineError | None) -> EngineLifecycle:
        if error is None:
            return lifecycle.away(f"The engine at {self._settings.url} left; trying again.")
        if isinstance(error, EngineRefused | ModelError | NotServed):
            return lifecycle.failed(str(error))
        return lifecycle.away(f"The engine at {self._settings.url} does not answer; trying again.{_detail(error)}")

    def pause_s(self, lifecycle: EngineLifecycle) -> float:
        return lifecycle.wait_s or pause(min(lifecycle.n_failures, LONGEST_BACKOFF), None, random.random())

    async def send_away(self) -> None:
        """It is not ours to stop; a new connection is all there is to do."""


EngineProvider: TypeAlias = LocalEngine | RemoteEngine
"""A way to an engine."""


def _engine_of(endpoint: Endpoint, settings: EngineSettings) -> Engine:
    """What speaks to an engine that is not ours is imported for whoever has one."""
    match settings.kind:
        case "llama-server":
            from palimpsest.providers.llama_server.engine import LlamaServer

            return LlamaServer(endpoint)
        case "openai":
            from palimpsest.providers.openai.engine import OpenAI

            return OpenAI(endpoint, settings.model, settings.n_ctx)
        case _:
            return InPlaceEngine.remote(endpoint)


def _detail(error: EngineError) -> str:
    """What says more than that nobody answers."""
    cause = str(error.__cause__ or "")
    if "certificate" in cause.lower():
        is_own = "self-signed" in cause or "self signed" in cause or "issuer" in cause
        return f" {cause}{'. Name its certificate in engine.ca_file.' if is_own else ''}"
    return f" ({error.message})" if error.__cause__ is None and isinstance(error, EngineUnavailable) else ""
