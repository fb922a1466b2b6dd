"""The language server: one connection, one window, every feature registered.

In: a way to build a session (`app.py` gives it).  Out: a pygls server.  Each feature is a file of its own.
"""

from __future__ import annotations

from pygls.lsp.server import LanguageServer

from palimpsest import __version__
from palimpsest.lsp.protocol import Protocol
from palimpsest.lsp.window import BuildSession, Window


class PalimpsestServer(LanguageServer):
    """pygls's server and the one window it serves."""

    protocol: Protocol

    def __init__(self, build: BuildSession) -> None:
        super().__init__("palimpsest", __version__, protocol_cls=Protocol)
        self.window = Window(self, build)


def make_server(build: BuildSession) -> PalimpsestServer:
    from palimpsest.lsp import actions, commands, completion, documents, lifecycle

    server = PalimpsestServer(build)
    for feature in (lifecycle, documents, completion, actions, commands):
        feature.register(server)
    return server
