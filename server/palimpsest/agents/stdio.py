"""The Model Context Protocol over stdin and stdout, where every line is answered that asks for something.

In: a server.  Out: its answers.  The library's own way drops a line that it cannot read, and who asked waits for ever.
"""

import sys
from typing import Any, BinaryIO, TextIO, cast

import anyio
import anyio.from_thread
from anyio.abc import ObjectSendStream
from mcp.server.mcpserver import MCPServer
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, jsonrpc_message_adapter
from pydantic import ValidationError

from palimpsest.agents.lines import LineError, is_id, message_in, no_request, written

NO_REQUEST = "This is no request, notification or answer of the protocol."


async def serve(server: MCPServer[None], stdin: BinaryIO | None = None, stdout: TextIO | None = None) -> None:
    """Until the agent leaves; over this process's own streams unless others are given."""
    lines = _Lines(stdin or sys.stdin.buffer)
    written = None if stdout is None else anyio.wrap_file(stdout)
    async with stdio_server(anyio.wrap_file(cast(Any, lines)), written) as (read, write):
        lines.answers = cast(Any, write)
        low = server._lowlevel_server  # the library's `run` takes no streams
        await low.run(read, write, low.create_initialization_options())


class _Lines:
    """A file of the lines that the library can read; it is read by a thread of the library's."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.answers: ObjectSendStream[SessionMessage] | None = None

    def readline(self) -> str:
        while raw := self._file.readline():
            if not raw.strip():
                continue
            line = _line_of(raw.decode("utf-8", "replace"))
            if isinstance(line, str):
                return line
            anyio.from_thread.run(self._refuse, line)
        return ""

    async def _refuse(self, refusal: LineError) -> None:
        if self.answers is not None:
            await self.answers.send(SessionMessage(JSONRPCError.model_validate_json(written(refusal.message))))


def _line_of(line: str) -> str | LineError:
    message = message_in(line)
    if isinstance(message, LineError):
        return message
    if "method" in message and "id" in message and not is_id(message["id"]):
        return no_request("An id is a text or a whole number.", message)  # the library would take it for no question
    if _is_message(line):
        return line
    try:
        whole = written(message)
    except RecursionError:
        return no_request(NO_REQUEST, message)
    return f"{whole}\n" if _is_message(whole) else no_request(NO_REQUEST, message)


def _is_message(line: str) -> bool:
    try:
        jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        return False
    return True
