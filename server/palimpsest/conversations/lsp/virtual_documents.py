"""`palimpsest:/…` documents of conversations: refs, descriptors, turns, exports, usage, what the model reads.

In: what stands behind the kind in a URI.  Out: the document's text (`palimpsest/lsp/virtual.py` answers it).
`palimpsest.conversation.export` writes what is exported to a file of the workspace, too: one that is there already is
never replaced unasked.
"""

import asyncio
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from palimpsest.conversations.answers import element
from palimpsest.conversations.budgets import page
from palimpsest.conversations.export import descriptor_text, gathered
from palimpsest.conversations.export_markdown import markdown
from palimpsest.conversations.feature import conversations_of
from palimpsest.conversations.lsp.document_commands import graph_svg
from palimpsest.conversations.memory import Memory
from palimpsest.conversations.prompts import read_by_model
from palimpsest.errors import NotFound, PalimpsestError
from palimpsest.lsp.command import Commands
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


def _text_of(memory: Memory, conversation: str, format: Format) -> str:
    """Raises NotFound, StorageError."""
    everything = gathered(memory, conversation)
    if format == "json":
        return json.dumps(everything, ensure_ascii=True, indent=1) + "\n"
    return well_formed(markdown(everything))


async def _exported(server: PalimpsestServer, conversation: str, format: Format = "markdown") -> str:
    """The virtual document `palimpsest:/export/<conversation>.md`."""
    return await asyncio.to_thread(_text_of, conversations_of(server.window.session).memory.now(), conversation, format)


COMMANDS = Commands()


@COMMANDS.add(
    "palimpsest.conversation.export",
    "a conversation with its references, refs and descriptors as one Markdown or JSON text, or file of the workspace",
)
async def export_to(server: PalimpsestServer, asked: Export) -> dict[str, Any]:
    text = await _exported(server, asked.conversation, asked.format)
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


async def documents(server: PalimpsestServer, parts: Sequence[str]) -> str:
    if list(parts) != ["graph.svg"]:
        raise NotFound("uri", "there is palimpsest:/documents/graph.svg.")
    return await graph_svg(server)


async def export(server: PalimpsestServer, parts: Sequence[str]) -> str:
    name, _, suffix = "/".join(parts).rpartition(".")
    if suffix not in ("md", "json"):
        raise NotFound("uri", "there are palimpsest:/export/<conversation>.md and .json.")
    return await _exported(server, name, "json" if suffix == "json" else "markdown")


async def ref(server: PalimpsestServer, parts: Sequence[str]) -> str:
    """`<conversation>/<id>`, or with a version behind it.  An id may have slashes, also where they are not encoded."""

    def read(memory: Memory) -> str:
        whole, before, last = "/".join(parts[1:]), "/".join(parts[1:-1]), parts[-1]
        if before and last.isascii() and last.isdigit() and len(last) < 10:
            with suppress(NotFound):  # the number is a part of the id
                return memory.contents.text(memory.refs.get(parts[0], before, int(last)).hash)
        return memory.contents.text(memory.refs.get(parts[0], whole).hash)

    return await _read(server, parts, 2, read)


async def fd(server: PalimpsestServer, parts: Sequence[str]) -> str:
    return await _read(server, parts, 2, lambda memory: descriptor_text(memory, parts[0], parts[1]))


async def turn(server: PalimpsestServer, parts: Sequence[str]) -> str:
    def read(memory: Memory) -> str:
        for turn in memory.turns.branch(parts[0]):
            if parts[1] in (str(turn.id), f"turn-{turn.number}"):
                return memory.turns.text(turn)
        raise NotFound("uri", f"conversation {parts[0]} shows no turn {parts[1]}.")

    return await _read(server, parts, 2, read)


async def usage(server: PalimpsestServer, parts: Sequence[str]) -> str:
    """`<conversation>`; what is behind it is for editors, which call a tab by the last part."""
    if not parts or len(parts) > 2:
        raise NotFound("uri", "there is palimpsest:/usage/<conversation>.")
    conversing = conversations_of(server.window.session).conversing
    talk = conversing.memory.conversations.get(parts[0])
    return page(talk.name or talk.id, await conversing.usage(talk.id))


async def prompt(server: PalimpsestServer, parts: Sequence[str]) -> str:
    """`<conversation>`: what the model would read now."""
    conversing = conversations_of(server.window.session).conversing
    talk = conversing.memory.conversations.get(parts[0] if parts else "")
    blocks = conversing.blocks_of(talk.id)
    return await asyncio.to_thread(lambda: read_by_model(conversing.prompt_builder.chat(talk.id, blocks), blocks))


async def _read(server: PalimpsestServer, parts: Sequence[str], least: int, read: Callable[[Memory], str]) -> str:
    if len(parts) < least or not all(parts[:least]):
        raise NotFound("uri", "a conversation and an id are wanted behind the kind.")
    return await asyncio.to_thread(read, conversations_of(server.window.session).memory.now())
