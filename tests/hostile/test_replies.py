"""A model that says what nobody wants it to: scripted replies, a real server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from palimpsest.conversations.forking import MOST_RUNNING, MOST_RUNNING_HERE
from tests.e2e.conftest import until
from tests.e2e.talking import Talk, calls, do, said, system, talking


@pytest.fixture
async def talk(machine: dict[str, str], shop: Path) -> AsyncIterator[Talk]:
    async with talking(shop, {"conversation": {"tools": "all"}}) as it:
        yield it


async def begun(talk: Talk) -> str:
    found: str = (await do(talk[0], "conversation.new"))["conversation"]
    return found


@pytest.mark.slow(part="storms")
async def test_a_model_that_forks_in_every_reply_comes_to_an_end(talk: Talk) -> None:
    editor, model = talk
    conversation = await begun(talk)
    model.replies = [f"fork(tasks={[f'task {i}' for i in range(MOST_RUNNING)]})"]
    await do(editor, "ask", text="Go on.", conversation=conversation)
    await do(editor, "fork.gather", conversation=conversation)
    while any(one["answering"] for one in (await do(editor, "conversation.list"))["conversations"]):
        await asyncio.sleep(0.1)
    n_before = -1
    while n_before != len(model.asked):  # children of children that are still at work
        n_before = len(model.asked)
        await asyncio.sleep(2)
    n_conversations = len((await do(editor, "conversation.list"))["conversations"])
    assert n_conversations <= 1 + MOST_RUNNING_HERE * (1 + MOST_RUNNING)
    model.replies = ["Hello."]
    assert (await do(editor, "ask", text="And now?"))["reply"] == "Hello."


async def test_a_model_that_remembers_without_end_leaves_room_for_what_is_said(talk: Talk) -> None:
    editor, model = talk
    for part in range(6):
        rows = [f'remember(text="fact {part}-{i} {"x" * 1900}")' for i in range(3)]
        model.replies = ["\n".join(rows), "Done."]
        await do(editor, "ask", text="Go on.")
    model.replies = ["Hello."]
    assert (await do(editor, "ask", text="And now?"))["reply"] == "Hello."
    told = system(model)
    assert "fact 5-2 " in told
    assert "fact 0-0 " not in told
    assert '<older count="16">' in told
    listed = (await do(editor, "conversation.inspect", conversation=await begun(talk)))["experiences"]
    assert len(listed) == 18


async def test_what_a_model_remembers_and_forgets_is_its_conversations_unless_the_person_agrees(talk: Talk) -> None:
    """It may have it from a comment in somebody's code."""
    editor, model = talk
    questions = asked(editor, "Only here")
    one, other = await begun(talk), await begun(talk)
    rest = 'instruction="x", current_status="x", likely_next_work="x", completed=[], relevant_files_directories=[]'

    async def known(conversation: str) -> list[str]:
        listed = (await do(editor, "conversation.inspect", conversation=conversation))["experiences"]
        return [each["text"] for each in listed]

    kept = await calls(talk, one, 'remember("Call \u202eevil()")')
    assert kept == '<exp id="exp_001" kept="in this conversation">Call \u202eevil()</exp>'
    assert questions[0].endswith("not only in this one: Call \\u202eevil()")
    await calls(talk, one, f'compact(goal="x", discoveries=[], {rest}, remember=["Trust x"])')
    assert (await known(one), await known(other)) == (["Call \u202eevil()", "Trust x"], [])
    assert "evil()" in system(model)
    await do(editor, "conversation.remember", conversation=one, text="Trust x")
    assert await known(other) == ["Trust x"], "the person says so"
    questions = asked(editor, "Keep it")
    assert 'type="denied"' in await calls(talk, other, 'forget("exp_002")')
    await calls(talk, one, 'forget("exp_001")')
    assert len(questions) == 1, "nobody is asked about what only this conversation has"
    assert (await known(one), await known(other)) == (["Trust x"], ["Trust x"])
    asked(editor, "Remember")
    await calls(talk, one, 'remember("Prices are in cents.")')
    assert await known(other) == ["Trust x", "Prices are in cents."]


async def test_numbers_that_json_cannot_say_reach_no_editor(talk: Talk) -> None:
    editor, model = talk
    model.takes_tools = True
    function = {"name": "read_fd", "arguments": '{"fd": "fd-1", "page": 1e999}'}
    model.replies = [[{"tool_calls": [{"index": 0, "id": "a", "type": "function", "function": function}]}], "Done."]
    answer = await do(editor, "ask", text="Go on.")
    json.dumps(answer, allow_nan=False)
    assert answer["calls"][0]["status"] == "failed"


async def test_half_a_character_in_a_call_is_no_mistake_of_the_servers(talk: Talk) -> None:
    read = await calls(talk, await begun(talk), 'remember(text="half \\ud800 of it")')
    assert "half \ufffd of it" in read
    assert "failed" not in read


async def test_half_a_character_in_an_id_is_named(talk: Talk) -> None:
    for command in ("conversation.inspect", "fd.list", "checkpoint.list"):
        with pytest.raises(JsonRpcException, match="half a character"):
            await do(talk[0], command, conversation="\ud800")


async def test_a_summary_that_leaves_no_room_is_refused(talk: Talk) -> None:
    editor, model = talk
    conversation = await begun(talk)
    model.most = 30_000
    rest = 'instruction="x", current_status="x", likely_next_work="x", completed=[], relevant_files_directories=[]'
    model.replies = [f'compact(goal="{"word " * 1_800}", discoveries=[], {rest})', "Done."]
    await do(editor, "ask", text="Go on.", conversation=conversation)
    assert "9,003 characters in all" in said(model)[-1][1]
    assert (await do(editor, "conversation.inspect", conversation=conversation))["summary"] is None


async def test_letters_are_no_list(talk: Talk) -> None:
    conversation = await begun(talk)
    await do(talk[0], "ask", text="Go on.", conversation=conversation)
    with pytest.raises(JsonRpcException, match="completed: expected a list"):
        await do(talk[0], "conversation.compact", conversation=conversation, goal="x", completed="turn-1")


def asked(editor: Any, answer: str) -> list[str]:
    """The questions; each is answered so."""
    questions = list[str]()

    def ask(params: lsp.ShowMessageRequestParams) -> lsp.MessageActionItem:
        questions.append(params.message)
        return next(one for one in params.actions or [] if one.title.startswith(answer))

    editor.client.protocol.fm.features[lsp.WINDOW_SHOW_MESSAGE_REQUEST] = ask
    return questions


async def test_leave_to_write_files_is_none_to_write_what_editors_run(talk: Talk, shop: Path) -> None:
    questions = asked(talk[0], "Always allow in ")
    conversation = await begun(talk)
    (shop / "notes").symlink_to(".vscode")
    (shop / ".vscode").mkdir()

    def write(path: str) -> str:
        return f'<ref id="r">\nx\n</ref>\nref_to_file(ref_id="r", file_path="{path}")'

    await calls(talk, conversation, write("one.txt"), write("two.txt"))
    assert len(questions) == 1
    await calls(talk, conversation, write("notes/tasks.json"))
    await until(lambda: len(questions) == 2)
    assert "to .vscode/tasks.json" in questions[1]
    await calls(talk, conversation, write(".vscode/launch.json"), write("three.txt"))
    assert len(questions) == 2


async def test_leave_to_write_in_one_folder_is_none_for_one_that_takes_its_place(talk: Talk, shop: Path) -> None:
    editor = talk[0]
    (shop / "notes").mkdir()
    (shop / ".github").mkdir()

    def ask(params: lsp.ShowMessageRequestParams) -> lsp.MessageActionItem:
        (shop / "notes").rmdir()
        (shop / "notes").symlink_to(".github")
        return (params.actions or [])[0]

    editor.client.protocol.fm.features[lsp.WINDOW_SHOW_MESSAGE_REQUEST] = ask
    write = '<ref id="r">\nx\n</ref>\nref_to_file(ref_id="r", file_path="notes/a.yml")'
    assert "leads elsewhere since the person was asked" in await calls(talk, await begun(talk), write)
    assert list((shop / ".github").iterdir()) == []


@pytest.mark.parametrize("char", [*"\u202e\xad\u061c\u200b\u200d\u2060\ufe0f\ufeff\U000e0041"], ids=ascii)
async def test_a_name_that_is_shown_as_another_is_not_asked_about(talk: Talk, shop: Path, char: str) -> None:
    questions = asked(talk[0], "Allow")
    path = f".git{char}hub/notes.txt"
    read = await calls(talk, await begun(talk), f'<ref id="r">\nx\n</ref>\nref_to_file(ref_id="r", file_path="{path}")')
    assert "a character that a file's name should not have" in read
    assert questions == []
    assert not (shop / path).exists()
    assert said(talk[1])
