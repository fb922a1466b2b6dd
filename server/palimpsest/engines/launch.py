"""Find the engine that is wanted, or start it: however many servers do so at once, one engine runs.

In: a `Target`.  Out: a client of an engine that answers (its model may still be loading).  Keeps nothing.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from palimpsest import folders
from palimpsest.address import Address
from palimpsest.engines import child
from palimpsest.engines.child import Child
from palimpsest.engines.in_place import InPlaceEngine
from palimpsest.engines.target import Target
from palimpsest.errors import EngineDied, EngineError, EngineUnavailable

START_S = 60.0
"""How long a start may take until the engine answers, the loading of the model not counted."""
FIRST_LOOK_S = 0.05
SLOWEST_LOOK_S = 0.4

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Launched:
    """`child` is None when the engine already ran; else it may be the process that serves, or one that lost a race."""

    engine: InPlaceEngine
    child: Child | None = None


async def find(place: Address) -> InPlaceEngine | None:
    """A client of the engine at `place`, or None where none answers."""
    try:
        engine = InPlaceEngine.at(place)
    except EngineUnavailable:
        return None
    try:
        await engine.health()
    except BaseException as error:
        await engine.aclose()
        if not isinstance(error, EngineError):
            raise
        logger.debug("no engine at %s: %s", place.socket, error)
        return None
    return engine


async def launch(target: Target) -> Launched:
    """A running engine for `target`, started if need be.

    One whose model did not load is replaced, since what was wrong may be right now.  Raises EngineDied when the
    process died of a fault before it answered, EngineUnavailable when it cannot run here (the message is its own) or
    does not answer in time.
    """
    place = target.address()
    engine = await find(place)
    if engine is not None:
        try:
            if not await _has_failed(engine):
                return Launched(engine)
            with suppress(EngineError):  # gone already
                await engine.shutdown()  # the next start waits for it to be gone
        except BaseException:  # given up meanwhile: nobody else knows of these connections
            await engine.aclose()
            raise
        await engine.aclose()
    return await _start(target, place)


async def _has_failed(engine: InPlaceEngine) -> bool:
    with suppress(EngineError):
        return (await engine.health()).state == "failed"
    return False


async def _start(target: Target, place: Address) -> Launched:
    words = folders.state() / f"{place.name}.stderr"
    loop = asyncio.get_running_loop()
    end, pause = loop.time() + START_S, FIRST_LOOK_S
    process = _begin(target, place, words)
    while True:
        status = await process.ended(within=pause)
        if engine := await find(place):
            return Launched(engine, process)
        if process.died:
            raise EngineDied(process.how_it_ended())
        if status:
            raise EngineUnavailable(process.last_words() or process.how_it_ended())
        if loop.time() > end:
            raise EngineUnavailable(
                f"The engine did not answer within {START_S:.0f} seconds.", hint=process.last_words()
            )
        if status == 0:  # another engine had the lock, and is gone by now or does not answer yet
            process = _begin(target, place, words)
        pause = min(pause * 1.5, SLOWEST_LOOK_S)


def _begin(target: Target, place: Address, words: Path) -> Child:
    try:
        return child.start(target.arguments(place), words, folders.runtime())
    except OSError as error:
        raise EngineUnavailable(f"The engine process cannot be started: {error}.") from error
