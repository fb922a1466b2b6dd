"""Every feature of the language server, registered.

In: ways to build and to change a session (`app.py` gives them).  Out: a server.  Each feature is a file of its own.
"""

from __future__ import annotations

from palimpsest.lsp import (
    actions,
    agents,
    commands,
    completion,
    conversation_host,
    conversation_telling,
    default_model,
    definition,
    diagnostics,
    document_links,
    documents,
    hover,
    indexing,
    lifecycle,
    link_completion,
    link_diagnostics,
    next_edit,
    notebooks,
    proactive,
    statistics,
    transcript_lenses,
    transcript_showing,
    virtual,
)
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.lsp.window import Making


def make_server(making: Making) -> PalimpsestServer:
    server = PalimpsestServer(making, notebooks.SYNC)
    for feature in (
        lifecycle,
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
        agents,
        conversation_host,
        conversation_telling,
        commands,
    ):
        feature.register(server)
    return server
