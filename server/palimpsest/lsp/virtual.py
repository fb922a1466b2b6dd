"""`palimpsest:/…`: documents that are nowhere on disk, as editors open them from links.

In: a URI.  Out: its text.  The table and the features' declarations say who writes which; an editor asks by
`workspace/textDocumentContent`, one that does not know that by the command `palimpsest.virtual.read`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

from lsprotocol import types as lsp

from palimpsest.errors import NotFound
from palimpsest.lsp.arguments import Uri
from palimpsest.lsp.command import Commands
from palimpsest.lsp.pages import PageAt, page_of
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.lsp.virtual_refreshing import ShownDocuments

SCHEME = "palimpsest"
PageReader = Callable[["PalimpsestServer", Sequence[str]], Awaitable[str]]


async def _page(name: Literal["cache", "context"], server: PalimpsestServer, parts: Sequence[str]) -> str:
    """The context is that at the cursor."""
    if parts:
        raise NotFound("uri", f"there is palimpsest:/{name}.")
    return (await page_of(server, PageAt(name))).text


async def _why(server: PalimpsestServer, parts: Sequence[str]) -> str:
    """Of the name at the cursor, or `<name>`."""
    if len(parts) > 1:
        raise NotFound("uri", "there are palimpsest:/why and palimpsest:/why/<name>.")
    return (await page_of(server, PageAt("why", of="".join(parts)))).text


READERS: Mapping[str, PageReader] = {
    "cache": partial(_page, "cache"),
    "context": partial(_page, "context"),
    "why": _why,
}


async def text_of(server: PalimpsestServer, uri: str) -> str:
    """Raises NotFound, StorageError."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        raise NotFound("uri", f"{uri[:200]!r} is not a URI.") from None
    kind, *rest = [unquote(part) for part in parts.path.strip("/").split("/")]
    reader: PageReader | None = None
    if parts.scheme == SCHEME:
        reader = READERS.get(kind) or await server.loader.page(kind)
    if reader is None:
        kinds = [*READERS, *(kind for feature in server.loader.every for kind in feature.pages)]
        raise NotFound("uri", f"{uri[:200]} is no such document; there are palimpsest:/ {', '.join(kinds)}.")
    return await reader(server, rest)


COMMANDS = Commands()


@COMMANDS.add(
    "palimpsest.virtual.read",
    "the text of a `palimpsest:` document, for editors that do not ask for `workspace/textDocumentContent`",
)
async def read(server: PalimpsestServer, asked: Uri) -> dict[str, Any]:
    return {"uri": asked.uri, "text": await text_of(server, asked.uri)}


def register(server: PalimpsestServer) -> None:
    shown = ShownDocuments(server, partial(text_of, server))

    @server.feature(lsp.WORKSPACE_TEXT_DOCUMENT_CONTENT, lsp.TextDocumentContentOptions(schemes=[SCHEME]))
    async def content(params: lsp.TextDocumentContentParams) -> lsp.TextDocumentContentResult:
        return lsp.TextDocumentContentResult(text=await shown.text(params.uri))
