"""What the tools for checkpoints do.

In: the checkpoints of conversations.  Out: handlers.
"""

from __future__ import annotations

from typing import Any

from palimpsest.memory.checkpoints.checkpoints import Checkpoint, ConversationCheckpoints
from palimpsest.memory.refs.results import time_written
from palimpsest.memory.tools.call import Call, Handlers
from palimpsest.memory.tools.results import answered, element, listed
from palimpsest.memory.tools.tool import Answer


def handlers(checkpoints: ConversationCheckpoints) -> Handlers:
    def create(call: Call) -> Answer:
        return answered("checkpoint", _fields(checkpoints.create(call.conversation_id, call.text("name"))))

    def all_of_them(call: Call) -> Answer:
        known = [_fields(one) for one in checkpoints.list(call.conversation_id)]
        rows = [element("checkpoint", one) for one in known]
        return Answer(
            listed("checkpoint_list", {"count": len(known)}, rows), {"count": len(known), "checkpoints": known}
        )

    def restore(call: Call) -> Answer:
        """Only one of the conversation's own, by its id or name."""
        id = call.text("checkpoint_id")
        before = checkpoints.restore(call.conversation_id, id)
        about = {"checkpoint_id": id, "before": before.id}
        message = f"What was said since is kept as {before.id}."
        return Answer(listed("checkpoint_restored", about, [element("message", {}, message)]), about)

    return {"create_checkpoint": create, "list_checkpoints": all_of_them, "restore_checkpoint": restore}


def _fields(one: Checkpoint) -> dict[str, Any]:
    return {
        "checkpoint_id": one.id,
        "name": one.name,
        "created": time_written(one.created),
        "automatic": one.automatic,
    }
