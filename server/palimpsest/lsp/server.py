"""The language server: one connection, one window.

In: a way to build a session.  Out: a pygls server, still without features (`features.py` registers them).
"""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
from contextlib import suppress
from typing import BinaryIO

from pygls.io_ import StdoutWriter, run_async
from pygls.lsp.server import LanguageServer

from palimpsest import __version__
from palimpsest.lsp.protocol import Protocol
from palimpsest.lsp.stdio import reader_of
from palimpsest.lsp.window import BuildSession, Window

logger = logging.getLogger(__name__)


class PalimpsestServer(LanguageServer):
    """pygls's server and the one window it serves."""

    protocol: Protocol

    def __init__(self, build: BuildSession) -> None:
        super().__init__("palimpsest", __version__, protocol_cls=Protocol)
        self.window = Window(self, build)

    def start_io(self, stdin: BinaryIO | None = None, stdout: BinaryIO | None = None) -> None:
        """Serve until `exit`, or until the editor is gone; pygls's, with a reader of our own (`stdio.py`)."""
        self._stop_event = threading.Event()
        self.protocol.set_writer(StdoutWriter(stdout or sys.stdout.buffer))
        try:
            with suppress(KeyboardInterrupt, SystemExit):  # `exit` is a SystemExit
                asyncio.run(self._serve(stdin or sys.stdin.buffer, self._stop_event))
        except BrokenPipeError:
            logger.warning("the editor is gone")
        finally:
            self.shutdown()  # type: ignore[no-untyped-call]

    async def _serve(self, stdin: BinaryIO, stop: threading.Event) -> None:
        await run_async(
            stop_event=stop,
            reader=reader_of(stdin),
            protocol=self.protocol,
            logger=logger,
            error_handler=self.report_server_error,
        )
