"""`palimpsest mcp` and lines that no well-behaved agent writes: each that asks for something is answered."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from .local import LocalServer, mcp_of
from .talking import do, talking

VERSION = "2025-06-18"
HALF = "\\ud83d"
"""As JavaScript writes a text that was cut inside an emoji."""


class Lines:
    """Of one agent."""

    def __init__(self, server: LocalServer) -> None:
        self._server = server

    async def write(self, *lines: str) -> None:
        self._server.stdin.write("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape"))
        await self._server.stdin.drain()

    async def answer(self) -> dict[str, Any]:
        """The next one."""
        answer: dict[str, Any] = json.loads(await self._server.stdout.readline())
        return answer

    async def call(self, identity: str, tool: str, arguments: str) -> dict[str, Any]:
        """`arguments`: JSON as it is written."""
        named = f'"name": {json.dumps(tool)}, "arguments": {arguments}'
        await self.write(f'{{"jsonrpc": "2.0", "id": "{identity}", "method": "tools/call", "params": {{{named}}}}}')
        answer = await self.answer()
        assert answer["id"] == identity
        return answer


@asynccontextmanager
async def agent(workspace: Path) -> AsyncIterator[Lines]:
    server = LocalServer(mcp_of(workspace))
    await server.connect()
    it = Lines(server)
    try:
        about = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": {"name": "Raw", "version": "1"}}
        begin = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": about}
        await it.write(json.dumps(begin), '{"jsonrpc": "2.0", "method": "notifications/initialized"}')
        assert (await it.answer())["result"]["serverInfo"]["name"] == "palimpsest"
        yield it
    finally:
        server.close()
        await server.wait()


@pytest.mark.parametrize(
    ("line", "code", "identity"),
    [
        ("x", -32700, None),
        ("[" * 100_000, -32700, None),
        ("y" * 5_000_000, -32700, None),
        ("[]", -32600, None),
        ("null", -32600, None),
        ("{}", -32600, None),
        ('{"jsonrpc": "2.0", "id": "q2", "method": "tools/call", "params": []}', -32600, "q2"),
        ('{"jsonrpc": "2.0", "id": 7, "method": 5}', -32600, 7),
        ('{"jsonrpc": "2.0", "id": "\\ud83d", "method": 5}', -32600, "\ufffd"),
        ('{"id": 7, "method": "ping"}', -32600, 7),
        ('{"jsonrpc": "2.0", "id": {}, "method": "tools/list"}', -32600, None),
        ('{"jsonrpc": "2.0", "id": null, "method": "tools/list"}', -32600, None),
        ('{"jsonrpc": "2.0", "id": 1.5, "method": "tools/list"}', -32600, None),
        ('{"jsonrpc": "2.0", "id": 9000, "result": 5}', -32600, None),
    ],
    ids=lambda value: str(value)[:40],
)
async def test_what_is_no_request_is_answered_and_ends_nothing(
    machine: dict[str, str], tmp_path: Path, line: str, code: int, identity: object
) -> None:
    async with agent(tmp_path) as it:
        await it.write(line)
        answer = await it.answer()
        assert (answer["error"]["code"], answer["id"]) == (code, identity)
        await it.write("", '{"jsonrpc": "2.0", "id": 1, "method": "ping"}')
        assert await it.answer() == {"jsonrpc": "2.0", "id": 1, "result": {}}


async def test_half_a_character_is_taken(machine: dict[str, str], shop: Path) -> None:
    async with talking(shop) as (editor, _), agent(shop) as it:
        known = (await do(editor, "conversation.new", name="A talk"))["conversation"]
        answer = await it.call("s", "list_conversations", f'{{"x": "{HALF}"}}')
        assert known in json.dumps(answer["result"])
        answer = await it.call("t", "create_fd", f'{{"conversation": "{known}", "content": "cut {HALF}"}}')
        assert not answer["result"]["isError"], answer
        answer = await it.call("u", "read_fd", f'{{"conversation": "{known}", "fd": "fd-1"}}')
        assert answer["result"]["structuredContent"]["content"] == "cut \ufffd"


async def test_half_a_character_of_the_editors_is_answered(machine: dict[str, str], shop: Path) -> None:
    async with talking(shop) as (editor, _), agent(shop) as it:
        known = (await do(editor, "conversation.new", name="A talk"))["conversation"]
        await do(editor, "fd.create", conversation=known, content="cut \ud83d")
        answer = await it.call("u", "read_fd", f'{{"conversation": "{known}", "fd": "fd-1"}}')
        assert answer["result"]["structuredContent"]["content"] == "cut ?"
