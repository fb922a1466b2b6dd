"""The engine's process put together: its core, its doors, and how long it stays.

In: options, at an address whose lock is ours.  Out: an exit status; it answers from before the model is loaded.  A
crash inside libllama ends this process: that is meant, the server starts the next one.
"""

import asyncio
import gc
import logging
import math
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import replace

from palimpsest import __version__, wire
from palimpsest.engine.core.core import EngineCore
from palimpsest.engine.http.listen import Listener, listen
from palimpsest.engine.http.routes import create_app
from palimpsest.engine.http.serve import serve
from palimpsest.engine.lifetime import announcing
from palimpsest.engine.lifetime.lifetime import Life
from palimpsest.engine.llama.library import choose, library
from palimpsest.engine.llama_server.app import create_app as create_public_app
from palimpsest.engine.model.params import uses_gpu
from palimpsest.engine.options import Options
from palimpsest.errors import ModelError
from palimpsest.system import folders, logs
from palimpsest.system.engine_address import Address
from palimpsest.system.machine import free_memory

STOP_S = 5.0
"""How long freeing the model may take.  A load cannot be interrupted; the system frees it as well."""
LEAVE_S = 8.0
"""A process that is told to leave ends after this long, whatever it is doing."""
NEXT_EDIT_CELLS = 8192
"""What the models for next edits were trained with."""
STACK = 128 << 20
"""Bytes of address space for each thread: llguidance goes through a grammar by recursion (`generation/gbnf.py`)."""

logger = logging.getLogger(__name__)


def check(chosen: str) -> None:
    """`chosen`: the setting `engine.library`.  Raises EngineUnavailable where llama.cpp cannot be used here."""
    choose(chosen)
    library()


def run(options: Options) -> int:
    """Serve until the engine leaves.  A person's engine whose model did not load has failed."""
    threading.stack_size(STACK)
    core = EngineCore(options.model, options.settings)
    second = _second(core, options)
    _log_to_file(options.address)
    logger.info("palimpsest %s engine %s for %s", __version__, options.address.name, options.model)
    try:
        with ExitStack() as stack:
            listener = stack.enter_context(listen(options.address, options.tcp))
            public = stack.enter_context(options.public.listen()) if options.public else None
            was_interrupted = asyncio.run(_serve(core, second, listener, options, public))
    except OSError as error:
        logger.error("cannot serve at %s: %s", _places(options), error)
        return 1
    finally:
        _stop(*filter(None, (core, second)))
    if was_interrupted:
        raise KeyboardInterrupt
    return 1 if options.public is not None and core.health().state == "failed" else 0


def _places(options: Options) -> str:
    http = f" and {options.public.url(options.public.port)}" if options.public else ""
    return f"{options.address.socket}{http}"


def _second(core: EngineCore, options: Options) -> EngineCore | None:
    """The model for next edits, with a cache of its own.  It is loaded once the first one is, into the memory that this
    leaves; where that is too little there is none."""
    path = options.next_edit_model
    if path is None:
        return None
    n_ctx = min(options.settings.n_ctx or NEXT_EDIT_CELLS, NEXT_EDIT_CELLS)
    second = EngineCore(path, replace(options.settings, n_ctx=n_ctx, disk_mb=0))

    def begin(health: wire.Health) -> None:
        if health.state != "ready" or second.health().state != "loading" or begun:
            return
        begun.append(True)
        free, size = free_memory(), path.stat().st_size if path.is_file() else 0
        if size > free and not uses_gpu(options.settings):
            error = f"{path.name} takes {size / 2**30:.1f} GiB, and {free / 2**30:.1f} GiB of memory are free."
            second.fail(ModelError(error, hint="Choose a smaller one, or none: `next_edit.model`."))
            return
        second.start()

    begun = list[bool]()
    core.on_change(begin)
    return second


async def _serve(
    core: EngineCore, second: EngineCore | None, listener: Listener, options: Options, public: socket.socket | None
) -> bool:
    """Answer until told to leave, by a signal, a request or long silence.  Whether it was Ctrl-C."""
    leaving = threading.Event()
    threading.Thread(target=end_late, args=(leaving,), name="palimpsest-watch", daemon=True).start()
    beside = None if second is None else (second, Life(second, math.inf))

    def on_stop() -> None:
        leaving.set()
        if beside is not None:
            beside[1].stop()

    life = Life(core, options.idle_exit_s, on_stop=on_stop)
    signals = list[int]()

    def leave(number: int) -> None:
        signals.append(number)
        life.stop()

    loop = asyncio.get_running_loop()

    def begin_anew() -> None:
        if options.public is not None:
            print("palimpsest engine: the model's file was changed; start the engine again.", file=sys.stderr)
        loop.call_soon_threadsafe(life.stop)

    for one in filter(None, (core, second)):
        one.on_replaced = begin_anew
        if options.public is None:  # one that a person started is not started again by itself
            one.on_tried = begin_anew
    _on_signals(loop, leave)
    core.start()
    idle = asyncio.ensure_future(life.leave_when_idle())
    serving = [serve(create_app(core, life, listener.token, beside), listener.socket, life.stopping)]
    if options.public is not None and public is not None:
        app = create_public_app(core, life, options.public.keys)
        serving.append(serve(app, public, life.stopping, options.public.tls))
        life.http = options.public.url(public.getsockname()[1])
        announcing.tell(core, life, keys=len(options.public.keys))
    gc.freeze()  # what is loaded by now stays: a search through it is 20 ms within a keystroke
    await asyncio.gather(*serving)
    await idle
    logger.info("leaving")
    return signal.SIGINT in signals


def end_late(leaving: threading.Event) -> None:
    """End the process when nothing else can: a native call cannot be interrupted, nor can its thread be ended.  On a
    thread of its own, which needs no other to be well."""
    leaving.wait()
    time.sleep(LEAVE_S)
    # from another thread: a log that nobody reads may keep its writers waiting
    why = "ending the process: the engine was told to leave and did not"
    writer = threading.Thread(target=logger.error, args=(why,), daemon=True)
    writer.start()
    writer.join(1.0)
    os._exit(0)


def _on_signals(loop: asyncio.AbstractEventLoop, stop: Callable[[int], object]) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        try:
            loop.add_signal_handler(number, stop, number)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda number, _: loop.call_soon_threadsafe(stop, number))


def _stop(*cores: EngineCore) -> None:
    """Free everything native, or leave it to the system where that takes too long."""
    threads = [threading.Thread(target=core.stop, daemon=True) for core in cores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(STOP_S)
    if any(thread.is_alive() for thread in threads):
        logger.warning("the model is still busy; leaving it to the system")
        logging.shutdown()
        os._exit(0)


def _log_to_file(place: Address) -> None:
    with suppress(OSError):  # a log that cannot be written is no reason to have no engine
        path = folders.logs() / f"{place.name}.log"
        handler = logs.PrivateFile(path, max_bytes=1 << 20, n_old=1)
        handler.setFormatter(logs.Formatter("%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"))
        logging.getLogger().addHandler(handler)
