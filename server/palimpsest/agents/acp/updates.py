"""What happens in a conversation, as the protocol's updates.

In: turns, calls and what is told of them.  Out: updates.  Sends nothing.
"""

from collections.abc import Mapping
from typing import Any, Literal

from acp import schema

from palimpsest.conversations.compaction.compactions import Compaction
from palimpsest.conversations.compaction.words import in_words

Kind = Literal["read", "edit", "delete", "search", "think", "other"]
KINDS: Mapping[str, Kind] = {
    "read_fd": "read", "get_fd_section": "read", "list_fd_sections": "read", "list_refs": "read", "get_ref": "read",
    "inspect": "read", "list_checkpoints": "read", "read_temp_file": "read", "read_document": "read",
    "list_documents": "read",
    "search_fd": "search", "find_documents": "search", "find_excerpts": "search",
    "fd_to_file": "edit", "ref_to_file": "edit",
    "remember": "think", "forget": "think", "compact": "think", "fork": "think", "spawn": "think", "gather": "think",
    "close_fds": "delete", "delete_temp_file": "delete", "delete_fd_section": "delete",
}  # fmt: skip
LONGEST_TITLE = 120


def text(content: str) -> schema.TextContentBlock:
    return schema.TextContentBlock(type="text", text=content)


def said(content: str, message: str) -> schema.AgentMessageChunk:
    """A piece of what the model says."""
    return schema.AgentMessageChunk(session_update="agent_message_chunk", content=text(content), message_id=message)


def thought(content: str, message: str) -> schema.AgentThoughtChunk:
    """A piece of what the model thinks."""
    return schema.AgentThoughtChunk(session_update="agent_thought_chunk", content=text(content), message_id=message)


def asked(content: str, message: str) -> schema.UserMessageChunk:
    return schema.UserMessageChunk(session_update="user_message_chunk", content=text(content), message_id=message)


def call_id(turn: int, number: int) -> str:
    """Of a turn's call, as this protocol wants one; a model knows it by another."""
    return f"result-{turn}-{number}"


def call_title(name: str, arguments: Mapping[str, Any]) -> str:
    """As the model wrote it, cut to a line."""
    written = f"{name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})"
    return written if len(written) <= LONGEST_TITLE else written[: LONGEST_TITLE - 1] + "…"


def call_began(identity: str, name: str, arguments: Mapping[str, Any]) -> schema.ToolCallStart:
    return schema.ToolCallStart(
        session_update="tool_call",
        tool_call_id=identity,
        title=call_title(name, arguments),
        kind=KINDS.get(name, "other"),
        status="in_progress",
        raw_input=dict(arguments),
    )


def call_done(identity: str, result: str, *, failed: bool) -> schema.ToolCallProgress:
    content = schema.ContentToolCallContent(type="content", content=text(result))
    return schema.ToolCallProgress(
        session_update="tool_call_update",
        tool_call_id=identity,
        status="failed" if failed else "completed",
        content=[content],
        raw_output=result,
    )


def available(commands: Mapping[str, tuple[str, str]]) -> schema.AvailableCommandsUpdate:
    """`commands`: what each does, and what may be written behind it."""
    listed = [
        schema.AvailableCommand(
            name=name,
            description=does,
            input=schema.AvailableCommandInput(root=schema.UnstructuredCommandInput(hint=hint)) if hint else None,
        )
        for name, (does, hint) in commands.items()
    ]
    return schema.AvailableCommandsUpdate(session_update="available_commands_update", available_commands=listed)


CompactionStatus = Literal["in_progress", "completed", "failed", "cancelled"]


def compaction(turn: int, status: CompactionStatus, **more: Any) -> dict[str, Any]:
    """Of all up to a turn; the library has no type for it yet."""
    return {"sessionUpdate": "compaction_update", "compactionId": f"compaction-{turn}", "status": status, **more}


def compaction_ended(turn: int, made: Compaction | None, why: str = "") -> dict[str, Any]:
    if made is not None:
        return compaction(turn, "completed", summary=[{"type": "text", "text": in_words(made.summary)}])
    return compaction(turn, "failed", error=why) if why else compaction(turn, "cancelled")
