"""Every feature of the language server, registered.

In: a way to build a session (`app.py` gives it).  Out: a server.  Each feature is a file of its own.
"""

from __future__ import annotations

from palimpsest.lsp import actions, commands, completion, counting, documents, lifecycle, next_edit, noticing
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.lsp.window import BuildSession


def make_server(build: BuildSession) -> PalimpsestServer:
    server = PalimpsestServer(build)
    for feature in (lifecycle, documents, completion, counting, actions, next_edit, noticing, commands):
        feature.register(server)
    return server
