"""An LSP client by hand, for what a well-made one does not send, and for answers as other clients give them."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from asyncio.subprocess import Process
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from palimpsest.text.uris import to_uri

from . import local
from .local import LocalServer

SERVE = (sys.executable, "-m", "palimpsest", "serve")

LONG_S = 240.0
"""Until an answer is given up: 200 megabytes take 30 s of a processor that others use, too."""
SILENCE: Any = object()
"""What an answer is where there is none."""


def framed(method: str, params: Any, **more: Any) -> bytes:
    return packed({"jsonrpc": "2.0", "method": method, "params": params, **more})


def packed(message: Any) -> bytes:
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def initialize_params(root: Path, **capabilities: Any) -> dict[str, Any]:
    return {
        "processId": os.getpid(),
        "capabilities": {
            "general": {"positionEncodings": ["utf-16", "utf-8"]},
            "textDocument": {"inlineCompletion": {}},
            **capabilities,
        },
        "workspaceFolders": [{"uri": to_uri(root), "name": "shop"}],
    }


class Raw:
    """`answers` gives, by method, what is answered to the server's requests: a result, a function of the request's
    parameters, an exception whose text is the error, or `SILENCE` (also for what is not named).

    The server is in this process unless a test wants one of its own, gives it an environment, or has one already.
    """

    def __init__(self, server: LocalServer | Process, answers: Mapping[str, Any]) -> None:
        self.server = server
        self.answers = dict(answers)
        self.came: list[dict[str, Any]] = []
        self.asked: list[dict[str, Any]] = []
        self.errors = b""
        self._id = 0
        self._news = asyncio.Condition()
        self._tasks = [asyncio.create_task(self._read_all()), asyncio.create_task(self._read_errors())]

    @classmethod
    async def start(
        cls,
        answers: Mapping[str, Any] | None = None,
        environment: Mapping[str, str] | None = None,
        *,
        own_process: bool = False,
        command: Sequence[str] = SERVE,
    ) -> Raw:
        if not own_process and environment is None and not local.is_there():
            server = LocalServer()
            await server.connect()
            return cls(server, answers or {})
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *command, stdin=pipe, stdout=pipe, stderr=pipe, env={**os.environ, **(environment or {})}, limit=1 << 26
        )
        return cls(process, answers or {})

    @property
    def process(self) -> Process:
        assert isinstance(self.server, Process), "start it with `own_process`"
        return self.server

    async def begin(self, root: Path, options: Any = None, **capabilities: Any) -> dict[str, Any]:
        """initialize and initialized; the server's capabilities."""
        params = initialize_params(root, **capabilities)
        answer = await self.request("initialize", {**params, "initializationOptions": options or {}})
        await self.notify("initialized", {})
        found: dict[str, Any] = answer["result"]["capabilities"]
        return found

    async def send(self, data: bytes) -> None:
        assert self.server.stdin is not None
        self.server.stdin.write(data)
        await self.server.stdin.drain()

    async def notify(self, method: str, params: Any, **more: Any) -> None:
        await self.send(framed(method, params, **more))

    async def request(self, method: str, params: Any) -> dict[str, Any]:
        """The whole answer, be it a result or an error."""
        return await self.answer(await self.ask(method, params))

    async def ask(self, method: str, params: Any) -> int:
        """Send a request and do not wait; its id."""
        self._id += 1
        await self.notify(method, params, id=self._id)
        return self._id

    async def command(self, name: str, *arguments: Any) -> dict[str, Any]:
        return await self.request("workspace/executeCommand", {"command": name, "arguments": list(arguments)})

    async def open(self, path: Path, text: str | None = None, version: int = 1) -> str:
        uri = to_uri(path)
        content = path.read_text(encoding="utf-8") if text is None else text
        document = {"uri": uri, "languageId": "python", "version": version, "text": content}
        await self.notify("textDocument/didOpen", {"textDocument": document})
        return uri

    async def complete(self, uri: str, line: int, character: int) -> list[dict[str, Any]]:
        where = {"line": line, "character": character}
        params = {"textDocument": {"uri": uri}, "position": where, "context": {"triggerKind": 2}}
        result = (await self.request("textDocument/inlineCompletion", params))["result"]
        return result["items"] if result else []

    async def answer(self, id: Any) -> dict[str, Any]:
        return await self.message(lambda m: "method" not in m and m.get("id") == id)

    async def notified(self, method: str, **fields: Any) -> dict[str, Any]:
        """The first notification or request of that kind with such values among its parameters."""
        return await self.message(
            lambda m: m.get("method") == method and all(m["params"].get(k) == v for k, v in fields.items())
        )

    async def message(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first that has come or comes; one that is asked for by its id is not looked for again."""

        def found() -> dict[str, Any] | None:
            return next((m for m in self.came if wanted(m)), None)

        async with self._news:
            async with asyncio.timeout(LONG_S):
                await self._news.wait_for(lambda: found() is not None or self.ended)
        there = found()
        assert there is not None, f"the server ended: {self.errors.decode(errors='replace')}"
        return there

    async def ready(self) -> None:
        await self.notified("palimpsest/status", kind="Normal")

    @property
    def ended(self) -> bool:
        return self._tasks[0].done()

    @property
    def shown(self) -> list[str]:
        """What a person has read."""
        return [m["params"]["message"] for m in self.came if m.get("method") == "window/showMessage"]

    async def _read_all(self) -> None:
        assert self.server.stdout is not None
        try:
            while True:
                head = await self.server.stdout.readuntil(b"\r\n\r\n")
                length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
                message: dict[str, Any] = json.loads(await self.server.stdout.readexactly(length))
                self.came.append(message)
                if "method" in message and "id" in message:
                    self.asked.append(message)
                    await self._reply(message)
                async with self._news:
                    self._news.notify_all()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            asyncio.get_running_loop().call_soon(asyncio.ensure_future, self._wake())

    async def _wake(self) -> None:
        async with self._news:
            self._news.notify_all()

    async def _reply(self, message: dict[str, Any]) -> None:
        answer = self.answers.get(message["method"], SILENCE)
        if callable(answer):
            answer = answer(message["params"])
            if asyncio.iscoroutine(answer):
                answer = await answer
        await self.reply(message["id"], answer)

    async def reply(self, id: Any, answer: Any) -> None:
        if answer is SILENCE:
            return
        what = (
            {"error": {"code": -32603, "message": str(answer)}} if isinstance(answer, Exception) else {"result": answer}
        )
        await self.send(packed({"jsonrpc": "2.0", "id": id, **what}))

    async def _read_errors(self) -> None:
        if isinstance(self.server, Process):
            assert self.server.stderr is not None
            while piece := await self.server.stderr.read(1 << 16):
                self.errors += piece

    def stop_reading(self) -> None:
        """Close the pipe that the server writes to."""
        self._tasks[0].cancel()
        # no door: asyncio keeps the pipes to itself
        transport = self.process._transport  # type: ignore[attr-defined]
        transport.get_pipe_transport(1).close()

    async def leave(self) -> None:
        """As a well-behaved editor does."""
        await self.request("shutdown", None)
        await self.notify("exit", None)
        async with asyncio.timeout(LONG_S):
            await self.server.wait()
        await self.stop()

    async def stop(self) -> None:
        if isinstance(self.server, Process) and self.server.returncode is None:
            self.server.kill()
        elif isinstance(self.server, LocalServer):
            self.server.close()
        await self.server.wait()
        await asyncio.wait({self._tasks[1]}, timeout=LONG_S)  # what it said at its end
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if isinstance(self.server, Process):
            # no door: asyncio keeps the pipes to itself
            self.server._transport.close()  # type: ignore[attr-defined]  # else a warning when it is collected
