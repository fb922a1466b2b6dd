"""A slip that the model sees in a line is put right before what it writes; code that is right is left alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .conftest import Editor, start_editor, stop_editor
from .test_suggest import applied, suggest

RIGHT = '''"""Reads settings."""

import json
from pathlib import Path
from typing import Any


def read_settings(path: Path, defaults: dict[str, Any]) -> dict[str, Any]:
    text = path.read_text(encoding="utf-8")
    if not text.strip():
        return defaults
    settings = json.loads(text)
    settings.update(defaults)
    return settings
'''
SLIPS = {
    "Add the missing colon.": ("    if not text.strip():\n", "    if not text.strip()\n"),
    "Remove the repeated line.": ("    settings.update(defaults)\n", 2 * "    settings.update(defaults)\n"),
}


async def first(editor: Editor, uri: str, **more: Any) -> dict[str, Any] | None:
    answer = await suggest(editor, uri, editor.at(uri, "text = path"), **more)
    found: list[dict[str, Any]] = answer["suggestions"]
    return found[0] if found else None


@pytest.mark.parametrize("summary", SLIPS)
async def test_what_the_model_finds_much_likelier_comes_first(editor: Editor, summary: str) -> None:
    right, wrong = SLIPS[summary]
    uri = editor.open("shop/settings.py", RIGHT.replace(right, wrong, 1))
    found = await first(editor, uri)
    assert found is not None
    assert (found["summary"], found["agreement"]) == (summary, 1.0)
    assert applied(editor.texts[uri], found["edit"]) == RIGHT


async def test_a_member_is_known_from_the_class(editor: Editor) -> None:
    """The tree knows nothing of members, so this is no name that is defined nowhere."""
    right = editor.root.joinpath("shop/cart.py").read_text()
    uri = editor.open("shop/cart.py", right.replace("for line in self.lines)", "for line in self.liens)"))
    answer = await suggest(editor, uri, editor.at(uri, "return sum("))
    assert answer["suggestions"][0]["summary"] == "Write `lines`, not `liens`."
    assert applied(editor.texts[uri], answer["suggestions"][0]["edit"]) == right


async def test_code_that_is_right_and_other_wishes_are_left_to_the_replies(editor: Editor) -> None:
    uri = editor.open("shop/settings.py", RIGHT)
    found = await first(editor, uri)
    assert found is None or found["summary"] not in SLIPS
    right, wrong = SLIPS["Remove the repeated line."]
    uri = editor.open("shop/more.py", RIGHT.replace(right, wrong))
    for wish, is_answered in (("Add a docstring", False), ("Fix what is wrong here", True)):
        found = await first(editor, uri, instruction=wish)
        assert (found is not None and found["summary"] == "Remove the repeated line.") == is_answered


async def test_it_can_be_switched_off(machine: dict[str, str], shop: Path) -> None:
    editor = await start_editor(shop, {"suggestion": {"mend_slips": "never"}})
    try:
        await editor.ready()
        right, wrong = SLIPS["Remove the repeated line."]
        uri = editor.open("shop/more.py", RIGHT.replace(right, wrong))
        found = await first(editor, uri)
        assert found is None or found["summary"] != "Remove the repeated line."
    finally:
        await stop_editor(editor)


async def test_what_comparing_lines_decodes_is_counted(editor: Editor) -> None:
    right, wrong = SLIPS["Remove the repeated line."]
    uri = editor.open("shop/settings.py", RIGHT.replace(right, wrong, 1))
    await editor.settled(uri, editor.at(uri, "text = path"))
    await editor.until_idle()
    before = await editor.command("palimpsest.cache.map")
    await first(editor, uri)
    after = await editor.command("palimpsest.cache.map")
    ours, all_of_it = ({n: after[of][n] - before[of][n] for n in before[of]} for of in ("stats", "engine"))
    assert all_of_it["decoded"] - ours["decoded"] - ours["generated"] < 50, "what other alternatives generated"
