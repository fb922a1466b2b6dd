"""Code inside of Markdown and HTML through a real client: its editing block, names and completion, and the check of its
edits, are those of its own language."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types as lsp

from .conftest import Editor, start_editor, stop_editor
from .scripted import scripted
from .test_name_fixes import first
from .test_suggest import applied

GUIDE = """\
# The shop

Fill a cart first:

1. Install it.
2. Call it:

   ```python
   class Basket:
       def add(self, price):
           self.total = price

   def filled(prices):
       basket = Basket()
       for price in prices:
           basket.add(prise)
       return basket
   ```

Then pay.
"""
PAGE = """\
<!doctype html>
<html>
<head>
<style>
.cart {
  display: grid;
}
.till {
  color: red;
}
</style>
</head>
<body><p>Cart</p></body>
</html>
"""


async def test_code_in_a_document_is_seen_in_its_own_language(editor: Editor) -> None:
    guide = editor.open("guide.md", GUIDE, language="markdown")
    at = editor.at(guide, "basket.add(prise)")
    shown = await editor.settled(guide, at)
    assert (shown["editing"]["type"], shown["editing"]["name"]) == ("function", "filled")
    assert "   def filled(prices):" in shown["editing"]["text"]
    assert "Then pay" not in shown["editing"]["text"]
    assert "def add(self, price)" in next(block["text"] for block in shown["blocks"] if block["type"] == "class")
    assert (await editor.settled(guide, editor.at(guide, "Then pay")))["editing"]["type"] == "file"
    page = editor.open("page.html", PAGE, language="html")
    inner = (await editor.settled(page, editor.at(page, "display: grid")))["editing"]["text"]
    assert ".cart {" in inner
    assert "<style>" not in inner
    assert "<body>" in (await editor.settled(page, editor.at(page, "<p>Cart")))["editing"]["text"]


async def test_a_misspelt_name_in_it_is_found(editor: Editor) -> None:
    guide = editor.open("guide.md", GUIDE, language="markdown")
    text, found = await first(editor, guide, "basket.add(prise)")
    assert text == GUIDE.replace("prise", "price")
    assert found["summary"] == "Write `price` for `prise`, which is defined nowhere."


async def test_a_completion_in_it_ends_where_its_own_tree_says(machine: dict[str, str], shop: Path) -> None:
    with scripted() as engine:
        engine.replies = ["add(price)\n       return basket\n   ```\n\nThen pay.\n"]
        editor = await start_editor(shop, {"engine": {"kind": "openai", "url": engine.url}})
        try:
            await editor.ready()
            typed = GUIDE.replace("basket.add(prise)", "basket.")
            guide = editor.open("guide.md", typed, language="markdown")
            line = typed[: typed.index("basket.\n")].count("\n")
            items = await editor.complete(guide, lsp.Position(line, len("           basket.")))
            assert [item.insert_text for item in items] == ["add(price)"]
        finally:
            await stop_editor(editor)


async def test_edits_of_it_are_checked_by_its_own_grammar(machine: dict[str, str], shop: Path) -> None:
    with scripted() as engine:
        editor = await start_editor(shop, {"engine": {"kind": "openai", "url": engine.url}})
        try:
            await editor.ready()
            guide = editor.open("guide.md", GUIDE, language="markdown")
            where = editor.at(guide, "basket.add(prise)")
            answers = []
            for text in ("basket.add(price", "basket.add(price)"):
                engine.replies = [
                    f'<suggestion name="editing">\nL4            {text}\n</suggestion>\n<summary>Mend it</summary>'
                ]
                answers.append(
                    await editor.command(
                        "palimpsest.suggest",
                        {"uri": guide, "position": {"line": where.line, "character": where.character}},
                    )
                )
            broken, sound = answers
            assert broken["suggestions"] == []
            assert "syntax error" in str(broken["refused"])
            assert [applied(GUIDE, s["edit"]) for s in sound["suggestions"]] == [GUIDE.replace("prise", "price")]
        finally:
            await stop_editor(editor)
