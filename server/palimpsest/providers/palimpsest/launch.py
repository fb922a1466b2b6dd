"""Find the engine for a target, or start it.  However many servers do so at once, one engine runs.

In: a `Target`.  Out: a client of an engine that answers (its model may still be loading).  Keeps nothing.

A server that saw an engine silent for too long may end that process and no other: the process that holds the engine's
lock (`process_lock.py`) is noted before it is asked, and ended only while it still holds it.  Of several windows that
notice a hang, one ends the engine, and all find the same new one.
"""

import asyncio
import logging
from contextlib import suppress
from pathlib import Path

from palimpsest.errors import EngineError, EngineSilent, EngineUnavailable
from palimpsest.providers.base.target import Target
from palimpsest.providers.palimpsest import engine_process
from palimpsest.providers.palimpsest.client import InPlaceEngine
from palimpsest.providers.palimpsest.engine_process import EngineProcess
from palimpsest.system import folders, process_lock
from palimpsest.system.engine_address import Address

START_S = 60.0
"""How long a start may take until the engine answers, without the loading of the model."""
HUNG_S = 30.0
"""An engine that does not answer for so long hangs.  Its event loop answers while the model is loaded and while its
native thread decodes; a busy machine makes it slow, not silent."""
PROBE_S = 5.0
"""How long one probe waits for an answer."""
TERM_S = 3.0
"""How long an engine may take to leave once it is told to, before it is killed."""
FIRST_PAUSE_S = 0.05
LONGEST_PAUSE_S = 0.4

logger = logging.getLogger(__name__)


async def find(address: Address) -> InPlaceEngine | None:
    """A client of the engine at `address`, or None where none answers.  Raises EngineSilent where one takes connections
    and says nothing."""
    try:
        engine = InPlaceEngine.at(address)
    except EngineUnavailable:
        return None
    try:
        await engine.health(min(PROBE_S, HUNG_S))
    except BaseException as error:  # cancelled, too: nobody else knows of these connections
        await engine.aclose()
        if not isinstance(error, EngineError) or isinstance(error, EngineSilent):
            raise
        logger.debug("no engine at %s: %s", address.socket, error)
        return None
    return engine


async def end_hung(address: Address, pid: int) -> bool:
    """End the process `pid` if it still is the engine at `address`; True when it is gone.  Where the system does not
    say who holds a lock (Windows), nothing is ended."""
    gone = await asyncio.to_thread(process_lock.end_holder, address.lock, pid, TERM_S)
    logger.warning("the engine %d did not answer%s", pid, " and was ended" if gone else " and could not be ended")
    return gone


async def send_away(address: Address) -> None:
    """Stop the engine at `address`, for all its clients; one that does not answer is ended."""
    pid = process_lock.holder(address.lock)
    try:
        engine = InPlaceEngine.at(address)
    except EngineUnavailable:
        return
    try:
        await engine.shutdown()
    except EngineSilent:
        if pid is not None:
            await end_hung(address, pid)
    except EngineError as error:
        logger.debug("no engine to send away at %s: %s", address.socket, error)
    finally:
        await engine.aclose()


async def launch(target: Target) -> tuple[InPlaceEngine, EngineProcess | None]:
    """A running engine for `target`, started where none runs, and the process that was started, None where it already
    ran.  That process may have lost a race to another start.

    One whose model did not load is replaced, since the reason may be gone; so is one that hangs.  Raises
    EngineDied when the process died of a fault before it answered, EngineUnavailable when it cannot run here (the
    message is its own; WrongProcessor) or does not answer in time.
    """
    address = target.address()
    engine = await _running_engine(address)
    if engine is not None:
        try:
            if not await _has_failed(engine):
                return engine, None
            with suppress(EngineError):  # gone already
                await engine.shutdown()  # the next start waits for it to be gone
        except BaseException:  # cancelled: nobody else knows of these connections
            await engine.aclose()
            raise
        await engine.aclose()
    return await _start(target, address)


async def _has_failed(engine: InPlaceEngine) -> bool:
    with suppress(EngineError):  # it is gone, or about to say so
        return (await engine.health()).state == "failed"
    return False


async def _running_engine(address: Address) -> InPlaceEngine | None:
    """A client of the engine there, None where none runs.  One that is silent is waited for, and ended when it has been
    silent for too long."""
    loop = asyncio.get_running_loop()
    silent, since = process_lock.holder(address.lock), loop.time()
    while True:
        try:
            return await find(address)
        except EngineSilent:
            if (pid := process_lock.holder(address.lock)) != silent:
                silent, since = pid, loop.time()  # another one by now
            elif loop.time() - since >= HUNG_S and (pid is None or not await end_hung(address, pid)):
                raise EngineUnavailable(
                    f"The engine at {address.socket} hangs and cannot be ended from here.",
                    hint="End the process `palimpsest engine` yourself.",
                ) from None


async def _start(target: Target, address: Address) -> tuple[InPlaceEngine, EngineProcess]:
    stderr_path = address.socket.with_suffix(".stderr")  # where it can have a socket it can have this: a home may not
    loop = asyncio.get_running_loop()
    end, pause = loop.time() + START_S, FIRST_PAUSE_S
    holds, since = process_lock.holder(address.lock), loop.time()
    process = _begin(target, address, stderr_path)
    while True:
        status = await process.ended(within=pause)
        if engine := await _running_engine(address):
            return engine, process
        if process.died:
            raise process.death()
        if status:
            raise EngineUnavailable(process.last_output() or process.how_it_ended())
        if (pid := process_lock.holder(address.lock)) != holds:
            holds, since = pid, loop.time()
        if loop.time() > end:
            if pid is not None and loop.time() - since >= HUNG_S:  # it hangs while it starts or ends
                await end_hung(address, pid)
            raise EngineUnavailable(
                f"The engine did not answer within {START_S:.0f} seconds.", hint=process.last_output()
            )
        if status == 0:  # another engine had the lock, and is gone by now or does not answer yet
            process = _begin(target, address, stderr_path)
        pause = min(pause * 1.5, LONGEST_PAUSE_S)


def _begin(target: Target, address: Address, stderr_path: Path) -> EngineProcess:
    try:
        return engine_process.start(target.arguments(address), stderr_path, folders.runtime())
    except OSError as error:
        raise EngineUnavailable(f"The engine process cannot be started: {error}.") from error
