"""What an agent can do with the workspace's conversations: read and add refs and descriptors.

In: calls.  Out: JSON, or an error that says what would be right.  Files are written by the person and their model, not
from here.
"""

import inspect
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations
from pydantic import Field

from palimpsest.agents.workspace import AgentWorkspace, told
from palimpsest.conversations.operations.operation import Operation, OperationParameter
from palimpsest.conversations.operations.table import OPERATIONS

READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
CONVERSATION = OperationParameter(
    "conversation", "text", "the conversation's id, as list_conversations says", required=True
)
_TYPES: dict[str, Any] = {"text": str, "whole number": int, "true or false": bool}


def add_conversations(server: MCPServer[None], workspace: AgentWorkspace) -> None:
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

        parameters = [_parameter(one) for one in (CONVERSATION, *operation.parameters) if _is_offered(operation, one)]
        parameters.sort(key=lambda one: one.default is None)
        call.__name__ = call.__qualname__ = operation.name  # by which the library calls its schemas
        call.__signature__ = inspect.Signature(parameters, return_annotation=dict[str, Any])  # type: ignore[attr-defined]
        annotations = ADDS if operation.changes else READS
        about = operation.told_agents or operation.description
        server.add_tool(call, operation.name, description=about, annotations=annotations)

    for operation in OPERATIONS.values():
        if operation.agents is not None:
            add(operation)


def _is_offered(operation: Operation, parameter: OperationParameter) -> bool:
    return parameter is CONVERSATION or parameter.name in (operation.agents or ())


def _parameter(one: OperationParameter) -> inspect.Parameter:
    kind = Literal[one.choices] if one.choices else _TYPES[one.kind]
    about = Field(description=one.description, ge=one.least, le=one.most)
    is_required = one.required or one.name == "fd"  # an agent has no other way to name a descriptor
    kind = Annotated[kind, about] if is_required else Annotated[kind | None, Field(description=one.description)]
    default = inspect.Parameter.empty if is_required else None
    return inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
