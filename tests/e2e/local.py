"""A server in this process: on an event loop of its own, over the bytes that a process would get.

A socket pair stands in place of stdin and stdout; reader, writer and protocol are the product's.  What only a process
can show (starting, ending, kills, what a crash leaves, memory) needs one; so does a second server beside this one,
since agents, engines and conversations know a window by its process.
"""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from palimpsest.app import new_server
from palimpsest.lsp.stdio import reader_of

NAME: Final = "server of a test"
LONG_S = 30.0
Serve = Callable[[socket.socket, ExitStack], Awaitable[None]]
"""Serves who is at the other end; what is to be closed when nothing is read any more goes on the stack."""


async def serve_window(connection: socket.socket, closing: ExitStack) -> None:
    """As `palimpsest serve` does."""
    read_all = threading.Event()
    pipe = closing.enter_context(connection.makefile("rwb", buffering=0))
    closing.callback(read_all.wait, LONG_S)  # the thread that reads must not meet another file of this number
    await new_server().serve(reader_of(pipe, on_end=read_all.set), pipe)


async def serve_acp(connection: socket.socket, closing: ExitStack) -> None:
    """As `palimpsest acp` does."""
    from palimpsest.agents.acp.agent import serve
    from palimpsest.agents.acp.lines import MOST_BUFFERED, LineTransport

    await serve(LineTransport(*await asyncio.open_connection(sock=connection.dup(), limit=MOST_BUFFERED)))


class _Thread(threading.Thread):
    """Knows the test that it was started by."""

    def __init__(self, run: Callable[[], None]) -> None:
        super().__init__(target=run, name=NAME, daemon=True)
        self.test = _test()


def mcp_of(workspace: Path) -> Serve:
    """As `palimpsest mcp` does."""

    async def serve_mcp(connection: socket.socket, closing: ExitStack) -> None:
        from palimpsest.agents.tools import make_server, serve
        from palimpsest.agents.workspace import AgentWorkspace

        pipe = closing.enter_context(connection.makefile("rb"))
        answers = closing.enter_context(connection.makefile("w", encoding="utf-8"))
        await serve(make_server(AgentWorkspace(workspace)), pipe, answers)

    return serve_mcp


def is_there() -> bool:
    """Whether this test has one already.  One that an earlier test has left must end first."""
    for server in [thread for thread in threading.enumerate() if isinstance(thread, _Thread)]:
        if server.test == _test():
            return True
        server.join(LONG_S)
        assert not server.is_alive(), f"left behind by {server.test}"
    return False


def _test() -> str:
    return os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]


class LocalServer:
    """Serves as soon as it is made; `stdin` and `stdout` are the editor's, as those of a process, once it is
    connected."""

    stdin: asyncio.StreamWriter
    stdout: asyncio.StreamReader

    def __init__(self, serve: Serve = serve_window) -> None:
        self._connection, self._own_end = socket.socketpair()
        self._serve = serve
        self._left: list[str] = []
        self._thread = _Thread(self._run)
        self._thread.start()

    async def connect(self) -> None:
        self.stdout, self.stdin = await asyncio.open_connection(sock=self._connection, limit=1 << 26)

    @property
    def ended(self) -> bool:
        return not self._thread.is_alive()

    async def wait(self) -> None:
        """Until it has ended: after `exit`, or when the editor's end was closed.  What it has begun has to be done."""
        await asyncio.to_thread(self._thread.join, LONG_S)
        assert self.ended, "the server did not end"
        assert not self._left, f"the server left behind: {self._left}"

    def close(self) -> None:
        """The editor is gone."""
        self.stdin.close()

    def _run(self) -> None:
        with self._own_end, ExitStack() as closing:
            asyncio.run(self._main(closing))
            self._own_end.shutdown(socket.SHUT_RDWR)

    async def _main(self, closing: ExitStack) -> None:
        await self._serve(self._own_end, closing)
        left = asyncio.all_tasks() - {asyncio.current_task()}
        # Python closes a generator that is collected in a task of its own, whenever that is.
        self._left = [repr(task) for task in left if type(task.get_coro()).__name__ != "async_generator_athrow"]
