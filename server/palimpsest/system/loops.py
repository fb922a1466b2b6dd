"""Event loops, for programs that ask servers.

In: what is to be done.  Out: what came of it.
"""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
logger = logging.getLogger(__name__)


def run(work: Coroutine[Any, Any, T]) -> T:
    """`asyncio.run`, with `log_failed_callback`."""
    with asyncio.Runner() as runner:
        runner.get_loop().set_exception_handler(log_failed_callback)
        return runner.run(work)


def log_failed_callback(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """What asyncio does with a callback that failed, but for one case: anyio (4.16) does not look whether a read that
    was cancelled was also answered in the same turn of the loop.  Nothing is lost then, and nobody can do anything."""
    if isinstance(context.get("exception"), asyncio.InvalidStateError) and "handle" in context:
        logger.debug("a read was cancelled as its answer came")
    else:
        loop.default_exception_handler(context)
