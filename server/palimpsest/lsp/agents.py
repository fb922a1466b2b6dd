"""What programs beside the editor may ask of a window: the context at the cursor, and blocks put there and taken away.

In: requests of a private socket (`windows/door.py`).  Out: what the commands of the same names answer.  Nothing is told
here that a block may not contain, and no document is changed; conversations are read, and refs and descriptors added.
"""

import os
import time
from typing import Any

from palimpsest import __version__
from palimpsest.errors import InvalidArgument, PalimpsestError
from palimpsest.lsp import answers, context
from palimpsest.lsp.arguments import Nothing, Uri, read
from palimpsest.lsp.command import Command
from palimpsest.lsp.message_uris import rewritten
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.session.session import Session
from palimpsest.text.uris import path_or_none
from palimpsest.types import BlockKey
from palimpsest.window.events import CursorMoved, DocumentChanged, WindowClosing
from palimpsest.windows.door import WindowSocket
from palimpsest.workspace.files import WorkspaceFiles


def register(server: PalimpsestServer) -> None:
    server.window.session_listeners.append(lambda session: _open(server, session))


def _open(server: PalimpsestServer, session: Session) -> None:
    used = time.time()
    """When the person last did something in this window, in seconds since the epoch, which other windows share."""

    def note(_event: object) -> None:
        nonlocal used
        used = time.time()

    async def window(server: PalimpsestServer, _: Nothing) -> dict[str, Any]:
        folders = [str(folder) for folder in server.window.roots.folders]
        return {"pid": os.getpid(), "version": __version__, "folders": folders, "used": used}

    own = {command.name: command for command in (*_COMMANDS, Command("palimpsest.window", Nothing, window, ""))}
    methods = {*own, *(name for feature in server.loader.every for name in feature.programs)}

    async def answer(method: str, params: Any) -> dict[str, Any]:
        if method not in methods:
            raise InvalidArgument("method", f"expected one of {', '.join(sorted(methods))}, got {method!r}.")
        command = own.get(method) or await server.loader.command(method)
        given = rewritten(params, server.protocol.spellings.identity)
        return await command.run(server, read(method, command.argument, given))

    door = WindowSocket(answer)
    session.events.on(CursorMoved, note)
    session.events.on(DocumentChanged, note)
    session.events.on(WindowClosing, lambda _: door.close())
    server.run_beside(door.open())


async def here(server: PalimpsestServer, _: Nothing) -> dict[str, Any]:
    """Where the cursor is, the code around it and every block, with what is put there but has no room."""
    session = server.window.session
    external = session.services.chooser.external
    put = {block.key: block for block in external.blocks()}
    cursor: dict[str, Any] | None = None
    found: dict[str, Any] = {"editing": None, "blocks": []}
    why = "Nobody has said yet where the cursor is."
    if session.cursor.code is not None:
        uri, position = session.cursor.code
        try:
            snapshot = session.documents.get(uri)
            shown = await session.context.show(uri, position)
        except PalimpsestError as error:
            why = str(error)
        else:
            why = ""
            found = answers.context(shown)
            cursor = {
                "uri": uri,
                "file": shown.view.file,
                "line": position.line + 1,
                "column": position.column + 1,
                "language": snapshot.language_id,
            }
    chosen = {BlockKey(block["type"], block["name"]) for block in found["blocks"]}
    left_out = [
        answers.left_out(block, session.services.chooser.count(block))
        for key, block in put.items()
        if key not in chosen
    ]
    return {"cursor": cursor, "why_not": why, "editing": found["editing"], "blocks": [*found["blocks"], *left_out]}


async def pin(server: PalimpsestServer, file: Uri) -> dict[str, Any]:
    """What git ignores is the person's to pin.  Raises InvalidArgument, OutsideWorkspace."""
    services, path = server.window.session.services, path_or_none(file.uri)
    files = WorkspaceFiles(services.roots.folders, services.settings.context.exclude, services.documents.find)
    if path is not None and (why := files.kept_out(path)) is not None and files.kept_out(path, pinned=True) is None:
        raise InvalidArgument("file", f"{path.name} {why}; only the person can pin it.")
    return await context.pin(server, file)


PIN = "palimpsest.context.pin"
_COMMANDS: tuple[Command[Any], ...] = (
    Command("palimpsest.here", Nothing, here, ""),
    Command(PIN, Uri, pin, ""),
    *(command for command in context.COMMANDS if command.name != PIN),
)
