"""A window's server in this process: on an event loop of its own, over the bytes that a process would get.

A socket pair stands in place of stdin and stdout; reader, writer and protocol are the product's.  What only a process
can show (starting, ending, kills, what a crash leaves, memory) needs one; so does a second window beside this one,
since agents and engines know a window by its process.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from typing import Final

from palimpsest.app import new_server
from palimpsest.lsp.stdio import reader_of

NAME: Final = "window of a test"
LONG_S = 30.0


def is_there() -> bool:
    """Whether there is one already."""
    return any(thread.name == NAME for thread in threading.enumerate())


class LocalServer:
    """Serves as soon as it is made; `stdin` and `stdout` are the editor's, as those of a process, once it is
    connected."""

    stdin: asyncio.StreamWriter
    stdout: asyncio.StreamReader

    def __init__(self) -> None:
        self._connection, self._own_end = socket.socketpair()
        self._left: list[str] = []
        self._thread = threading.Thread(target=self._run, name=NAME, daemon=True)
        self._thread.start()

    async def connect(self) -> None:
        self.stdout, self.stdin = await asyncio.open_connection(sock=self._connection, limit=1 << 26)

    @property
    def ended(self) -> bool:
        return not self._thread.is_alive()

    async def wait(self) -> None:
        """Until it has ended: after `exit`, or when the editor's end was closed.  What it has begun has to be done."""
        await asyncio.to_thread(self._thread.join, LONG_S)
        assert self.ended, "the window did not end"
        assert not self._left, f"the window left behind: {self._left}"

    def close(self) -> None:
        """The editor is gone."""
        self.stdin.close()

    def _run(self) -> None:
        nothing_comes = threading.Event()
        with self._own_end, self._own_end.makefile("rwb", buffering=0) as pipe:
            asyncio.run(self._serve(pipe, nothing_comes))
            self._own_end.shutdown(socket.SHUT_RDWR)
            nothing_comes.wait(LONG_S)  # the number of the file is free for others only then

    async def _serve(self, pipe: socket.SocketIO, nothing_comes: threading.Event) -> None:
        await new_server().serve(reader_of(pipe, on_end=nothing_comes.set), pipe)
        self._left = [repr(task) for task in asyncio.all_tasks() - {asyncio.current_task()}]
