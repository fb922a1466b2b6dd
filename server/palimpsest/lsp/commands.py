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
    descriptors,
    document_commands,
    engine,
    exporting,
    forks,
    installation,
    models,
    next_edit,
    permissions,
    refs,
    related_documents,
    remembering,
    statistics,
    suggestions,
    summarize,
    temp_files,
    transcript_sending,
    virtual,
)
from palimpsest.lsp.command import Command

if TYPE_CHECKING:
    from palimpsest.lsp.server import PalimpsestServer

COMMANDS: dict[str, Command[Any]] = {
    command.name: command
    for command in (
        *context.COMMANDS,
        *engine.CACHE,
        *statistics.COMMANDS,
        *suggestions.COMMANDS,
        summarize.COMMAND,
        *next_edit.COMMANDS,
        *ask.COMMANDS,
        *compaction.COMMANDS,
        *forks.COMMANDS,
        *conversation.COMMANDS,
        *remembering.COMMANDS,
        *refs.COMMANDS,
        *transcript_sending.COMMANDS,
        *descriptors.COMMANDS,
        *temp_files.COMMANDS,
        *permissions.COMMANDS,
        *exporting.COMMANDS,
        *document_commands.COMMANDS,
        *related_documents.COMMANDS,
        virtual.COMMAND,
        *models.COMMANDS,
        engine.RESTART,
        *installation.COMMANDS,
    )
}


def register(server: PalimpsestServer) -> None:
    for command in COMMANDS.values():
        command.register(server)
