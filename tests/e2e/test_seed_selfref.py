"""What `selfref.md` promises, through the editor; named after its sentences."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from palimpsest.conversations.transcript.reading import parse

from .conftest import Editor, until
from .talking import Talk, do, said, talking


@pytest.fixture
async def talk(machine: dict[str, str], shop: Path) -> AsyncIterator[Talk]:
    async with talking(shop) as it:
        yield it


def shown(editor: Editor, uri: str) -> list[tuple[str, str]]:
    return [(turn.role, turn.text) for turn in parse(editor.texts[uri]).turns]


async def test_restore_process_from_checkpoint_called_by_the_model(talk: Talk) -> None:
    """file-descriptors.md: "restore_process(checkpoint_id)"; the model reads what came of it, and goes on."""
    editor, model = talk
    one = await do(editor, "ask", text="One")
    conversation = one["conversation"]
    kept = (await do(editor, "checkpoint.create", conversation=conversation, name="start"))["checkpoint_id"]
    await do(editor, "ask", text="Two", conversation=conversation)
    model.replies = [f'restore_checkpoint("{kept}")', "I am back."]
    answer = await do(editor, "ask", text="Go back to the start.", conversation=conversation)
    assert (answer["reply"], answer["calls"][0]["status"]) == ("I am back.", "done")
    (first, hello, result) = said(model)
    assert (first, hello) == (("user", "One"), ("assistant", "Hello."))
    assert f'<checkpoint_restored checkpoint_id="{kept}" before="cp_' in result[1]
    assert "<last_request>Go back to the start.</last_request>" in result[1]
    model.replies = ["On we go."]
    await do(editor, "ask", text="And now?", conversation=conversation)
    assert [role for role, _ in said(model)] == ["user", "assistant", "user", "assistant", "user"]
    assert "Two" not in str(said(model))
    before = result[1].partition('before="')[2].partition('"')[0]
    await do(editor, "checkpoint.restore", conversation=conversation, checkpoint_id=before)
    await do(editor, "ask", text="Forth again.", conversation=conversation)
    assert "Two" in str(said(model))


async def test_a_call_by_the_name_that_the_first_documents_have_is_the_same_call(talk: Talk) -> None:
    editor, model = talk
    (editor.root / "guide.md").write_text("# Guide\n\nBegin here.\n", encoding="utf-8")
    called = {
        "checkpoint_process()": "create_checkpoint",
        'resolve_wikilink("[[guide]]")': "read_document",
        'read_zk_document(relative_path="guide.md")': "read_document",
        'find_zk_documents("guide")': "find_documents",
        'find_zk_documents_related_to("guide")': "find_documents",
        'runtime.selfref.context.remember("Tests come first")': "remember",
        "runtime.selfref.context.inspect()": "inspect",
        'runtime.selfref.fork.spawn(task="Say hello", instruction="Briefly")': "spawn",
        "runtime.selfref.fork.gather_all(include_history=False)": "gather",
    }
    model.replies = ["self.remember(this)\n" + "\n".join(called), "Hello.", "Done."]
    answer = await do(editor, "ask", text="Do it.")
    assert [(one["name"], one["status"]) for one in answer["calls"]] == [(name, "done") for name in called.values()]
    kept = (await do(editor, "checkpoint.list", conversation=answer["conversation"]))["checkpoints"]
    model.replies = [f'restore_process("{kept[-1]["checkpoint_id"]}")', "I am back."]
    back = await do(editor, "ask", text="Go back.", conversation=answer["conversation"])
    assert [(one["name"], one["status"]) for one in back["calls"]] == [("restore_checkpoint", "done")]


async def test_what_was_gone_back_from_leaves_the_document_and_what_is_being_written_stays(talk: Talk) -> None:
    editor, model = talk
    model.replies = ["first answer", "second answer", "third answer"]
    uri = editor.open("talk.palimpsest.md", "## user\n\none\n")
    answer = await do(editor, "conversation.send", uri=uri)
    conversation = answer["conversation"]
    await until(lambda: "first answer\n\n## user\n" in editor.texts[uri])
    kept = (await do(editor, "checkpoint.create", conversation=conversation))["checkpoint_id"]
    editor.edit(uri, "first answer\n\n## user\n", "first answer\n\n## user\n\ntwo\n")
    await do(editor, "conversation.send", uri=uri)
    await until(lambda: "second answer\n\n## user\n" in editor.texts[uri])
    editor.edit(uri, "second answer\n\n## user\n", "second answer\n\n## user\n\nbegun\n")
    await do(editor, "checkpoint.restore", conversation=conversation, checkpoint_id=kept)
    await until(lambda: "second answer" not in editor.texts[uri])
    assert shown(editor, uri) == [("user", "one"), ("assistant", "first answer"), ("user", "begun")]
    await do(editor, "conversation.send", uri=uri)
    assert said(model) == [("user", "one"), ("assistant", "first answer"), ("user", "begun")]
