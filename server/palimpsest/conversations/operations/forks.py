"""Operations on forks, which are children of a conversation that work beside it, and on the temporary files that they
share."""

from palimpsest.conversations.answers import Answer, answered, element, listed, time_written
from palimpsest.conversations.operations.operation import (
    Operation,
    OperationCall,
    OperationParameter,
    of_programs,
    required,
)
from palimpsest.conversations.temp_files import TempFile

_TOPICS = ("fork", "spawn", "child", "children", "delegate", "parallel", "each", "review", "several", "gather")
_SHARED = ("temporary", "temp", "share", "fork", "spawn", "child", "children")
_ID = required("temp_file_id", "text", "its id", also=("id", "name"))


def create_temp_file(call: OperationCall) -> Answer:
    content = call.text("content")
    made = call.memory.temp_files.create(call.conversation_id, content, call.text("name"))
    return Answer(element("temp_file", {"id": made.id, "chars": len(content)}), _fields(made))


def read_temp_file(call: OperationCall) -> Answer:
    id = call.text("temp_file_id")
    content = call.memory.temp_files.read(call.conversation_id, id)
    xml = element("temp_file", {"id": id, "chars": len(content)}, content)
    return Answer(xml, {"temp_file_id": id, "content": content}, content)


def write_temp_file(call: OperationCall) -> Answer:
    id, mode = call.text("temp_file_id"), "append" if call.is_set("append") else call.text("mode", "write")
    n_chars = call.memory.temp_files.write(call.conversation_id, id, call.text("content"), append=mode == "append")
    xml = element("temp_file", {"id": id, "mode": mode, "chars": n_chars})
    return Answer(xml, {"temp_file_id": id, "chars": n_chars})


def list_temp_files(call: OperationCall) -> Answer:
    files = [_fields(one) for one in call.memory.temp_files.list(call.conversation_id)]
    return Answer(listed("temp_files", {}, [element("temp_file", one) for one in files]), {"temp_files": files})


def delete_temp_file(call: OperationCall) -> Answer:
    id = call.text("temp_file_id")
    call.memory.temp_files.delete(call.conversation_id, id)
    return Answer(element("temp_file_deleted", {"id": id}), {"deleted": id})


def _fields(one: TempFile) -> dict[str, str]:
    return {"temp_file_id": one.id, "created": time_written(one.created)}


TEMP_FILES = (
    Operation(
        "create_temp_file",
        "Keep text in a temporary file that forks and spawned children can read.",
        create_temp_file,
        (
            required("content", "text", "what is in it", also=("text",)),
            OperationParameter("name", "text", "a name for it"),
        ),
        'create_temp_file("shared notes")',
        _SHARED,
        command="temp_file.create",
        does="a text that a conversation and its forks can read",
        stores=True,
    ),
    Operation(
        "read_temp_file",
        "Read a temporary file.",
        read_temp_file,
        (_ID,),
        'read_temp_file("temp_12ab34cd")',
        _SHARED,
        command="temp_file.read",
        does="the text of a temporary file",
    ),
    Operation(
        "write_temp_file",
        "Write a temporary file again, or append to it.",
        write_temp_file,
        (
            _ID,
            required("content", "text", "what is written", also=("text",)),
            OperationParameter("mode", "text", "how it is written", choices=("write", "append")),
            of_programs("append", "true or false", "instead of mode"),
        ),
        'write_temp_file("temp_12ab34cd", "more notes", mode="append")',
        _SHARED,
        command="temp_file.write",
        does="another text for a temporary file, or more of it",
        stores=True,
    ),
    Operation(
        "list_temp_files",
        "List the temporary files.",
        list_temp_files,
        command="temp_file.list",
        does="the temporary files of a conversation and its forks",
    ),
    Operation(
        "delete_temp_file",
        "Delete a temporary file.",
        delete_temp_file,
        (_ID,),
        'delete_temp_file("temp_12ab34cd")',
        _SHARED,
        command="temp_file.delete",
        does="deletes a temporary file",
        stores=True,
    ),
)


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
