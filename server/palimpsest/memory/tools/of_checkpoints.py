"""What the tools for checkpoints do.

In: the checkpoints of conversations.  Out: handlers.
"""

from __future__ import annotations

from typing import Any

from palimpsest.errors import NotFound
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
        """Only one of the conversation's own."""
        id, known = call.text("checkpoint_id"), checkpoints.list(call.conversation_id)
        if id not in [one.id for one in known]:
            hint = f"There are: {', '.join(one.id for one in known[:30])}." if known else "There are none."
            raise NotFound("checkpoint_id", f"there is no checkpoint {id[:40]!r} of this conversation.", hint=hint)
        checkpoints.restore(call.conversation_id, id)
        return answered("checkpoint_restored", {"checkpoint_id": id})

    return {"create_checkpoint": create, "list_checkpoints": all_of_them, "restore_checkpoint": restore}


def _fields(one: Checkpoint) -> dict[str, Any]:
    return {
        "checkpoint_id": one.id,
        "name": one.name,
        "created": time_written(one.created),
        "automatic": one.automatic,
    }
