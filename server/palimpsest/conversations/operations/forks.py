"""Operations on forks: children of a conversation that work beside it."""

from palimpsest.conversations.answers import Answer, answered
from palimpsest.conversations.operations.operation import (
    Operation,
    OperationCall,
    OperationParameter,
    of_programs,
    required,
)

_TOPICS = ("fork", "spawn", "child", "children", "delegate", "parallel", "each", "review", "several", "gather")


async def fork(call: OperationCall) -> Answer:
    return await call.outside.forks.fork(call.conversation_id, call.texts("tasks"))


async def spawn(call: OperationCall) -> Answer:
    """A model's child knows only what is loaded for it; a program's the conversation too, unless it is to be fresh."""
    is_model = call.by == "model"
    return await call.outside.forks.spawn(
        call.conversation_id,
        call.text("task"),
        call.text("instruction"),
        call.texts("preload_fds"),
        call.texts("preload_files"),
        call.texts("preload_temp_files"),
        fresh=is_model or call.is_set("fresh"),
        behind_all=not is_model,
    )


async def gather(call: OperationCall) -> Answer:
    return await call.outside.forks.gather(call.conversation_id, call.is_set("include_history"))


async def cancel(call: OperationCall) -> Answer:
    """Stop the children, on the event loop, whose tasks they are."""
    return answered("forks_cancelled", {"cancelled": call.outside.forks.cancel(call.conversation_id)})


OPERATIONS = (
    Operation(
        "fork",
        "Work on several tasks at once: each child knows this conversation up to now.",
        fork,
        (required("tasks", "list of texts", "what each child should do", also=("prompts",)),),
        'fork(["Review the logs in fd-3", "Check the config in fd-4"])',
        _TOPICS,
    ),
    Operation(
        "spawn",
        "Start a fresh child that knows only what is given to it.",
        spawn,
        (
            required("task", "text", "what it should do", also=("query",)),
            OperationParameter("instruction", "text", "how it should do it, and what to answer", also=("program",)),
            OperationParameter(
                "preload_fds", "list of texts", "descriptors to give it", also=("additional_preload_fds",)
            ),
            OperationParameter(
                "preload_files", "list of texts", "files to give it", also=("additional_preload_files",)
            ),
            OperationParameter(
                "preload_temp_files", "list of texts", "temporary files", also=("additional_preload_temp_files",)
            ),
            of_programs("fresh", "true or false", "the child does not see the conversation"),
        ),
        'spawn(task="Find the slow query", instruction="Answer with its line", preload_fds=["fd-3"])',
        _TOPICS,
        command="fork.spawn",
        does="a child of a conversation begins with a task; it sees what was said up to now (not with `fresh`), and "
        "what is loaded for it",
        changes=True,
        also=("runtime.selfref.fork.spawn",),
    ),
    Operation(
        "gather",
        "Wait for all children and read their answers.",
        gather,
        (OperationParameter("include_history", "true or false", "with all of their turns"),),
        "gather()",
        _TOPICS,
        command="fork.gather",
        does="waits for a conversation's children: each one's status and response, with `include_history` its turns",
        slow="Waiting for forks",
        also=("gather_all", "runtime.selfref.fork.gather_all"),
    ),
    Operation(
        "cancel_forks",
        "Stop the children that are at work.",
        cancel,
        command="fork.cancel",
        does="stops a conversation's children that are at work",
    ),
)
