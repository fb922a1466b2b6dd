"""An editor's window as the place where conversations are held: it asks the person, and writes files.

In: questions, files to write.  Out: answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from palimpsest.conversations.events import MemorySetAside, TurnBegan, TurnEnded
from palimpsest.conversations.host import Host, WriteQuestion, asking_to_write, is_allowed
from palimpsest.conversations.turns import Turn
from palimpsest.conversations.unfit import unfit
from palimpsest.errors import Denied
from palimpsest.lsp.asking import chosen
from palimpsest.lsp.file_writing import check_before, write_file
from palimpsest.workspace.changes import FileWrite
from palimpsest.workspace.writing import Written

if TYPE_CHECKING:
    from palimpsest.lsp.server import PalimpsestServer
    from palimpsest.session.session import Session

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


class WindowHost(Host):
    """Asks the person and writes files through one editor window."""

    def __init__(self, server: PalimpsestServer) -> None:
        self._server = server

    async def _ask(self, question: WriteQuestion) -> str:
        """Raises Denied where the client cannot ask."""
        words = {title: word for word, title in question.answers.items()}
        text = f"{question.text}\n\n{question.content}".rstrip()
        return words.get(await chosen(self._server, text, list(words), cannot=CANNOT) or "", "")

    async def agrees(self, conversation: str, question: str, yes: str, no: str) -> bool:
        return await chosen(self._server, question, (yes, no)) == yes

    async def write_file(self, conversation: str, file: FileWrite) -> Written:
        file.check()
        real, is_there = await check_before(self._server, file)
        roots = self._server.window.roots.folders
        question = asking_to_write(real, roots, file, is_there=is_there)
        permissions = self._server.window.session.conversing.memory.permissions
        if not await is_allowed(permissions, question, self._ask):
            raise Denied(f"The person did not allow it to write to {file.path}.")
        return await write_file(self._server, file, asked=real)
