"""The language server before and after its features are imported.

In: ways to build and to change a session (`app.py` gives them).  Out: a server.

An editor waits for the answer to `initialize`, so until then only what makes that answer is imported.  Everything else
comes right behind it, all at once (`handlers.py`), so that no keystroke waits for an import; what the editor sends
meanwhile is held back (`window.py`).
"""

from __future__ import annotations

from typing import NoReturn

from palimpsest.lsp import lifecycle
from palimpsest.lsp.announced import COMMANDS, METHODS, NOTEBOOKS
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.lsp.window import Making


def make_server(making: Making) -> PalimpsestServer:
    server = PalimpsestServer(making, NOTEBOOKS, load)
    lifecycle.register(server)
    for method, options in METHODS.items():
        server.feature(method, options)(_not_loaded)
    for name in COMMANDS:
        server.command(name)(_not_loaded)
    return server


def load(server: PalimpsestServer) -> None:
    """Put the features where they were only announced."""
    from palimpsest.lsp import handlers

    manager = server.protocol.fm
    for method in METHODS:
        del manager.features[method]
    manager.commands.clear()
    handlers.register(server)
    assert METHODS.keys() <= manager.features.keys(), "announced.py names a method that nothing carries out"
    assert tuple(manager.commands) == COMMANDS, "announced.py has other commands than commands.py"


def _not_loaded(*_: object) -> NoReturn:
    raise AssertionError("What comes before the features are there is held back.")
