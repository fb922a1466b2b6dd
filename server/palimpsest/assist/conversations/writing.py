"""One turn of the model's while it comes: kept as it grows, and shown without the tags of refs.

In: all that there is so far.  Out: the turn, its refs, events.
"""

from __future__ import annotations

import time
from typing import Any

from palimpsest.assist.conversations.telling import Stopped, TurnBegan, TurnEnded, TurnText
from palimpsest.assist.shared.events import Events
from palimpsest.memory.conversations.turns import State, Turn
from palimpsest.memory.owners.memory import Memory
from palimpsest.memory.refs.tags import PROBLEMS, Shown, extract

NATIVE = "native"
"""Where a turn keeps that its calls came beside its text."""

KEPT_EVERY_S = 0.3
"""More often would be a write to the disk for every few words."""


class Writing:
    """One turn of the model's while it comes."""

    def __init__(self, memory: Memory, events: Events, conversation: str) -> None:
        self._memory, self._events = memory, events
        self._conversation = conversation
        self.turn = self._memory.turns.add(conversation, "assistant", "", state="writing")
        self.text, self.shown, self._showing = "", "", Shown()
        self._kept = time.monotonic()
        self._events.tell(TurnBegan(conversation, self.turn))

    def came(self, text: str) -> None:
        """All that there is so far."""
        self.shown += self._showing.feed(text[len(self.text) :])
        self.text = text
        self._events.tell(TurnText(self._conversation, self.turn.id, self.shown))
        if time.monotonic() - self._kept >= KEPT_EVERY_S:
            self._memory.turns.write(self.turn.id, text)
            self._kept = time.monotonic()

    def end(self, state: State, stopped: Stopped, why: str = "", *, natively: bool = False) -> Turn:
        """`natively`: it has calls that are not in its text."""
        self.shown += self._showing.finish()
        details: dict[str, Any] = {"stopped": stopped}
        details |= ({"why": why} if why else {}) | ({NATIVE: True} if natively else {})
        extracted = extract(self.text)
        if extracted.problems and state != "failed":
            details[PROBLEMS] = list(extracted.problems)
        turn = self._memory.turns.finish(self.turn.id, self.text, state, details)
        if state != "failed":
            self._memory.refs.store(self._conversation, turn.id, extracted)
        self._events.tell(TurnEnded(self._conversation, turn, self.shown, stopped, why))
        return turn
