"""The language server before and after its features are imported.

In: ways to build and to change a session (`app.py` gives them).  Out: a server.

An editor waits for the answer to `initialize`, so until then only what makes that answer is imported.  Everything else
comes right behind it, all at once (`handlers.py`), so that no keystroke waits for an import; what the editor sends
meanwhile is held back (`window.py`).
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from palimpsest.lsp import lifecycle
from palimpsest.lsp.announced import COMMANDS, METHODS, NOTEBOOKS
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.lsp.window import SessionFactory


def make_server(factory: SessionFactory) -> PalimpsestServer:
    server = PalimpsestServer(factory, NOTEBOOKS, load)
    lifecycle.register(server)
    for method, options in METHODS.items():
        server.feature(method, options)(_not_loaded)
    for name in COMMANDS:
        server.command(name)(_not_loaded)
    return server


async def load(server: PalimpsestServer) -> None:
    """Put the features where they were only announced.  Raises what their import raises.

    They are imported by a thread: from a slow disk that takes seconds, in which an editor may leave.
    """
    if server.ending is not None:
        server.ending.watch()
    loop = asyncio.get_running_loop()
    imported: asyncio.Future[Exception | None] = loop.create_future()

    def tell(failed: Exception | None) -> None:
        if not imported.done():
            imported.set_result(failed)

    threading.Thread(target=_import, args=(loop, tell), name="imports", daemon=True).start()
    if (failed := await imported) is not None:
        raise failed
    from palimpsest.lsp import handlers

    manager = server.protocol.fm
    for method in METHODS:
        del manager.features[method]
    manager.commands.clear()
    handlers.register(server)
    assert METHODS.keys() <= manager.features.keys(), "announced.py names a method that nothing carries out"
    assert tuple(manager.commands) == COMMANDS, "announced.py has other commands than commands.py"


def _import(loop: asyncio.AbstractEventLoop, tell: Callable[[Exception | None], None]) -> None:
    failed: Exception | None = None
    try:
        from palimpsest.lsp import handlers  # noqa: F401
    except BaseException as error:
        failed = error if isinstance(error, Exception) else ImportError(f"a module ends the program: {error!r}")
    with suppress(RuntimeError):  # the loop has ended meanwhile
        loop.call_soon_threadsafe(tell, failed)


def _not_loaded(*_: object) -> NoReturn:
    raise AssertionError("What comes before the features are there is held back.")
