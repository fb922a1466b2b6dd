"""Refs through the editor: listed, read, written to files; named after `response-references.md`'s sentences."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from palimpsest.conversations.database_path import path_of
from palimpsest.conversations.memory import Memory
from palimpsest.conversations.refs.tags import extract

from .conftest import Editor, plain

FIRST = "def shipping():\n    return 5"
SECOND = "def shipping():\n    return 6"


@pytest.fixture
def memory(editor: Editor, shop: Path) -> Iterator[Memory]:
    """What the window keeps, as another window on the same folder sees it."""
    opened = Memory.open(path_of([shop.resolve()]))
    yield opened
    opened.close()


@pytest.fixture
def conversation(memory: Memory) -> str:
    made = memory.conversations.new("Shipping")
    for content in (FIRST, SECOND):
        reply = f'<ref id="shipping" lang="python">\n{content}\n</ref>'
        turn = memory.turns.add(made.id, "assistant", reply)
        memory.refs.store(made.id, turn.id, extract(reply))
    reply = '<ref id="note">\nOrders above 100 are free.\n</ref>'
    memory.refs.store(made.id, memory.turns.add(made.id, "assistant", reply).id, extract(reply))
    return made.id


async def run(editor: Editor, command: str, **argument: Any) -> dict[str, Any]:
    answer = await editor.client.workspace_execute_command_async(lsp.ExecuteCommandParams(command, [argument]))
    return plain(answer)  # type: ignore[no-any-return]


async def refused(editor: Editor, command: str, **argument: Any) -> tuple[int, str]:
    with pytest.raises(JsonRpcException) as error:
        await run(editor, command, **argument)
    return error.value.code, error.value.message


def given_command(action: lsp.Command | lsp.CodeAction) -> dict[str, Any]:
    """Of an action; lsprotocol takes every action with a command for a command, whose name is the command's text."""
    assert isinstance(action, lsp.Command)
    command: dict[str, Any] = ast.literal_eval(action.command)
    return command


def applies(editor: Editor) -> list[lsp.ApplyWorkspaceEditParams]:
    """The edits that the editor is told to apply; it applies them."""
    seen = list[lsp.ApplyWorkspaceEditParams]()

    @editor.client.feature(lsp.WORKSPACE_APPLY_EDIT)
    def apply(params: lsp.ApplyWorkspaceEditParams) -> lsp.ApplyWorkspaceEditResult:
        seen.append(params)
        changes = params.edit.document_changes
        assert changes is not None
        editor.apply([change for change in changes if isinstance(change, lsp.TextDocumentEdit)])
        return lsp.ApplyWorkspaceEditResult(applied=True)

    return seen


async def test_references_persist_and_are_listed_and_read_with_every_version(editor: Editor, conversation: str) -> None:
    listed = await run(editor, "palimpsest.refs.list", conversation=conversation)
    assert listed["count"] == 2
    assert [(ref["id"], ref["versions"], ref["lines"], ref["language"]) for ref in listed["refs"]] == [
        ("shipping", 2, 2, "python"),
        ("note", 1, 1, ""),
    ]
    assert listed["xml"].startswith('<ref_list count="2">\n  <ref id="shipping" created="')
    newest = await run(editor, "palimpsest.refs.get", conversation=conversation, ref_id="shipping")
    assert (newest["id"], newest["content"]) == ("shipping", SECOND)
    assert newest["xml"] == f'<ref_content id="shipping" version="2">\n{SECOND}\n</ref_content>'
    first = await run(editor, "palimpsest.refs.get", conversation=conversation, ref_id="shipping", version=1)
    assert first["content"] == FIRST


async def test_referenced_content_is_exported_to_a_new_file(editor: Editor, conversation: str, shop: Path) -> None:
    done = await run(
        editor, "palimpsest.refs.write", conversation=conversation, ref_id="shipping", file_path="new/shipping.py"
    )
    assert (shop / "new" / "shipping.py").read_text(encoding="utf-8") == SECOND + "\n"
    assert {key: done[key] for key in ("ref_id", "file_path", "mode", "bytes", "lines")} == {
        "ref_id": "shipping",
        "file_path": "new/shipping.py",
        "mode": "write",
        "bytes": len(SECOND) + 1,
        "lines": 2,
    }
    assert done["xml"].startswith(
        '<ref_write ref_id="shipping" file_path="new/shipping.py" success="true" mode="write">'
    )


async def test_referenced_content_is_appended_and_inserted_on_the_disk_where_no_editor_has_the_file_open(
    editor: Editor, conversation: str, shop: Path
) -> None:
    file = shop / "terms.txt"
    file.write_bytes(b"one\r\ntwo\r\n")
    given: dict[str, Any] = {"conversation": conversation, "ref_id": "note", "file_path": "terms.txt"}
    await run(editor, "palimpsest.refs.write", **given, mode="append")
    await run(editor, "palimpsest.refs.write", **given, mode="insert", insert_at_line=2)
    note = b"Orders above 100 are free."
    assert file.read_bytes() == b"one\r\n" + note + b"\r\ntwo\r\n" + note + b"\r\n"


async def test_what_is_open_in_the_editor_is_changed_there_so_that_undo_works(
    editor: Editor, conversation: str, shop: Path
) -> None:
    seen = applies(editor)
    uri = editor.open("shop/cart.py")
    before = editor.texts[uri]
    given: dict[str, Any] = {"conversation": conversation, "ref_id": "shipping", "file_path": "shop/cart.py"}
    await run(editor, "palimpsest.refs.write", **given, mode="insert", insert_at_line=1)
    assert editor.texts[uri] == f"{SECOND}\n{before}"
    assert (shop / "shop" / "cart.py").read_text(encoding="utf-8") == before, "the file itself is the editor's to save"
    assert len(seen) == 1
    code, message = await refused(editor, "palimpsest.refs.write", **given)
    assert (code, "exists already" in message) == (-32602, True)
    await run(editor, "palimpsest.refs.write", **given, overwrite=True)
    assert editor.texts[uri] == SECOND + "\n"


async def test_an_existing_file_is_never_overwritten_without_saying_so(
    editor: Editor, conversation: str, shop: Path
) -> None:
    file = shop / "shop" / "cart.py"
    before = file.read_text(encoding="utf-8")
    given: dict[str, Any] = {"conversation": conversation, "ref_id": "shipping", "file_path": "shop/cart.py"}
    code, message = await refused(editor, "palimpsest.refs.write", **given)
    assert code == -32602
    assert message.startswith("file_path: shop/cart.py exists already.")
    answers, questions = iter(["No", "Replace"]), []

    @editor.client.feature(lsp.WINDOW_SHOW_MESSAGE_REQUEST)
    def ask(params: lsp.ShowMessageRequestParams) -> lsp.MessageActionItem:
        questions.append(params.message)
        return lsp.MessageActionItem(next(answers))

    assert (await refused(editor, "palimpsest.refs.write", **given, ask=True))[0] == -32602
    assert file.read_text(encoding="utf-8") == before
    await run(editor, "palimpsest.refs.write", **given, ask=True)
    assert file.read_text(encoding="utf-8") == SECOND + "\n"
    assert questions == ["shop/cart.py exists already. Replace what is in it?"] * 2


@pytest.mark.parametrize(
    ("argument", "field"),
    [
        ({"ref_id": "nothing", "file_path": "x.py"}, "ref_id: there is no ref 'nothing'"),
        ({"ref_id": "note", "file_path": "../x.py"}, "file_path: ../x.py is not inside the workspace"),
        ({"ref_id": "note", "file_path": "x.txt", "mode": "insert"}, "insert_at_line"),
        ({"ref_id": "note", "file_path": "x.txt", "mode": "delete"}, "mode"),
        ({"ref_id": "note", "file_path": "README.md", "mode": "insert", "insert_at_line": 9999}, "insert_at_line"),
        ({"ref_id": "note", "file_path": "x.txt", "conversation": "c-none"}, "conversation"),
        ({"ref_id": "note"}, "file_path"),
    ],
)
async def test_a_wrong_argument_is_named_with_what_would_be_right(
    editor: Editor, conversation: str, argument: dict[str, Any], field: str
) -> None:
    code, message = await refused(editor, "palimpsest.refs.write", **{"conversation": conversation, **argument})
    assert (code, message.startswith(field)) == (-32602, True), message


@pytest.mark.skipif(sys.platform == "win32", reason="needs links")
async def test_no_link_leads_out_of_the_workspace(
    editor: Editor, conversation: str, shop: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("mine", encoding="utf-8")
    (shop / "link.txt").symlink_to(outside)
    given: dict[str, Any] = {"conversation": conversation, "ref_id": "note", "file_path": "link.txt", "overwrite": True}
    assert (await refused(editor, "palimpsest.refs.write", **given))[0] == -32602
    assert outside.read_text(encoding="utf-8") == "mine"


async def test_on_any_place_in_a_file_a_ref_can_be_inserted_appended_and_written_to_a_file(
    editor: Editor, conversation: str, shop: Path
) -> None:
    applies(editor)
    uri = editor.open("shop/cart.py")
    at = lsp.Position(3, 0)
    context = lsp.CodeActionContext([], only=["refactor.rewrite.palimpsest.ref"])
    params = lsp.CodeActionParams(lsp.TextDocumentIdentifier(uri), lsp.Range(at, at), context)
    found = await editor.client.text_document_code_action_async(params)
    assert found is not None
    by_title = {action.title: given_command(action) for action in found}
    assert list(by_title) == [
        "Palimpsest: insert ref note here",
        "Palimpsest: append ref note to this file",
        "Palimpsest: write ref note to note.txt",
        "Palimpsest: insert ref shipping here",
        "Palimpsest: append ref shipping to this file",
        "Palimpsest: write ref shipping to shipping.py",
    ]
    lines = editor.texts[uri].split("\n")
    for title in ("insert ref note here", "append ref shipping to this file", "write ref shipping to shipping.py"):
        command = by_title[f"Palimpsest: {title}"]
        await run(editor, command["command"], **command["arguments"][0])
    changed = editor.texts[uri].split("\n")
    assert changed[3] == "Orders above 100 are free."
    assert changed[4] == lines[3]
    assert editor.texts[uri].endswith(SECOND + "\n")
    assert (shop / "shop" / "shipping.py").read_text(encoding="utf-8") == SECOND + "\n"


DOCUMENT = """---
id: {talk}
---

## user <!-- turn {asked} -->

How?

## assistant <!-- turn {said} -->

Like this:

```python
def total(items):
    return sum(items)
```

or in words.
"""


def conversation_document(editor: Editor, memory: Memory, shop: Path) -> tuple[str, str, int]:
    """(Its uri, the conversation, the turn with a code block)."""
    talk = memory.conversations.new("How").id
    asked = memory.turns.add(talk, "user", "How?").id
    said = memory.turns.add(talk, "assistant", DOCUMENT.rpartition("-->")[2].strip()).id
    memory.turns.add(talk, "user", "Thanks.")
    text = DOCUMENT.format(talk=talk, asked=asked, said=said)
    (shop / "how.palimpsest.md").write_text(text, encoding="utf-8")
    return editor.open("how.palimpsest.md"), talk, said


async def offered(editor: Editor, uri: str, kind: str, start: tuple[int, int], end: tuple[int, int]) -> dict[str, Any]:
    where = lsp.Range(lsp.Position(*start), lsp.Position(*end))
    context = lsp.CodeActionContext([], only=[f"refactor.rewrite.palimpsest.{kind}"])
    params = lsp.CodeActionParams(lsp.TextDocumentIdentifier(uri), where, context)
    found = await editor.client.text_document_code_action_async(params) or []
    return {action.title: given_command(action) for action in found}


async def test_a_code_fence_is_turned_into_a_ref_by_a_code_action(editor: Editor, memory: Memory, shop: Path) -> None:
    uri, talk, said = conversation_document(editor, memory, shop)
    title = "Palimpsest: make this code block a ref (total)"
    fence = editor.texts[uri].split("\n").index("```python")
    for line in (fence, fence + 1, fence + 3):
        assert title in await offered(editor, uri, "ref", (line, 0), (line, 0))
    for line in (0, fence - 1, fence + 4, fence + 5):
        assert title not in await offered(editor, uri, "ref", (line, 0), (line, 0))
    command = (await offered(editor, uri, "ref", (fence, 0), (fence, 0)))[title]
    made = await run(editor, command["command"], **command["arguments"][0])
    assert (made["id"], made["language"]) == ("total", "python")
    kept = memory.refs.get(talk, "total")
    assert (memory.refs.content(kept), kept.turn) == ("def total(items):\n    return sum(items)", said)
    assert title not in await offered(editor, uri, "ref", (fence, 0), (fence, 0)), "it is one already"
    assert (await refused(editor, "palimpsest.refs.add", conversation=talk, ref_id="x", content="x", turn=9999))[
        1
    ].startswith("turn: ")


async def test_a_selection_is_put_into_a_descriptor_by_a_code_action(
    editor: Editor, memory: Memory, shop: Path
) -> None:
    _, talk, _ = conversation_document(editor, memory, shop)
    memory.conversations.set_uri(talk, (shop / "how.palimpsest.md").as_uri())
    uri = editor.open("shop/cart.py")
    title = "Palimpsest: put this selection into a descriptor of “How”"
    command = (await offered(editor, uri, "fd", (0, 0), (3, 0)))[title]
    await run(editor, command["command"], **command["arguments"][0])
    assert memory.descriptors.text(talk, "fd-1") == "\n".join(editor.texts[uri].split("\n")[:3]) + "\n"
    assert memory.descriptors.get(talk, "fd-1").source == "selection:shop/cart.py"
    assert not await offered(editor, uri, "fd", (3, 0), (3, 0)), "nothing is selected"
    assert not await offered(editor, uri, "ref", (0, 0), (3, 0)), "the conversation has no ref"


async def test_refs_of_the_same_id_are_told_apart_by_their_conversation(
    editor: Editor, conversation: str, memory: Memory, shop: Path
) -> None:
    _, how, _ = conversation_document(editor, memory, shop)
    other = editor.open("other.palimpsest.md", f"---\nid: {conversation}\n---\n")
    memory.conversations.rename(conversation, "Other")
    for talk, uri in ((conversation, other), (how, (shop / "how.palimpsest.md").as_uri())):
        memory.conversations.set_uri(talk, uri)
    memory.refs.add(how, None, "note", "x = 1")
    memory.refs.add(how, None, "only here", "x = 1")
    found = await offered(editor, editor.open("shop/cart.py"), "ref", (3, 0), (3, 0))
    assert {title.removeprefix("Palimpsest: ") for title in found if "insert" in title} == {
        "insert ref note of “Other” here",
        "insert ref note of “How” here",
        "insert ref shipping here",
        "insert ref only here here",
    }


async def test_another_window_sees_the_refs_of_a_conversation(
    editor: Editor, conversation: str, memory: Memory
) -> None:
    memory.refs.add(conversation, None, "late", "x = 1")
    listed = await run(editor, "palimpsest.refs.list", conversation=conversation)
    assert [ref["id"] for ref in listed["refs"]] == ["shipping", "note", "late"]
