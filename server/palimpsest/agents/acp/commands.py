"""What a person can ask of a conversation itself, by a line that begins with a slash.

In: a line.  Out: an answer for the person; nothing of it is said to the model.
"""

import re
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from palimpsest.conversations.compaction.words import WRITERS
from palimpsest.conversations.operations.table import OPERATIONS
from palimpsest.conversations.window_conversations import WindowConversations
from palimpsest.errors import AlreadyExists, InvalidArgument
from palimpsest.text.amounts import amount

OWN_WRITE: ContextVar[bool] = ContextVar("own_write", default=False)
"""Whether it is the person who writes a file here: they are not asked whether they may.  What works beside it, such as
the conversation's children, is not theirs."""

_LINE = re.compile(r"/([a-z]+)(?:[ \t]+(.*))?", re.DOTALL)
_WRITE = re.compile(r"(\S+)[ \t]+(\S.*)")

NOTHING_YET = "This conversation has no refs yet."


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """`hint`: what may be written behind the name."""

    name: str
    does: str
    run: Callable[[WindowConversations, str, str], Awaitable[str]]
    hint: str = ""


def command_in(text: str) -> tuple[SlashCommand, str] | None:
    """The command and what is written behind it; None for something that is said to the model."""
    found = _LINE.fullmatch(text.strip())
    command = COMMANDS.get(found[1]) if found else None
    return None if found is None or command is None else (command, (found[2] or "").strip())


async def refs(conversations: WindowConversations, conversation: str, _: str) -> str:
    found = (await _answer(conversations, conversation, "list_refs"))["refs"]
    rows = [
        f"- `{ref['id']}`: {amount(ref['lines'], 'line')}{f', {of}' if (of := ref['language']) else ''}"
        for ref in found
    ]
    return "\n".join(rows) or NOTHING_YET


async def write(conversations: WindowConversations, conversation: str, rest: str) -> str:
    found = _WRITE.fullmatch(rest)
    if found is None:
        raise InvalidArgument(
            "write", "the ref's id and a path in the workspace are wanted, as in /write cart cart.py."
        )
    path = found[2].strip()
    own = OWN_WRITE.set(True)
    try:
        done = await _answer(conversations, conversation, "ref_to_file", ref_id=found[1], file_path=path)
    except AlreadyExists:
        raise InvalidArgument("path", f"{path} exists already, and only new files are written so.") from None
    finally:
        OWN_WRITE.reset(own)
    return f"`{done['ref_id']}` is written to {done['file_path']}: {amount(done['lines'], 'line')}."


async def remember(conversations: WindowConversations, conversation: str, rest: str) -> str:
    return f"Remembered as {(await _answer(conversations, conversation, 'remember', text=rest))['id']}."


async def compact(conversations: WindowConversations, conversation: str, rest: str) -> str:
    conversing = conversations.conversing
    await conversing.check_idle(conversation)
    done = await conversing.compacting.compact(conversation, conversing.blocks_of(conversation), instruction=rest)
    writer = WRITERS[done.written_by]
    return f"A summary, written by {writer}, stands for older turns. Its goal: {done.summary.goal}"


async def _answer(conversations: WindowConversations, conversation: str, name: str, **arguments: str) -> dict[str, Any]:
    """What an operation answers to the person."""
    done = await conversations.toolset.answer(OPERATIONS[name], arguments, conversation, conversations.host)
    return done.fields


COMMANDS = {
    command.name: command
    for command in (
        SlashCommand("refs", "Lists the parts of replies that have an id", refs),
        SlashCommand("write", "Writes such a part to a new file of the workspace", write, "id path"),
        SlashCommand("compact", "Puts a summary in the place of what was said, for the model", compact, "instruction"),
        SlashCommand("remember", "Keeps a sentence for this and later conversations", remember, "sentence"),
    )
}
