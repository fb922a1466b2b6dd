"""Next edits: `palimpsest/nextEdit`, and the same under the names that other clients speak.

In: a document's version and a position; ids.  Out: the one place that comes next, as an edit to jump to and then
accept.  The client makes the edit itself and then runs the edit's command, which answers with the place after it.

`textDocument/copilotInlineEdit` is asked on every pause by clients that know nothing of us: for what cannot be answered
it gets an empty list, not an error that would be shown to a person each time.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from palimpsest.errors import InvalidArgument, PalimpsestError, StaleDocument
from palimpsest.lsp.arguments import Arguments
from palimpsest.lsp.convert import position_in, position_out
from palimpsest.lsp.protocol import response_error

if TYPE_CHECKING:
    from palimpsest.assist.next_edits.next_edits import NextEdit
    from palimpsest.lsp.server import PalimpsestServer

logger = logging.getLogger(__name__)

OURS = "palimpsest/nextEdit"
THEIRS = "textDocument/copilotInlineEdit"
SHOWN = "textDocument/didShowInlineEdit"
FOCUS = "textDocument/didFocus"
ACCEPT = "palimpsest.nextEdit.accept"
DISMISS = "palimpsest.nextEdit.dismiss"


def register(server: PalimpsestServer) -> None:
    window = server.window

    @server.feature(OURS)
    async def next_edit(params: Any) -> dict[str, Any]:
        try:
            found = await _next(server, Arguments(OURS, params))
        except PalimpsestError as error:
            raise response_error(error) from error
        if found is not None:
            window.session.next_edits.shown(found.id)
        return _answer(server, found)

    @server.feature(THEIRS)
    async def inline_edit(params: Any) -> dict[str, Any]:
        try:
            arguments = Arguments(THEIRS, params)
            uri = arguments.object("textDocument").string("uri")
            arguments.position("position")
            if window.session.documents.find(uri) is None:
                return _answer(server, None)
            found = await _next(server, arguments)
        except InvalidArgument as error:
            raise response_error(error) from error
        except PalimpsestError as error:
            logger.info("no inline edit: %s", error)
            found = None
        return _answer(server, found)

    @server.feature(SHOWN)
    async def shown(params: Any) -> None:
        try:
            command = Arguments(SHOWN, params).object("item").object("command")
            given = command.raw("arguments")
            window.session.next_edits.shown(_identity(given[0] if isinstance(given, list) and given else None))
        except InvalidArgument as error:
            logger.warning("%s: %s", SHOWN, error)

    @server.feature(FOCUS)
    async def focus(params: Any) -> None:
        window.session.refresh_soon()


async def _next(server: PalimpsestServer, arguments: Arguments) -> NextEdit | None:
    """Raises InvalidArgument for what is wrong or not open, StaleDocument for a version that is not the newest."""
    session = server.window.session
    document, position = arguments.object("textDocument"), arguments.position("position")
    uri, version = document.string("uri"), document.integer("version", -1, low=-(2**31))
    snapshot = session.documents.get(uri)
    if document.raw("version") is not None and version != snapshot.version:
        raise StaleDocument(f"version {version} of {uri} was asked about, the newest is {snapshot.version}.")
    return await session.next_edits.next(uri, position_in(snapshot, position, server.window.client.encoding))


def _answer(server: PalimpsestServer, found: NextEdit | None) -> dict[str, Any]:
    if found is None:
        return {"edits": [], "total": 0}
    encoding, snapshot = server.window.client.encoding, found.snapshot
    start, end = (position_out(snapshot, at, encoding) for at in (found.range.start, found.range.end))
    edit = {
        "id": found.id,
        "textDocument": {"uri": snapshot.uri, "version": snapshot.version if found.is_open else None},
        "range": {
            "start": {"line": start.line, "character": start.character},
            "end": {"line": end.line, "character": end.character},
        },
        "text": found.text,
        "kind": found.kind,
        "message": found.message,
        "command": {"title": f"Palimpsest: {found.message}", "command": ACCEPT, "arguments": [found.id]},
    }
    return {"edits": [edit], "total": found.total}


def _identity(value: Any) -> str:
    """An id alone, or in an object."""
    if isinstance(value, str):
        return value
    return Arguments("arguments[0]", value).string("id")


async def accept(server: PalimpsestServer, arguments: Arguments) -> dict[str, Any]:
    return _answer(server, await server.window.session.next_edits.accept(arguments.string("id")))


async def dismiss(server: PalimpsestServer, arguments: Arguments) -> dict[str, Any]:
    identity = arguments.string("id")
    server.window.session.next_edits.dismiss(identity)
    return {"id": identity, "dismissed": True}


COMMANDS = {ACCEPT: accept, DISMISS: dismiss}
"""They take `{id}`, or the id alone as clients of `copilotInlineEdit` send it."""
