"""Whether an engine of this machine is alive: the lease it gives, and looks between what the lease says.

In: an engine, doubts of it.  Out: its health as it changes and after each look.  Ends nothing.

A process that is stopped or caught in a loop keeps its connections open, so that a lease alone does not tell.  What is
asked is its event loop, which answers whatever its native thread does: neither a model that takes minutes to load nor
a long decode is a hang.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from typing import Any

from palimpsest.errors import EngineDied, EngineError
from palimpsest.providers.palimpsest import launch
from palimpsest.providers.palimpsest.client import InPlaceEngine
from palimpsest.wire import Health

PULSE_S = 15.0
"""How often an engine is looked at while its lease says nothing."""
PAUSE_S = 0.5
"""Between looks that failed at once, as while an engine leaves: its lease ends then, which says more."""

logger = logging.getLogger(__name__)


class EngineHung(EngineDied):
    """It answers nothing, and its process is still there."""


async def pulse(engine: InPlaceEngine, client: str, doubt: asyncio.Event) -> AsyncGenerator[Health | None, None]:
    """Health at once, after each change, and after each look; None when a look had no answer, with the next to follow.

    Ends when the engine leaves in good order.  Raises EngineDied when it just goes, EngineHung when it is there and
    was silent for `launch.HUNG_S` seconds.
    """
    loop = asyncio.get_running_loop()
    async with aclosing(engine.lease(client)) as lease:
        news = asyncio.ensure_future(anext(lease, None))
        try:
            silent_since: float | None = None
            while True:
                if silent_since is None:
                    await _any(news, doubt, PULSE_S)
                if news.done():
                    silent_since = None
                    if (health := news.result()) is None:
                        return
                    yield health
                    news = asyncio.ensure_future(anext(lease, None))
                    continue
                doubt.clear()
                began = loop.time()
                found = await _look(engine, news)
                if found is not None:
                    silent_since = None
                    yield found
                elif not news.done():
                    silent_since = began if silent_since is None else silent_since
                    if loop.time() - silent_since >= launch.HUNG_S:
                        raise EngineHung(f"It did not answer for {launch.HUNG_S:.0f} seconds.")
                    yield None
        finally:
            await _ended(news)


async def _look(engine: InPlaceEngine, news: asyncio.Future[Any]) -> Health | None:
    """Its health now; None where it says nothing, or the lease has news first."""
    look = asyncio.ensure_future(engine.health(min(launch.LOOK_S, launch.HUNG_S)))
    try:
        await asyncio.wait((look, news), return_when=asyncio.FIRST_COMPLETED)
        if not look.done():
            return None
        return look.result()
    except EngineError as error:
        logger.debug("a look found no engine: %s", error)
        await asyncio.wait({news}, timeout=PAUSE_S)
        return None
    finally:
        await _ended(look)


async def _any(news: asyncio.Future[Any], doubt: asyncio.Event, within_s: float) -> None:
    doubted = asyncio.ensure_future(doubt.wait())
    try:
        await asyncio.wait({news, doubted}, timeout=within_s, return_when=asyncio.FIRST_COMPLETED)
    finally:
        await _ended(doubted)


async def _ended(task: asyncio.Future[Any]) -> None:
    task.cancel()
    await asyncio.wait({task})
    with suppress(asyncio.CancelledError, EngineError):
        task.result()
