"""Every feature of the language server, registered.  Each is a file of its own.

To import this is to import nearly all of the server (`features.py` says when).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from palimpsest.lsp import (
    actions,
    agents,
    commands,
    compaction,
    completion,
    conversation_host,
    conversation_notifications,
    default_model,
    definition,
    diagnostics,
    document_links,
    documents,
    hover,
    indexing,
    link_completion,
    link_diagnostics,
    next_edit,
    notebooks,
    proactive,
    registrations,
    statistics,
    transcript_lenses,
    transcript_showing,
    virtual,
)

if TYPE_CHECKING:
    from palimpsest.lsp.server import PalimpsestServer


def register(server: PalimpsestServer) -> None:
    for feature in (
        documents,
        notebooks,
        completion,
        statistics,
        diagnostics,
        actions,
        next_edit,
        proactive,
        document_links,
        definition,
        hover,
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
        conversation_notifications,
        compaction,
        commands,
    ):
        feature.register(server)
