"""What the tools for temporary files do.

In: the files of conversations.  Out: handlers.
"""

from __future__ import annotations

from palimpsest.conversations.temp_files import TempFiles
from palimpsest.conversations.tools.call import Call, Handlers
from palimpsest.conversations.tools.results import answered, element
from palimpsest.conversations.tools.tool import Answer


def handlers(temp_files: TempFiles) -> Handlers:
    def create(call: Call) -> Answer:
        content = call.text("content")
        made = temp_files.create(call.conversation_id, content, call.text("name"))
        return answered("temp_file", {"id": made.id, "chars": len(content)})

    def read(call: Call) -> Answer:
        id = call.text("temp_file_id")
        content = temp_files.read(call.conversation_id, id)
        about = {"id": id, "chars": len(content)}
        return Answer(element("temp_file", about, content), {**about, "content": content}, content)

    def write(call: Call) -> Answer:
        id, mode = call.text("temp_file_id"), call.text("mode", "write")
        n_chars = temp_files.write(call.conversation_id, id, call.text("content"), append=mode == "append")
        return answered("temp_file", {"id": id, "mode": mode, "chars": n_chars})

    def delete(call: Call) -> Answer:
        temp_files.delete(call.conversation_id, call.text("temp_file_id"))
        return answered("temp_file_deleted", {"id": call.text("temp_file_id")})

    return {
        "create_temp_file": create, "read_temp_file": read, "write_temp_file": write, "delete_temp_file": delete,
    }  # fmt: skip
