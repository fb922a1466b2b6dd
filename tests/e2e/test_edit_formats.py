"""Every edit format through a real server and engine: under its grammar a reply is never unreadable."""

from pathlib import Path

from palimpsest.edits.formats import FORMATS

from .conftest import Editor
from .talking import do, talking

UNREADABLE = (
    "before any line number",
    "was not shown",
    "does not stand in",
    "stands ",
    "is like ",
    "quotes no line",
    "no =======",
    "no SEARCH part",
    "there is no",
    "has to stay",
    "does not say which node",
    "not a name",
    "code was left out",
    "no block named",
    "does not name a block",
)


async def test_a_reply_under_the_grammar_of_any_format_is_read(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    at = editor.at(uri, "self.discount.amount(totla)")
    position = {"line": at.line, "character": at.character}
    for format in FORMATS:
        answer = await editor.command("palimpsest.suggest", {"uri": uri, "position": position, "format": format})
        assert answer["suggestions"] or answer["refused"], format
        for refusal in answer["refused"]:
            assert not any(reason in refusal["reason"] for reason in UNREADABLE), (format, refusal)


async def test_a_model_that_is_asked_for_an_edit_in_any_format_sees_the_cursor(machine: object, shop: Path) -> None:
    async with talking(shop) as (editor, model):
        uri = editor.open("shop/cart.py")
        at = editor.at(uri, "self.discount.amount(totla")
        for format in FORMATS:
            await do(editor, "suggest", uri=uri, position={"line": at.line, "character": at.character}, format=format)
            told, _, block = model.prompt.partition("</instructions>")
            assert "self.discount.amount(totla<|FIM_MIDDLE|>)" in block, format
            assert "<|FIM_MIDDLE|>" in told
