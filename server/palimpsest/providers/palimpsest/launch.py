"""Find the engine that is wanted, or start it: however many servers do so at once, one engine runs.

In: a `Target`.  Out: a client of an engine that answers (its model may still be loading).  Keeps nothing.

Who may end an engine that hangs is whoever saw it silent, and only that process: it is named by the lock that it
holds (`process_lock.py`) before it is asked, and is ended only while it still holds it.  So of several windows that
notice a hang, one ends it, and all find the same new engine.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from palimpsest.errors import EngineDied, EngineError, EngineSilent, EngineUnavailable
from palimpsest.providers.base.target import Target
from palimpsest.providers.palimpsest import child
from palimpsest.providers.palimpsest.child import Child
from palimpsest.providers.palimpsest.client import InPlaceEngine
from palimpsest.system import folders, process_lock
from palimpsest.system.engine_address import Address

START_S = 60.0
"""How long a start may take until the engine answers, the loading of the model not counted."""
HUNG_S = 30.0
"""An engine that answers nothing for so long hangs.  Its event loop answers while the model is loaded and while its
native thread decodes; a busy machine makes it slow, not silent."""
LOOK_S = 5.0
"""How long one look waits for an answer."""
TERM_S = 3.0
"""How long an engine may take to leave once it is told to, before it is killed."""
FIRST_LOOK_S = 0.05
SLOWEST_LOOK_S = 0.4

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Launched:
    """`child` is None when the engine already ran; else it may be the process that serves, or one that lost a race."""

    engine: InPlaceEngine
    child: Child | None = None


async def find(place: Address) -> InPlaceEngine | None:
    """A client of the engine at `place`, or None where none answers.  Raises EngineSilent where one takes connections
    and says nothing."""
    try:
        engine = InPlaceEngine.at(place)
    except EngineUnavailable:
        return None
    try:
        await engine.health(min(LOOK_S, HUNG_S))
    except BaseException as error:
        await engine.aclose()
        if not isinstance(error, EngineError) or isinstance(error, EngineSilent):
            raise
        logger.debug("no engine at %s: %s", place.socket, error)
        return None
    return engine


async def end_hung(place: Address, pid: int) -> bool:
    """End the process `pid` where it still is the engine at `place`; whether it is gone.  Where the system does not say
    who holds a lock (Windows), nothing is ended."""
    gone = await asyncio.to_thread(process_lock.end_holder, place.lock, pid, TERM_S)
    logger.warning("the engine %d did not answer%s", pid, " and was ended" if gone else " and could not be ended")
    return gone


async def send_away(place: Address) -> None:
    """Have the engine at `place` leave, for every client of it; one that does not answer is ended."""
    pid = process_lock.holder(place.lock)
    try:
        engine = InPlaceEngine.at(place)
    except EngineUnavailable:
        return
    try:
        await engine.shutdown()
    except EngineSilent:
        if pid is not None:
            await end_hung(place, pid)
    except EngineError as error:
        logger.debug("no engine to send away at %s: %s", place.socket, error)
    finally:
        await engine.aclose()


async def launch(target: Target) -> Launched:
    """A running engine for `target`, started if need be.

    One whose model did not load is replaced, since what was wrong may be right now; so is one that hangs.  Raises
    EngineDied when the process died of a fault before it answered, EngineUnavailable when it cannot run here (the
    message is its own) or does not answer in time.
    """
    place = target.address()
    engine = await _found(place)
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


async def _found(place: Address) -> InPlaceEngine | None:
    """A client of the engine there, None where none runs (any more): one that is silent is waited for, and ended when
    it was silent for too long."""
    loop = asyncio.get_running_loop()
    silent, since = process_lock.holder(place.lock), loop.time()
    while True:
        try:
            return await find(place)
        except EngineSilent:
            if (pid := process_lock.holder(place.lock)) != silent:
                silent, since = pid, loop.time()  # another one by now
            elif loop.time() - since >= HUNG_S and (pid is None or not await end_hung(place, pid)):
                raise EngineUnavailable(
                    f"The engine at {place.socket} hangs and cannot be ended from here.",
                    hint="End the process `palimpsest engine` yourself.",
                ) from None


async def _start(target: Target, place: Address) -> Launched:
    words = folders.state() / f"{place.name}.stderr"
    loop = asyncio.get_running_loop()
    end, pause = loop.time() + START_S, FIRST_LOOK_S
    holds, since = process_lock.holder(place.lock), loop.time()
    process = _begin(target, place, words)
    while True:
        status = await process.ended(within=pause)
        if engine := await _found(place):
            return Launched(engine, process)
        if process.died:
            raise EngineDied(process.how_it_ended())
        if status:
            raise EngineUnavailable(process.last_words() or process.how_it_ended())
        if (pid := process_lock.holder(place.lock)) != holds:
            holds, since = pid, loop.time()
        if loop.time() > end:
            if pid is not None and loop.time() - since >= HUNG_S:  # on its way in or out, and stuck there
                await end_hung(place, pid)
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
