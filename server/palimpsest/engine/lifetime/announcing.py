"""Tells the person who started an engine with `--http` where it listens, and whether its model was loaded.

In: the core's changes of health.  Out: lines on stderr; an engine without a model is told to leave.
"""

import asyncio
import logging
import sys

from palimpsest.engine.core.core import EngineCore
from palimpsest.engine.lifetime.lifetime import Life
from palimpsest.wire import Health

logger = logging.getLogger(__name__)


def tell(core: EngineCore, life: Life, *, keys: int) -> None:
    """To be called where it listens, on the event loop."""
    loop = asyncio.get_running_loop()
    door = "with an API key" if keys else "without a key: for programs of this machine"
    say(f"listening on {life.http}, {door}")
    has_told = False

    def changed(health: Health) -> None:  # on the core's thread
        nonlocal has_told
        if has_told or health.state == "loading":
            return
        has_told = True
        if health.state == "ready":
            say(f"{health.model} is loaded")
            return
        error = health.error or {}
        say(" ".join(filter(None, (error.get("message", "The model did not load."), error.get("hint", "")))))
        loop.call_soon_threadsafe(life.stop)

    core.on_change(changed)
    changed(core.health())


def say(text: str) -> None:
    print(f"palimpsest engine: {text}", file=sys.stderr, flush=True)
    logger.info("%s", text)
