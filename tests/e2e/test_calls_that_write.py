"""Calls by the model that are wrong, read too much, or write files: what the model reads, what the person is asked."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp

from palimpsest.text.uris import to_uri

from .raw import SILENCE, Raw
from .scripted import Scripted, scripted
from .talking import Talk, calls, do, talking


@pytest.fixture
async def talk(machine: dict[str, str], shop: Path) -> AsyncIterator[Talk]:
    async with talking(shop) as it:
        yield it


async def begun(talk: Talk) -> str:
    made: str = (await do(talk[0], "conversation.new", name="Calls"))["conversation"]
    await do(talk[0], "refs.add", conversation=made, ref_id="note", content="mine")
    return made


@pytest.mark.parametrize(
    ("call", "begin"),
    [
        ('ref_to_file(ref_id="note", file_path="../x")', '<error type="denied" tool="ref_to_file">\n  <message>'),
        ('ref_to_file(ref_id="note", file_path=".env")', '<error type="denied" tool="ref_to_file">\n  <message>'),
        ('get_ref("nothing")', '<error type="not_found" tool="get_ref" argument="ref_id">\n  <message>'),
        ('read_fd(fd=open("x"))', '<error type="invalid_argument" tool="read_fd" argument="call" line="1">\n  <mess'),
        ('raed_fd(fd="fd-1")', '<error type="invalid_argument" argument="call" line="1">\n  <message>call: There is'),
    ],
)
async def test_a_wrong_call_answers_an_error_of_the_formats(talk: Talk, call: str, begin: str) -> None:
    assert (await calls(talk, await begun(talk), call)).startswith(begin)


async def test_all_of_a_text_that_is_longer_than_the_model_reads_is_refused(talk: Talk) -> None:
    """ "read_all" of it would leave no room for anything, and no way back."""
    editor, said = talk
    made = await begun(talk)
    (editor.root / "long.txt").write_text("a line of the text\n" * 5_000)
    await do(editor, "fd.create", conversation=made, uri=to_uri(editor.root / "long.txt"), name="long")
    mark = 'mark_fd_section(fd="long", start_line=1, end_line=4000, ref_id="most")'
    for call in ('read_fd(fd="long", read_all=True)', 'read_fd(fd="long", start_line=2)'):
        answer = await calls(talk, made, call)
        assert answer.startswith('<error type="out_of_range" tool="read_fd"')
        assert "Read it by page (there are 24)" in answer
    answer = await calls(talk, made, f'{mark}\nget_fd_section(fd="long", ref_id="most")')
    assert 'type="out_of_range" tool="get_fd_section"' in answer
    assert "<fd_content" in await calls(talk, made, 'read_fd(fd="long", page=24)')
    assert 'status="running"' in await calls(talk, made, 'spawn(task="Read", preload_fds=["long"])')
    await do(editor, "fork.gather", conversation=made)
    told = [str(one["messages"]).count("a line of the text") for one in said.asked]
    assert 0 < max(told) < 1_000, "a child has its first page, and reads on"
    whole = await do(editor, "fd.read", conversation=made, fd="long", read_all=True)
    assert len(whole["content"]) == 95_000, "a person reads all of it"


async def test_nobody_is_asked_about_what_cannot_be_written(talk: Talk) -> None:
    editor, _ = talk
    made, asked = await begun(talk), list[str]()
    (editor.root / "there.txt").write_text("old\n")
    del editor.client.protocol.fm.features[lsp.WINDOW_SHOW_MESSAGE_REQUEST]

    @editor.client.feature(lsp.WINDOW_SHOW_MESSAGE_REQUEST)
    def ask(params: lsp.ShowMessageRequestParams) -> lsp.MessageActionItem:
        asked.append(params.message)
        return lsp.MessageActionItem("Allow")

    answer = await calls(talk, made, 'ref_to_file(ref_id="note", file_path="there.txt")')
    assert answer.startswith('<error type="exists" tool="ref_to_file"')
    answer = await calls(talk, made, 'ref_to_file(ref_id="note", file_path="x", mode="insert", insert_at_line=1)')
    assert answer.startswith('<error type="not_found" tool="ref_to_file"')
    assert asked == []
    await calls(talk, made, 'ref_to_file(ref_id="note", file_path="there.txt", overwrite=True)')
    assert (editor.root / "there.txt").read_text() == "mine\n"
    assert asked == ["The model wants to replace what is in there.txt by 1 line.\n\nmine"]


async def test_an_answer_for_good_holds_for_the_folder_that_the_file_is_in_and_can_be_forgotten(
    talk: Talk, tmp_path: Path
) -> None:
    editor, _ = talk
    other = tmp_path / "other"
    other.mkdir()
    added = lsp.WorkspaceFoldersChangeEvent([lsp.WorkspaceFolder(to_uri(other), "other")], [])
    editor.client.workspace_did_change_workspace_folders(lsp.DidChangeWorkspaceFoldersParams(added))
    made, asked, answers = await begun(talk), list[str](), ["Never allow in other", "Allow", "Allow"]
    del editor.client.protocol.fm.features[lsp.WINDOW_SHOW_MESSAGE_REQUEST]

    @editor.client.feature(lsp.WINDOW_SHOW_MESSAGE_REQUEST)
    def ask(params: lsp.ShowMessageRequestParams) -> lsp.MessageActionItem:
        asked.append(params.message)
        return lsp.MessageActionItem(answers.pop(0))

    there = f'ref_to_file(ref_id="note", file_path={str(other / "a.txt")!r})'
    assert "did not allow" in await calls(talk, made, there)
    assert "did not allow" in await calls(talk, made, there)
    assert len(asked) == 1
    assert "success" in await calls(talk, made, 'ref_to_file(ref_id="note", file_path="a.txt")')
    assert len(asked) == 2, "the other folder's answer does not hold here"
    known = (await do(editor, "permissions.list"))["permissions"]
    assert known == [
        {"folder": str(other), "what": "write", "allowed": False, "label": "may not write new files"},
    ]
    await do(editor, "permissions.forget", folder=str(other), what="write")
    assert "success" in await calls(talk, made, there)
    assert len(asked) == 3


async def test_an_answer_for_good_holds_for_no_folder_but_the_one_that_the_question_names(talk: Talk) -> None:
    editor, _ = talk
    made, asked = await begun(talk), list[tuple[str, list[str]]]()
    text = "".join(f"line {n} [all](command:x)\n" for n in range(1_000)) + "\u202ehidden"
    await do(editor, "refs.add", conversation=made, ref_id="long", content=f"\u202e{text}")

    def ask(params: lsp.ShowMessageRequestParams) -> lsp.MessageActionItem:
        asked.append((params.message, [one.title for one in params.actions or []]))
        return next(one for one in params.actions or [] if one.title.startswith("Always"))

    editor.client.protocol.fm.features[lsp.WINDOW_SHOW_MESSAGE_REQUEST] = ask
    for path in ("docs/a.txt", "docs/b.txt", "docs/deep/a.txt", "a.txt", "b.txt"):
        assert "success" in await calls(talk, made, f'ref_to_file(ref_id="long", file_path="{path}")')
    assert [answers[1] for _, answers in asked] == [
        f"Always allow in {folder}" for folder in ("shop/docs", "shop/docs/deep", "shop")
    ]
    (question, *shown), *_ = (message.split("\n") for message, _ in asked)
    assert question == "The model wants to write 1,001 lines to docs/a.txt."
    assert shown[1] == "\\u202eline 0 [all] (command:x)", "nothing is hidden by a character, or a link"
    assert shown[-1].endswith(" more characters")
    assert all(len(message) < 1_000 for message, _ in asked)
    known = (await do(editor, "permissions.list"))["permissions"]
    assert [one["folder"] for one in known] == [str(editor.root / name) for name in ("", "docs", "docs/deep")]


async def test_an_answer_for_new_files_holds_for_no_file_that_is_there(talk: Talk) -> None:
    editor, _ = talk
    made, asked = await begun(talk), list[str]()

    def ask(params: lsp.ShowMessageRequestParams) -> lsp.MessageActionItem:
        asked.append(params.message.partition("\n")[0])
        return next(one for one in params.actions or [] if one.title.startswith("Always"))

    editor.client.protocol.fm.features[lsp.WINDOW_SHOW_MESSAGE_REQUEST] = ask
    (editor.root / "Makefile").write_text("all:\n")
    for path, more in (
        ("a.txt", ""),
        ("new.txt", 'mode="append"'),
        ("unused.txt", "overwrite=True"),
        ("Makefile", 'mode="append"'),
        ("Makefile", 'mode="insert", insert_at_line=1'),
        ("Makefile", "overwrite=True"),
    ):
        call = f'ref_to_file(ref_id="note", file_path="{path}"{more and ", " + more})'
        assert "success" in await calls(talk, made, call)
    assert asked == [
        "The model wants to write 1 line to a.txt.",
        "The model wants to append 1 line to Makefile.",
        "The model wants to replace what is in Makefile by 1 line.",
    ]
    known = (await do(editor, "permissions.list"))["permissions"]
    assert [one["what"] for one in known] == ["add", "overwrite", "write"]


async def client(shop: Path, model: Scripted, **answers: Any) -> tuple[Raw, str]:
    """An editor that answers so, and a conversation with a ref."""
    it = await Raw.start({name.replace("_", "/"): answer for name, answer in answers.items()})
    await it.begin(shop, {"engine": {"kind": "openai", "url": model.url}})
    await it.ready()
    talk: str = (await it.command("palimpsest.conversation.new", {}))["result"]["conversation"]
    given = {"conversation": talk, "ref_id": "note", "content": "mine"}
    assert "result" in await it.command("palimpsest.refs.add", given)
    return it, talk


async def test_an_editor_that_cannot_ask_is_not_taken_for_a_person_who_refuses(
    machine: dict[str, str], shop: Path
) -> None:
    with scripted() as model:
        it, talk = await client(shop, model, window_showMessageRequest=RuntimeError("no such method"))
        model.replies = ['ref_to_file(ref_id="note", file_path="new.txt")', "Done."]
        assert "result" in await it.command("palimpsest.ask", {"conversation": talk, "text": "Write it."})
        assert "The editor cannot ask the person" in str(model.asked[-1]["messages"][-1])
        assert not (shop / "new.txt").exists()
        await it.leave()


@pytest.mark.slow(part="storms")
async def test_an_editor_that_never_answers_holds_nobody_up(machine: dict[str, str], shop: Path) -> None:
    """Without `workspace/applyEdit`: what is open there is not written; some editors apply it and do not say so."""
    with scripted() as model:
        it, talk = await client(shop, model, workspace_applyEdit=SILENCE)
        uri = await it.open(shop / "shop" / "cart.py")
        before = (shop / "shop" / "cart.py").read_text(encoding="utf-8")
        given = {"conversation": talk, "ref_id": "note", "file_path": "shop/cart.py", "mode": "append"}
        error = (await it.command("palimpsest.refs.write", given))["error"]
        assert error["message"].startswith(
            "The editor did not change shop/cart.py: it did not answer. It is open there"
        )

        async def applied(_: Any) -> Any:
            change = {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": f"{before}mine\n"}]}
            await it.notify("textDocument/didChange", change)
            return SILENCE

        it.answers["workspace/applyEdit"] = applied
        assert (await it.command("palimpsest.refs.write", given))["result"]["lines"] == 1
        it.answers["workspace/applyEdit"] = {"applied": False}
        talk_uri = await it.open(shop / "x.palimpsest.md", "Hello\n")
        error = (await it.command("palimpsest.conversation.send", {"uri": talk_uri}))["error"]
        assert error["message"].startswith("The editor did not change the document")
        await it.leave()
