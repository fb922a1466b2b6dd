"""Conversations, declared: what an editor is offered of them, and how a window's are found.

Nothing of them is imported before a person uses one of their commands, or opens a document of theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp

from palimpsest.conversations.database_path import path_of
from palimpsest.errors import StorageError
from palimpsest.features import Feature, Method
from palimpsest.text.conversations import is_conversation

if TYPE_CHECKING:
    from palimpsest.conversations.window_conversations import WindowConversations
    from palimpsest.lsp.server import PalimpsestServer
    from palimpsest.session.session import Session

_IN = "palimpsest.conversations.lsp"


def conversations_of(session: Session) -> WindowConversations:
    """What a window has of conversations, once it has begun (`lsp/conversation_host.py`)."""
    from palimpsest.conversations.window_conversations import WindowConversations

    return session.part(WindowConversations)


def _is_theirs(server: PalimpsestServer, params: Any) -> bool:
    """Whether a request is about a document of a conversation."""
    snapshot = server.window.session.documents.find(params.text_document.uri)
    return snapshot is not None and is_conversation(snapshot.uri, snapshot.lines)


def _is_asked(server: PalimpsestServer, params: lsp.CodeActionParams) -> bool:
    """Whether a person asked for code actions in one, or in any document where there are refs to be written to it."""
    if params.context.trigger_kind == lsp.CodeActionTriggerKind.Automatic:
        return False
    try:
        return _is_theirs(server, params) or path_of(server.window.roots.folders).exists()
    except (StorageError, OSError):  # that is told where somebody asks for a conversation
        return False


def _named(group: str, *names: str) -> tuple[str, ...]:
    return tuple(f"palimpsest.{group}.{name}" for name in names)


FEATURE = Feature(
    "conversations",
    commands={
        f"{_IN}.ask": ("palimpsest.ask", "palimpsest.conversation.append"),
        f"{_IN}.conversation": _named("conversation", "new", "list", "open", "fork", "rename", "delete", "contents"),
        f"{_IN}.operations": (
            *_named("fd", "create", "read", "search", "list", "rename", "close", "mark", "section", "sections"),
            *_named("fd", "unmark", "summarize", "write"),
            *_named("temp_file", "create", "read", "write", "list", "delete"),
            *_named("refs", "write", "list", "get", "add"),
            *_named("conversation", "remember", "forget", "compact", "inspect", "memory"),
            *_named("fork", "spawn", "gather", "cancel"),
            *_named("checkpoint", "create", "restore", "list"),
        ),
        f"{_IN}.transcript_sending": _named("conversation", "send", "stop"),
        f"{_IN}.conversation_host": _named("permissions", "list", "forget"),
        f"{_IN}.virtual_documents": _named("conversation", "export"),
        f"{_IN}.document_commands": _named("documents", "list", "related", "graph", "offer"),
    },
    methods={
        "textDocument/codeAction": Method(f"{_IN}.ref_actions:code_action", _is_asked),
        "textDocument/codeLens": Method(f"{_IN}.transcript_lenses:code_lens", _is_theirs, {"resolve_provider": False}),
        "textDocument/definition": Method(f"{_IN}.link_ids:definition", _is_theirs),
        "textDocument/documentLink": Method(f"{_IN}.link_ids:document_link", _is_theirs),
        "textDocument/foldingRange": Method(f"{_IN}.transcript_lenses:folding_range", _is_theirs),
        "textDocument/hover": Method(f"{_IN}.link_ids:hover", _is_theirs),
    },
    pages={
        kind: f"{_IN}.virtual_documents:{kind}"
        for kind in ("documents", "export", "ref", "fd", "turn", "usage", "prompt")
    },
    extends={"context.usage": f"{_IN}.ask:usage_of", "links.said": f"{_IN}.transcript_lenses:said"},
    programs=(
        "palimpsest.conversation.list",
        *_named("fd", "create", "read", "search", "list"),
        *_named("refs", "list", "get", "add"),
    ),
    begin=f"{_IN}.conversation_host:begin",
    is_late=True,
)
