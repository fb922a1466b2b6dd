"""The process that builds the index: of low priority, and gone when its server is.

In: messages on stdin.  Out: messages on stdout.  What an editor has open is answered between two files of a walk.
"""

import logging
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from palimpsest.index.builder import Builder, rows_of_text
from palimpsest.index.messages import (
    Asked,
    BeginIndex,
    CheckIndex,
    IndexLogLine,
    Look,
    Read,
    Rows,
    Told,
    asked,
    line_of,
)
from palimpsest.index.schema import fingerprint
from palimpsest.system.priority import step_back
from palimpsest.text.uris import to_uri

LOOK_AGAIN_S = 120.0
"""Between two walks, for clients that do not say which files change."""
MOST_CPU_S = 60.0
"""One file may take this much of the processor's time. While a grammar hangs in one, nothing here hears that the server
is gone, and the processor would be kept for as long as the machine runs."""
TRY_S = 5.0
"""Between two attempts to keep an index that another process keeps."""


def main() -> int:
    tell = _telling(sys.stdout.buffer)
    logging.getLogger().addHandler(_Handler(tell))
    step_back()  # whoever types goes first
    line = sys.stdin.buffer.readline()
    begin = asked(line) if line else None
    if not isinstance(begin, BeginIndex):
        return 2
    worker = Worker(begin, queue.Queue(), tell)
    threading.Thread(target=_listen, args=(sys.stdin.buffer, worker), daemon=True).start()
    worker.run()
    return 0


class Worker:
    """`tell` is called with every message for the server."""

    def __init__(self, begin: BeginIndex, given: queue.Queue[Asked], tell: Callable[[Told], None]) -> None:
        self.given = given
        self._tell = tell
        made_with = fingerprint()
        self._builders = [Builder(Path(root), begin, made_with, tell) for root in begin.roots]
        self._walks: dict[Builder, Iterator[None]] = {}

    def run(self) -> None:
        """For ever: the process ends when its stdin does."""
        tried = looked = time.monotonic()
        self._open()
        while True:
            self._hear()
            now = time.monotonic()
            if now - tried > TRY_S:
                tried = now
                self._open()
            if now - looked > LOOK_AGAIN_S and not self._walks:
                self._walk()
            if self._walks:
                looked = now
                self.step()

    def step(self) -> None:
        """One file further."""
        builder, walk = next(iter(self._walks.items()))
        with _ended_if_endless():
            is_over = next(walk, self) is self
        if is_over:
            del self._walks[builder]

    def heard(self, message: Asked) -> None:
        with _ended_if_endless():
            self._heard(message)

    def _heard(self, message: Asked) -> None:
        if isinstance(message, Read):
            rows = rows_of_text(to_uri(message.path), message.language_id, message.text)
            self._tell(Rows(message.path, message.version, rows))
        elif isinstance(message, CheckIndex):
            for builder in self._builders:
                if builder.root == Path(message.root) and builder.check():
                    self._begin(builder)
        elif isinstance(message, Look):
            paths = [Path(path) for path in message.paths]
            if not paths:
                self._walk()
            for builder in self._builders:
                if paths and builder.look(paths):
                    self._begin(builder)

    def _hear(self) -> None:
        """What has been said; where there is nothing to do, wait for it."""
        with suppress(queue.Empty):  # there is a walk to go on with
            self.heard(self.given.get(timeout=TRY_S) if not self._walks else self.given.get_nowait())

    def _open(self) -> None:
        for builder in self._builders:
            if builder.open():
                self._begin(builder)

    def _walk(self) -> None:
        for builder in self._builders:
            self._begin(builder)

    def _begin(self, builder: Builder) -> None:
        """A walk that is under way begins anew: what it has read it does not read again."""
        self._walks.pop(builder, None)
        self._walks[builder] = builder.walk()

    def leave(self) -> None:
        """Called on another thread when the process is about to end."""
        for builder in self._builders:
            builder.leave()


@contextmanager
def _ended_if_endless() -> Iterator[None]:
    """The system ends the process of a file that takes too long; on Windows, nothing does."""
    if sys.platform == "win32":
        yield
        return
    signal.setitimer(signal.ITIMER_PROF, MOST_CPU_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _listen(stream: BinaryIO, worker: Worker) -> None:
    """The server's end, however it comes, closes the pipe; a database bears being left in the middle of anything."""
    for line in stream:
        worker.given.put(asked(line))
    worker.leave()
    os._exit(0)


def _telling(stream: BinaryIO) -> Callable[[Told], None]:
    def tell(message: Told) -> None:
        try:
            stream.write(line_of(message))
            stream.flush()
        except OSError:  # the server is gone
            os._exit(0)

    return tell


class _Handler(logging.Handler):
    """The process has no log of its own: the server writes what it says."""

    def __init__(self, tell: Callable[[Told], None]) -> None:
        super().__init__(logging.WARNING)
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        self._tell(IndexLogLine(record.levelno, record.getMessage()))


if __name__ == "__main__":
    sys.exit(main())
