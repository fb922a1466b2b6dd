"""A conversation that goes on twice: a copy with the same turns and refs.

In: a conversation.  Out: its copy, which nobody else's turns reach.
"""

from __future__ import annotations

import asyncio

from palimpsest.errors import InvalidArgument
from palimpsest.memory.conversations.conversations import MOST_NAME, Conversation
from palimpsest.memory.owners.memory import Memory

COPY = "{} (copy)"


async def branch_off(memory: Memory, conversation: str) -> Conversation:
    """Raises NotFound, and InvalidArgument for a conversation that is being answered."""
    return await asyncio.to_thread(_copied, memory, conversation)


def _copied(memory: Memory, conversation: str) -> Conversation:
    with memory.database.transaction():
        first = memory.conversations.get(conversation)
        branch = memory.turns.branch(conversation)
        if branch and branch[-1].state == "writing":
            raise InvalidArgument("conversation", "is being answered; stop that first, or wait for its end.")
        name = COPY.format(first.name)[:MOST_NAME] if first.name else ""
        copy = memory.conversations.new(name, parent=first.id, memory_key=first.memory_key, workspace=first.workspace)
        same = dict[int, int]()
        for turn in branch:
            made = memory.turns.add(
                copy.id, turn.role, memory.turns.text(turn), state=turn.state, source=turn.source,
                descriptor=turn.descriptor, details=turn.details,
            )  # fmt: skip
            same[turn.id] = made.id
            for call in memory.turns.calls(turn.id):
                result = memory.contents.text(call.result) if call.result else None
                memory.turns.add_call(made.id, call.name, call.arguments, call.status, result, call.descriptor)
        for ref in memory.refs.list(conversation):
            for one in memory.refs.versions(conversation, ref.id):
                at = None if one.turn is None else same.get(one.turn)
                memory.refs.add(copy.id, at, one.id, memory.refs.content(one), one.attributes)
    return memory.conversations.get(copy.id)
