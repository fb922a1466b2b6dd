"""Why a name is in the context or is not, asked as an editor asks it."""

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from palimpsest.text.uris import to_uri

from .conftest import Editor, start_editor, stop_editor

WHY = "palimpsest.context.why"
USE = "rows.append(format_"


def place(uri: str, position: lsp.Position) -> dict[str, Any]:
    return {"uri": uri, "position": {"line": position.line, "character": position.character}}


async def test_a_name_at_the_cursor_is_followed_from_where_it_is_defined_to_the_cache(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    position = editor.at(uri, USE)
    assert await editor.indexed(next(iter(editor.texts)))
    await editor.settled(uri, position)
    found = await editor.command(WHY, place(uri, position))
    assert found["name"] == "format_price"
    assert found["editing"] == {"type": "function", "name": "Cart.receipt", "file": "shop/cart.py"}
    assert found["summary"] == "The model sees it in package shop.item."
    (definition,) = found["definitions"]
    assert (definition["uri"], definition["kind"]) == (to_uri(editor.root / "shop/item.py"), "function")
    assert "def format_price" in (editor.root / "shop/item.py").read_text().split("\n")[definition["line"]]
    assert [(it["module"], it["origin"]) for it in found["imports"]] == [("shop.item", "workspace")]
    first = found["blocks"][0]
    assert (first["source"], first["outcome"], first["declares"]) == ("package", "chosen", True)
    assert "format_price(cents: int" in first["text"]
    shown = (await editor.show(uri, position))["blocks"]
    assert [it for it in shown if it["name"] == "shop.item"] == [first["block"]]
    assert first["block"]["state"] == "resident"
    assert [(it["type"], it["name"]) for it in found["order"] if it["chosen"]] == [
        (b["type"], b["name"]) for b in shown
    ]

    page = await editor.command("palimpsest.page", {"name": "why", **place(uri, position)})
    assert page["title"] == "Why: format_price"
    assert found["summary"] in page["text"]
    assert [it["block"]["name"] for it in page["links"]] == [it["block"]["name"] for it in found["blocks"]]
    for name in ("palimpsest:/why", "palimpsest:/why/format_price"):
        assert (await editor.command("palimpsest.virtual.read", {"uri": name}))["text"] == page["text"]


async def test_the_last_cursor_counts_where_no_document_is_named(editor: Editor) -> None:
    with pytest.raises(JsonRpcException, match="where the cursor is"):
        await editor.command(WHY, {"name": "format_price"})
    uri = editor.open("shop/cart.py")
    editor.cursor(uri, editor.at(uri, USE))
    assert (await editor.command(WHY))["name"] == "format_price"
    assert (await editor.command(WHY, {"name": "Discount"}))["name"] == "Discount"


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"position": {"line": 0, "character": 0}}, "there is no name at the cursor"),
        ({"position": {"line": 9999, "character": 9999}}, "there is no name at the cursor"),
        ({"name": "two words"}, "name"),
        ({"name": "x" * 300}, "name"),
        ({"name": "a.b"}, "name"),
        ({"uri": "file:///nowhere/at/all.py", "name": "x"}, "uri"),
    ],
)
async def test_what_is_no_name_is_refused_with_a_sentence(editor: Editor, asked: dict[str, Any], field: str) -> None:
    uri = editor.open("shop/blank.py", "\n\nx = 1\n\n")
    with pytest.raises(JsonRpcException, match=field) as caught:
        await editor.command(WHY, {"uri": uri, **asked})
    assert caught.value.code == -32602


@pytest.mark.parametrize(
    ("text", "at", "summary"),
    [
        ("def f():\n    return 1\n", "ret", "It comes with the language, so no source looks for it."),
        ("def f():\n    return 'word'\n", "'wo", "The code at the cursor does not use it, so no source looks for it."),
        (
            "def f():\n    word = 1\n    return word\n",
            "    wo",
            "The model sees it: the code at the cursor shows line 2",
        ),
    ],
)
async def test_keywords_strings_and_names_of_the_function(editor: Editor, text: str, at: str, summary: str) -> None:
    uri = editor.open("shop/new.py", text)
    assert await editor.indexed(next(iter(editor.texts)))
    assert (await editor.command(WHY, place(uri, editor.at(uri, at))))["summary"].startswith(summary)


async def test_a_name_that_is_being_typed_counts_as_one_that_stands_there(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    position = editor.edit(uri, USE, "x = format_price\n        " + USE)
    found = await editor.command(WHY, place(uri, position))
    assert (found["name"], found["uses"]) == ("format_price", [""])


async def test_a_document_outside_of_the_workspace_or_of_another_kind_is_answered(
    editor: Editor, tmp_path: Path
) -> None:
    for name, text in ((str(tmp_path / "outside.py"), "def f(word):\n    return word\n"), ("NOTES.md", "Some word.\n")):
        uri = editor.open(name, text)
        found = await editor.command(WHY, place(uri, editor.at(uri, "word")))
        assert found["name"] == "word"
        assert found["summary"]


@pytest.mark.parametrize("name", [".env", "hidden.py"])
async def test_of_a_document_that_no_model_may_see_nothing_is_said(editor: Editor, name: str) -> None:
    (editor.root / ".palimpsestignore").write_text("hidden.py\n")
    (editor.root / name).write_text("very_secret_name = 1\n")
    uri = editor.open(name)
    with pytest.raises(JsonRpcException) as caught:
        await editor.command(WHY, place(uri, lsp.Position(0, 2)))
    assert "very_secret_name" not in str(caught.value)
    assert caught.value.code == -32602
    uri = editor.open("shop/cart.py")
    found = await editor.command(WHY, {**place(uri, editor.at(uri, USE)), "name": "very_secret_name"})
    assert (found["definitions"], found["blocks"]) == ([], [])
    assert Path(name).stem not in found["summary"]


async def test_of_several_folders_a_definition_says_which(shop: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "tools.py").write_text("def only_in_the_other_folder(): ...\n")
    editor = await start_editor(shop)
    try:
        folders = lsp.WorkspaceFoldersChangeEvent([lsp.WorkspaceFolder(to_uri(other), "other")], [])
        editor.client.workspace_did_change_workspace_folders(lsp.DidChangeWorkspaceFoldersParams(folders))
        uri = editor.open("shop/new.py", "def f():\n    only_in_the_other_folder()\n    return 1\n")
        assert await editor.indexed(next(iter(editor.texts)))
        found = await editor.command(WHY, place(uri, editor.at(uri, "only_in")))
        assert [it["file"] for it in found["definitions"]] == ["other/tools.py"]
    finally:
        await stop_editor(editor)
