"""Which tools the model is told of, through a real server."""

from __future__ import annotations

from pathlib import Path

from .conftest import start_editor, stop_editor
from .scripted import Scripted, scripted


def offered(model: Scripted) -> str:
    return "\n".join(each["content"] for each in model.asked[-1]["messages"] if each["role"] == "system")


async def test_a_tool_that_was_called_lately_stays_offered(machine: dict[str, str], shop: Path) -> None:
    """document-references.md, 4.2: tools are loaded by what the conversation is about and has used."""
    with scripted() as model:
        options = {
            "engine": {"kind": "openai", "url": model.url},
            "conversation": {"tools": "relevant", "tools_share": 0.05},
        }
        editor = await start_editor(shop, options)
        try:
            await editor.ready()
            model.replies = ["Yes."]
            first = await editor.command("palimpsest.ask", {"text": "List the checkpoints."})
            assert "list_checkpoints" in offered(model)
            about = {"conversation": first["conversation"], "text": "Search the descriptors for parcels."}
            await editor.command("palimpsest.ask", about)
            assert "list_checkpoints" not in offered(model), "the message is about something else"
            model.replies = ["list_checkpoints()\n", "None."]
            await editor.command("palimpsest.ask", {**about, "text": "List the checkpoints now."})
            model.replies = ["Yes."]
            await editor.command("palimpsest.ask", about)
            assert "list_checkpoints" in offered(model), "it was called lately"
        finally:
            await stop_editor(editor)


async def test_what_was_offered_stays_while_it_fits_and_without_a_hint_what_fits(
    machine: dict[str, str], shop: Path
) -> None:
    """document-references.md: "Predictive tool loading based on conversation context"; the prompt's cache stays."""
    with scripted() as model:
        editor = await start_editor(
            shop, {"engine": {"kind": "openai", "url": model.url}, "conversation": {"tools": "relevant"}}
        )
        try:
            await editor.ready()
            model.replies = ["Yes."]
            first = await editor.command("palimpsest.ask", {"text": "List the checkpoints."})
            before = offered(model)
            talk = {"conversation": first["conversation"]}
            await editor.command("palimpsest.ask", {**talk, "text": "Thanks."})
            assert offered(model) == before, "nothing new is needed"
            await editor.command("palimpsest.ask", {**talk, "text": "Delegate the review."})
            assert "list_checkpoints" in offered(model)
            assert "gather()" in offered(model)
            before = offered(model)
            await editor.command("palimpsest.fork.spawn", {**talk, "task": "Forget what you remember."})
            await editor.command("palimpsest.fork.gather", talk)
            assert offered(model) == before, "a child is told what its parent was"
        finally:
            await stop_editor(editor)
