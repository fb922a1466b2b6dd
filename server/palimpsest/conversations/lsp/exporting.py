"""`palimpsest.conversation.export`: a conversation with its references, refs and descriptors as one file.

In: a conversation, a format, perhaps a path.  Out: the text, or where it was written: in the workspace, a file that is
there already never unasked.  What is in it is decided in `conversations/`.
"""

import asyncio
import json
from dataclasses import dataclass
from typing import Any, Literal

from palimpsest.conversations.answers import element
from palimpsest.conversations.export import gathered
from palimpsest.conversations.export_markdown import markdown
from palimpsest.conversations.feature import conversations_of
from palimpsest.conversations.memory import Memory
from palimpsest.errors import PalimpsestError
from palimpsest.lsp.command import Command
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.text.positions import well_formed
from palimpsest.workspace.changes import FileWrite
from palimpsest.workspace.places import FIELD
from palimpsest.workspace.writing import write

Format = Literal["markdown", "json"]


@dataclass(frozen=True, slots=True)
class Export:
    conversation: str
    format: Format = "markdown"
    path: str = ""
    overwrite: bool = False


def text_of(memory: Memory, conversation: str, format: Format) -> str:
    """Raises NotFound, StorageError."""
    everything = gathered(memory, conversation)
    if format == "json":
        return json.dumps(everything, ensure_ascii=True, indent=1) + "\n"
    return well_formed(markdown(everything))


async def exported(server: PalimpsestServer, conversation: str, format: Format = "markdown") -> str:
    """The virtual document `palimpsest:/export/<conversation>.md`."""
    return await asyncio.to_thread(text_of, conversations_of(server.window.session).memory.now(), conversation, format)


async def export(server: PalimpsestServer, asked: Export) -> dict[str, Any]:
    text = await exported(server, asked.conversation, asked.format)
    told: dict[str, Any] = {"conversation": asked.conversation, "format": asked.format}
    if not asked.path:
        return {**told, "text": text, "xml": element("export", told)}
    window = server.window
    roots, exclude = window.session.services.roots.folders, window.settings.context.exclude
    try:
        written = await asyncio.to_thread(
            write, FileWrite(asked.path, text, overwrite=asked.overwrite), roots, exclude=exclude
        )
    except PalimpsestError as error:
        error.message = error.message.replace(f"{FIELD}: ", "path: ", 1)  # as this command calls it
        raise
    told |= {"path": written.shown, "bytes": written.bytes}
    return {**told, "lines": written.lines, "xml": element("export", told)}


COMMANDS = (
    Command(
        "palimpsest.conversation.export",
        Export,
        export,
        "a conversation with its references, refs and descriptors as one Markdown or JSON text, or file of the "
        "workspace",
    ),
)
