"""What an agent can do: the tools and resources of the Model Context Protocol.

In: calls.  Out: JSON, or an error that says what would be right.  Of conversations, an agent reads and adds refs and
descriptors: files are written by the person and their model, not from here.  Over stdin and stdout every line is
answered that asks for something: the library's own way drops a line that it cannot read, and who asked waits for ever.
"""

import asyncio
import inspect
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Annotated, Any, BinaryIO, Literal, TextIO, cast

import anyio
import anyio.from_thread
from anyio.abc import ObjectSendStream
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, ToolAnnotations, jsonrpc_message_adapter
from pydantic import Field, ValidationError

from palimpsest import __version__
from palimpsest.agents.lines import LineError, is_id, message_in, no_request, written
from palimpsest.agents.workspace import AgentWorkspace, shown, told
from palimpsest.conversations.operations.operation import Operation, OperationParameter
from palimpsest.conversations.operations.table import OPERATIONS
from palimpsest.errors import PalimpsestError
from palimpsest.types import BlockType

INSTRUCTIONS = """\
Palimpsest gives a small local model the context of the code that a person is editing right now.  These tools show \
what that context is and let you add to it: facts the model cannot find by itself, such as the part of a specification \
that the code is for, an interface of another repository, or what you have just found out.  Blocks are short (at most \
a few hundred tokens are useful), have a name, and stay until you drop them or their time is over.  Where a text has \
`...` in place of a word, that word looked like a secret and is not shown.\
"""
LOOK_S = 3.0
"""How often a window that was opened meanwhile is looked for."""
LONGEST_SOURCE = 60
NO_REQUEST = "This is no request, notification or answer of the protocol."
Type = Annotated[BlockType, Field(description="what the block is; `documentation` for prose and anything else")]
Name = Annotated[str, Field(description="how the block is called; together with its type it is the block's key")]
READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
CHANGES = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
CONVERSATION = OperationParameter(
    "conversation", "text", "the conversation's id, as list_conversations says", required=True
)
_TYPES: dict[str, Any] = {"text": str, "whole number": int, "true or false": bool}


def make_server(workspace: AgentWorkspace) -> MCPServer[None]:
    @asynccontextmanager
    async def looking(_: MCPServer[None]) -> AsyncIterator[None]:
        """What was put reaches windows that are opened later."""
        task = asyncio.create_task(_look(workspace))
        try:
            yield
        finally:
            task.cancel()
            workspace.close()

    server = MCPServer[None](
        "palimpsest",
        title="Palimpsest",
        instructions=INSTRUCTIONS,
        version=__version__,
        log_level="WARNING",
        lifespan=looking,
        subscriptions=False,
    )
    _add_reading(server, workspace)
    _add_changing(server, workspace)
    _add_conversations(server, workspace)
    _add_resources(server, workspace)
    return server


def _add_reading(server: MCPServer[None], workspace: AgentWorkspace) -> None:
    @server.tool(annotations=READS)
    async def cursor() -> dict[str, Any]:
        """Where the person's cursor is, in the editor window used last: file, line, column, language, and the code
        around it with the cursor marked."""
        here = await told(workspace.here())
        if here["cursor"] is None:
            raise ToolError(here["why_not"])
        return {**here["cursor"], "editing": here["editing"]}

    @server.tool(annotations=READS)
    async def list_blocks() -> dict[str, Any]:
        """The context blocks that the local model has at the person's cursor, without their texts: type, name, tokens,
        where they come from, and whether they are in its cache (`resident`), kept aside (`stored`), about to be read
        (`wanted`), or without room (`left out`)."""
        here = await told(workspace.here())
        return {"blocks": [shown(block, text=False) for block in here["blocks"]]}

    @server.tool(annotations=READS)
    async def read_block(type: Type, name: Name) -> dict[str, Any]:
        """One of the listed blocks with its text."""
        return shown(await _block(workspace, type, name), text=True)

    @server.tool(annotations=READS)
    async def context_usage() -> dict[str, Any]:
        """How many tokens the context at the cursor takes: in all, in which parts, and of what budgets."""
        return await told(workspace.ask("palimpsest.context.usage", {}))


def _add_changing(server: MCPServer[None], workspace: AgentWorkspace) -> None:
    @server.tool(annotations=CHANGES)
    async def put_block(
        ctx: Context[None],
        type: Type,
        name: Name,
        text: Annotated[str, Field(description="what the model reads; no secrets: they are refused")],
        priority: Annotated[
            float, Field(description="0 competes with classes and packages; 5 is before all others")
        ] = 0.0,
        ttl: Annotated[float | None, Field(description="seconds after which it is dropped; without, it stays")] = None,
        file: Annotated[str | None, Field(description="the file that it is about, as a path in the workspace")] = None,
    ) -> dict[str, Any]:
        """Put a block into the local model's context, or replace the one with this type and name.  It reaches every
        window of the workspace, also those opened later while you run."""
        arguments: dict[str, Any] = {
            "type": type,
            "name": name,
            "text": text,
            "priority": priority,
            "source": _source(ctx),
        }
        if ttl is not None:
            arguments["ttl"] = ttl
        if file is not None:
            arguments["uri"] = (await told(workspace.path_of(file))).as_uri()
        return await told(workspace.put(arguments))

    @server.tool(annotations=CHANGES)
    async def drop_block(type: Type, name: Name) -> dict[str, Any]:
        """Take a block that was put away again.  Blocks that the editor found by itself cannot be dropped."""
        return {"dropped": await told(workspace.drop(type, name))}

    @server.tool(annotations=CHANGES)
    async def pin_file(file: Annotated[str, Field(description="a path in the workspace")]) -> dict[str, Any]:
        """Keep a file of the workspace in the context, wherever the person goes."""
        return await told(workspace.pin(file, pinned=True))

    @server.tool(annotations=CHANGES)
    async def unpin_file(file: Annotated[str, Field(description="a path in the workspace")]) -> dict[str, Any]:
        """Let a pinned file go."""
        return await told(workspace.pin(file, pinned=False))


def _add_conversations(server: MCPServer[None], workspace: AgentWorkspace) -> None:
    async def ask(command: str, arguments: dict[str, Any]) -> dict[str, Any]:
        given = {name: value for name, value in arguments.items() if value is not None}
        answer = await told(workspace.ask(f"palimpsest.{command}", given))
        return {name: value for name, value in answer.items() if name != "xml"}  # which says the same again

    @server.tool(annotations=READS)
    async def list_conversations() -> dict[str, Any]:
        """The conversations of this workspace with the local model, those changed last first."""
        return await ask("conversation.list", {})

    def add(operation: Operation) -> None:
        own = {"source": "agent"} if operation.name == "create_fd" else {}

        async def call(**arguments: Any) -> dict[str, Any]:
            return await ask(operation.command, {**arguments, **own})

        offered = [one for one in operation.parameters if one.name in (operation.agents or ())]
        parameters = [_parameter(one) for one in (CONVERSATION, *offered)]
        parameters.sort(key=lambda one: one.default is None)
        call.__name__ = call.__qualname__ = operation.name  # by which the library calls its schemas
        call.__signature__ = inspect.Signature(parameters, return_annotation=dict[str, Any])  # type: ignore[attr-defined]
        annotations = ADDS if operation.changes else READS
        about = operation.told_agents or operation.description
        server.add_tool(call, operation.name, description=about, annotations=annotations)

    for operation in OPERATIONS.values():
        if operation.agents is not None:
            add(operation)


def _parameter(one: OperationParameter) -> inspect.Parameter:
    kind = Literal[one.choices] if one.choices else _TYPES[one.kind]
    about = Field(description=one.description, ge=one.least, le=one.most)
    is_required = one.required or one.name == "fd"  # an agent has no other way to name a descriptor
    kind = Annotated[kind, about] if is_required else Annotated[kind | None, Field(description=one.description)]
    default = inspect.Parameter.empty if is_required else None
    return inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _add_resources(server: MCPServer[None], workspace: AgentWorkspace) -> None:
    @server.resource("palimpsest://cursor", title="The code at the person's cursor", mime_type="text/plain")
    async def cursor() -> str:
        here = await told(workspace.here(), ResourceError)
        if here["cursor"] is None:
            raise ResourceError(here["why_not"])
        return str(here["editing"]["text"])

    @server.resource("palimpsest://blocks", title="The context blocks", mime_type="application/json")
    async def blocks() -> str:
        here = await told(workspace.here(), ResourceError)
        return json.dumps([shown(block, text=True) for block in here["blocks"]], indent=1)


async def _block(workspace: AgentWorkspace, type: str, name: str) -> dict[str, Any]:
    blocks = (await told(workspace.here()))["blocks"]
    for block in blocks:
        if (block["type"], block["name"]) == (type, name):
            return dict(block)
    names = ", ".join(f"{block['type']} {block['name']}" for block in blocks) or "none"
    raise ToolError(f"name: there is no {type} block {name!r}; these are there: {names}.")


def _source(ctx: Context[None]) -> str:
    """The agent's own name, as far as it is fit to be shown."""
    params = ctx.session.client_params
    name = params.client_info.name if params is not None else ""
    name = "".join(letter for letter in name if letter.isprintable()).strip()[:LONGEST_SOURCE]
    return f"agent {name}".strip()


async def _look(workspace: AgentWorkspace) -> None:
    while True:
        await asyncio.sleep(LOOK_S)
        with suppress(PalimpsestError, OSError):  # it is looked for again
            await workspace.windows()


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
