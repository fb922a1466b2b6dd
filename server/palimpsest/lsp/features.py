"""Every feature of the language server, registered.

In: ways to build and to change a session (`app.py` gives them).  Out: a server.  Each feature is a file of its own.
"""

from __future__ import annotations

from palimpsest.lsp import (
    actions,
    commands,
    completion,
    default_model,
    documents,
    lifecycle,
    next_edit,
    notebooks,
    proactive,
    statistics,
)
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.lsp.window import Making


def make_server(making: Making) -> PalimpsestServer:
    server = PalimpsestServer(making, notebooks.SYNC)
    for feature in (
        lifecycle,
        documents,
        notebooks,
        completion,
        statistics,
        actions,
        next_edit,
        proactive,
        default_model,
        commands,
    ):
        feature.register(server)
    return server
