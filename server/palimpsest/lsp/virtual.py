"""`palimpsest:/…`: documents that are nowhere on disk, as editors open them from links.

In: a URI.  Out: its text.  The table says who writes which; an editor asks by `workspace/textDocumentContent`, one that
does not know that by the command `palimpsest.virtual.read`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from lsprotocol import types as lsp

from palimpsest.conversations.budget_bars import page
from palimpsest.conversations.export import descriptor_text
from palimpsest.conversations.lsp.document_commands import graph_svg
from palimpsest.conversations.lsp.exporting import exported
from palimpsest.conversations.memory import Memory
from palimpsest.conversations.prompts import read_by_model
from palimpsest.errors import NotFound, PalimpsestError
from palimpsest.lsp import action_help
from palimpsest.lsp.command import Command
from palimpsest.lsp.pages import PageAt, page_of
from palimpsest.lsp.protocol import response_error
from palimpsest.lsp.virtual_refreshing import ShownDocuments

if TYPE_CHECKING:
    from palimpsest.lsp.server import PalimpsestServer

SCHEME = "palimpsest"
Reader = Callable[["PalimpsestServer", Sequence[str]], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class Virtual:
    uri: str


async def _documents(server: PalimpsestServer, parts: Sequence[str]) -> str:
    if list(parts) != ["graph.svg"]:
        raise NotFound("uri", "there is palimpsest:/documents/graph.svg.")
    return await graph_svg(server)


async def _export(server: PalimpsestServer, parts: Sequence[str]) -> str:
    name, _, suffix = "/".join(parts).rpartition(".")
    if suffix not in ("md", "json"):
        raise NotFound("uri", "there are palimpsest:/export/<conversation>.md and .json.")
    return await exported(server, name, "json" if suffix == "json" else "markdown")


async def _ref(server: PalimpsestServer, parts: Sequence[str]) -> str:
    """`<conversation>/<id>`, or with a version behind it.  An id may have slashes, also where they are not encoded."""

    def read(memory: Memory) -> str:
        whole, before, last = "/".join(parts[1:]), "/".join(parts[1:-1]), parts[-1]
        if before and last.isascii() and last.isdigit() and len(last) < 10:
            with suppress(NotFound):
                return memory.contents.text(memory.refs.get(parts[0], before, int(last)).hash)
        return memory.contents.text(memory.refs.get(parts[0], whole).hash)

    return await _read(server, parts, 2, read)


async def _fd(server: PalimpsestServer, parts: Sequence[str]) -> str:
    return await _read(server, parts, 2, lambda memory: descriptor_text(memory, parts[0], parts[1]))


async def _turn(server: PalimpsestServer, parts: Sequence[str]) -> str:
    def read(memory: Memory) -> str:
        for turn in memory.turns.branch(parts[0]):
            if parts[1] in (str(turn.id), f"turn-{turn.number}"):
                return memory.turns.text(turn)
        raise NotFound("uri", f"conversation {parts[0]} shows no turn {parts[1]}.")

    return await _read(server, parts, 2, read)


async def _usage(server: PalimpsestServer, parts: Sequence[str]) -> str:
    """`<conversation>`; what is behind it is for editors, which call a tab by the last part."""
    if not parts or len(parts) > 2:
        raise NotFound("uri", "there is palimpsest:/usage/<conversation>.")
    session = server.window.session
    talk = session.memory.now().conversations.get(parts[0])
    return page(talk.name or talk.id, await session.counting.usage(talk.id))


async def _draft(server: PalimpsestServer, parts: Sequence[str]) -> str:
    """`<suggestion>/<number>`: a document as that edit would leave it; behind it, what editors call it."""
    number = parts[1] if len(parts) > 1 else ""
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        raise NotFound("uri", "there is palimpsest:/draft/<suggestion>/<number of its document>.")
    return server.window.session.suggestions.draft(parts[0], int(number))


async def _prompt(server: PalimpsestServer, parts: Sequence[str]) -> str:
    """`<conversation>`: what the model would read now."""
    session = server.window.session
    talk = session.memory.now().conversations.get(parts[0] if parts else "")
    blocks = session.conversing.blocks_of(talk.id)
    return await asyncio.to_thread(
        lambda: read_by_model(session.conversing.prompt_builder.chat(talk.id, blocks), blocks)
    )


async def _help(_: PalimpsestServer, parts: Sequence[str]) -> str:
    return action_help.text_of("/".join(parts).removesuffix(".md"))


async def _cache(server: PalimpsestServer, parts: Sequence[str]) -> str:
    if parts:
        raise NotFound("uri", "there is palimpsest:/cache.")
    return (await page_of(server, PageAt("cache"))).text


async def _context(server: PalimpsestServer, parts: Sequence[str]) -> str:
    """At the cursor."""
    if parts:
        raise NotFound("uri", "there is palimpsest:/context.")
    return (await page_of(server, PageAt("context"))).text


async def _why(server: PalimpsestServer, parts: Sequence[str]) -> str:
    """Of the name at the cursor, or `<name>`."""
    if len(parts) > 1:
        raise NotFound("uri", "there are palimpsest:/why and palimpsest:/why/<name>.")
    return (await page_of(server, PageAt("why", of="".join(parts)))).text


READERS: Mapping[str, Reader] = {
    "documents": _documents, "export": _export, "ref": _ref, "fd": _fd, "turn": _turn, "usage": _usage,
    "prompt": _prompt, "help": _help, "cache": _cache, "context": _context, "draft": _draft, "why": _why,
}  # fmt: skip


async def text_of(server: PalimpsestServer, uri: str) -> str:
    """Raises NotFound, StorageError."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        raise NotFound("uri", f"{uri[:200]!r} is not a URI.") from None
    kind, *rest = [unquote(part) for part in parts.path.strip("/").split("/")]
    reader = READERS.get(kind) if parts.scheme == SCHEME else None
    if reader is None:
        raise NotFound("uri", f"{uri[:200]} is no such document; there are palimpsest:/ {', '.join(READERS)}.")
    return await reader(server, rest)


async def _read(server: PalimpsestServer, parts: Sequence[str], least: int, read: Callable[[Memory], str]) -> str:
    if len(parts) < least or not all(parts[:least]):
        raise NotFound("uri", "a conversation and an id are wanted behind the kind.")
    return await asyncio.to_thread(read, server.window.session.memory.now())


async def read(server: PalimpsestServer, asked: Virtual) -> dict[str, Any]:
    return {"uri": asked.uri, "text": await text_of(server, asked.uri)}


def register(server: PalimpsestServer) -> None:
    shown = ShownDocuments(server, partial(text_of, server))

    @server.feature(lsp.WORKSPACE_TEXT_DOCUMENT_CONTENT, lsp.TextDocumentContentOptions(schemes=[SCHEME]))
    async def content(params: lsp.TextDocumentContentParams) -> lsp.TextDocumentContentResult:
        try:
            return lsp.TextDocumentContentResult(text=await shown.text(params.uri))
        except PalimpsestError as error:
            raise response_error(error) from error


COMMAND = Command(
    "palimpsest.virtual.read",
    Virtual,
    read,
    "the text of a `palimpsest:` document, for editors that do not ask for `workspace/textDocumentContent`",
)
