"""How an engine is come by, watched, and what comes of its end: started here, or met on another machine.

In: a `Target`.  Out: engines, their health as it changes, courses.  `supervisor.py` does the rest, the same for both.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing, suppress
from typing import Protocol

from palimpsest.config.settings import EngineSettings
from palimpsest.errors import EngineDied, EngineError, EngineRefused, EngineUnavailable, InvalidArgument, ModelError
from palimpsest.providers.base.endpoint import Endpoint, place
from palimpsest.providers.base.protocol import Engine
from palimpsest.providers.base.target import Target
from palimpsest.providers.http.http import NotServed, pause
from palimpsest.providers.lifecycle import EngineLifecycle
from palimpsest.providers.llama_server.engine import LlamaServer
from palimpsest.providers.openai.engine import OpenAI
from palimpsest.providers.palimpsest.child import Child
from palimpsest.providers.palimpsest.client import InPlaceEngine
from palimpsest.providers.palimpsest.launch import end_hung, launch, send_away
from palimpsest.providers.palimpsest.pulse import EngineHung, pulse
from palimpsest.wire import Health

PAUSE_S = 0.2
"""Before an engine that left or died is started again."""
CHILD_S = 2.0
"""How long the system may take to say how a process of ours ended."""
LOADING_S = 0.5
LOOK_S: Mapping[str, float] = {"in-place": 15.0, "llama-server": 5.0, "openai": 60.0}
"""How often an engine of each kind is looked at while nobody asks it anything."""
LONGEST_BACKOFF = 6
"""Doublings of the pause between looks for an engine that is away."""

logger = logging.getLogger(__name__)


class EngineProvider(Protocol):
    """One engine at a time: `connect`, then `watch` to its end."""

    async def connect(self, lifecycle: EngineLifecycle) -> Engine:
        """An engine that answers.  Raises EngineError."""
        ...

    def watch(self, doubt: asyncio.Event) -> AsyncGenerator[Health | None, None]:
        """Its health at once, after each change and after each look that `doubt` asks for; None while a look has no
        answer yet.  Ends when it leaves in good order, raises EngineError when it just goes, or hangs."""
        ...

    async def after(self, lifecycle: EngineLifecycle, error: EngineError | None) -> EngineLifecycle:
        """What comes of its end, or of there being none."""
        ...

    def pause_s(self, lifecycle: EngineLifecycle) -> float: ...

    async def send_away(self) -> None:
        """A person asked for a new start."""
        ...


def provider_of(target: Target, client: str) -> EngineProvider:
    """`client`: what an engine knows us by."""
    return RemoteEngine(target.settings, client) if target.is_elsewhere else LocalEngine(target, client)


class LocalEngine:
    """Our own engine on this machine: a process that is started when none runs, and again when it dies."""

    def __init__(self, target: Target, client: str) -> None:
        self._target = target
        self._client = client
        self._wanted = target
        self._engine: InPlaceEngine | None = None
        self._child: Child | None = None
        self._pid = 0

    async def connect(self, lifecycle: EngineLifecycle) -> Engine:
        self._engine = self._child = None
        self._wanted = self._target.cautious() if lifecycle.caution else self._target
        launched = await launch(self._wanted)
        self._engine, self._child = launched.engine, launched.child
        return launched.engine

    async def watch(self, doubt: asyncio.Event) -> AsyncGenerator[Health | None, None]:
        """A lease, which ends with the engine; and looks, since one that hangs keeps its lease open."""
        assert self._engine is not None
        async with aclosing(pulse(self._engine, self._client, doubt)) as healths:
            async for health in healths:
                self._pid = health.pid if health is not None else self._pid
                yield health

    async def after(self, lifecycle: EngineLifecycle, error: EngineError | None) -> EngineLifecycle:
        if isinstance(error, EngineHung):
            await end_hung(self._wanted.address(), self._pid)
            return lifecycle.died(asyncio.get_running_loop().time(), str(error))
        if error is None or (self._engine is not None and isinstance(error, EngineUnavailable)):
            return lifecycle.left()  # also where it was leaving just as we came
        if not isinstance(error, EngineDied):
            return lifecycle.unavailable(str(error))
        how, child = str(error), self._child
        if child is not None and await child.ended(CHILD_S) is not None and child.died:
            how = child.how_it_ended()
        return lifecycle.died(asyncio.get_running_loop().time(), how)

    def pause_s(self, lifecycle: EngineLifecycle) -> float:
        return lifecycle.wait_s or PAUSE_S

    async def send_away(self) -> None:
        await send_away(self._wanted.address())


MAKE: Mapping[str, Callable[[Endpoint, EngineSettings], Engine]] = {
    "in-place": lambda place, settings: InPlaceEngine.elsewhere(place),
    "llama-server": lambda place, settings: LlamaServer(place),
    "openai": lambda place, settings: OpenAI(place, settings.model, settings.n_ctx),
}


class RemoteEngine:
    """An engine that others keep running: it is followed, never started; while it is away it is looked for again and
    again.  A new connection needs no more than that: every generate carries its `sync`."""

    def __init__(self, settings: EngineSettings, client: str) -> None:
        self._settings = settings
        self._client = client
        self._engine: Engine | None = None

    async def connect(self, lifecycle: EngineLifecycle) -> Engine:
        where = place(self._settings)
        if where.in_the_open and lifecycle.state == "starting":
            logger.warning("what is sent to %s can be read on its way: use https, or a tunnel", where.url)
        engine = MAKE[self._settings.kind](where, self._settings)
        try:
            await self._look(engine)
        except BaseException:
            await engine.aclose()
            raise
        self._engine = engine
        return engine

    async def _look(self, engine: Engine) -> None:
        try:
            await engine.health()
        except InvalidArgument:  # without the right key, our own engine's answer is another one
            await engine.model()
            raise EngineUnavailable("Something that is no engine of ours answers.") from None

    async def watch(self, doubt: asyncio.Event) -> AsyncGenerator[Health | None, None]:
        """Looks now and then: a network that is gone says nothing."""
        assert self._engine is not None
        held = asyncio.create_task(self._hold(self._engine, doubt))
        try:
            told = None
            while True:
                doubted = doubt.is_set()
                doubt.clear()
                health = await self._engine.health()
                if doubted or health.state != told:  # who doubted waits for an answer, also where nothing changed
                    told = health.state
                    yield health
                every = LOADING_S if told == "loading" else LOOK_S[self._settings.kind]
                with suppress(TimeoutError):
                    await asyncio.wait_for(doubt.wait(), every)
                if held.done() and isinstance(self._engine, InPlaceEngine):
                    raise EngineDied("The engine ended its lease.")
        finally:
            held.cancel()
            await asyncio.wait({held})

    async def _hold(self, engine: Engine, doubt: asyncio.Event) -> None:
        """While its lease is read, one of our engines stays."""
        if isinstance(engine, InPlaceEngine):
            with suppress(EngineError):
                async with aclosing(engine.lease(self._client)) as healths:
                    async for _ in healths:
                        doubt.set()
            doubt.set()

    async def after(self, lifecycle: EngineLifecycle, error: EngineError | None) -> EngineLifecycle:
        if error is None:
            return lifecycle.away(f"The engine at {self._settings.url} left; trying again.")
        if isinstance(error, EngineRefused | ModelError | NotServed):
            return lifecycle.failed(str(error))
        return lifecycle.away(f"The engine at {self._settings.url} does not answer; trying again.{_detail(error)}")

    def pause_s(self, lifecycle: EngineLifecycle) -> float:
        return lifecycle.wait_s or pause(min(lifecycle.row, LONGEST_BACKOFF), None, random.random())

    async def send_away(self) -> None:
        """It is not ours to stop: a new connection is all."""


def _detail(error: EngineError) -> str:
    """What tells a person more than that nobody answers."""
    cause = str(error.__cause__ or "")
    if "certificate" in cause.lower():
        return f" {cause}"
    return f" ({error.message})" if error.__cause__ is None and isinstance(error, EngineUnavailable) else ""
