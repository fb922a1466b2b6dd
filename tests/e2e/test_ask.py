"""`palimpsest.ask` through a real server: with an engine whose replies are written here, and with the real one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from pygls.exceptions import JsonRpcException

from .conftest import Editor, start_editor, stop_editor, until
from .scripted import Scripted, scripted
from .talking import said


@pytest.fixture
async def talk(machine: dict[str, str], shop: Path) -> AsyncIterator[tuple[Editor, Scripted]]:
    """A window whose engine says what a test wants."""
    with scripted() as model:
        model.replies = ["Hello."]
        it = await start_editor(shop, {"engine": {"kind": "openai", "url": model.url}})
        await it.ready()
        yield it, model
        await stop_editor(it)


async def ask(editor: Editor, text: str, **more: Any) -> dict[str, Any]:
    answer: dict[str, Any] = await editor.command("palimpsest.ask", {"text": text, **more})
    return answer


async def test_what_was_said_is_known_in_the_next_turn(talk: tuple[Editor, Scripted]) -> None:
    editor, model = talk
    model.replies = ["It is 42.", "Because."]
    first = await ask(editor, "What is the answer?")
    assert (first["reply"], first["stopped"]) == ("It is 42.", "end")
    second = await ask(editor, "Why?", conversation=first["conversation"])
    assert second["reply"] == "Because."
    assert said(model) == [("user", "What is the answer?"), ("assistant", "It is 42."), ("user", "Why?")]


async def test_the_reply_is_shown_without_the_tags_of_refs(talk: tuple[Editor, Scripted]) -> None:
    editor, model = talk
    model.replies = ['See:\n<ref id="double">\ndef double(x):\n    return 2 * x\n</ref>\nDone.']
    answer = await ask(editor, "Write it.")
    assert answer["reply"] == "See:\ndef double(x):\n    return 2 * x\nDone."


async def test_nothing_is_said_in_a_conversation_that_is_being_answered(talk: tuple[Editor, Scripted]) -> None:
    editor, model = talk
    first = await ask(editor, "One")
    model.free.clear()
    asked = asyncio.ensure_future(ask(editor, "Two", conversation=first["conversation"]))
    await until(lambda: len(model.asked) == 2)
    with pytest.raises(JsonRpcException, match="is being answered"):
        await ask(editor, "Three", conversation=first["conversation"])
    model.free.set()
    assert (await asked)["reply"] == "Hello."


async def test_wrong_arguments_are_named(talk: tuple[Editor, Scripted]) -> None:
    editor, _ = talk
    with pytest.raises(JsonRpcException, match="conversation: there is no conversation 'c-1'"):
        await ask(editor, "x", conversation="c-1")
    with pytest.raises(JsonRpcException, match="text: is empty"):
        await ask(editor, " ")


async def test_a_turn_made_elsewhere_is_part_of_the_conversation(talk: tuple[Editor, Scripted]) -> None:
    editor, model = talk
    first = await ask(editor, "One")
    turn = {"conversation": first["conversation"], "role": "assistant", "content": "Said elsewhere."}
    assert (await editor.command("palimpsest.conversation.append", turn))["turn"] > first["turn"]
    await ask(editor, "Two", conversation=first["conversation"])
    assert "Said elsewhere." in model.asked[-1]["messages"][-2]["content"]


async def test_the_real_model_answers_and_its_words_are_kept(machine: dict[str, str], shop: Path) -> None:
    editor = await start_editor(shop)
    try:
        await editor.ready()
        answer = await ask(editor, "def double(x):")
        assert answer["usage"]["decoded"] > 0
        again = await ask(editor, "def triple(x):", conversation=answer["conversation"])
        assert again["conversation"] == answer["conversation"]
    finally:
        await stop_editor(editor)


async def test_a_reply_that_only_repeats_itself_is_ended(talk: tuple[Editor, Scripted]) -> None:
    """It would go on to the last of `conversation.reply_tokens`."""
    editor, model = talk
    model.replies, model.stays = [[{"content": "As you wish.\n"}, *[{"content": "It is a block.\n"}] * 100]], True
    answer = await ask(editor, "What is it?")
    assert answer["stopped"] == "repeated"
    assert answer["reply"].startswith("As you wish.\nIt is a block.")
    model.free.set()
    model.replies, model.stays = ["A block."], False
    again = await ask(editor, "Once more.", conversation=answer["conversation"])
    assert (again["reply"], again["stopped"]) == ("A block.", "end")


async def test_a_call_is_run_and_its_result_goes_back_to_the_model(talk: tuple[Editor, Scripted]) -> None:
    editor, model = talk
    model.replies = ['Noted.\n\nremember(text="tests first")\n', "Done."]
    answer = await ask(editor, "Remember it.")
    assert (answer["reply"], [call["name"] for call in answer["calls"]]) == ("Done.", ["remember"])
    assert "exp_001" in model.asked[-1]["messages"][-1]["content"]
    assert '<exp id="exp_001">tests first</exp>' in model.asked[-1]["messages"][0]["content"]


async def test_a_wrong_call_says_what_would_be_right(talk: tuple[Editor, Scripted]) -> None:
    editor, model = talk
    model.replies = ['get_ref(ref_id="nothing")', "I see."]
    answer = await ask(editor, "Read it.")
    assert [call["status"] for call in answer["calls"]] == ["failed"]
    assert '<error type="not_found"' in model.asked[-1]["messages"][-1]["content"]


async def test_refs_of_a_reply_are_kept_and_read_by_a_later_call(talk: tuple[Editor, Scripted]) -> None:
    editor, model = talk
    model.replies = ['<ref id="double">\ndef double(x):\n    return 2 * x\n</ref>', 'get_ref(ref_id="double")', "So."]
    first = await ask(editor, "Write it.")
    assert first["refs"] == ["double"]
    await ask(editor, "Read it.", conversation=first["conversation"])
    assert "return 2 * x" in model.asked[-1]["messages"][-1]["content"]


async def test_rounds_of_calls_come_to_an_end(machine: dict[str, str], shop: Path) -> None:
    with scripted() as model:
        model.replies = ["list_refs()"]
        editor = await start_editor(
            shop, {"engine": {"kind": "openai", "url": model.url}, "conversation": {"max_rounds": 2}}
        )
        try:
            await editor.ready()
            answer = await ask(editor, "Go on.")
            assert (answer["stopped"], len(answer["calls"])) == ("rounds", 3)
        finally:
            await stop_editor(editor)


async def test_usage_says_what_a_conversation_takes(talk: tuple[Editor, Scripted]) -> None:
    editor, _ = talk
    answer = await ask(editor, "word " * 400)
    usage = await editor.command("palimpsest.context.usage", {"conversation": answer["conversation"]})
    assert usage["total"] == 8192
    assert usage["parts"]["messages"]["used"] > 300
    assert 0 < usage["parts"]["tools"]["used"] < usage["parts"]["tools"]["budget"]
    assert usage["used"] == sum(each if isinstance(each, int) else each["used"] for each in usage["parts"].values())
    assert not usage["compact"]
    assert {name: answer["usage"][name] for name in usage} == usage


async def test_an_engine_that_dies_amid_a_reply_leaves_what_came_and_it_can_be_sent_again(
    talk: tuple[Editor, Scripted],
) -> None:
    editor, model = talk
    first = await ask(editor, "One")
    model.replies, model.dies = ["It is forty-two."], True
    with pytest.raises(JsonRpcException):
        await ask(editor, "What is the answer?", conversation=first["conversation"])
    document = (await editor.command("palimpsest.conversation.open", {"conversation": first["conversation"]}))["text"]
    assert "\n\nIt is fo\n\n" in document
    assert "Not finished: " in document
    model.dies = False
    again = await ask(editor, "", conversation=first["conversation"])
    assert again["reply"] == "It is forty-two."
    assert "It is fo" not in str(model.asked[-1]["messages"]), "the reply that was cut off is not continued"
    document = (await editor.command("palimpsest.conversation.open", {"conversation": first["conversation"]}))["text"]
    assert document.count("What is the answer?") == 1
    with pytest.raises(JsonRpcException, match="not a question that waits"):
        await ask(editor, "", conversation=first["conversation"])


async def test_the_second_window_that_speaks_hears_that_the_first_is_being_answered(
    talk: tuple[Editor, Scripted], shop: Path
) -> None:
    editor, model = talk
    first = await ask(editor, "One")
    talk_id = first["conversation"]
    other = await start_editor(shop, {"engine": {"kind": "openai", "url": model.url}})
    try:
        await other.ready()
        model.free.clear()
        asked = asyncio.ensure_future(ask(editor, "Two", conversation=talk_id))
        await until(lambda: len(model.asked) == 2)
        with pytest.raises(JsonRpcException, match="is being answered"):
            await ask(other, "Three", conversation=talk_id)
        turn = {"conversation": talk_id, "role": "user", "content": "Four"}
        with pytest.raises(JsonRpcException, match="is being answered"):
            await other.command("palimpsest.conversation.append", turn)
        model.free.set()
        await asked
        await ask(other, "Five", conversation=talk_id)
        said = str(model.asked[-1]["messages"])
        assert "Two" in said
        assert "Three" not in said
    finally:
        model.free.set()
        await stop_editor(other)


async def test_a_turn_made_elsewhere_has_its_refs_and_documents_and_its_calls_are_not_run(
    talk: tuple[Editor, Scripted],
) -> None:
    editor, _ = talk
    talk_id = (await ask(editor, "One"))["conversation"]
    reply = '<ref id="double">\ndef double(x):\n    return 2 * x\n</ref>\n\nremember(text="never")\n'
    made = await editor.command(
        "palimpsest.conversation.append", {"conversation": talk_id, "role": "assistant", "content": reply}
    )
    assert made["refs"] == ["double"]
    assert made["calls"] == [{"name": "remember", "status": "not run"}]
    inspected = await editor.command("palimpsest.conversation.inspect", {"conversation": talk_id})
    assert inspected["experiences"] == []
    asked = await editor.command(
        "palimpsest.conversation.append", {"conversation": talk_id, "role": "user", "content": "See [[nowhere]]."}
    )
    assert [(one["wikilink"], one["path"]) for one in asked["documents"]] == [("[[nowhere]]", None)]


async def test_usage_names_what_each_message_result_tool_and_document_takes(talk: tuple[Editor, Scripted]) -> None:
    editor, model = talk
    model.replies = ['remember(text="tests first")', "Done."]
    answer = await ask(editor, "See [[nowhere]]. " + "word " * 100)
    usage = await editor.command("palimpsest.context.usage", {"conversation": answer["conversation"], "items": True})
    items = usage["items"]
    sizes = {(item["kind"], item["name"]): item["tokens"] for item in items}
    asked, called, done = (f"turn-{answer['turn'] - before}" for before in (2, 1, 0))
    assert sizes["message", asked] > 100 > sizes["message", done] > 0
    assert sizes["documents", asked] > 0
    assert sizes["result", f"result-{called.removeprefix('turn-')}-0"] > 0
    assert sizes["tool", "remember"] > 0
    tools = sum(size for (kind, _), size in sizes.items() if kind == "tool")
    assert 0 < tools <= usage["parts"]["tools"]["used"]
    assert sizes["system", ""] == usage["parts"]["system"]["used"]


async def test_a_ref_that_is_written_again_as_it_was_is_named_again(talk: tuple[Editor, Scripted]) -> None:
    editor, model = talk
    model.replies = ['See:\n<ref id="double">\ndef double(x):\n    return 2 * x\n</ref>\nDone.']
    first = await ask(editor, "Write it.")
    again = await ask(editor, "Again.", conversation=first["conversation"])
    assert first["refs"] == again["refs"] == ["double"]


async def test_a_conversation_begun_without_a_name_is_called_by_what_is_said_first(
    talk: tuple[Editor, Scripted],
) -> None:
    editor, _ = talk
    begun = await editor.command("palimpsest.conversation.new", {})
    await ask(editor, "\nHow are parcels weighed?\nExactly, please.", conversation=begun["conversation"])
    await ask(editor, "And sent?", conversation=begun["conversation"])
    (listed,) = (await editor.command("palimpsest.conversation.list"))["conversations"]
    assert listed["name"] == "How are parcels weighed?"
