"""`palimpsest.conversation.compact`: a summary takes the place of what was said, for the model.

In: a conversation, a person's instruction or own summary.  Out: the summary, and who wrote it.
"""

from typing import Any

from palimpsest.conversations.compaction.compactions import Compaction
from palimpsest.conversations.compaction.words import WRITERS
from palimpsest.conversations.events import CompactionBegan, CompactionEnded
from palimpsest.conversations.feature import conversations_of
from palimpsest.conversations.lsp.operations import argument_of, given
from palimpsest.conversations.operations.memory import COMPACT, compacted, summary_of
from palimpsest.errors import InvalidArgument
from palimpsest.lsp.command import Command
from palimpsest.lsp.progress import report
from palimpsest.lsp.server import PalimpsestServer
from palimpsest.session.session import Session

BEGAN = "the conversation is being compacted: a summary takes the place of older turns"
ENDED = "the conversation was compacted"


async def compact(server: PalimpsestServer, asked: Any) -> dict[str, Any]:
    """With `goal` the summary is the caller's own; else the model writes it, `instruction` says what is wanted of it,
    and `target` how many tokens the messages may take then."""
    conversing = conversations_of(server.window.session).conversing
    compacting, talk = conversing.compacting, asked.conversation
    conversing.memory.conversations.get(talk)
    if not asked.goal:
        await conversing.check_idle(talk)
        blocks = conversing.blocks_of(talk)
        return _answer(await compacting.compact(talk, blocks, instruction=asked.instruction, target=asked.target))
    if asked.target is not None:
        raise InvalidArgument("target", "is for a summary that the model writes; leave it out, or `goal`.")
    queued = await compacting.queue(talk, summary_of(given(asked)))
    if conversing.is_running(talk):
        return _answer(queued)
    applied = await compacting.apply_queued(talk)
    return _answer(queued if applied is None else applied)


def begin(session: Session) -> None:
    """A compaction that nobody asked for is seen in the progress of the reply that waits for it."""
    session.events.on(CompactionBegan, lambda _: report(BEGAN))
    session.events.on(CompactionEnded, lambda event: report(ENDED if event.compaction else ""))


def _answer(done: Compaction) -> dict[str, Any]:
    answer = compacted(done)
    says = f"a summary, written by {WRITERS[done.written_by]}, stands for what was said"
    return {**answer.fields, "says": says, "xml": answer.xml}


COMMANDS: tuple[Command[Any], ...] = (
    Command(f"palimpsest.{COMPACT.command}", argument_of(COMPACT), compact, COMPACT.does, slow=COMPACT.slow),
)
