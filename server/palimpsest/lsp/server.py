"""The language server: one connection, one window.

In: a way to build a session.  Out: a pygls server, still without features (`features.py` registers them).
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
