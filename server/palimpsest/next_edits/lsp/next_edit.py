"""Next edits: `palimpsest/nextEdit`, and the same under the names that other clients speak.

In: a document's version and a position; ids.  Out: the one place that comes next, as an edit to jump to and then
accept.  The client makes the edit itself and then runs the edit's command, which answers with the place after it.

`textDocument/copilotInlineEdit` is asked on every pause by clients that know nothing of us: for what cannot be answered
it gets an empty list, not an error that would be shown to a person each time.  Such a client makes an edit in the
document that it asked about, and may fail at another's, whose version can be null: it is told of none there.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import Any, Literal

from lsprotocol import types as lsp

from palimpsest.errors import InvalidArgument, PalimpsestError, StaleDocument
from palimpsest.lsp.arguments import At, DocumentArguments, Id, read, refusals_logged
from palimpsest.lsp.command import Commands
from palimpsest.lsp.convert import position_in, range_out
from palimpsest.lsp.protocol import converter
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.next_edits.next_edits import NextEdit
from palimpsest.session.session import Session
from palimpsest.window.events import NextEditModelFailed, RefreshNeeded

logger = logging.getLogger(__name__)

NEXT_EDIT = "palimpsest/nextEdit"
INLINE_EDIT = "textDocument/copilotInlineEdit"
SHOWN = "textDocument/didShowInlineEdit"
FOCUS = "textDocument/didFocus"
ACCEPT = "palimpsest.nextEdit.accept"


@dataclass(frozen=True, slots=True)
class NextEditParams:
    """`trigger`: `invoked` where a person asks for it, who is not held back as one who types."""

    textDocument: DocumentArguments
    position: At
    trigger: Literal["automatic", "invoked"] = "automatic"


@dataclass(frozen=True, slots=True)
class InlineEditContext:
    triggerKind: Any = lsp.InlineCompletionTriggerKind.Automatic


@dataclass(frozen=True, slots=True)
class InlineEditParams:
    textDocument: DocumentArguments
    position: At
    context: InlineEditContext = InlineEditContext()

    @property
    def asked(self) -> NextEditParams:
        is_invoked = self.context.triggerKind == lsp.InlineCompletionTriggerKind.Invoked
        return NextEditParams(self.textDocument, self.position, "invoked" if is_invoked else "automatic")


@dataclass(frozen=True, slots=True)
class ShownCommand:
    arguments: list[Any] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ShownItem:
    command: ShownCommand


@dataclass(frozen=True, slots=True)
class ShownParams:
    item: ShownItem


def register(server: PalimpsestServer) -> None:
    window = server.window

    def begin(session: Session) -> None:
        session.events.on(NextEditModelFailed, lambda event: window.report.warn(f"Setting {event.why}"))

    window.session_listeners.append(begin)

    @server.feature(NEXT_EDIT)
    async def next_edit(params: Any) -> dict[str, Any]:
        found = await _next(server, read(NEXT_EDIT, NextEditParams, params))
        if found is not None:
            window.session.next_edits.mark_shown(found.id)
        return _answer(server, found)

    @server.feature(INLINE_EDIT)
    async def inline_edit(params: Any) -> dict[str, Any]:
        try:
            asked = read(INLINE_EDIT, InlineEditParams, params).asked
            if window.session.documents.find(asked.textDocument.uri) is None:
                return _answer(server, None)
            found = await _next(server, asked)
        except InvalidArgument:
            raise
        except PalimpsestError as error:
            logger.info("no inline edit: %s", error)
            found = None
        is_here = found is not None and found.snapshot.uri == asked.textDocument.uri
        return _answer(server, found if is_here else None)

    @server.feature(SHOWN)
    async def shown(params: Any) -> None:
        with refusals_logged(SHOWN):
            given = (read(SHOWN, ShownParams, params).item.command.arguments or [None])[0]
            identity = given if isinstance(given, str) else read("arguments[0]", Id, given).id
            window.session.next_edits.mark_shown(identity)

    @server.feature(FOCUS)
    async def focus(params: Any) -> None:
        window.session.events.emit(RefreshNeeded())


async def _next(server: PalimpsestServer, asked: NextEditParams) -> NextEdit | None:
    """Raises InvalidArgument for what is wrong or not open, StaleDocument for a version that is not the newest."""
    session = server.window.session
    uri, version = asked.textDocument.uri, asked.textDocument.version
    snapshot = session.documents.get(uri)
    if version is not None and version != snapshot.version:
        raise StaleDocument(f"version {version} of {uri} was asked about, the newest is {snapshot.version}.")
    position = position_in(snapshot, asked.position.lsp, server.window.client.encoding)
    return await session.next_edits.next(uri, position, invoked=asked.trigger == "invoked")


def _answer(server: PalimpsestServer, found: NextEdit | None) -> dict[str, Any]:
    if found is None:
        return {"edits": [], "total": 0}
    snapshot = found.snapshot
    edit = {
        "id": found.id,
        "textDocument": {"uri": snapshot.uri, "version": snapshot.version if found.is_open else None},
        "range": converter().unstructure(range_out(snapshot, found.range, server.window.client.encoding)),
        "text": found.text,
        "kind": found.kind,
        "message": found.message,
        "command": {"title": f"Palimpsest: {found.message}", "command": ACCEPT, "arguments": [found.id]},
    }
    return {"edits": [edit], "total": found.total}


COMMANDS = Commands()


@COMMANDS.add(
    ACCEPT,
    "says that a next edit was made; answers with the one after it, as `palimpsest/nextEdit` does",
    id_alone=True,
)
async def accept(server: PalimpsestServer, edit: Id) -> dict[str, Any]:
    return _answer(server, await server.window.session.next_edits.accept(edit.id))


@COMMANDS.add("palimpsest.nextEdit.dismiss", "dismisses a next edit: it is not offered again", id_alone=True)
async def dismiss(server: PalimpsestServer, edit: Id) -> dict[str, Any]:
    server.window.session.next_edits.dismiss(edit.id)
    return {"id": edit.id, "dismissed": True}
