"""Standard input as a stream of the event loop, on every system.

In: a blocking binary file.  Out: an `asyncio.StreamReader`.  Knows no message.

One thread reads whatever has come and hands it over at once.  (pygls's own reader asks a pool of threads for each line
of a header and for each body: eight hand-overs for a keystroke.)

Between two messages the loop has a turn: a handler that is `async` begins with the documents as its message found
them, however many messages came in one read.
"""

from __future__ import annotations

import asyncio
import os
import threading
from contextlib import suppress
from typing import BinaryIO

MOST = 1 << 16
"""Bytes of one read."""


class MessageReader(asyncio.StreamReader):
    """For pygls, which takes a message's body with `readexactly`.  Where everything has come already, an
    `asyncio.StreamReader` gives it without a turn of the loop."""

    async def readexactly(self, n: int) -> bytes:
        await asyncio.sleep(0)  # what the message before this one has started, starts
        return await super().readexactly(n)


def reader_of(file: BinaryIO) -> asyncio.StreamReader:
    """Must be called on the event loop.  Nothing else may read from `file` any more; the thread ends with the file,
    or is left behind when the process ends."""
    reader = MessageReader()
    args = (file.fileno(), reader, asyncio.get_running_loop())
    threading.Thread(target=_read, args=args, name="stdin", daemon=True).start()
    return reader


def _read(descriptor: int, reader: asyncio.StreamReader, loop: asyncio.AbstractEventLoop) -> None:
    """`os.read`, not the file's buffer: its lock, held by a thread, would be fatal when the interpreter ends."""
    with suppress(RuntimeError):  # the loop is closed: nobody listens any more
        try:
            while data := os.read(descriptor, MOST):
                loop.call_soon_threadsafe(reader.feed_data, data)
        except OSError as error:
            loop.call_soon_threadsafe(reader.set_exception, error)
        else:
            loop.call_soon_threadsafe(reader.feed_eof)
