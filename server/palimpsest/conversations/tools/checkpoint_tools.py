"""What the tools for checkpoints do, and what they answer.

In: the checkpoints of conversations.  Out: handlers, and answers that the editor's commands give as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from palimpsest.conversations.checkpoints import Checkpoint, ConversationCheckpoints
from palimpsest.conversations.refs.results import time_written
from palimpsest.conversations.tools.call import Call, Handlers
from palimpsest.conversations.tools.results import answered, element, listed
from palimpsest.conversations.tools.tool import Answer


def handlers(checkpoints: ConversationCheckpoints) -> Handlers:
    def create(call: Call) -> Answer:
        return made(checkpoints.create(call.conversation_id, call.text("name")))

    def all_of_them(call: Call) -> Answer:
        return every(checkpoints.list(call.conversation_id))

    def restore(call: Call) -> Answer:
        """Only one of the conversation's own, by its id or name."""
        id = call.text("checkpoint_id")
        return gone_back(id, checkpoints.restore(call.conversation_id, id))

    return {"create_checkpoint": create, "list_checkpoints": all_of_them, "restore_checkpoint": restore}


def made(one: Checkpoint) -> Answer:
    return answered("checkpoint", _fields(one))


def every(checkpoints: Sequence[Checkpoint]) -> Answer:
    known = [_fields(one) for one in checkpoints]
    rows = [element("checkpoint", one) for one in known]
    return Answer(listed("checkpoint_list", {"count": len(known)}, rows), {"count": len(known), "checkpoints": known})


def gone_back(id: str, before: Checkpoint) -> Answer:
    about = {"checkpoint_id": id, "before": before.id}
    message = f"What was said since is kept as {before.id}."
    return Answer(listed("checkpoint_restored", about, [element("message", {}, message)]), about)


def _fields(one: Checkpoint) -> dict[str, Any]:
    return {
        "checkpoint_id": one.id,
        "name": one.name,
        "created": time_written(one.created),
        "automatic": one.automatic,
    }
