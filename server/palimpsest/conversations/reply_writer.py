"""One turn of the model's while it comes: kept as it grows, and shown without the tags of refs.

In: all that there is so far.  Out: the turn, its refs, events.
"""

import asyncio
from typing import Any

from palimpsest.conversations.events import Stopped, TurnBegan, TurnEnded, TurnText
from palimpsest.conversations.memory import Memory
from palimpsest.conversations.refs.tags import PROBLEMS, UNSEARCHED, Extracted, ShownReply, extracted
from palimpsest.conversations.turns import State, Turn
from palimpsest.documents.markdown import closing
from palimpsest.errors import PalimpsestError, StorageError
from palimpsest.window.events import Events
from palimpsest.window.services import Services

NATIVE = "native"
"""Where a turn keeps that its calls came beside its text."""
THOUGHT = "thought"
"""Where it keeps what the model thought before it, for people: no model reads it again."""

KEPT_EVERY_S = 0.3
"""What has come of a reply is kept this often; more often would be a write to the disk for every few words."""


class ReplyWriting:
    """One turn of the model's while it comes, begun with `begun`."""

    def __init__(self, memory: Memory, events: Events, turn: Turn) -> None:
        self._memory, self._events = memory, events
        self.turn = turn
        self.model = ""
        """Who writes it, where that is known."""
        self.text, self.thought = "", ""
        self._searches = not turn.details.get(UNSEARCHED)
        self.shown, self._showing = "", ShownReply(searches=self._searches)
        self._keeping: asyncio.Task[None] | None = None
        self._wrong: PalimpsestError | None = None

    @property
    def has_begun(self) -> bool:
        return bool(self.text or self.thought)

    def came(self, text: str, thought: str = "") -> None:
        """All that there is so far.  Raises what keeping an earlier piece came to: NotFound where another window has
        deleted the conversation."""
        if self._wrong is not None:
            raise self._wrong
        if not text.startswith(self.text):  # what was taken for the reply was a thought
            self.text, self.shown, self._showing = "", "", ShownReply(searches=self._searches)
        self.shown += self._showing.feed(text[len(self.text) :])
        self.text, self.thought = text, thought
        self._events.emit(TurnText(self.turn.conversation, self.turn.id, self.shown, thought))
        if self._keeping is None or self._keeping.done():
            self._keeping = asyncio.get_running_loop().create_task(self._keep())

    async def end(self, state: State, stopped: Stopped, why: str = "", *, natively: bool = False) -> Turn:
        """A fence or comment that it leaves open is closed, so that nobody takes what is said next for a part of it.
        `natively`: it has calls that are not in its text.  Raises StorageError where it cannot be kept now: it will
        be."""
        end = closing(self.shown)
        self.text += end
        self.shown += self._showing.feed(end) + self._showing.finish()
        details: dict[str, Any] = {**self.turn.details, "stopped": stopped}
        details |= ({"why": why} if why else {}) | ({NATIVE: True} if natively else {})
        details |= {THOUGHT: self.thought} if self.thought else {}
        found = extracted(self.text, details)
        if found.problems and state != "failed":
            details[PROBLEMS] = list(found.problems)
        if self._keeping is not None:
            self._keeping.cancel()  # what it is writing at the moment stands in the queue before the end

        async def ended() -> Turn:
            turn = await self._memory.writes.run(self._ended, state, details, found)
            self._events.emit(TurnEnded(turn.conversation, turn, self.shown, stopped, why))
            return turn

        return await self._memory.late.surely(ended)

    def _ended(self, state: State, details: dict[str, Any], found: Extracted) -> Turn:
        with self._memory.database.transaction():
            turn = self._memory.turns.finish(self.turn.id, self.text, state, details)
            conversations, model = self._memory.conversations, self.model
            if model and conversations.get(turn.conversation).model != model:
                conversations.set_model(turn.conversation, model)
            if state != "failed":
                self._memory.refs.store(turn.conversation, turn.id, found)
        return turn

    async def _keep(self) -> None:
        """What comes while a piece is being written is the next piece."""
        await asyncio.sleep(KEPT_EVERY_S)
        kept = None
        while kept != self.text:
            kept = self.text
            try:
                await self._memory.writes.run(self._memory.turns.write, self.turn.id, kept)
            except StorageError:
                pass  # it is in the log; the end keeps all
            except PalimpsestError as error:
                self._wrong = error
                return
            await asyncio.sleep(KEPT_EVERY_S)


async def begun(memory: Memory, services: Services, conversation: str) -> ReplyWriting:
    """Raises NotFound, InvalidArgument behind a turn that is still being written, StorageError."""

    def added() -> Turn:
        details = {} if services.settings.conversation.refs else {UNSEARCHED: True}
        return memory.turns.add(conversation, "assistant", "", state="writing", details=details)

    turn = await memory.writes.run(added)
    services.events.emit(TurnBegan(conversation, turn))
    return ReplyWriting(memory, services.events, turn)
