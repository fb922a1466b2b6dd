"""Whether an engine of this machine is alive: the lease it keeps open, and probes while the lease says nothing.

In: an engine; an event that asks for a probe now.  Out: its health, as it changes and after each probe.  Ends nothing.

A process that is stopped or caught in a loop keeps its connections open, so a lease alone does not tell.  A probe asks
the engine's event loop, which answers whatever the native thread does: neither a model that takes minutes to load nor a
long decode is taken for a hang.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from typing import Any

from palimpsest.errors import EngineDied, EngineError
from palimpsest.providers.palimpsest import launch
from palimpsest.providers.palimpsest.client import InPlaceEngine
from palimpsest.wire import Health

PROBE_S = 15.0
"""How often an engine is probed while its lease says nothing."""
PAUSE_S = 0.5
"""Between probes that fail at once, as while an engine leaves: then its lease ends, which says more."""

logger = logging.getLogger(__name__)


class EngineHung(EngineDied):
    """It does not answer, and its process is still there."""


async def liveness(engine: InPlaceEngine, client: str, check_now: asyncio.Event) -> AsyncGenerator[Health | None, None]:
    """Health at once, after each change, and after each probe; None when a probe had no answer, before the next one.

    Ends when the engine leaves in good order.  Raises EngineDied when it dies, EngineHung when it is there and has been
    silent for `launch.HUNG_S` seconds.
    """
    loop = asyncio.get_running_loop()
    async with aclosing(engine.lease(client)) as lease:
        news = asyncio.ensure_future(anext(lease, None))
        try:
            silent_since: float | None = None
            while True:
                if silent_since is None:
                    await _first_of(news, check_now, PROBE_S)
                if news.done():
                    silent_since = None
                    if (health := news.result()) is None:
                        return
                    yield health
                    news = asyncio.ensure_future(anext(lease, None))
                    continue
                check_now.clear()
                began = loop.time()
                probed = await _probe(engine, news)
                if probed is not None:
                    silent_since = None
                    yield probed
                elif not news.done():
                    silent_since = began if silent_since is None else silent_since
                    if loop.time() - silent_since >= launch.HUNG_S:
                        raise EngineHung(f"It did not answer for {launch.HUNG_S:.0f} seconds.")
                    yield None
        finally:
            await _ended(news)


async def _probe(engine: InPlaceEngine, news: asyncio.Future[Any]) -> Health | None:
    """The engine's health now; None where it does not answer, or where the lease has news first."""
    probe = asyncio.ensure_future(engine.health(min(launch.PROBE_S, launch.HUNG_S)))
    try:
        await asyncio.wait((probe, news), return_when=asyncio.FIRST_COMPLETED)
        if not probe.done():
            return None
        return probe.result()
    except EngineError as error:
        logger.debug("a probe found no engine: %s", error)
        await asyncio.wait({news}, timeout=PAUSE_S)
        return None
    finally:
        await _ended(probe)


async def _first_of(news: asyncio.Future[Any], check_now: asyncio.Event, within_s: float) -> None:
    asked_for = asyncio.ensure_future(check_now.wait())
    try:
        await asyncio.wait({news, asked_for}, timeout=within_s, return_when=asyncio.FIRST_COMPLETED)
    finally:
        await _ended(asked_for)


async def _ended(task: asyncio.Future[Any]) -> None:
    task.cancel()
    await asyncio.wait({task})
    with suppress(asyncio.CancelledError, EngineError):  # nobody wants its result any more
        task.result()
