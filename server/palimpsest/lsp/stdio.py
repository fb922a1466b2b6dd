"""Standard input and output as the protocol wants them, on every system.

In: blocking binary files.  Out: the bytes of each message, one after the other, and a writer.  Knows no message.

One thread reads whatever has come and hands it over at once.  (pygls's own reader asks a pool of threads for each line
of a header and for each body: eight hand-overs for a keystroke.)

Between two messages the loop has a turn: a handler that is `async` begins with the documents as its message found
them, however many messages came in one read.
"""

import asyncio
import logging
import os
import re
import select
import threading
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import suppress
from typing import BinaryIO, SupportsIndex

logger = logging.getLogger(__name__)

MOST = 1 << 16
"""Bytes of one read."""
MOST_BODY = 1 << 28
"""Bytes of one message; a longer one is read and thrown away."""
LENGTH = re.compile(rb"content-length:[ \t]*(\d{1,18})[ \t]*\r?\n\Z", re.IGNORECASE)
"""The header that says how long a message is. It is found at the end of what is left of a message whose length was
wrong, too: no line end comes behind a message."""


class MessageReader(asyncio.StreamReader):
    """A stream that can be ended from this side, too: what still comes then is nothing."""

    _ended = False

    def feed_data(self, data: Iterable[SupportsIndex]) -> None:
        if not self._ended:
            super().feed_data(data)

    def feed_eof(self) -> None:
        self._ended = True
        super().feed_eof()


def reader_of(file: BinaryIO, on_end: Callable[[], None] = lambda: None) -> MessageReader:
    """Must be called on the event loop.  Nothing else may read from `file` any more; the thread ends with the file,
    having called `on_end`, or is left behind when the process ends."""
    reader = MessageReader()
    args = (file.fileno(), reader, asyncio.get_running_loop(), on_end)
    threading.Thread(target=_read, args=args, name="stdin", daemon=True).start()
    return reader


def _read(descriptor: int, reader: MessageReader, loop: asyncio.AbstractEventLoop, on_end: Callable[[], None]) -> None:
    """`os.read`, not the file's buffer: its lock, held by a thread, would be fatal when the interpreter ends."""
    with suppress(RuntimeError):  # the loop is closed: nobody listens any more
        try:
            while data := os.read(descriptor, MOST):
                loop.call_soon_threadsafe(reader.feed_data, data)
        except OSError as error:
            logger.info("the editor is gone: %s", error)
        on_end()
        loop.call_soon_threadsafe(reader.feed_eof)


async def bodies(reader: asyncio.StreamReader) -> AsyncGenerator[bytes, None]:
    """The messages until the end of the stream.  What is no header is passed over up to the next one that tells a
    length, so that one wrong length costs the messages it swallows and no more."""
    length: int | None = None
    while True:
        try:
            line = await reader.readline()
        except ValueError:  # longer than any header; the reader has thrown it away
            continue
        if not line:
            return
        if (told := LENGTH.search(line)) is not None:
            length = int(told[1])
        elif not line.strip() and length is not None:
            body, length = await _body(reader, length), None
            if body is not None:
                await asyncio.sleep(0)  # what the message before this one has started, starts
                yield body


async def _body(reader: asyncio.StreamReader, length: int) -> bytes | None:
    if length <= MOST_BODY:
        try:
            return await reader.readexactly(length)
        except asyncio.IncompleteReadError:
            return None
    logger.warning("a message of %d bytes was passed over; %d at most", length, MOST_BODY)
    while length and (piece := await reader.read(min(length, MOST))):
        length -= len(piece)
    return None


class StdioWriter:
    """What pygls writes to.  That nobody reads any more is no error: it is said once in the log, and `on_gone` is
    called; everything after that is dropped.

    Writes past the file's buffer, which the interpreter would try to write once more when it ends.
    """

    def __init__(self, file: BinaryIO, on_gone: Callable[[], None]) -> None:
        self._file = file
        self._descriptor = file.fileno()
        self._on_gone = on_gone
        self._gone = False

    def write(self, data: bytes) -> None:
        if self._gone:
            return
        left = memoryview(data)
        try:
            while left:
                try:
                    left = left[os.write(self._descriptor, left) :]
                except BlockingIOError:  # the other side made the pipe so
                    select.select((), (self._descriptor,), ())
        except OSError as error:
            self._gone = True
            logger.info("the editor is gone: %s", error)
            self._on_gone()

    def close(self) -> None:
        self._gone = True
        with suppress(OSError):  # what is not written has no reader
            self._file.close()
