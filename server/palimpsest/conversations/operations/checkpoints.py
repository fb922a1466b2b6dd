"""Operations on checkpoints of a conversation."""

from typing import Any

from palimpsest.conversations.answers import Answer, answered, element, listed
from palimpsest.conversations.checkpoints import Checkpoint
from palimpsest.conversations.operations.operation import Operation, OperationCall, OperationParameter, required
from palimpsest.conversations.refs.results import time_written

_TOPICS = ("checkpoint", "restore", "undo", "back", "snapshot", "recover")


def create(call: OperationCall) -> Answer:
    return answered("checkpoint", _fields(call.memory.checkpoints.create(call.conversation_id, call.text("name"))))


def list_checkpoints(call: OperationCall) -> Answer:
    known = [_fields(one) for one in call.memory.checkpoints.list(call.conversation_id)]
    rows = [element("checkpoint", one) for one in known]
    return Answer(listed("checkpoint_list", {"count": len(known)}, rows), {"count": len(known), "checkpoints": known})


def restore(call: OperationCall) -> Answer:
    """Only one of the conversation's own, by its id or name.  What is there now is kept as a checkpoint first."""
    id = call.text("checkpoint_id")
    before = call.memory.checkpoints.restore(call.conversation_id, id)
    about = {"checkpoint_id": id, "before": before.id}
    message = f"What was said since is kept as {before.id}."
    xml = listed("checkpoint_restored", about, [element("message", {}, message)])
    return Answer(xml, {**about, "restored": id})


def _fields(one: Checkpoint) -> dict[str, Any]:
    return {
        "checkpoint_id": one.id,
        "name": one.name,
        "created": time_written(one.created),
        "automatic": one.automatic,
    }


OPERATIONS = (
    Operation(
        "create_checkpoint",
        "Keep the conversation as it is now, to come back to it.",
        create,
        (OperationParameter("name", "text", "what to call it"),),
        'create_checkpoint(name="before the rewrite")',
        _TOPICS,
        command="checkpoint.create",
        does="keeps a conversation as it is now: turns, experiences, refs, descriptors, forks",
        changes=True,
        stores=True,
        also=("checkpoint_process",),
    ),
    Operation(
        "restore_checkpoint",
        "Go back to a checkpoint.",
        restore,
        (required("checkpoint_id", "text", "its id", also=("id",)),),
        'restore_checkpoint("cp_12ab34cd")',
        _TOPICS,
        command="checkpoint.restore",
        does="goes back to a checkpoint; what is there now becomes one (`before`), and nothing is deleted",
        changes=True,
        idle=True,
        rewinds=True,
        stores=True,
        also=("restore_process",),
    ),
    Operation(
        "list_checkpoints",
        "List the checkpoints.",
        list_checkpoints,
        (),
        "list_checkpoints()",
        _TOPICS,
        command="checkpoint.list",
        does="a conversation's checkpoints, newest first",
    ),
)
