"""A conversation as a document: sent, streamed into, branched, stopped, folded."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from palimpsest.conversations.transcript.reading import parse

from .conftest import Editor, start_editor, stop_editor, until
from .scripted import Scripted, scripted

COST = "def cost(order: Order):\n    return order.weight()\n"
NAME = "talk.palimpsest.md"


@pytest.fixture
def said(machine: dict[str, str]) -> Iterator[Scripted]:
    with scripted() as it:
        it.replies = ["first answer", "second answer", "third answer"]
        yield it
        it.free.set()


@pytest.fixture
async def window(said: Scripted, tmp_path: Path) -> AsyncIterator[Editor]:
    root = tmp_path / "notes"
    root.mkdir()
    it = await start_editor(root, {"engine": {"kind": "openai", "url": said.url}})

    it.client.feature(lsp.WORKSPACE_CODE_LENS_REFRESH)(lambda *_: None)

    @it.client.feature(lsp.WORKSPACE_APPLY_EDIT)
    def apply(params: lsp.ApplyWorkspaceEditParams) -> lsp.ApplyWorkspaceEditResult:
        changes = [one for one in params.edit.document_changes or [] if isinstance(one, lsp.TextDocumentEdit)]
        if any(one.text_document.version != it.versions[one.text_document.uri] for one in changes):
            return lsp.ApplyWorkspaceEditResult(applied=False, failure_reason="it is older")
        it.apply(changes)
        return lsp.ApplyWorkspaceEditResult(applied=True)

    await it.ready()
    yield it
    await stop_editor(it)


def turns(window: Editor, uri: str) -> list[tuple[str, bool, str]]:
    return [(turn.role, turn.id is not None, turn.text) for turn in parse(window.texts[uri]).turns]


async def lenses(window: Editor, uri: str) -> list[str]:
    params = lsp.CodeLensParams(lsp.TextDocumentIdentifier(uri))
    found = await window.client.text_document_code_lens_async(params) or []
    return [one.command.title for one in found if one.command is not None]


async def is_shown(window: Editor, uri: str, reply: str) -> None:
    """Edits come behind the answer."""
    await until(lambda: ("assistant", True, reply) in turns(window, uri))


async def send(window: Editor, uri: str) -> str:
    reply: str = (await window.command("palimpsest.conversation.send", {"uri": uri}))["reply"]
    return reply


async def test_what_stands_last_is_sent_and_the_reply_comes_into_the_document(window: Editor) -> None:
    uri = window.open(NAME, "## user\n\nhello [[nowhere]]\n")
    assert await lenses(window, uri) == ["Send"]
    assert await send(window, uri) == "first answer"
    await is_shown(window, uri, "first answer")
    assert turns(window, uri) == [
        ("user", True, "hello [[nowhere]]"),
        ("assistant", True, "first answer"),
        ("user", False, ""),
    ]
    assert "- [[nowhere]] (not found: Document not found)" in window.texts[uri]
    assert parse(window.texts[uri]).id.startswith("c-")
    assert await lenses(window, uri) == ["Fork here", "Compact"]
    with pytest.raises(JsonRpcException, match="nothing to send"):
        await send(window, uri)
    window.texts[uri] += "more"
    window.told_changed(uri, lsp.TextDocumentContentChangeWholeDocument(window.texts[uri]))
    assert await send(window, uri) == "second answer"
    await is_shown(window, uri, "second answer")


async def test_an_edit_of_an_earlier_turn_starts_a_branch_after_asking(window: Editor, said: Scripted) -> None:
    answers: list[str] = ["No", "Go on from there"]
    asked: list[str] = []

    @window.client.feature(lsp.WINDOW_SHOW_MESSAGE_REQUEST)
    def ask(params: lsp.ShowMessageRequestParams) -> lsp.MessageActionItem:
        asked.append(params.message)
        return lsp.MessageActionItem(answers.pop(0))

    uri = window.open(NAME, "bonjour")
    await send(window, uri)
    await is_shown(window, uri, "first answer")
    window.edit(uri, "bonjour", "au revoir")
    assert await lenses(window, uri) == ["Send as another branch", "Fork here", "Compact"]
    with pytest.raises(JsonRpcException, match="nothing was sent"):
        await send(window, uri)
    assert await send(window, uri) == "second answer"
    await is_shown(window, uri, "second answer")
    assert turns(window, uri)[:2] == [("user", True, "au revoir"), ("assistant", True, "second answer")]
    assert len(asked) == 2
    assert "bonjour" not in str(said.asked[-1]["messages"])
    exported = await window.command("palimpsest.conversation.export", {"conversation": parse(window.texts[uri]).id})
    assert "au revoir" in exported["text"]


async def test_turns_behind_an_edited_one_keep_their_refs_calls_and_documents(window: Editor, said: Scripted) -> None:
    """A reply that is nothing but a call is no empty turn then."""
    window.client.feature(lsp.WINDOW_SHOW_MESSAGE_REQUEST)(lambda _: lsp.MessageActionItem("Go on from there"))
    call = {"index": 0, "id": "a", "function": {"name": "list_refs", "arguments": "{}"}}
    said.takes_tools = True
    said.replies = ["hi", '<ref id="one">\n1\n</ref>', [{"tool_calls": [call]}], "done", "other"]
    uri = window.open(NAME, "bonjour")
    for text in ("", "see [[nowhere]]", "list them"):
        window.texts[uri] += text
        window.told_changed(uri, lsp.TextDocumentContentChangeWholeDocument(window.texts[uri]))
        await is_shown(window, uri, await send(window, uri))
        await until(lambda: turns(window, uri)[-1] == ("user", False, ""))
    before = str(said.asked[-1]["messages"][3:])
    parts = [
        line for line in window.texts[uri].split("\n") if line.startswith(("Refs: ", "<details>", "- [[nowhere]]"))
    ]
    window.edit(uri, "bonjour", "au revoir")
    window.texts[uri] += "and now?"
    window.told_changed(uri, lsp.TextDocumentContentChangeWholeDocument(window.texts[uri]))
    await send(window, uri)
    await is_shown(window, uri, "other")
    assert str(said.asked[-1]["messages"][3:]).startswith(before[:-1]), "the model reads them as they were"
    assert len(parts) == 3
    assert parts == [one for one in window.texts[uri].split("\n") if one in parts]


async def test_where_the_conversation_has_gone_on_elsewhere_the_document_can_show_that_first(window: Editor) -> None:
    asked: list[str] = []

    @window.client.feature(lsp.WINDOW_SHOW_MESSAGE_REQUEST)
    def ask(params: lsp.ShowMessageRequestParams) -> lsp.MessageActionItem:
        asked.append(params.message)
        return lsp.MessageActionItem("Show them")

    uri = window.open(NAME, "bonjour")
    await send(window, uri)
    await is_shown(window, uri, "first answer")
    await until(lambda: turns(window, uri)[-1] == ("user", False, ""))
    before, talk = window.texts[uri], parse(window.texts[uri]).id
    await window.command("palimpsest.ask", {"text": "from elsewhere", "conversation": talk})
    await is_shown(window, uri, "second answer")
    await until(lambda: turns(window, uri)[-1] == ("user", False, ""))  # all of it has been written
    window.texts[uri] = f"{before}from here"  # as it is on disk, say, where another window has gone on
    window.told_changed(uri, lsp.TextDocumentContentChangeWholeDocument(window.texts[uri]))
    with pytest.raises(JsonRpcException, match="the document shows all of the conversation now"):
        await send(window, uri)
    await is_shown(window, uri, "second answer")
    assert [text for _, _, text in turns(window, uri)][2:] == ["from elsewhere", "second answer", "from here"]
    assert "it has gone on elsewhere" in asked[0]
    await send(window, uri)
    assert len(asked) == 1


async def test_a_conversation_that_is_answered_in_another_window_is_not_deleted(window: Editor, said: Scripted) -> None:
    said.free.clear()
    talk = (await window.command("palimpsest.conversation.new", {}))["conversation"]
    other = await start_editor(window.root, {"engine": {"kind": "openai", "url": said.url}})
    await other.ready()
    task = asyncio.create_task(window.command("palimpsest.ask", {"text": "bonjour", "conversation": talk}))
    await until(lambda: bool(said.asked))
    with pytest.raises(JsonRpcException, match="is being answered"):
        await other.command("palimpsest.conversation.delete", {"conversation": talk})
    said.free.set()
    assert (await task)["reply"] == "first answer"
    await other.command("palimpsest.conversation.delete", {"conversation": talk})
    await stop_editor(other)


async def test_a_reply_is_stopped_and_what_is_typed_meanwhile_stays(window: Editor, said: Scripted) -> None:
    said.free.clear()
    uri = window.open(NAME, "bonjour")
    task = asyncio.create_task(send(window, uri))
    await until(lambda: ("assistant", True, "") in turns(window, uri))
    assert await lenses(window, uri) == ["Stop"]
    window.texts[uri] += "\n## user\n\nwait"
    window.told_changed(uri, lsp.TextDocumentContentChangeWholeDocument(window.texts[uri]))
    assert (await window.command("palimpsest.conversation.stop", {"uri": uri}))["stopped"]
    await task
    await until(lambda: turns(window, uri)[-1] == ("user", False, "wait"))
    assert [role for role, _, _ in turns(window, uri)] == ["user", "assistant", "user"]
    assert not (await window.command("palimpsest.conversation.stop", {"uri": uri}))["stopped"]


def typed(window: Editor, uri: str, text: str) -> None:
    """At the end."""
    for char in text:
        window.texts[uri] += char
        window.told_changed(uri, lsp.TextDocumentContentChangeWholeDocument(window.texts[uri]))


@pytest.mark.parametrize("begin", ["", "\n## user\n\n"], ids=["text", "heading"])
async def test_what_is_typed_at_the_end_while_a_reply_comes_is_what_is_said_next(
    window: Editor, said: Scripted, begin: str
) -> None:
    said.free.clear()
    uri = window.open(NAME, "bonjour\n")
    task = asyncio.create_task(send(window, uri))
    await until(lambda: ("assistant", True, "") in turns(window, uri))
    assert turns(window, uri)[-1] == ("user", False, ""), "there is a place to write"
    typed(window, uri, f"{begin}My next question")
    said.free.set()
    await task
    await is_shown(window, uri, "first answer")
    wanted = [("user", True, "bonjour"), ("assistant", True, "first answer"), ("user", False, "My next question")]
    assert turns(window, uri) == wanted
    await send(window, uri)
    await is_shown(window, uri, "second answer")
    assert [text for _, _, text in turns(window, uri)] == [
        "bonjour",
        "first answer",
        "My next question",
        "second answer",
        "",
    ]


async def test_what_is_typed_on_right_after_send_is_what_is_said_next(window: Editor) -> None:
    apply, n_edits = window.client.protocol.fm.features[lsp.WORKSPACE_APPLY_EDIT], 0
    uri = window.open(NAME, "bonjour")

    def type_on(params: lsp.ApplyWorkspaceEditParams) -> lsp.ApplyWorkspaceEditResult:
        nonlocal n_edits
        n_edits += 1
        if n_edits == 2:  # the first is that of the front matter
            typed(window, uri, "PS: and you?")
        return apply(params)

    window.client.protocol.fm.features[lsp.WORKSPACE_APPLY_EDIT] = type_on
    await send(window, uri)
    await is_shown(window, uri, "first answer")
    assert turns(window, uri) == [
        ("user", True, "bonjour"),
        ("assistant", True, "first answer"),
        ("user", False, "PS: and you?"),
    ]


async def test_where_send_is_undone_while_the_reply_comes_nothing_is_written_and_the_person_is_told_once(
    window: Editor, said: Scripted
) -> None:
    said.free.clear()
    uri = window.open(NAME, "## user\n\nbonjour\n")
    task = asyncio.create_task(send(window, uri))
    await until(lambda: ("assistant", True, "") in turns(window, uri))
    talk = parse(window.texts[uri]).id
    window.texts[uri] = "## user\n\nbonjour\n"
    window.told_changed(uri, lsp.TextDocumentContentChangeWholeDocument(window.texts[uri]))
    said.free.set()
    await task
    await until(lambda: shown(window))
    assert window.texts[uri] == "## user\n\nbonjour\n"
    assert shown(window) == [
        "Palimpsest: talk.palimpsest.md does not name its conversation any more, so nothing is written into it. What is"
        " said is kept: open the conversation again to see it."
    ]
    assert "first answer" in (await window.command("palimpsest.conversation.open", {"conversation": talk}))["text"]


FRONT = """\
tags:
  - a
Title: "My Title"
description: |
  long
  id: none of ours
model: other
# a comment"""


@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "byte order mark"])
async def test_what_a_person_has_in_the_front_matter_stays_there(window: Editor, mark: str) -> None:
    uri = window.open(NAME, f"{mark}---\n{FRONT}\n---\n\n## user\n\nbonjour\n")
    await send(window, uri)
    await is_shown(window, uri, "first answer")
    front, _, _ = window.texts[uri].removeprefix(mark + "---\n").partition("\n---\n")
    first, *others, last = front.split("\n")
    assert first.startswith("id: c-")
    assert "\n".join(others) == FRONT.replace("model: other", "model: scripted-instruct")
    assert last == "workspace: notes"


async def test_a_byte_order_mark_is_no_part_of_what_is_said(window: Editor, said: Scripted) -> None:
    uri = window.open(NAME, "\ufeff## user\n\nbonjour\n")
    await send(window, uri)
    await is_shown(window, uri, "first answer")
    talk = parse(window.texts[uri]).id
    assert said.asked[-1]["messages"][-1]["content"].endswith("bonjour")
    typed(window, uri, "au revoir")
    await send(window, uri)
    await is_shown(window, uri, "second answer")
    assert parse(window.texts[uri]).id == talk
    assert len((await window.command("palimpsest.conversation.list", {}))["conversations"]) == 1


async def test_whether_its_file_still_shows_a_conversation_is_said(window: Editor) -> None:
    uri = window.open(NAME, "bonjour")
    await send(window, uri)
    await is_shown(window, uri, "first answer")
    talk, path = parse(window.texts[uri]).id, window.root / NAME

    async def is_file() -> bool:
        opened = await window.command("palimpsest.conversation.open", {"conversation": talk})
        assert opened["uri"] == uri
        return bool(opened["is_file"])

    path.unlink(missing_ok=True)
    assert not await is_file()
    path.write_text(window.texts[uri], encoding="utf-8")
    assert await is_file()
    path.write_text("# Something else\n", encoding="utf-8")
    assert not await is_file()


async def test_a_reply_comes_into_the_document_however_often_its_edits_come_too_late(
    window: Editor, said: Scripted
) -> None:
    """A person types all the time: each edit is of a text that is no longer so."""
    apply, n_edits = window.client.protocol.fm.features[lsp.WORKSPACE_APPLY_EDIT], 0
    uri = window.open(NAME, "bonjour")

    def type_on(params: lsp.ApplyWorkspaceEditParams) -> lsp.ApplyWorkspaceEditResult:
        nonlocal n_edits
        n_edits += 1
        if 1 < n_edits < 30:  # the first is that of the front matter
            window.texts[uri] += "."
            window.told_changed(uri, lsp.TextDocumentContentChangeWholeDocument(window.texts[uri]))
            return lsp.ApplyWorkspaceEditResult(applied=False, failure_reason="it is older")
        return apply(params)

    window.client.protocol.fm.features[lsp.WORKSPACE_APPLY_EDIT] = type_on
    await window.command("palimpsest.conversation.send", {"uri": uri})
    await until(lambda: "first answer" in window.texts[uri])
    assert n_edits >= 30
    assert not shown(window)


async def test_where_the_editor_lets_nothing_be_written_the_person_is_told_once_that_it_is_kept(
    window: Editor, said: Scripted
) -> None:
    """A document that is read-only, say, but for its front matter, which is the first edit."""
    apply = window.client.protocol.fm.features[lsp.WORKSPACE_APPLY_EDIT]
    n_edits = 0

    def refuse(params: lsp.ApplyWorkspaceEditParams) -> lsp.ApplyWorkspaceEditResult:
        nonlocal n_edits
        n_edits += 1
        return apply(params) if n_edits == 1 else lsp.ApplyWorkspaceEditResult(applied=False)

    uri = window.open(NAME, "bonjour")
    window.client.protocol.fm.features[lsp.WORKSPACE_APPLY_EDIT] = refuse
    await send(window, uri)
    await until(lambda: shown(window))
    assert shown(window) == [
        "Palimpsest: the editor does not let this conversation be written into talk.palimpsest.md. It is kept: open it"
        " again to see all of it."
    ]
    opened = await window.command("palimpsest.conversation.open", {"conversation": parse(window.texts[uri]).id})
    assert "first answer" in opened["text"]


def shown(window: Editor) -> list[str]:
    return [one.message for one in window.client.messages if one.type == lsp.MessageType.Warning]


async def actions(window: Editor, uri: str) -> dict[str, dict[str, Any]]:
    """Commands by title; lsprotocol takes every action with a command for a command, whose name is the command's
    text."""
    start = lsp.Position(0, 0)
    context = lsp.CodeActionContext([], trigger_kind=lsp.CodeActionTriggerKind.Invoked)
    params = lsp.CodeActionParams(lsp.TextDocumentIdentifier(uri), lsp.Range(start, start), context)
    found = await window.client.text_document_code_action_async(params) or []
    return {one.title: ast.literal_eval(str(one.command)) for one in found}


@pytest.mark.parametrize("name", ["how.palimpsest.md", "untitled:Untitled-1"])
async def test_send_is_a_code_action_too_also_in_a_document_of_no_file(window: Editor, name: str) -> None:
    uri = name if name.startswith("untitled:") else (window.root / name).as_uri()
    window.texts[uri], window.versions[uri] = "## user\n\nHello?\n", 1
    if name.startswith("untitled:"):  # it has no name to be known by
        begun = await window.command("palimpsest.conversation.new", {"name": "Other"})
        window.texts[uri] = f"{begun['text'].rstrip()}\n\nHello?\n"
    item = lsp.TextDocumentItem(uri, "markdown", 1, window.texts[uri])
    window.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
    command = (await actions(window, uri))["Palimpsest: send"]
    await window.command(command["command"], *command["arguments"])
    await is_shown(window, uri, "first answer")
    assert "Palimpsest: send" not in await actions(window, uri), "nothing is left to be sent"


async def test_there_are_no_completions_or_edits_in_a_conversation(window: Editor) -> None:
    uri = window.open(window.root / "how.palimpsest.md", "## user\n\nHow do I \n")
    assert not await window.complete(uri, lsp.Position(2, 9), invoked=True)
    assert not [title for title in await actions(window, uri) if "edit" in title.lower()]
    await until(
        lambda: (window.status["kind"], window.status["state"]) == ("Normal", "ready")
    )  # nothing is wrong there


async def test_a_reply_that_ends_inside_a_fence_does_not_swallow_what_is_said_next(
    window: Editor, said: Scripted
) -> None:
    """As one that was cut off at the most tokens does: the fence is closed, for whoever shows the conversation."""
    said.replies = ["See:\n\n```python\nprint(", "And more."]
    uri = window.open(NAME, "bonjour")
    await send(window, uri)
    await is_shown(window, uri, "See:\n\n```python\nprint(\n```")
    window.texts[uri] += "go on"
    window.told_changed(uri, lsp.TextDocumentContentChangeWholeDocument(window.texts[uri]))
    assert "Send" in await lenses(window, uri)
    await send(window, uri)
    await is_shown(window, uri, "And more.")
    assert turns(window, uri)[1:4] == [
        ("assistant", True, "See:\n\n```python\nprint(\n```"),
        ("user", True, "go on"),
        ("assistant", True, "And more."),
    ]


async def test_a_conversation_folds(window: Editor) -> None:
    uri = window.open(NAME, "hello [[nowhere]]")
    await send(window, uri)
    await is_shown(window, uri, "first answer")
    params = lsp.FoldingRangeParams(lsp.TextDocumentIdentifier(uri))
    found = await window.client.text_document_folding_range_async(params) or []
    lines = window.texts[uri].split("\n")
    assert {lines[one.start_line].split(" <!--")[0] for one in found} >= {"---", "## user", "## assistant"}
    assert any(lines[one.start_line] == "<!-- calls and documents -->" for one in found)
    plain = lsp.FoldingRangeParams(lsp.TextDocumentIdentifier(window.open("a.md", "# A\n\ntext\n")))
    assert not await window.client.text_document_folding_range_async(plain)


async def test_a_reply_that_was_cut_off_is_asked_for_again_and_another_takes_its_place(
    window: Editor, said: Scripted
) -> None:
    said.dies = True
    uri = window.open(NAME, "bonjour")
    with pytest.raises(JsonRpcException):
        await send(window, uri)
    await until(lambda: "Not finished: " in window.texts[uri])
    assert turns(window, uri)[1][2].strip() == "first"
    assert "Not finished: " in window.texts[uri]
    assert "Send again" in await lenses(window, uri)
    said.dies = False
    assert await send(window, uri) == "second answer"
    wanted = [("user", True, "bonjour"), ("assistant", True, "second answer"), ("user", False, "")]
    await until(lambda: turns(window, uri) == wanted)
    assert "Not finished: " not in window.texts[uri]


@pytest.mark.parametrize("waited", [0, 0.05, 0.1, 0.15])
async def test_what_is_asked_again_at_once_has_one_reply(window: Editor, said: Scripted, waited: float) -> None:
    """The end of the reply that was cut off is still being written into the document then."""
    said.dies = True
    uri = window.open(NAME, "bonjour")
    with pytest.raises(JsonRpcException):
        await send(window, uri)
    said.dies = False
    await asyncio.sleep(waited)
    assert await send(window, uri) == "second answer"
    wanted = [("user", True, "bonjour"), ("assistant", True, "second answer"), ("user", False, "")]
    await until(lambda: turns(window, uri) == wanted)


async def test_a_fork_has_a_document_beside_and_goes_on_alone(window: Editor, said: Scripted) -> None:
    made: list[str] = []
    cursors: list[lsp.Range | None] = []

    def show(params: lsp.ShowDocumentParams) -> lsp.ShowDocumentResult:
        made.append(params.uri)
        cursors.append(params.selection)
        return lsp.ShowDocumentResult(success=True)

    window.client.protocol.fm.features[lsp.WINDOW_SHOW_DOCUMENT] = show
    uri = window.open(NAME, "hello")
    await send(window, uri)
    await is_shown(window, uri, "first answer")
    first = parse(window.texts[uri])
    applied = window.client.protocol.fm.features[lsp.WORKSPACE_APPLY_EDIT]

    def create(params: lsp.ApplyWorkspaceEditParams) -> lsp.ApplyWorkspaceEditResult:
        changes = params.edit.document_changes or []
        if not changes or not isinstance(changes[0], lsp.CreateFile):
            result: lsp.ApplyWorkspaceEditResult = applied(params)
            return result
        written = changes[1]
        assert isinstance(written, lsp.TextDocumentEdit)
        (new,) = written.edits
        assert isinstance(new, lsp.TextEdit)
        (window.root / changes[0].uri.rpartition("/")[2]).write_text(new.new_text, encoding="utf-8")
        return lsp.ApplyWorkspaceEditResult(applied=True)

    window.client.protocol.fm.features[lsp.WORKSPACE_APPLY_EDIT] = create
    wanted = {"conversation": first.id, "turn": first.turns[1].id, "uri": uri}
    fork = await window.command("palimpsest.conversation.fork", wanted)
    assert made == [fork["uri"]]
    copy = window.open(fork["uri"].rpartition("/")[2])
    assert [turn[0] for turn in turns(window, copy)][:2] == ["user", "assistant"]
    assert parse(window.texts[copy]).id == fork["conversation"] != first.id
    end = lsp.Position(window.texts[copy].count("\n"), 0)
    assert cursors == [lsp.Range(end, end)], "where the person goes on"
    with pytest.raises(JsonRpcException, match="shows no turn"):
        await window.command("palimpsest.conversation.fork", {"conversation": first.id, "turn": 999})


async def test_usage_is_a_page_with_bars(window: Editor) -> None:
    uri = window.open(NAME, "hello")
    await send(window, uri)
    page = await window.command("palimpsest.virtual.read", {"uri": f"palimpsest:/usage/{parse(window.texts[uri]).id}"})
    assert "messages" in page["text"]
    assert "░" in page["text"]
    assert "8,192 tokens" in page["text"]
    with pytest.raises(JsonRpcException, match="there is no conversation"):
        await window.command("palimpsest.virtual.read", {"uri": "palimpsest:/usage/c-0"})


async def test_a_descriptor_is_summarized_by_the_model_and_that_is_kept(window: Editor, said: Scripted) -> None:
    uri = window.open(NAME, "hello")
    await send(window, uri)
    talk = {"conversation": parse(window.texts[uri]).id}
    made = await window.command("palimpsest.fd.create", {**talk, "content": "line\n" * 5000})
    said.replies = ["Five thousand lines."]
    await window.command("palimpsest.fd.summarize", {**talk, "fd": made["fd"]})
    (kept,) = (await window.command("palimpsest.fd.list", talk))["descriptors"]
    assert kept["summary"] == "Five thousand lines."


async def test_what_is_said_in_a_document_is_said_about_the_code_where_the_person_was_last(
    window: Editor, said: Scripted
) -> None:
    code = window.open("order.py", "class Order:\n    def weight(self):\n        return 5\n\n\n" + COST)
    at = lsp.Position(6, 10)
    cursor_at(window, code, at)
    shown = await window.settled(code, at)
    uri = window.open(NAME, "## user\n\nIs this right?\n")
    cursor_at(window, uri, window.edit(uri, "right?", "right? I doubt it.$0"))
    await send(window, uri)
    told = "\n".join(message["content"] for message in said.asked[-1]["messages"])
    assert shown["blocks"]
    assert all(block["text"].strip() in told for block in shown["blocks"])
    assert "def weight(self)" in told


def cursor_at(window: Editor, uri: str, position: lsp.Position) -> None:
    document = lsp.VersionedTextDocumentIdentifier(uri=uri, version=window.versions[uri])
    window.client.protocol.notify("palimpsest/cursor", {"textDocument": document, "position": position})
