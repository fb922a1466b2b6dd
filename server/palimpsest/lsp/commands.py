"""Every command, in the order of the documents' table.

In: a server.  Out: nothing; the commands are registered.  Each is declared beside what carries it out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from palimpsest.lsp import (
    action_help,
    ask,
    compaction,
    completion_why,
    context,
    conversation,
    conversation_contents,
    conversation_host,
    document_commands,
    engine,
    exporting,
    installation,
    models,
    next_edit,
    operations,
    pages,
    related_documents,
    statistics,
    suggestions,
    transcript_sending,
    virtual,
)
from palimpsest.lsp.command import Command

if TYPE_CHECKING:
    from palimpsest.lsp.server import PalimpsestServer

_ALL: tuple[Command[Any], ...] = (
    *context.COMMANDS,
    *engine.CACHE,
    completion_why.COMMAND,
    *statistics.COMMANDS,
    *suggestions.COMMANDS,
    *next_edit.COMMANDS,
    *ask.COMMANDS,
    compaction.COMMAND,
    *conversation.COMMANDS,
    conversation_contents.COMMAND,
    *operations.COMMANDS,
    *transcript_sending.COMMANDS,
    *conversation_host.COMMANDS,
    *exporting.COMMANDS,
    *document_commands.COMMANDS,
    *related_documents.COMMANDS,
    virtual.COMMAND,
    action_help.COMMAND,
    pages.COMMAND,
    *models.COMMANDS,
    engine.RESTART,
    *installation.COMMANDS,
)
COMMANDS = {command.name: command for command in _ALL}


def register(server: PalimpsestServer) -> None:
    for command in COMMANDS.values():
        command.register(server)
