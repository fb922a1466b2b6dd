"""The language server: one connection, one window.

In: ways to build and to change a session, to load the features and to begin one.  Out: a pygls server, still without
features (`features.py` registers them).
"""

import asyncio
import logging
import sys
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import Future
from contextlib import aclosing, suppress
from functools import partial
from typing import Any, BinaryIO, TypeVar

from lsprotocol.types import NotebookDocumentSyncOptions
from pygls.exceptions import FeatureRequestError, JsonRpcException
from pygls.lsp.server import LanguageServer

from palimpsest import __version__
from palimpsest.features import Feature
from palimpsest.lsp.ending import Ending
from palimpsest.lsp.loading import FeatureLoader
from palimpsest.lsp.protocol import Protocol, converter
from palimpsest.lsp.report import Report
from palimpsest.lsp.stdio import MessageReader, StdioWriter, bodies, reader_of
from palimpsest.lsp.window import SessionFactory, Window
from palimpsest.system.loops import log_failed_callback

T = TypeVar("T")

logger = logging.getLogger(__name__)


class PalimpsestServer(LanguageServer):
    """pygls's server and the one window it serves."""

    protocol: Protocol

    def __init__(
        self,
        factory: SessionFactory,
        notebooks: NotebookDocumentSyncOptions,
        features: Sequence[Feature],
        load: "Callable[[PalimpsestServer], Awaitable[None]]",
        begin: "Callable[[PalimpsestServer, Feature], None]",
    ) -> None:
        of_pygls: dict[str, Any] = {"protocol_cls": Protocol, "converter_factory": converter}
        super().__init__("palimpsest", __version__, notebook_document_sync=notebooks, **of_pygls)
        self.loader = FeatureLoader(features, partial(begin, self), self.run_beside)
        self.window = Window(self.protocol, Report(self), factory, partial(load, self))
        self.ending: Ending | None = None
        self.running: set[asyncio.Task[Any]] = set()
        """What goes on beside requests."""
        self.creating: Future[Any] | None = None
        """The last answer to `window/workDoneProgress/create` that was asked for (`progress.py`)."""

    def run_beside(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Begin what goes on beside requests, until the connection ends."""
        task = asyncio.get_running_loop().create_task(work)
        self.running.add(task)
        task.add_done_callback(self.running.discard)
        return task

    exit_status = 0

    def start_io(self, stdin: BinaryIO | None = None, stdout: BinaryIO | None = None) -> None:
        """Serve until `exit`, or until the editor is gone; pygls's, with a reader and a writer of our own."""
        with suppress(SystemExit):  # `exit` is a SystemExit
            asyncio.run(self._serve_process(stdin or sys.stdin.buffer, stdout or sys.stdout.buffer))

    def start_tcp(self, host: str, port: int) -> None:
        """The same for the first who connects (debugging)."""
        with suppress(SystemExit):  # `exit` is a SystemExit
            asyncio.run(self._serve_tcp(host, port))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """What goes wrong inside is for the log alone: pygls would show it to the person.  Failed requests are logged
        where they are answered."""
        if source is not FeatureRequestError:
            frames = error.data if isinstance(error, JsonRpcException) else None
            trace = "".join(frames["traceback"]) if isinstance(frames, dict) and "traceback" in frames else ""
            logger.error("%s: %s\n%s", getattr(source, "__name__", source), error, trace)

    async def _serve_process(self, stdin: BinaryIO, stdout: BinaryIO) -> None:
        """In a process of its own, which ends with its editor."""
        loop = asyncio.get_running_loop()
        ending = self.ending = Ending(lambda: loop.call_soon_threadsafe(reader.feed_eof))
        reader = reader_of(stdin, on_end=ending.begin)
        try:
            await self.serve(reader, stdout)
        finally:
            ending.begin()

    async def serve(self, reader: MessageReader, stdout: BinaryIO) -> None:
        """Until `exit`, or until the editor is gone."""
        self.protocol.set_writer(StdioWriter(stdout, reader.feed_eof))
        await self._serve(reader)

    async def _serve_tcp(self, host: str, port: int) -> None:
        served: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            if self.protocol.writer is not None:
                writer.close()
                return
            self.protocol.set_writer(writer)
            try:
                await self._serve(reader)
            finally:
                if not served.done():
                    served.set_result(None)

        async with await asyncio.start_server(connected, host, port):
            await served

    is_ending = False
    """Nobody can be answered any more."""

    async def _serve(self, reader: asyncio.StreamReader) -> None:
        asyncio.get_running_loop().set_exception_handler(log_failed_callback)
        try:
            async with aclosing(bodies(reader)) as messages:
                async for body in messages:
                    self.protocol.inbox.receive(body)
        except SystemExit as ended:  # `exit`
            self.exit_status = int(ended.code or 0)
        finally:  # also where a signal ends it
            self.is_ending = True
        await self.window.aclose()
        await self.protocol.end(self.running)
        if self.protocol.writer is not None:
            self.protocol.writer.close()
