"""Every command, in the order of the documents' table.

In: a server.  Out: nothing; the commands are registered.  Each is declared beside what carries it out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from palimpsest.lsp import (
    ask,
    compaction,
    context,
    conversation,
    document_commands,
    engine,
    exporting,
    installation,
    models,
    next_edit,
    operations,
    pages,
    permissions,
    related_documents,
    statistics,
    suggestions,
    summarize,
    transcript_sending,
    virtual,
)
from palimpsest.lsp.command import Command

if TYPE_CHECKING:
    from palimpsest.lsp.server import PalimpsestServer

_ALL: tuple[Command[Any], ...] = (
    *context.COMMANDS,
    *engine.CACHE,
    *statistics.COMMANDS,
    *suggestions.COMMANDS,
    summarize.COMMAND,
    *next_edit.COMMANDS,
    *ask.COMMANDS,
    compaction.COMMAND,
    *conversation.COMMANDS,
    *operations.COMMANDS,
    *transcript_sending.COMMANDS,
    *permissions.COMMANDS,
    *exporting.COMMANDS,
    *document_commands.COMMANDS,
    *related_documents.COMMANDS,
    virtual.COMMAND,
    pages.COMMAND,
    *models.COMMANDS,
    engine.RESTART,
    *installation.COMMANDS,
)
COMMANDS = {command.name: command for command in _ALL}


def register(server: PalimpsestServer) -> None:
    for command in COMMANDS.values():
        command.register(server)
