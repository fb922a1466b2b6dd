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
    """What a window has of conversations, once it has begun (`lsp/beginning.py`)."""
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


FEATURE = Feature(
    "conversations",
    commands={
        f"{_IN}.ask": ("palimpsest.ask", "palimpsest.conversation.append"),
        f"{_IN}.compaction": ("palimpsest.conversation.compact",),
        f"{_IN}.conversation": (
            "palimpsest.conversation.new",
            "palimpsest.conversation.list",
            "palimpsest.conversation.open",
            "palimpsest.conversation.fork",
            "palimpsest.conversation.rename",
            "palimpsest.conversation.delete",
        ),
        f"{_IN}.conversation_contents": ("palimpsest.conversation.contents",),
        f"{_IN}.operations": (
            "palimpsest.fd.create",
            "palimpsest.fd.read",
            "palimpsest.fd.search",
            "palimpsest.fd.list",
            "palimpsest.fd.rename",
            "palimpsest.fd.close",
            "palimpsest.fd.mark",
            "palimpsest.fd.section",
            "palimpsest.fd.sections",
            "palimpsest.fd.unmark",
            "palimpsest.fd.summarize",
            "palimpsest.fd.write",
            "palimpsest.temp_file.create",
            "palimpsest.temp_file.read",
            "palimpsest.temp_file.write",
            "palimpsest.temp_file.list",
            "palimpsest.temp_file.delete",
            "palimpsest.refs.write",
            "palimpsest.refs.list",
            "palimpsest.refs.get",
            "palimpsest.refs.add",
            "palimpsest.conversation.remember",
            "palimpsest.conversation.forget",
            "palimpsest.conversation.inspect",
            "palimpsest.conversation.memory",
            "palimpsest.fork.spawn",
            "palimpsest.fork.gather",
            "palimpsest.fork.cancel",
            "palimpsest.checkpoint.create",
            "palimpsest.checkpoint.restore",
            "palimpsest.checkpoint.list",
        ),
        f"{_IN}.transcript_sending": ("palimpsest.conversation.send", "palimpsest.conversation.stop"),
        f"{_IN}.conversation_host": ("palimpsest.permissions.list", "palimpsest.permissions.forget"),
        f"{_IN}.exporting": ("palimpsest.conversation.export",),
        f"{_IN}.document_commands": (
            "palimpsest.documents.list",
            "palimpsest.documents.related",
            "palimpsest.documents.graph",
        ),
        f"{_IN}.related_documents": ("palimpsest.documents.offer",),
    },
    methods={
        "textDocument/codeAction": Method(f"{_IN}.ref_actions:code_action", _is_asked),
        "textDocument/codeLens": Method(f"{_IN}.transcript_lenses:code_lens", _is_theirs, {"resolve_provider": False}),
        "textDocument/definition": Method(f"{_IN}.id_answers:definition", _is_theirs),
        "textDocument/documentLink": Method(f"{_IN}.id_answers:document_link", _is_theirs),
        "textDocument/foldingRange": Method(f"{_IN}.transcript_lenses:folding_range", _is_theirs),
        "textDocument/hover": Method(f"{_IN}.id_answers:hover", _is_theirs),
    },
    pages={
        kind: f"{_IN}.virtual_documents:{kind}"
        for kind in ("documents", "export", "ref", "fd", "turn", "usage", "prompt")
    },
    extends={"context.usage": f"{_IN}.usage:of_conversation", "links.said": f"{_IN}.transcript_lenses:said"},
    programs=(
        "palimpsest.conversation.list",
        "palimpsest.fd.create",
        "palimpsest.fd.read",
        "palimpsest.fd.search",
        "palimpsest.fd.list",
        "palimpsest.refs.list",
        "palimpsest.refs.get",
        "palimpsest.refs.add",
    ),
    begin=f"{_IN}.beginning:begin",
    is_late=True,
)
