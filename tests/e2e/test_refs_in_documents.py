"""Refs where a person meets them: in the conversation's document, in its answers, in files of the workspace."""

from __future__ import annotations

import ast
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from .talking import Talk, do, said, talking

FIB = "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)"
REPLY = f'See\n\n<ref id="fib" lang="python">\n{FIB}\n</ref>\n\nand\n\n<ref id="the note">\nIt is slow.\n</ref>\n'
NAME = "talk.palimpsest.md"


@pytest.fixture
async def talk(machine: dict[str, str], shop: Path) -> AsyncIterator[Talk]:
    async with talking(shop) as it:
        yield it


async def document(talk: Talk, reply: str, name: str = NAME) -> tuple[str, str]:
    """(Its uri, the conversation), where the model has said this."""
    editor, model = talk
    model.replies = [reply]
    answer = await do(editor, "ask", text="Go on.")
    shown = await do(editor, "conversation.open", conversation=answer["conversation"])
    if not name.startswith("untitled:"):
        return editor.open(name, shown["text"]), answer["conversation"]
    item = lsp.TextDocumentItem(name, "markdown", 1, shown["text"])
    editor.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
    editor.texts[name], editor.versions[name] = shown["text"], 1
    return name, answer["conversation"]


async def offered(talk: Talk, uri: str, text: str, kind: str = "ref") -> dict[str, dict[str, Any]]:
    """Commands by title, at the line that has this text."""
    editor, _ = talk
    line = next(n for n, one in enumerate(editor.texts[uri].split("\n")) if text in one)
    at = lsp.Position(line, 0)
    context = lsp.CodeActionContext([], only=[f"refactor.rewrite.palimpsest.{kind}"])
    params = lsp.CodeActionParams(lsp.TextDocumentIdentifier(uri), lsp.Range(at, at), context)
    found = await editor.client.text_document_code_action_async(params) or []
    return {one.title.removeprefix("Palimpsest: "): ast.literal_eval(str(one.command)) for one in found}


async def test_an_unclosed_ref_is_reported_not_stored(talk: Talk) -> None:
    editor, model = talk
    model.replies = ['<ref id="a">\nx\n</ref>\n\n<ref id="open">\nnever closed\n', "I see."]
    answer = await do(editor, "ask", text="Go on.")
    assert answer["refs"] == ["a"]
    (problem,) = answer["problems"]
    assert problem == 'Line 5: `<ref id="open">` is not closed, so it was not kept; write `</ref>` behind its content.'
    shown = (await do(editor, "conversation.open", conversation=answer["conversation"]))["text"]
    assert problem in shown.split("\n"), "code in Markdown, so nothing of it is escaped"
    await do(editor, "ask", text="Well?", conversation=answer["conversation"])
    told, asked = said(model)[-1][1].split("\n\n")
    assert told.startswith('<error type="invalid_argument" argument="ref">')
    assert problem.replace("</", "&lt;/", 1) in told or problem in told
    assert asked == "Well?"
    reply = {"conversation": answer["conversation"], "role": "assistant", "content": '<ref id="b">'}
    assert len((await do(editor, "conversation.append", **reply))["problems"]) == 1


@pytest.mark.parametrize("id", ["my ref", "src/app.py", "ünï→💥", "v1.", "7", "a#b?c%20d"])
async def test_links_and_hover_on_ids_whatever_they_are_called(talk: Talk, id: str) -> None:
    editor, _ = talk
    uri, _ = await document(talk, f'<ref id="{id}">\nthe content\n</ref>')
    (link,) = await editor.client.text_document_document_link_async(
        lsp.DocumentLinkParams(lsp.TextDocumentIdentifier(uri))
    ) or [None]
    assert link is not None
    assert link.target is not None
    assert (await do(editor, "virtual.read", uri=link.target))["text"] == "the content"
    params = lsp.HoverParams(lsp.TextDocumentIdentifier(uri), link.range.start)
    hover = await editor.client.text_document_hover_async(params)
    assert hover is not None
    assert "the content" in str(hover.contents)


async def test_turns_and_results_are_links_too(talk: Talk) -> None:
    editor, model = talk
    model.replies = ["list_refs()", "See turn-1 and result-2-0."]
    talk_id = (await do(editor, "ask", text="the question"))["conversation"]
    uri = editor.open(NAME, (await do(editor, "conversation.open", conversation=talk_id))["text"])
    links = await editor.client.text_document_document_link_async(
        lsp.DocumentLinkParams(lsp.TextDocumentIdentifier(uri))
    )
    texts = [(await do(editor, "virtual.read", uri=str(link.target)))["text"] for link in links or ()]
    assert texts == ["the question", '<ref_list count="0">\n</ref_list>']


async def test_code_actions_on_a_ref_in_the_document_write_append_and_insert_it(talk: Talk, shop: Path) -> None:
    editor, _ = talk
    cart = editor.open("shop/cart.py")
    editor.cursor(cart, lsp.Position(3, 0))
    uri, _ = await document(talk, REPLY)
    every = [await offered(talk, uri, text) for text in ("See", "def fib", "    return n", "It is slow.", "Refs:")]
    names = [sorted({title.split(" ref ")[1].split(" to ")[0].split(" at ")[0] for title in one}) for one in every]
    assert names == [[], ["fib"], ["fib"], ["the note"], ["fib", "the note"]]
    found = every[1]
    assert list(found) == [
        "write ref fib to fib.py",
        "append ref fib to shop/cart.py",
        "insert ref fib at shop/cart.py:4",
    ]
    before = editor.texts[cart].split("\n")
    for command in found.values():
        await editor.command(command["command"], command["arguments"][0])
    assert (shop / "fib.py").read_text(encoding="utf-8") == f"{FIB}\n"
    now = editor.texts[cart].split("\n")
    assert now[3:5] == FIB.split("\n")
    assert now[5] == before[3]
    assert editor.texts[cart].endswith(f"{FIB}\n")


async def test_a_ref_in_a_document_of_no_file_is_written_to_the_workspace(talk: Talk, shop: Path) -> None:
    uri, _ = await document(talk, REPLY, "untitled:Talk.palimpsest.md")
    found = await offered(talk, uri, "It is slow.")
    assert list(found) == ["write ref the note to the_note.txt"]
    await talk[0].command(found["write ref the note to the_note.txt"]["command"], *_arguments(found))
    assert (shop / "the_note.txt").read_text(encoding="utf-8") == "It is slow.\n"


def _arguments(found: dict[str, dict[str, Any]]) -> list[Any]:
    return list(next(iter(found.values()))["arguments"])


async def test_fork_here_and_compact_are_code_actions_too(talk: Talk) -> None:
    uri, talk_id = await document(talk, REPLY)
    assert list(await offered(talk, uri, "Go on.", "send")) == []
    found = await offered(talk, uri, "def fib", "send")
    assert list(found) == ["fork here", "compact"]
    assert found["compact"]["arguments"] == [{"conversation": talk_id}]


async def test_the_turn_sees_the_cursors_blocks_also_when_it_is_sent_from_its_document(talk: Talk) -> None:
    editor, model = talk
    cart = editor.open("shop/cart.py")
    editor.cursor(cart, editor.at(cart, "def total"))
    uri = editor.open(NAME, "## user\n\nWhat is it?\n")
    editor.cursor(uri, lsp.Position(2, 3))
    await do(editor, "conversation.send", uri=uri)
    assert "<workspace>" in str(model.asked[-1]["messages"])


async def test_front_matter_has_id_model_and_workspace(talk: Talk) -> None:
    editor, _ = talk
    uri = editor.open(NAME, "---\ncolour: blue\n---\n\n## user\n\nHello\n")
    answer = await do(editor, "conversation.send", uri=uri)
    front = editor.texts[uri].split("---")[1].strip().split("\n")
    assert front == [
        f"id: {answer['conversation']}", "colour: blue", "model: scripted-instruct", f"workspace: {editor.root.name}",
    ]  # fmt: skip
    opened = await do(editor, "conversation.open", conversation=answer["conversation"])
    assert "model: scripted-instruct\nworkspace: shop\n" in opened["text"]


async def test_a_document_of_another_database_goes_on_as_it_stands(talk: Talk) -> None:
    editor, model = talk
    text = "---\nid: c-00000000\n---\n\n## user <!-- turn 98 -->\n\nOne\n\n## assistant <!-- turn 99 -->\n\nTwo\n"
    uri = editor.open(NAME, f"{text}\n## user\n\nThree\n")
    await do(editor, "conversation.send", uri=uri)
    ((role, read),) = said(model)
    assert (role, re.findall("One|Two|Three", read)) == ("user", ["One", "Two", "Three"])
    for word in ("One", "Two", "Three"):
        assert editor.texts[uri].count(f"{word}\n") == 1
    assert "turn 98" not in editor.texts[uri]


async def test_where_refs_are_off_nobody_is_told_of_them_and_tags_are_text(machine: dict[str, str], shop: Path) -> None:
    async with talking(shop, {"conversation": {"refs": False}}) as it:
        editor, model = it
        uri, conversation = await document(it, REPLY)
        asked = model.asked[-1]["messages"][0]["content"]
        assert "read_fd" in asked
        assert not re.search(r"\brefs?\b", asked), "the model is not told of them"
        assert '<ref id="fib" lang="python">' in editor.texts[uri], "it stays as it was written"
        assert await offered(it, uri, "def fib") == {}
        appended = {"conversation": conversation, "role": "assistant", "content": '<ref id="b">\nx\n</ref>'}
        made = await do(editor, "conversation.append", **appended)
        assert (made["refs"], made["problems"]) == ([], [])
        asks: dict[str, dict[str, Any]] = {
            "list": {},
            "get": {"ref_id": "fib"},
            "add": {"ref_id": "a", "content": "b"},
            "write": {"ref_id": "fib", "file_path": "new.py"},
        }
        for name, argument in asks.items():
            with pytest.raises(JsonRpcException, match=r"refs, which are off.*conversation\.refs"):
                await do(editor, f"refs.{name}", conversation=conversation, **argument)
        model.replies = ['ref_to_file(ref_id="fib", file_path="new.py")', "Then not."]
        await do(editor, "ask", text="Write it.", conversation=conversation)
        assert "refs, which are off; the setting conversation.refs" in model.asked[-1]["messages"][-1]["content"]
        settings = {"palimpsest": {"conversation": {"refs": True}}}
        editor.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams(settings))
        model.replies = [REPLY]
        one = await do(editor, "ask", text="Again.", conversation=conversation)
        assert one["refs"] == ["fib", "the note"], "only replies from now on are searched"
        shown = (await do(editor, "conversation.open", conversation=conversation))["text"]
        assert shown.count('<ref id="fib" lang="python">') == 1
