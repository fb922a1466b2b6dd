"""Every feature of the language server, registered.  Each is a file of its own.

To import this is to import nearly all of the server (`features.py` says when).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from palimpsest.conversations.lsp import compaction, conversation_host, transcript_lenses, transcript_showing
from palimpsest.lsp import (
    actions,
    agents,
    commands,
    completion,
    default_model,
    diagnostics,
    document_links,
    documents,
    indexing,
    link_completion,
    link_diagnostics,
    link_hover,
    next_edit,
    registrations,
    statistics,
    virtual,
)

if TYPE_CHECKING:
    from palimpsest.lsp.server import PalimpsestServer


def register(server: PalimpsestServer) -> None:
    for feature in (
        documents,
        completion,
        statistics,
        diagnostics,
        actions,
        next_edit,
        document_links,
        link_hover,
        link_completion,
        link_diagnostics,
        virtual,
        transcript_showing,
        transcript_lenses,
        default_model,
        indexing,
        registrations,
        agents,
        conversation_host,
        compaction,
        commands,
    ):
        feature.register(server)
