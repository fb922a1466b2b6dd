"""An editor's window as the place where conversations are held: it asks the person, writes files, and is told what
happens (`palimpsest/conversation`); `palimpsest.permissions.*` shows and forgets what was answered for good.

In: questions, files to write, events of conversations.  Out: answers; `{conversation, answering}`: what is there now is
asked by the commands, as far as it is shown.  A file is written through the editor where it is open there, so that it
can be undone, else to the disk; where it may be written, and what the change is, is decided in `workspace/`.
"""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp

from palimpsest.conversations.events import (
    BranchChanged,
    CallDone,
    CompactionBegan,
    CompactionEnded,
    ConversationChanged,
    MemorySetAside,
    TurnBegan,
    TurnEnded,
)
from palimpsest.conversations.feature import conversations_of
from palimpsest.conversations.host import Host, WriteQuestion, asking_to_write, is_allowed
from palimpsest.conversations.lsp import transcript_lenses
from palimpsest.conversations.lsp.transcript_showing import Showing
from palimpsest.conversations.turns import Turn
from palimpsest.conversations.unfit import unfit
from palimpsest.conversations.window_conversations import window_conversations
from palimpsest.errors import Denied, PalimpsestError
from palimpsest.lsp.arguments import Nothing
from palimpsest.lsp.asking import chosen
from palimpsest.lsp.command import Commands
from palimpsest.lsp.convert import range_out
from palimpsest.lsp.document_edits import make
from palimpsest.lsp.progress import report
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.lsp.window import Window
from palimpsest.session.session import Session
from palimpsest.text.snapshot import Snapshot
from palimpsest.text.uris import to_uri
from palimpsest.window.events import PagesChanged
from palimpsest.workspace.changes import FileWrite, change, n_lines
from palimpsest.workspace.places import place, shown
from palimpsest.workspace.writing import WrittenFile, write

LABEL = "Palimpsest: write {}"

CANNOT = "The editor cannot ask the person whether it may be written."
BEGAN = "the conversation is being compacted: a summary takes the place of older turns"
ENDED = "the conversation was compacted"
SET_ASIDE = "The conversations' database was damaged. It is kept as {}, and a new one has begun."
METHOD = "palimpsest/conversation"
DOES = {"write": "write new files", "add": "add to a file", "overwrite": "replace what is in a file"}


def begin(server: PalimpsestServer, session: Session) -> None:
    """Puts together what conversations have of a window, once somebody uses them, and listens to it for the editor."""
    session.add(window_conversations(session.services, session.workspace_documents, WindowHost(server)))
    Showing(server, session)
    transcript_lenses.begin(server, session)
    session.events.on(MemorySetAside, lambda event: server.window.report.warn(SET_ASIDE.format(event.path)))
    session.events.on(TurnBegan, lambda event: _say_whether_it_converses(server, session, event.turn))
    session.events.on(TurnEnded, lambda event: _say_whether_it_converses(server, session, event.turn))
    _tell_editor(server, session)  # behind what is said of it
    # a compaction that nobody asked for is seen in the progress of the reply that waits for it
    session.events.on(CompactionBegan, lambda _: report(BEGAN))
    session.events.on(CompactionEnded, lambda event: report(ENDED if event.compaction else ""))


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

    async def write_file(self, conversation: str, file: FileWrite) -> WrittenFile:
        file.check()
        real, is_there = await check_before(self._server, file)
        roots = self._server.window.roots.folders
        question = asking_to_write(real, roots, file, is_there=is_there)
        permissions = conversations_of(self._server.window.session).conversing.memory.permissions
        if not await is_allowed(permissions, question, self._ask):
            raise Denied(f"The person did not allow it to write to {file.path}.")
        return await write_file(self._server, file, asked=real)


async def write_file(server: PalimpsestServer, file: FileWrite, asked: Path | None = None) -> WrittenFile:
    """Raises what `workspace/writing.py` raises, and PalimpsestError where the editor does not apply the change."""
    window = server.window
    roots, exclude = window.roots.folders, window.settings.context.exclude
    file.check()
    path = await asyncio.to_thread(place, file.path, roots, exclude, asked)
    snapshot = _open(window, path)
    if snapshot is None:
        return await asyncio.to_thread(write, file, roots, exclude=exclude, asked=asked)
    file.check_there(bool(snapshot.text) or file.mode != "write")
    await _apply(server, snapshot, file, shown(path, roots))
    return WrittenFile(shown(path, roots), len(file.text.encode()), n_lines(file.text))


def _open(window: Window, path: Path) -> Snapshot | None:
    """The document of a path.  Raises InvalidArgument where the editor has it, but nobody here knows its text."""
    window.session.documents.check_known(to_uri(path))
    return window.session.documents.find(to_uri(path))


async def check_before(server: PalimpsestServer, file: FileWrite) -> tuple[Path, bool]:
    """Where it would be written, and whether something is there, open or on the disk; raises what is wrong with that
    before the person is asked."""
    window = server.window
    path = await asyncio.to_thread(place, file.path, window.roots.folders, window.settings.context.exclude)
    snapshot = _open(window, path)
    on_disk, text = path.exists(), snapshot.text if snapshot is not None else ""
    is_there = bool(text) or file.mode != "write" if snapshot is not None else on_disk
    file.check_there(is_there)
    return path, on_disk or bool(text)


async def _apply(server: PalimpsestServer, snapshot: Snapshot, file: FileWrite, name: str) -> None:
    one = await asyncio.to_thread(change, snapshot.text, file)
    assert one.range is not None  # `change` says where
    edit = lsp.TextEdit(range_out(snapshot, one.range, server.window.client.encoding), one.text)
    wanted = snapshot.changed([one], snapshot.version)[0].text
    try:
        await make(server, snapshot, edit, LABEL.format(name), wanted)
    except PalimpsestError as error:
        hint = "It is open there; close it to have it changed on the disk."
        raise PalimpsestError(f"The editor did not change {name}: {error.message}", hint=hint) from error


def _tell_editor(server: PalimpsestServer, session: Session) -> None:
    def tell(event: Any) -> None:
        answering = conversations_of(session).conversing.is_running(event.conversation)
        server.protocol.notify(METHOD, {"conversation": event.conversation, "answering": answering})
        session.events.emit(PagesChanged())

    for kind in (TurnBegan, CallDone, TurnEnded, BranchChanged, ConversationChanged):
        session.events.on(kind, tell)


@dataclass(frozen=True, slots=True)
class Forgotten:
    """`what`: `write`, `add` or `overwrite`, and behind it the part of a path that begins with a dot."""

    folder: str
    what: str


COMMANDS = Commands()


@COMMANDS.add(
    "palimpsest.permissions.list",
    "what you have allowed or refused the model for good, in the workspace's folders: writing new files, adding to "
    "one, and replacing what is in one",
)
async def permissions_listed(server: PalimpsestServer, _: Nothing) -> dict[str, Any]:
    permissions = conversations_of(server.window.session).conversing.memory.permissions
    found = await asyncio.to_thread(lambda: [(folder, permissions.list(folder)) for folder in permissions.folders()])
    return {
        "permissions": [
            {"folder": folder, "what": what, "allowed": allowed, "says": _said(what, allowed=allowed)}
            for folder, answers in found
            for what, allowed in answers.items()
        ]
    }


def _said(what: str, *, allowed: bool) -> str:
    does, _, dotted = what.partition(" ")
    return f"{'may' if allowed else 'may not'} {DOES.get(does, does)}" + (f" ({dotted})" if dotted else "")


@COMMANDS.add("palimpsest.permissions.forget", "has the model ask you again")
async def forget_permission(server: PalimpsestServer, asked: Forgotten) -> dict[str, Any]:
    permissions = conversations_of(server.window.session).conversing.memory.permissions
    await asyncio.to_thread(permissions.forget, asked.folder, asked.what)
    return {"forgotten": asked.what}
