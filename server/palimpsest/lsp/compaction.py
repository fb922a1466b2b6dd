"""`palimpsest.conversation.compact`: a summary takes the place of what was said, for the model.

In: a conversation, a person's instruction or own summary.  Out: the summary, and who wrote it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from palimpsest.conversations.compaction.compactions import Compaction, Summary
from palimpsest.conversations.events import CompactionBegan, CompactionEnded
from palimpsest.conversations.tools.memory_tools import compacted
from palimpsest.lsp.command import Command
from palimpsest.lsp.progress import report

if TYPE_CHECKING:
    from palimpsest.lsp.server import PalimpsestServer
    from palimpsest.session.session import Session

BEGAN = "the conversation is being compacted: a summary takes the place of older turns"
ENDED = "the conversation was compacted"


@dataclass(frozen=True, slots=True)
class Compact:
    """With `goal` the summary is the person's own; else the model writes it, and `instruction` says what is wanted of
    it."""

    conversation: str
    instruction: str = ""
    goal: str = ""
    discoveries: tuple[str, ...] = ()
    completed: tuple[str, ...] = ()
    current_status: str = ""
    likely_next_work: str = ""
    relevant_files_directories: tuple[str, ...] = ()
    remember: tuple[str, ...] = ()


async def compact(server: PalimpsestServer, asked: Compact) -> dict[str, Any]:
    conversing = server.window.session.conversing
    compacting, talk = conversing.compacting, asked.conversation
    conversing.memory.conversations.get(talk)
    if not asked.goal:
        await conversing.check_idle(talk)
        blocks = conversing.blocks_of(talk)
        return _answer(await compacting.compact(talk, blocks, instruction=asked.instruction))
    queued = await compacting.queue(talk, _own(asked))
    if conversing.is_running(talk):
        return _answer(queued)
    applied = await compacting.apply_queued(talk)
    return _answer(queued if applied is None else applied)


def register(server: PalimpsestServer) -> None:
    """One that nobody asked for is seen in the progress of the reply that waits for it."""

    def begin(session: Session) -> None:
        session.events.on(CompactionBegan, lambda _: report(BEGAN))
        session.events.on(CompactionEnded, lambda event: report(ENDED if event.compaction else ""))

    server.window.session_listeners.append(begin)


def _own(asked: Compact) -> Summary:
    return Summary(
        goal=asked.goal,
        instruction=asked.instruction,
        discoveries=list(asked.discoveries),
        completed=list(asked.completed),
        current_status=asked.current_status,
        likely_next_work=asked.likely_next_work,
        relevant_files_directories=list(asked.relevant_files_directories),
        remember=list(asked.remember),
    )


def _answer(done: Compaction) -> dict[str, Any]:
    answer = compacted(done)
    return {**answer.fields, "xml": answer.xml}


COMMANDS = (
    Command(
        "palimpsest.conversation.compact",
        Compact,
        compact,
        "a summary takes the place of all turns so far in what the model reads, written as `instruction` says or, with "
        "`goal`, by the caller; the turns themselves stay",
        slow="Compacting",
    ),
)
