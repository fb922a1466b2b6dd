"""The project's rules in what the model is shown."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types as lsp

from palimpsest.text.uris import to_uri

from .conftest import Editor, start_editor, stop_editor

CART = "shop/cart.py"
PLACE = "total = self.subtotal()"


async def rules(editor: Editor, uri: str) -> dict[str, str]:
    shown = await editor.show(uri, editor.at(uri, PLACE))
    found = {b["name"]: b["text"] for b in shown["blocks"] if b["type"] == "documentation"}
    return {name: text for name, text in found.items() if name in ("AGENTS.md", ".palimpsest/rules.md", "RULES.md")}


async def test_rules_are_shown_as_they_are_now_and_no_code_goes_for_them(editor: Editor) -> None:
    uri = editor.open(CART)
    before = await editor.settled(uri, editor.at(uri, PLACE))
    assert await rules(editor, uri) == {}
    agents = editor.root / "AGENTS.md"
    agents.write_text("\n\n".join(f"Rule {n}: amounts are whole cents, as in receipts." for n in range(400)))
    editor.client.workspace_did_change_watched_files(
        lsp.DidChangeWatchedFilesParams([lsp.FileEvent(to_uri(agents), lsp.FileChangeType.Created)])
    )
    after = await editor.settled(uri, editor.at(uri, PLACE))
    (text,) = (await rules(editor, uri)).values()
    assert text.startswith("Rule 0: amounts")
    assert text.endswith("\n(...)")
    code = {(b["type"], b["name"]) for b in before["blocks"] if b["type"] in ("class", "package", "scope")}
    assert code <= {(b["type"], b["name"]) for b in after["blocks"]}

    unsaved = editor.open("AGENTS.md", language="markdown")
    editor.edit(unsaved, editor.texts[unsaved], "Write tests.\n")
    assert await rules(editor, uri) == {"AGENTS.md": "Write tests."}
    assert (
        'name="AGENTS.md" editable="false">\nWrite tests.\n</context>'
        in (await editor.show(uri, editor.at(uri, PLACE)))["prompt"]
    )


async def test_the_setting_names_the_files(machine: dict[str, str], shop: Path) -> None:
    for name in ("AGENTS.md", "RULES.md"):
        (shop / name).write_text(f"From {name}.")
    editor = await start_editor(shop, {"context": {"rules": ["RULES.md", "../elsewhere.md"]}})
    try:
        await editor.ready()
        uri = editor.open(CART)
        assert await rules(editor, uri) == {"RULES.md": "From RULES.md."}
    finally:
        await stop_editor(editor)
