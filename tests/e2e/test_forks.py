"""Forks and checkpoints through a real server: with an engine whose replies are written here, and with the real one."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pygls.exceptions import JsonRpcException

from palimpsest.conversations.transcript.reading import parse

from .conftest import Editor, start_editor, stop_editor, until
from .scripted import Scripted, scripted
from .talking import do, talking
from .talking import said as talking_said


@pytest.fixture
async def talk(machine: dict[str, str], shop: Path) -> AsyncIterator[tuple[Editor, Scripted]]:
    """A window whose engine says what a test wants."""
    with scripted() as model:
        model.replies = ["Hello."]
        it = await start_editor(shop, {"engine": {"kind": "openai", "url": model.url}})
        await it.ready()
        yield it, model
        await stop_editor(it)


def said(model: Scripted) -> list[str]:
    return [text for _, text in talking_said(model)]


async def test_a_child_sees_what_was_said_and_its_result_is_gathered(talk: tuple[Editor, Scripted]) -> None:
    editor, model = talk
    one = await do(editor, "ask", text="The code is 42.")
    model.replies = ["It is fine."]
    fork = await do(editor, "fork.spawn", conversation=one["conversation"], task="Review it.", instruction="Briefly.")
    assert fork["status"] == "running"
    found = await do(editor, "fork.gather", conversation=one["conversation"], include_history=True)
    result = found[fork["fork_id"]]
    assert (result["status"], result["response"]) == ("completed", "It is fine.")
    assert [each["role"] for each in result["history"]] == ["user", "assistant"]
    assert said(model) == ["The code is 42.", "Hello.", "Review it.\n\nBriefly."]
    model.replies = ["And on."]
    await do(editor, "ask", text="Go on.", conversation=one["conversation"])
    assert said(model) == ["The code is 42.", "Hello.", "Go on."], "a child changes nothing of its parent's"


async def test_a_fresh_child_knows_only_what_is_loaded_for_it(talk: tuple[Editor, Scripted]) -> None:
    editor, model = talk
    one = await do(editor, "ask", text="Secret plans.")
    wanted = {"preload_files": ["shop/cart.py"], "fresh": True}
    fork = await do(editor, "fork.spawn", conversation=one["conversation"], task="Read it.", **wanted)
    await do(editor, "fork.gather", conversation=one["conversation"])
    (text,) = said(model)
    assert '<file path="shop/cart.py">' in text
    assert "class Cart" in text
    assert "Secret plans" not in text
    assert fork["fork_id"].startswith("fork_")


async def test_temporary_files_are_shared_with_forks_and_loaded_for_them(talk: tuple[Editor, Scripted]) -> None:
    editor, model = talk
    one = await do(editor, "ask", text="x")
    talk_ = {"conversation": one["conversation"]}
    made = await do(editor, "temp_file.create", **talk_, content="the notes of all", name="notes")
    fork = await do(editor, "fork.spawn", **talk_, task="Read.", fresh=True, preload_temp_files=["notes"])
    await do(editor, "fork.gather", **talk_)
    assert "the notes of all" in said(model)[-1]
    child = {"conversation": fork["conversation"]}
    assert (await do(editor, "temp_file.read", **child, temp_file_id="notes"))["content"] == "the notes of all"
    made.pop("xml")
    assert (await do(editor, "temp_file.list", **talk_))["temp_files"] == [made]
    await do(editor, "temp_file.write", **child, temp_file_id="notes", content="Notes")
    await do(editor, "temp_file.write", **talk_, temp_file_id="notes", content=" and more.", append=True)
    assert (await do(editor, "temp_file.read", **child, temp_file_id="notes"))["content"] == "Notes and more."
    await do(editor, "temp_file.delete", **child, temp_file_id="notes")
    with pytest.raises(JsonRpcException, match="temp_file_id"):
        await do(editor, "temp_file.read", **talk_, temp_file_id="notes")


async def test_a_fresh_child_has_a_descriptor_that_was_given_by_its_name(talk: tuple[Editor, Scripted]) -> None:
    editor, _ = talk
    one = await do(editor, "ask", text="x")
    conversation = one["conversation"]
    made = await do(editor, "fd.create", conversation=conversation, content="line one\nline two\n")
    await do(editor, "fd.rename", conversation=conversation, fd=made["fd"], name="the log")
    fork = await do(editor, "fork.spawn", conversation=conversation, task="Read.", fresh=True, preload_fds=["the log"])
    read = await do(editor, "fd.read", conversation=fork["conversation"], fd="the log")
    assert (read["fd"], read["content"]) == (made["fd"], "line one\nline two\n")


async def test_what_is_loaded_for_a_child_says_its_name_source_and_language(talk: tuple[Editor, Scripted]) -> None:
    editor, model = talk
    one = {"conversation": (await do(editor, "ask", text="x"))["conversation"]}
    for source in ("file:shop/cart.py", "terminal"):
        await do(editor, "fd.create", **one, content="def add():\n    return 1\n", source=source)
    await do(editor, "fd.rename", **one, fd="fd-1", name="cart")
    await do(editor, "fork.spawn", **one, task="Read.", fresh=True, preload_fds=["cart", "fd-2"])
    await do(editor, "fork.gather", **one)
    assert '<fd_content fd="fd-1" name="cart" source="file:shop/cart.py" language="python" ' in said(model)[0]
    assert '<fd_content fd="fd-2" source="terminal" language="python" ' in said(model)[0]


async def test_what_is_too_long_to_be_loaded_for_a_child_is_a_descriptor_that_it_has(
    talk: tuple[Editor, Scripted],
) -> None:
    editor, model = talk
    (editor.root / "big.md").write_text("".join(f"row {i}\n" for i in range(20_000)), encoding="utf-8")
    one = await do(editor, "ask", text="x")
    asked = {"conversation": one["conversation"], "task": "Read it.", "fresh": True}
    fork = await do(editor, "fork.spawn", **asked, preload_files=["big.md", "shop/item.py"])
    found = await do(editor, "fork.gather", conversation=one["conversation"])
    assert found[fork["fork_id"]]["status"] == "completed"
    (text,) = said(model)
    assert '<file path="shop/item.py">' in text
    assert "row 100\n" in text
    assert "row 19999" not in text
    last = await do(editor, "fd.search", conversation=fork["conversation"], fd="fd-1", query="row 19999")
    assert last["count"] == 1


async def test_a_child_does_not_see_what_its_parent_is_being_answered(talk: tuple[Editor, Scripted]) -> None:
    """selfref.md: "Children inherit the pre-fork context snapshot (not the parent's in-flight state)"."""
    editor, model = talk
    one = await do(editor, "ask", text="One")
    model.free.clear()
    running = asyncio.create_task(do(editor, "ask", text="Two", conversation=one["conversation"]))
    await until(lambda: len(model.asked) == 2)
    fork = await do(editor, "fork.spawn", conversation=one["conversation"], task="Aside.")
    model.free.set()
    await running
    found = await do(editor, "fork.gather", conversation=one["conversation"])
    assert found[fork["fork_id"]]["status"] == "completed"
    text = (await do(editor, "conversation.open", conversation=fork["conversation"]))["text"]
    assert [turn.text for turn in parse(text).turns][:4] == ["One", "Hello.", "Two", "Aside."]


async def test_more_children_than_can_work_at_once_are_refused_before_any_begins(talk: tuple[Editor, Scripted]) -> None:
    editor, model = talk
    model.replies = ['fork(["a", "b", "c", "d", "e"])\nfork(["f", "g", "h", "i"])', "Done."]
    model.free.clear()
    running = asyncio.create_task(do(editor, "ask", text="Fork."))
    await until(lambda: model.asked)
    model.free.set()  # for the one that waits
    model.free.clear()
    await until(lambda: len(model.asked) > 1)
    model.free.set()
    answer = await running
    assert [call["status"] for call in answer["calls"]] == ["done", "failed"]
    found = await do(editor, "fork.gather", conversation=answer["conversation"])
    assert len([identity for identity in found if identity.startswith("fork_")]) == 5


async def test_another_window_waits_for_the_children_and_hears_when_theirs_has_died(
    machine: dict[str, str], shop: Path
) -> None:
    """selfref.md: "`gather_all()` blocks until all children complete"."""
    async with talking(shop, own_process=True) as (one, model), talking(shop) as (other, _):
        conversation = (await do(one, "ask", text="One"))["conversation"]
        model.free.clear()
        fork = await do(one, "fork.spawn", conversation=conversation, task="Aside.")
        await until(lambda: len(model.asked) == 2)
        waiting = asyncio.create_task(do(other, "fork.gather", conversation=conversation))
        await other.stats()
        model.free.set()
        result = (await waiting)[fork["fork_id"]]
        assert (result["status"], result["response"]) == ("completed", "Hello.")
        model.free.clear()
        fork = await do(one, "fork.spawn", conversation=conversation, task="Another.")
        await until(lambda: len(model.asked) == 3)
        waiting = asyncio.create_task(do(other, "fork.gather", conversation=conversation))
        await other.stats()
        os.kill(one.pid, signal.SIGKILL)
        result = (await waiting)[fork["fork_id"]]
        assert (result["status"], result["response"]) == ("failed", "Palimpsest ended while it worked.")


async def test_a_conversation_is_deleted_with_the_children_that_are_at_work(
    talk: tuple[Editor, Scripted], capfd: pytest.CaptureFixture[str]
) -> None:
    editor, model = talk
    one = await do(editor, "ask", text="One")
    model.free.clear()
    child = await do(editor, "fork.spawn", conversation=one["conversation"], task="A child.")
    await do(editor, "fork.spawn", conversation=child["conversation"], task="A child's child.")
    await until(lambda: len(model.asked) == 3)
    await do(editor, "conversation.delete", conversation=one["conversation"])
    model.free.set()
    assert (await do(editor, "ask", text="Another."))["reply"] == "Hello."
    with pytest.raises(JsonRpcException, match="there is no conversation"):
        await do(editor, "conversation.open", conversation=child["conversation"])
    assert "Traceback" not in capfd.readouterr().err


async def test_files_that_no_model_may_see_are_not_loaded(talk: tuple[Editor, Scripted]) -> None:
    editor, _ = talk
    (editor.root / ".env").write_text("KEY=1\n")
    one = await do(editor, "ask", text="x")
    for name in (".env", "../outside.py", "/etc/passwd"):
        with pytest.raises(JsonRpcException, match="preload_files"):
            await do(editor, "fork.spawn", conversation=one["conversation"], task="Read.", preload_files=[name])


async def test_a_child_reads_the_same_where_old_results_were_dropped(machine: dict[str, str], shop: Path) -> None:
    """Else nothing behind the first of them would be shared; and they are read again by the same ids, also by a copy
    whose parent is gone."""
    options = {"keep_results": 0, "compact_at": 0.1}
    async with talking(shop, {"conversation": options}) as (editor, model):
        one = await do(editor, "ask", text="What a line this is.\n" * 240)
        conversation = one["conversation"]
        model.replies = [f'read_fd(fd="turn-{one["turn"] - 1}", read_all=True)\n', "Read."]
        await do(editor, "ask", text="Read it.", conversation=conversation)
        await do(editor, "ask", text="Go on.", conversation=conversation)
        before = said(model)
        (address,) = re.findall(r'fd="(result-\d+-\d+)"[^>]*dropped="true"', str(before))
        fork = await do(editor, "fork.spawn", conversation=conversation, task="Aside.")
        await do(editor, "fork.gather", conversation=conversation)
        assert said(model)[: len(before)] == before
        copied = (await do(editor, "conversation.fork", conversation=conversation))["conversation"]
        for child in (fork["conversation"], copied):
            read = await do(editor, "fd.read", conversation=child, fd=address, read_all=True)
            assert "What a line this is." in read["content"]
        await do(editor, "conversation.delete", conversation=conversation)
        read = await do(editor, "fd.read", conversation=copied, fd=address, read_all=True)
        assert "What a line this is." in read["content"]


async def test_a_model_forks_by_calls_and_reads_what_came_of_it(talk: tuple[Editor, Scripted]) -> None:
    editor, model = talk
    model.replies = ['fork(["Look at a", "Look at b"])\ngather()', "Seen.", "Seen.", "Both are fine."]
    answer = await do(editor, "ask", text="Look at both.")
    assert answer["reply"] == "Both are fine."
    assert [call["status"] for call in answer["calls"]] == ["done", "done"]
    assert said(model)[-1].count('status="completed"') == 2


async def test_a_model_that_gathers_with_history_reads_what_each_child_called_and_what_came_of_it(
    talk: tuple[Editor, Scripted],
) -> None:
    editor, model = talk
    model.replies = ['fork(["Look."])\ngather(include_history=True)', "list_refs()", "Seen.", "Done."]
    conversation = (await do(editor, "ask", text="Fork."))["conversation"]
    read = said(model)[-1]
    turns = '<turn role="user">Look.</turn>', '<turn role="assistant">list_refs()</turn>', '<result tool="list_refs">'
    assert [turn in read for turn in (*turns, "<response>Seen.</response>")] == [True] * 4
    found, *_ = (await do(editor, "fork.gather", conversation=conversation, include_history=True)).values()
    (call,) = found["history"][1]["calls"]
    assert (call["name"], call["status"], call["result"][:9]) == ("list_refs", "done", "<ref_list")


async def test_going_back_to_a_checkpoint_and_forth_again(talk: tuple[Editor, Scripted]) -> None:
    editor, model = talk
    one = await do(editor, "ask", text="One")
    talk_ = {"conversation": one["conversation"]}
    kept = await do(editor, "checkpoint.create", **talk_, name="first")
    await do(editor, "ask", text="Two", **talk_)
    back = await do(editor, "checkpoint.restore", **talk_, checkpoint_id=kept["checkpoint_id"])
    await do(editor, "ask", text="Three", **talk_)
    assert said(model) == ["One", "Hello.", "Three"]
    listed = await do(editor, "checkpoint.list", **talk_)
    assert {kept["checkpoint_id"], back["before"]} == {each["checkpoint_id"] for each in listed["checkpoints"]}
    with pytest.raises(JsonRpcException, match="There are cp_"):
        await do(editor, "checkpoint.restore", **talk_, checkpoint_id="cp_0")


@pytest.mark.parametrize("tools", ["auto", "relevant"])
async def test_forking_costs_no_decode(machine: dict[str, str], shop: Path, tools: str) -> None:
    """A child's first reply decodes its own task, and not what was said before, also where it is about other tools."""
    options = {"engine": {"n_ctx": 16_384}, "conversation": {"reply_tokens": 16, "tools": tools}}
    editor = await start_editor(shop, options)
    try:
        await editor.ready()
        long = "Mark the section.\n" + "\n".join(f"def number_{i}():\n    return {i}" for i in range(40))
        one = await do(editor, "ask", text=long)
        assert one["usage"]["decoded"] > 300
        wanted = {"conversation": one["conversation"], "task": "List the checkpoints.", "preload_files": []}
        forks = [await do(editor, "fork.spawn", **wanted) for _ in range(2)]
        found = await do(editor, "fork.gather", conversation=one["conversation"])
        for fork in forks:
            assert found[fork["fork_id"]]["status"] == "completed", found
            assert found[fork["fork_id"]]["decoded"] < 60
    finally:
        await stop_editor(editor)


async def test_memory_and_checkpoints_answer_a_model_in_xml_too(talk: tuple[Editor, Scripted]) -> None:
    """docs/formats.md: every command answers fields for programs and `xml` for a model."""
    editor, _ = talk
    conversation = (await do(editor, "ask", text="One"))["conversation"]
    kept = await do(editor, "conversation.remember", conversation=conversation, text="a < b")
    point = await do(editor, "checkpoint.create", conversation=conversation, name="first")
    answers = [
        kept,
        point,
        await do(editor, "conversation.inspect", conversation=conversation),
        await do(editor, "conversation.forget", conversation=conversation, experience_id=kept["id"]),
        await do(editor, "conversation.compact", conversation=conversation, goal="A goal"),
        await do(editor, "checkpoint.list", conversation=conversation),
        await do(editor, "checkpoint.restore", conversation=conversation, checkpoint_id="first"),
    ]
    assert [re.match(r"<(\w+)", answer["xml"])[1] for answer in answers] == [  # type: ignore[index]
        "exp", "checkpoint", "context", "forgotten", "compaction", "checkpoint_list", "checkpoint_restored",
    ]  # fmt: skip
    assert "a < b" in answers[2]["xml"]
    assert [one["text"] for one in (await do(editor, "conversation.inspect", conversation=conversation))["experiences"]]
