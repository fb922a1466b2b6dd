"""Conversations in their documents: turns, calls and the reply as it comes, written through the editor.

In: what happens in conversations (`conversations/events.py`).  Out: `workspace/applyEdit`, one after the other,
each against the text that the editor has said it has.  Of a document that is not open nothing is written.
"""

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass, field

from palimpsest.conversations.events import BranchChanged, CallDone, CompactionEnded, TurnBegan, TurnEnded, TurnText
from palimpsest.conversations.feature import conversations_of
from palimpsest.conversations.memory import Memory
from palimpsest.conversations.transcript.reading import parse
from palimpsest.conversations.transcript.showing import written_turn
from palimpsest.conversations.transcript.updating import line_edit, rebuilt, updated
from palimpsest.conversations.transcript.writing import WrittenTurn
from palimpsest.errors import PalimpsestError
from palimpsest.lsp.convert import text_edit
from palimpsest.lsp.document_edits import make
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.session.session import Session
from palimpsest.text.snapshot import Snapshot
from palimpsest.window.events import WindowClosing

EVERY_S = 0.1
SEEN_S = 2.0
MOST_TRIES = 20
"""An edit of a text that stays as it is is tried this often. A person types on: an edit of what is no longer so is
refused, and made anew."""
REFUSED = (
    "the editor does not let this conversation be written into {name}. It is kept: open it again to see all of it."
)
OTHER = (
    "{name} does not name its conversation any more, so nothing is written into it. What is said is kept: open the "
    "conversation again to see it."
)

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Document:
    """`live` has text and thought so far of turns that are being written; `turns` those that are not shown as they are.
    With `is_other`, all that is shown is to be written anew.  `is_sent`: it was sent from its document."""

    conversation: str
    turns: set[int] = field(default_factory=set)
    live: dict[int, tuple[str, str]] = field(default_factory=dict)
    goes_on: bool = False
    is_other: bool = False
    is_sent: bool = False
    task: asyncio.Task[None] | None = None
    n_failed: int = 0
    failed_at: int | None = None
    """The version of the text that an edit was refused for last."""


class Showing:
    """Keeps the documents of conversations up to date, one edit of each at a time."""

    def __init__(self, server: PalimpsestServer, session: Session) -> None:
        self._server, self._session = server, session
        self._documents: dict[str, _Document] = {}
        events = session.events
        events.on(TurnBegan, self._began)
        events.on(BranchChanged, self._branched)
        events.on(TurnText, lambda event: self._changed(event.conversation, event.turn, (event.text, event.thought)))
        events.on(CallDone, lambda event: self._changed(event.conversation, event.turn))
        events.on(TurnEnded, self._ended)
        events.on(CompactionEnded, self._compacted)
        events.on(WindowClosing, lambda _: self._close())

    def _began(self, event: TurnBegan) -> None:
        self._changed(event.conversation, event.turn.id)
        # Where a person types on is not to be the server's: their next turn stands there, also while a reply comes.
        self._documents[event.conversation].goes_on = conversations_of(self._session).conversing.is_running(
            event.conversation
        )

    def _ended(self, event: TurnEnded) -> None:
        document = self._documents.get(event.conversation)
        if document is not None:
            document.live.pop(event.turn.id, None)
            document.goes_on = True
        self._changed(event.conversation, event.turn.id)

    def _compacted(self, event: CompactionEnded) -> None:
        if event.compaction is not None:
            self._changed(event.conversation, event.turn)

    def _branched(self, event: BranchChanged) -> None:
        document = self._documents.setdefault(event.conversation, _Document(event.conversation))
        document.turns.clear()
        document.is_other = True
        self._begin(document)

    def _changed(self, conversation: str, turn: int, live: tuple[str, str] | None = None) -> None:
        document = self._documents.setdefault(conversation, _Document(conversation))
        document.turns.add(turn)
        if live is not None:
            document.live[turn] = live
        self._begin(document)

    def _begin(self, document: _Document) -> None:
        if document.task is None:
            document.task = self._server.run_beside(self._work(document))

    async def _work(self, document: _Document) -> None:
        try:
            await asyncio.sleep(0)
            while document.turns or document.is_other:
                turns, document.turns = document.turns, set()
                is_other, document.is_other = document.is_other, False
                if not await self._show(document, sorted(turns), is_other):
                    document.turns |= turns
                    document.is_other |= is_other
                await asyncio.sleep(EVERY_S)
        except PalimpsestError as error:
            logger.warning("conversation %s is not shown: %s", document.conversation, error)
        finally:
            document.task = None
            if not conversations_of(self._session).conversing.is_running(document.conversation):
                self._documents.pop(document.conversation, None)

    async def _show(self, document: _Document, turns: list[int], is_other: bool) -> bool:
        """Whether there is nothing more to be done for them."""
        memory = conversations_of(self._session).memory.now()
        uri = await asyncio.to_thread(lambda: memory.conversations.get(document.conversation).uri)
        if self._session.documents.find(uri) is None:
            return True
        async with conversations_of(self._session).conversing.writing(uri):
            return await self._bring(document, memory, uri, turns, is_other)

    async def _bring(self, document: _Document, memory: Memory, uri: str, turns: list[int], is_other: bool) -> bool:
        """As `_show`.  Turns that are not on the shown branch any more are left out."""
        most, goes_on = self._server.window.settings.documents.most_listed, document.goes_on
        branch = [turn.id for turn in await asyncio.to_thread(memory.turns.branch, document.conversation)]
        turns = branch if is_other else [turn for turn in branch if turn in turns]
        written = await asyncio.to_thread(_written, memory, turns, dict(document.live), most)
        snapshot = self._session.documents.find(uri)
        if snapshot is None:
            return True
        document.is_sent |= conversations_of(self._session).conversing.is_sending(uri)
        is_sent = document.is_sent

        def brought() -> str | None:
            now = "\n".join(snapshot.lines)
            if parse(now).id != document.conversation:
                return None
            return rebuilt(now, written) if is_other else updated(now, written, goes_on=goes_on, is_sent=is_sent)

        text = await asyncio.to_thread(brought)
        if text is None:
            self._server.window.report.warn(OTHER.format(name=self._server.window.roots.locate(uri)[1]))
            return True
        if await replaced(self._server, snapshot, text):
            document.n_failed = 0
            return True
        return self._is_given_up(document, snapshot)

    def _is_given_up(self, document: _Document, snapshot: Snapshot) -> bool:
        document.n_failed = 1 if document.failed_at != snapshot.version else document.n_failed + 1
        document.failed_at = snapshot.version
        if document.n_failed < MOST_TRIES:
            return False
        document.n_failed = 0
        self._server.window.report.warn(REFUSED.format(name=self._server.window.roots.locate(snapshot.uri)[1]))
        return True

    def _close(self) -> None:
        for document in list(self._documents.values()):
            if document.task is not None:
                document.task.cancel()


def _written(memory: Memory, turns: list[int], live: dict[int, tuple[str, str]], most: int) -> list[WrittenTurn]:
    found = list[WrittenTurn]()
    for number in turns:
        turn = memory.turns.get(number)
        if turn.state == "writing" and number in live:
            text, thought = live[number]
            found.append(WrittenTurn(turn.role, number, text, thought=thought))
        else:
            found.append(written_turn(memory, turn, most))
    return found


async def replaced(server: PalimpsestServer, snapshot: Snapshot, text: str) -> bool:
    """Have the editor make a document's text this one; whether it has."""
    change = line_edit(snapshot.lines, text)
    if change is None:
        return True
    documents = server.window.session.documents
    edit = text_edit(snapshot, change, server.window.client.encoding)
    try:
        await make(server, snapshot, edit, None)  # with a name, Neovim would say it each time
    except PalimpsestError as error:
        logger.info("an edit of %s was not applied: %s", snapshot.uri, error)
        return False
    with suppress(TimeoutError):  # the next edit looks for itself
        async with asyncio.timeout(SEEN_S):
            while (now := documents.find(snapshot.uri)) is not None and now.version == snapshot.version:
                await asyncio.sleep(0.005)
    return True
