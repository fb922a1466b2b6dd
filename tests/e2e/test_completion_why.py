"""What each step makes of a model's answer, asked as an editor asks it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pygls.exceptions import JsonRpcException

from .conftest import Editor, start_editor, stop_editor
from .scripted import scripted

WHY = "palimpsest.completion.why"
TEXT = "def total(prices):\n    result = 0\n    for price in prices:\n        \n    return result\n"
STEPS = ["end", "confidence", "fitting", "quiet", "names", "only name"]


async def asked(editor: Editor, **more: Any) -> dict[str, Any]:
    """The answer at the empty line of TEXT."""
    uri = editor.open("shop/total.py", TEXT)
    at = editor.at(uri, "in prices:\n        ")
    position = {"line": at.line, "character": at.character}
    return await editor.command(WHY, {"uri": uri, "position": position, **more})


def outcomes(answer: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(step["name"], it["text"], it["left"]) for step in answer["steps"] for it in step["outcomes"]]


@pytest.mark.parametrize(
    ("reply", "shown", "expected"),
    [
        ("result += price", ["result += price"], []),
        ("result += price\n    return result", ["result += price"], [("end", "result += price")]),
        ("result += (price", ["result += (price)"], [("fitting", "result += (price)")]),
        ("result = )", [], [("end", "result ="), ("fitting", "")]),
        ("result += nothing_of_that_name()", [], [("names", "")]),
    ],
)
async def test_each_step_says_what_it_left_of_a_text(
    machine: dict[str, str], shop: Path, reply: str, shown: list[str], expected: list[tuple[str, str]]
) -> None:
    with scripted() as engine:
        engine.replies = [reply]
        editor = await start_editor(shop, {"engine": {"kind": "openai", "url": engine.url}})
        await editor.ready()
        assert await editor.indexed(editor.open("shop/cart.py"))
        answer = await asked(editor)
        await stop_editor(editor)
    assert [step["name"] for step in answer["steps"]] == STEPS
    assert [step["on"] for step in answer["steps"]] == [True] * len(STEPS)
    assert answer["texts"] == shown
    assert [(name, left) for name, _, left in outcomes(answer)] == expected
    for step in answer["steps"]:
        for it in step["outcomes"]:
            assert it["reason"] in answer["text"]


async def test_who_asks_gets_what_is_left_out_for_who_types(editor: Editor) -> None:
    answer = await asked(editor, invoked=True)
    assert [step["name"] for step in answer["steps"] if not step["on"]] == ["confidence", "quiet"]
    assert answer["summary"].startswith(("This is shown to who asks: ", "Nothing is shown to who asks: "))


async def test_where_no_model_is_asked_it_says_why(editor: Editor) -> None:
    uri = editor.open("shop/behind.py", "def total(prices):\n    return sum(prices) + len(prices) + prices[0]\n")
    at = editor.at(uri, "return ")
    position = {"line": at.line, "character": at.character}
    answer = await editor.command(WHY, {"uri": uri, "position": position})
    assert "completion.max_suffix" in answer["summary"]
    await editor.command("palimpsest.completion.snooze", {"minutes": 1})
    assert "snoozed" in (await editor.command(WHY, {"uri": uri, "position": position}))["summary"]
    with pytest.raises(JsonRpcException, match="uri"):
        await editor.command(WHY, {"uri": "file:///nowhere/at/all.py"})
