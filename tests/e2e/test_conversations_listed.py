"""Conversations are begun, listed, opened, called otherwise and deleted by commands; what they remember, too."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from .conftest import Editor, plain, start_editor, stop_editor, until
from .talking import do, talking


async def run(editor: Editor, command: str, **argument: Any) -> dict[str, Any]:
    params = lsp.ExecuteCommandParams(f"palimpsest.conversation.{command}", [argument])
    return plain(await editor.client.workspace_execute_command_async(params))  # type: ignore[no-any-return]


async def test_a_conversation_is_begun_listed_opened_renamed_and_deleted(editor: Editor) -> None:
    made = await run(editor, "new", name="Free shipping")
    assert made["uri"] == "untitled:Free-shipping.palimpsest.md"
    assert f"id: {made['conversation']}" in made["text"]
    other = await run(editor, "new")
    listed = (await run(editor, "list"))["conversations"]
    assert [one["conversation"] for one in listed] == [other["conversation"], made["conversation"]]
    await run(editor, "append", conversation=made["conversation"], role="user", content="Orders above 100?")
    assert "Orders above 100?" in (await run(editor, "open", conversation=made["conversation"]))["text"]
    await run(editor, "rename", conversation=other["conversation"], name="Other")
    assert (await run(editor, "open", conversation=other["conversation"]))["name"] == "Other"
    await run(editor, "delete", conversation=other["conversation"])
    assert [one["name"] for one in (await run(editor, "list"))["conversations"]] == ["Free shipping"]
    with pytest.raises(JsonRpcException, match="there is no conversation") as error:
        await run(editor, "open", conversation=other["conversation"])
    assert error.value.code == -32602


async def test_one_that_is_there_is_opened_by_its_name_or_id_in_place_of_a_new_one(editor: Editor) -> None:
    made = await run(editor, "new", name="Free shipping")
    for name in ("Free shipping", made["conversation"]):
        assert (await run(editor, "new", name=name, existing=True))["conversation"] == made["conversation"]
    assert (await run(editor, "new", name="Free shipping"))["conversation"] != made["conversation"]
    assert (await run(editor, "new", name="Another", existing=True))["name"] == "Another"


def fields(answer: dict[str, Any]) -> dict[str, Any]:
    """Without what is for a model."""
    return {name: value for name, value in answer.items() if name != "xml"}


async def test_what_is_remembered_is_shown_in_every_conversation_until_it_is_forgotten(editor: Editor) -> None:
    one, other = [(await run(editor, "new"))["conversation"] for _ in range(2)]
    kept = await run(editor, "remember", conversation=one, text="Prices are in cents.")
    assert (await run(editor, "inspect", conversation=other))["experiences"] == [fields(kept)]
    assert fields(await run(editor, "forget", conversation=other, experience_id=kept["id"])) == {
        "forgotten": kept["id"]
    }
    shown = await run(editor, "inspect", conversation=one)
    known = {"memory_key": "main", "memory_keys": ["main"]}
    assert fields(shown) == {
        **known,
        "experiences": [],
        "summary": None,
        "messages": 0,
        "has_pending_compaction": False,
    }
    with pytest.raises(JsonRpcException, match="experience_id"):
        await run(editor, "forget", conversation=one, experience_id=kept["id"])


async def test_several_memory_keys_each_with_what_is_remembered_under_it(editor: Editor) -> None:
    one = (await run(editor, "new"))["conversation"]
    other = (await run(editor, "new", memory_key="billing"))["conversation"]
    kept = await run(editor, "remember", conversation=other, text="Invoices have numbers.")
    assert (await run(editor, "inspect", conversation=one))["experiences"] == []
    shown = await run(editor, "memory", conversation=one, memory_key="billing")
    assert shown["experiences"] == [fields(kept)]
    assert shown["memory_keys"] == ["billing"]
    for wrong in ("", "a b", "x" * 65, "../x"):
        with pytest.raises(JsonRpcException, match="memory_key"):
            await run(editor, "memory", conversation=one, memory_key=wrong)
        with pytest.raises(JsonRpcException, match="memory_key"):
            await run(editor, "new", memory_key=wrong)


async def test_a_conversation_that_another_window_answers_is_not_deleted(machine: dict[str, str], shop: Path) -> None:
    async with talking(shop) as (editor, model):
        talk = (await do(editor, "ask", text="One"))["conversation"]
        other = await start_editor(shop, {"engine": {"kind": "openai", "url": model.url}})
        await other.ready()
        model.free.clear()
        asked = asyncio.ensure_future(do(editor, "ask", text="Two", conversation=talk))
        await until(lambda: len(model.asked) == 2)
        with pytest.raises(JsonRpcException, match="is being answered"):
            await run(other, "delete", conversation=talk)
        model.free.set()
        assert (await asked)["reply"] == "Hello."
        await run(other, "delete", conversation=talk)
        await stop_editor(other)


async def test_a_model_that_cannot_converse_is_named_once_before_it_replies(editor: Editor) -> None:
    """With the command that gets another one; a model that was taught edits alone is one of them."""
    told = list[bool]()

    @editor.client.feature("palimpsest/conversation")
    def changed(params: Any) -> None:
        told.append(any("cannot hold" in one.message for one in editor.client.messages))

    for text in ("What is a cart?", "And an item?"):
        await editor.command("palimpsest.ask", {"text": text})
    warned = [one.message for one in editor.client.messages if one.type == lsp.MessageType.Warning]
    assert [text for text in warned if "cannot hold a conversation" in text and "palimpsest-embedded" in text] == warned
    assert len(warned) == 1
    assert "`palimpsest model get qwen2.5-coder-1.5b-instruct`" in warned[0]
    assert warned[0].count(". ") == 0, "one sentence"
    assert told[:2] == [False, True], "told as the reply begins"
