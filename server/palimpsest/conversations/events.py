"""What happens in conversations, as events (`window/events.py`) that name the conversation.

Out: plain values.  Who shows a conversation listens.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from palimpsest.conversations.compaction.compactions import Compaction
from palimpsest.conversations.turns import Turn, TurnCall

Stopped = Literal["end", "length", "rounds", "repeated", "cancelled", "failed"]
"""Why an answer ended: by itself, at the most tokens, at the most rounds of calls, because it only repeated itself, by
the person, by an error."""


@dataclass(frozen=True, slots=True)
class MemorySetAside:
    """The database was damaged: it is kept there, and the conversations begin anew."""

    path: Path


@dataclass(frozen=True, slots=True)
class TurnBegan:
    """A turn is there: said by the person (complete), or about to be written by the model."""

    conversation: str
    turn: Turn


@dataclass(frozen=True, slots=True)
class BranchChanged:
    """Other turns are shown than before, because somebody went back to a checkpoint."""

    conversation: str


@dataclass(frozen=True, slots=True)
class TurnText:
    """All that has come of a turn, without the tags of refs, and what the model thought before it.  What was taken for
    text may be a thought once its end has come."""

    conversation: str
    turn: int
    text: str
    thought: str = ""


@dataclass(frozen=True, slots=True)
class CallBegan:
    """Told before the person is asked whether it may run."""

    conversation: str
    turn: int
    number: int
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CallDone:
    conversation: str
    turn: int
    call: TurnCall
    result: str


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The turn as it stays, and its text without the tags of refs.  `why`: the error, in a person's words."""

    conversation: str
    turn: Turn
    text: str
    stopped: Stopped
    why: str = ""


@dataclass(frozen=True, slots=True)
class CompactionBegan:
    """A summary of what was said up to a turn is being written."""

    conversation: str
    turn: int


@dataclass(frozen=True, slots=True)
class CompactionEnded:
    """`compaction`: what the model reads from now on; None where the person stopped it, or `why` it failed."""

    conversation: str
    turn: int
    compaction: Compaction | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class ConversationChanged:
    """Its turns, refs, descriptors or experiences are others, whoever did it."""

    conversation: str
