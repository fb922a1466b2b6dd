"""Every feature of the language server, registered.

In: ways to build and to change a session (`app.py` gives them).  Out: a server.  Each feature is a file of its own.
"""

from __future__ import annotations

from palimpsest.lsp import (
    actions,
    commands,
    completion,
    counting,
    documents,
    lifecycle,
    next_edit,
    notebooks,
    noticing,
    offering,
)
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.lsp.window import Making


def make_server(making: Making) -> PalimpsestServer:
    server = PalimpsestServer(making)
    for feature in (
        lifecycle,
        documents,
        notebooks,
        completion,
        counting,
        actions,
        next_edit,
        noticing,
        offering,
        commands,
    ):
        feature.register(server)
    return server
