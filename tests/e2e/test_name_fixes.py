"""A name that is defined nowhere is put right before anything that a small model writes; nothing else is touched."""

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp

from .conftest import Editor, start_editor, stop_editor
from .scripted import scripted
from .test_suggest import applied, suggest

WRONG = "self.discount.amount(totla)"
SUMMARY = "Write `total` for `totla`, which is defined nowhere."


async def first(editor: Editor, uri: str, at: str, **more: Any) -> tuple[str, dict[str, Any]]:
    """The text with the first suggestion in it, and that."""
    answer = await suggest(editor, uri, editor.at(uri, at), **more)
    if not answer["suggestions"]:
        return editor.texts[uri], {"summary": "", "agreement": 0}
    found = answer["suggestions"][0]
    return applied(editor.texts[uri], found["edit"]), found


async def test_the_name_that_is_meant_comes_first_whatever_the_replies_say(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    for n in (1, 4):
        text, found = await first(editor, uri, WRONG, n=n)
        assert text == editor.texts[uri].replace("totla", "total")
        assert (found["summary"], found["agreement"], found["flags"]) == (SUMMARY, 1.0, [])


async def test_all_of_a_function_at_once_also_two_on_a_line(editor: Editor) -> None:
    wrong = "def ends(values: list[int], größe: int) -> list[int]:\n    return [vlues[0], größ, größe + vaules[-1]]\n"
    uri = editor.open("shop/ends.py", wrong)
    text, found = await first(editor, uri, "return")
    assert text == wrong.replace("vlues", "values").replace("vaules", "values").replace("größ,", "größe,")
    assert found["summary"].endswith("which are defined nowhere.")


async def test_in_a_signature_that_the_class_around_it_shows_too(editor: Editor) -> None:
    right = editor.root.joinpath("shop/cart.py").read_text().replace("totla", "total")
    code = right.replace("def remove(self, name: str) -> bool:", "def remove(self, name: srt) -> bool:")
    uri = editor.open("shop/cart.py", code)
    text, found = await first(editor, uri, "line = self.find(name)")
    assert (text, found["summary"]) == (right, "Write `str` for `srt`, which is defined nowhere.")


async def test_a_name_of_another_file_lacks_an_import(editor: Editor) -> None:
    """It is in a block, and another letter of a name that can be written here."""
    code = "from shop.cart import Cart\n\n\ndef show(item: int, cart: Cart) -> None:\n    print(cart.lines, Item)\n"
    uri = editor.open("shop/show.py", code)
    shown = await editor.settled(uri, editor.at(uri, "print"))
    assert any("Item" in block["text"] for block in shown["blocks"])
    _, found = await first(editor, uri, "print")
    assert "`Item`" not in found["summary"]


@pytest.mark.parametrize(("where", "meant"), [("in itemz:", "items"), ("(itemz.", "item")])
async def test_of_several_that_are_as_near_the_model_says_which(editor: Editor, where: str, meant: str) -> None:
    """The same slip is mended as its place asks for."""
    loop = "    for item in items:\n        print(item.name)\n"
    code = f"def show(item, items):\n{loop}{loop}"
    right = where.replace("itemz", meant)
    wrong = where.join(code.rsplit(right, 1))
    uri = editor.open("shop/several.py", wrong)
    text, found = await first(editor, uri, "itemz")
    assert text == code
    assert found["summary"] == f"Write `{meant}` for `itemz`, which is defined nowhere."


async def test_what_was_asked_for_goes_before_it(editor: Editor) -> None:
    """An instruction about something else, other lines, names that are said twice or that nothing is like."""
    uri = editor.open("shop/cart.py")
    _, found = await first(editor, uri, WRONG, instruction="Add a docstring.")
    assert found["summary"] != SUMMARY
    _, found = await first(editor, uri, WRONG, instruction='"totla" is not defined')
    assert found["summary"] == SUMMARY
    line = editor.at(uri, "total = self.subtotal()").line
    selected = {"start": {"line": line, "character": 0}, "end": {"line": line, "character": 1}}
    _, found = await first(editor, uri, WRONG, range=selected)
    assert found["summary"] != SUMMARY
    editor.edit(uri, "return total\n", "return total + totla\n")
    _, found = await first(editor, uri, WRONG)
    assert found["summary"] != SUMMARY
    editor.edit(uri, "return total + totla\n", "return total + qqqq\n")
    text, found = await first(editor, uri, WRONG)
    assert (found["summary"], "qqqq" in text) == (SUMMARY, True)


async def test_rejected_it_does_not_come_again(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    _, found = await first(editor, uri, WRONG)
    await editor.command("palimpsest.suggest.reject", {"id": found["id"]})
    answer = await suggest(editor, uri, editor.at(uri, WRONG))
    assert SUMMARY not in [one["summary"] for one in answer["suggestions"]]
    assert "rejected" in str(answer["refused"])


@pytest.mark.parametrize(("choice", "is_first"), [("never", False), ("always", True)])
async def test_the_setting_and_models_that_are_told_how_to_edit(shop: Path, choice: str, *, is_first: bool) -> None:
    reply = '<suggestion name="editing">\nL6-\n</suggestion>\n<summary>Theirs.</summary>'
    with scripted() as engine:
        engine.replies = [reply]
        settings = {"engine": {"kind": "openai", "url": engine.url}, "suggestion": {"mend_names": choice}}
        editor = await start_editor(shop, settings)
        try:
            await editor.ready()
            uri = editor.open("shop/cart.py")
            answer = await suggest(editor, uri, editor.at(uri, WRONG))
            assert [one["summary"] for one in answer["suggestions"]] == [SUMMARY] * is_first + ["Theirs."]
            assert answer["suggestions"][-1]["agreement"] == 1.0
        finally:
            await stop_editor(editor)


async def test_a_quick_fix_of_the_name_applies_it(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    position = editor.at(uri, WRONG)
    diagnostic = lsp.Diagnostic(range=lsp.Range(position, position), message='"totla" is not defined')
    params = lsp.CodeActionParams(
        text_document=lsp.TextDocumentIdentifier(uri),
        range=lsp.Range(position, position),
        context=lsp.CodeActionContext(diagnostics=[diagnostic], only=["quickfix.palimpsest"]),
    )
    found = await editor.client.text_document_code_action_async(params)
    assert found
    action = found[0]
    assert isinstance(action, lsp.CodeAction)
    resolved = await editor.client.code_action_resolve_async(action)
    assert resolved.edit is not None
    assert resolved.edit.document_changes
    edit = resolved.edit.document_changes[0]
    assert isinstance(edit, lsp.TextDocumentEdit)
    change = edit.edits[0]
    assert not isinstance(change, lsp.SnippetTextEdit)
    assert change.new_text == "            total -= self.discount.amount(total)\n"
