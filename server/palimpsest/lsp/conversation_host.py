"""An editor's window as the place where conversations are held: it asks the person, and writes files.

In: questions, files to write.  Out: answers.  What a person allows for good is kept for the folder, and holds in every
editor and for agents, too.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from palimpsest.assist.conversations.host import WriteMode, Written, asking_to_write
from palimpsest.assist.conversations.telling import MemorySetAside, TurnBegan, TurnEnded
from palimpsest.assist.conversations.unfit import unfit
from palimpsest.errors import Denied
from palimpsest.lsp.asking import chosen
from palimpsest.lsp.file_writing import check_before, write_file
from palimpsest.memory.conversations.turns import Turn
from palimpsest.workspace.changes import check
from palimpsest.workspace.places import around, shown

if TYPE_CHECKING:
    from palimpsest.lsp.server import PalimpsestServer
    from palimpsest.session.session import Session

ALLOW, ALWAYS, REFUSE, NEVER = "Allow", "Always allow in this folder", "Do not allow", "Never allow in this folder"

CANNOT = "The editor cannot ask the person whether it may be written."
SET_ASIDE = "The conversations' database was damaged. It is kept as {}, and a new one has begun."


def register(server: PalimpsestServer) -> None:
    def begin(session: Session) -> None:
        session.conversing.host = WindowHost(server)
        session.events.on(MemorySetAside, lambda event: server.window.report.warn(SET_ASIDE.format(event.path)))
        session.events.on(TurnBegan, lambda event: _say_whether_it_converses(server, session, event.turn))
        session.events.on(TurnEnded, lambda event: _say_whether_it_converses(server, session, event.turn))

    server.window.session_listeners.append(begin)


def _say_whether_it_converses(server: PalimpsestServer, session: Session, turn: Turn) -> None:
    """Once a window: before the first reply, or, where the model was not known then, with it."""
    if turn.role == "assistant" and (why := unfit(session.services.supervisor.status.model)):
        server.window.report.warn(why)


class WindowHost:
    """One window's."""

    def __init__(self, server: PalimpsestServer) -> None:
        self._server = server

    async def _allowed(self, folder: str, what: str, question: str) -> bool:
        """Asked once where the answer holds for good; a client that cannot ask allows nothing."""
        permissions = self._server.window.session.conversing.memory.permissions
        known = await asyncio.to_thread(permissions.answer, folder, what)
        if known is not None:
            return known
        answers = ALLOW, ALWAYS, REFUSE, NEVER
        answer = await chosen(self._server, question, answers, cannot=CANNOT)
        if answer in (ALWAYS, NEVER):
            await asyncio.to_thread(permissions.remember, folder, what, allowed=answer == ALWAYS)
        return answer in (ALLOW, ALWAYS)

    async def write_file(
        self,
        conversation: str,
        path: str,
        text: str,
        mode: WriteMode = "write",
        insert_at_line: int | None = None,
        *,
        overwrite: bool = False,
    ) -> Written:
        check(mode, insert_at_line)
        real = await check_before(self._server, path, mode, overwrite=overwrite)
        roots = self._server.window.roots.folders
        what, question = asking_to_write(shown(real, roots), text, mode, overwrite=overwrite)
        if not await self._allowed(str(around(real, roots)), what, question):
            raise Denied(f"The person did not allow it to write to {path}.")
        done = await write_file(self._server, path, text, mode=mode, insert_at_line=insert_at_line, overwrite=overwrite)
        return Written(done.shown, done.bytes, done.lines)
