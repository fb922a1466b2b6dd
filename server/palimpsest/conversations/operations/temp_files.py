"""Operations on temporary files: texts that a conversation and its forks share."""

from palimpsest.conversations.answers import Answer, element, listed
from palimpsest.conversations.operations.operation import (
    Operation,
    OperationCall,
    OperationParameter,
    of_programs,
    required,
)
from palimpsest.conversations.refs.results import time_written
from palimpsest.conversations.temp_files import TempFile

_TOPICS = ("temporary", "temp", "share", "fork", "spawn", "child", "children")
_ID = required("temp_file_id", "text", "its id", also=("id", "name"))


def create(call: OperationCall) -> Answer:
    content = call.text("content")
    made = call.memory.temp_files.create(call.conversation_id, content, call.text("name"))
    return Answer(element("temp_file", {"id": made.id, "chars": len(content)}), _fields(made))


def read(call: OperationCall) -> Answer:
    id = call.text("temp_file_id")
    content = call.memory.temp_files.read(call.conversation_id, id)
    xml = element("temp_file", {"id": id, "chars": len(content)}, content)
    return Answer(xml, {"temp_file_id": id, "content": content}, content)


def write(call: OperationCall) -> Answer:
    id, mode = call.text("temp_file_id"), "append" if call.is_set("append") else call.text("mode", "write")
    n_chars = call.memory.temp_files.write(call.conversation_id, id, call.text("content"), append=mode == "append")
    xml = element("temp_file", {"id": id, "mode": mode, "chars": n_chars})
    return Answer(xml, {"temp_file_id": id, "chars": n_chars})


def list_temp_files(call: OperationCall) -> Answer:
    files = [_fields(one) for one in call.memory.temp_files.list(call.conversation_id)]
    return Answer(listed("temp_files", {}, [element("temp_file", one) for one in files]), {"temp_files": files})


def delete(call: OperationCall) -> Answer:
    id = call.text("temp_file_id")
    call.memory.temp_files.delete(call.conversation_id, id)
    return Answer(element("temp_file_deleted", {"id": id}), {"deleted": id})


def _fields(one: TempFile) -> dict[str, str]:
    return {"temp_file_id": one.id, "created": time_written(one.created)}


OPERATIONS = (
    Operation(
        "create_temp_file",
        "Keep text in a temporary file that forks and spawned children can read.",
        create,
        (
            required("content", "text", "what is in it", also=("text",)),
            OperationParameter("name", "text", "a name for it"),
        ),
        'create_temp_file("shared notes")',
        _TOPICS,
        command="temp_file.create",
        does="a text that a conversation and its forks can read",
        stores=True,
    ),
    Operation(
        "read_temp_file",
        "Read a temporary file.",
        read,
        (_ID,),
        'read_temp_file("temp_12ab34cd")',
        _TOPICS,
        command="temp_file.read",
        does="the text of a temporary file",
    ),
    Operation(
        "write_temp_file",
        "Write a temporary file again, or append to it.",
        write,
        (
            _ID,
            required("content", "text", "what is written", also=("text",)),
            OperationParameter("mode", "text", "how it is written", choices=("write", "append")),
            of_programs("append", "true or false", "instead of mode"),
        ),
        'write_temp_file("temp_12ab34cd", "more notes", mode="append")',
        _TOPICS,
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
        delete,
        (_ID,),
        'delete_temp_file("temp_12ab34cd")',
        _TOPICS,
        command="temp_file.delete",
        does="deletes a temporary file",
        stores=True,
    ),
)
