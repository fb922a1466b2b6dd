"""Every message has an address that the model reads with it, counted in its conversation."""

from pathlib import Path

from .scripted import Scripted
from .talking import do, said, talking


def read(model: Scripted) -> str:
    return "\n".join(each["content"] for each in model.asked[-1]["messages"][1:])


async def test_every_message_s_id_stands_with_it_counted_within_its_conversation(
    machine: dict[str, str], shop: Path
) -> None:
    async with talking(shop) as (editor, model):
        await do(editor, "ask", text="Another conversation.")
        talk = {"conversation": (await do(editor, "ask", text="One."))["conversation"]}
        model.replies = ["inspect()", "Two.", 'read_fd(fd="turn-1")\nread_fd(fd="result-4-0")', "Three."]
        await do(editor, "ask", text="Look.", **talk)
        await do(editor, "ask", text="Read what I said first.", **talk)
        assert '<message fd="turn-1" />\nOne.' in read(model)
        assert '<message fd="turn-3" before="turn-2" />\nLook.' in read(model)
        assert '<message fd="turn-6" before="turn-4 result-4-0 turn-5" />\nRead what' in read(model)
        result = said(model)[-1][1]
        assert ('fd="turn-1"' in result, "\nOne.\n" in result, "<context memory_key" in result) == (True, True, True)
