"""What an agent can do with the workspace's conversations: read and add refs and descriptors.

In: calls.  Out: JSON, or an error that says what would be right.  Files are written by the person and their model, not
from here.
"""

from __future__ import annotations

from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations
from pydantic import Field

from palimpsest.agents.answers import told
from palimpsest.agents.workspace import Workspace

READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
Talk = Annotated[str, Field(description="the conversation's id, as list_conversations says")]
Fd = Annotated[str, Field(description="a descriptor's id or name; turn-12, result-12-0 and ref:name can be read, too")]


def add_conversations(server: MCPServer[None], workspace: Workspace) -> None:
    async def ask(command: str, **arguments: Any) -> dict[str, Any]:
        given = {name: value for name, value in arguments.items() if value is not None}
        answer = await told(workspace.ask(f"palimpsest.{command}", given))
        return {name: value for name, value in answer.items() if name != "xml"}  # which says the same again

    @server.tool(annotations=READS)
    async def list_conversations() -> dict[str, Any]:
        """The conversations of this workspace with the local model, those changed last first."""
        return await ask("conversation.list")

    @server.tool(annotations=READS)
    async def list_refs(conversation: Talk) -> dict[str, Any]:
        """The parts of a conversation's replies that have an id: lines, language, versions."""
        return await ask("refs.list", conversation=conversation)

    @server.tool(annotations=READS)
    async def get_ref(conversation: Talk, ref_id: str, version: int | None = None) -> dict[str, Any]:
        """A ref's content, of its newest version or of another one."""
        return await ask("refs.get", conversation=conversation, ref_id=ref_id, version=version)

    @server.tool(annotations=ADDS)
    async def add_ref(conversation: Talk, ref_id: str, content: str) -> dict[str, Any]:
        """Keep a text under an id in a conversation; the same id again makes a new version."""
        return await ask("refs.add", conversation=conversation, ref_id=ref_id, content=content)

    @server.tool(annotations=READS)
    async def list_fds(conversation: Talk) -> dict[str, Any]:
        """A conversation's descriptors: long texts that are read in pages."""
        return await ask("fd.list", conversation=conversation)

    @server.tool(annotations=ADDS)
    async def create_fd(conversation: Talk, content: str, name: str | None = None) -> dict[str, Any]:
        """Put a long text into a conversation, where the local model reads it page by page."""
        return await ask("fd.create", conversation=conversation, content=content, name=name, source="agent")

    @server.tool(annotations=READS)
    async def read_fd(
        conversation: Talk,
        fd: Fd,
        page: int | None = None,
        read_all: bool | None = None,
        start_line: int | None = None,
        end_line: int | None = None,
    ) -> dict[str, Any]:
        """A page of a descriptor (the first one unless another is asked for), some of its lines, or all of it."""
        part = {"page": page, "read_all": read_all, "start_line": start_line, "end_line": end_line}
        return await ask("fd.read", conversation=conversation, fd=fd, **part)

    @server.tool(annotations=READS)
    async def search_fd(
        conversation: Talk, fd: Fd, query: str, regex: bool | None = None, context: int | None = None
    ) -> dict[str, Any]:
        """The lines of a descriptor that have a text, or match a regular expression, with lines around them."""
        return await ask("fd.search", conversation=conversation, fd=fd, query=query, regex=regex, context=context)
