"""What a model thinks before it answers: in no edit, message or prompt, and folded where a person reads."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from palimpsest.conversations.transcript.reading import parse

from .conftest import until
from .talking import Talk, do, said, talking

OPENED = [("<think>", "</think>"), ("<thinking>\n", "\n</thinking>\n\n"), ("[THINK]", "[/THINK]")]
CHANNELS = ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>")
UNOPENED = ("", "\n</think>\n\n")
FORMS = [*OPENED, CHANNELS, UNOPENED]
THOUGHT = "Should I greet them? def not_this(): ..."
CODE = "def area(width, height):\n    return width + height\n"


@pytest.fixture
async def talk(machine: dict[str, str], tmp_path: Path) -> AsyncIterator[Talk]:
    root = tmp_path / "notes"
    root.mkdir()
    (root / "area.py").write_text(CODE, encoding="utf-8")
    async with talking(root) as it:
        yield it


def in_pieces(text: str, size: int = 3) -> list[dict[str, Any]]:
    return [{"content": text[at : at + size]} for at in range(0, len(text), size)]


def suggestion(line: str) -> str:
    return f'<suggestion name="editing">\nL2 {line}\n</suggestion>\n'


@pytest.mark.parametrize(("begin", "end"), FORMS)
async def test_the_answer_is_offered_and_not_the_draft_before_it(talk: Talk, begin: str, end: str) -> None:
    editor, model = talk
    uri = editor.open("area.py")
    draft, real = suggestion("    return width"), suggestion("    return width * height")
    model.replies = [f"{begin}Perhaps:\n{draft}{end}{real}<summary>Multiply.</summary>"]
    answer = await do(editor, "suggest", uri=uri, position={"line": 1, "character": 4})
    (found,) = answer["suggestions"]
    assert "+    return width * height\n" in found["diff"]
    assert (answer["refused"], found["flags"]) == ([], [])


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_a_thought_that_comes_beside_the_text_is_one(talk: Talk, field: str) -> None:
    editor, model = talk
    model.replies = [[{field: "Should I "}, {field: "greet them?"}, {"content": "Hello."}]]
    answer = await do(editor, "ask", text="Hi.")
    assert answer["reply"] == "Hello."
    shown = await do(editor, "conversation.export", conversation=answer["conversation"], format="json")
    assert "Should I greet them?" in str(shown)
    await do(editor, "ask", text="And now?", conversation=answer["conversation"])
    assert said(model) == [("user", "Hi."), ("assistant", "Hello."), ("user", "And now?")]
    assert "greet" not in str(model.asked[-1])


@pytest.mark.parametrize(("begin", "end"), FORMS)
async def test_in_a_conversation_it_is_folded_and_never_sent_again(talk: Talk, begin: str, end: str) -> None:
    editor, model = talk
    uri = editor.open("talk.palimpsest.md", "## user\n\nHi.\n")
    model.replies = [in_pieces(f"{begin}{THOUGHT}{end}Hello.")]
    answer = await do(editor, "conversation.send", uri=uri)
    assert answer["reply"] == "Hello."
    await until(lambda: "<summary>Thought</summary>" in editor.texts[uri] and editor.texts[uri].endswith("## user\n\n"))
    text = editor.texts[uri]
    assert [turn.text for turn in parse(text).turns] == ["Hi.", "Hello.", ""]
    assert text.index("Hello.") < text.index(THOUGHT), "where it is folded, with the calls"
    await editor.command("palimpsest.ask", {"text": "And now?", "conversation": answer["conversation"]})
    assert said(model) == [("user", "Hi."), ("assistant", "Hello."), ("user", "And now?")]
    assert "greet" not in str(model.asked[-1])


async def test_a_reply_that_is_cut_off_in_its_thought_is_empty(talk: Talk) -> None:
    editor, model = talk
    model.replies, model.finish = ["<think>" + THOUGHT], "length"
    answer = await do(editor, "ask", text="Hi.")
    assert (answer["reply"], answer["stopped"]) == ("", "length")


async def test_a_call_in_a_thought_is_none(talk: Talk) -> None:
    editor, model = talk
    model.replies = ['<think>I could:\nremember(content="greet")\n</think>\nHello.']
    answer = await do(editor, "ask", text="Hi.")
    assert (answer["reply"], answer["calls"]) == ("Hello.", [])


async def test_a_mark_that_the_reply_quotes_is_a_part_of_it(talk: Talk) -> None:
    editor, model = talk
    quoting = "Split it:\n```python\nthought, _, reply = text.partition(\n    '</think>'\n</think>\n)\n```\nDone."
    model.replies = [quoting]
    assert (await do(editor, "ask", text="Hi."))["reply"] == quoting


async def test_what_a_fork_thinks_is_not_in_its_result(talk: Talk) -> None:
    editor, model = talk
    made = (await do(editor, "ask", text="Hi."))["conversation"]
    model.replies = [f"<think>{THOUGHT}</think>It is fine."]
    fork = await do(editor, "fork.spawn", conversation=made, task="Review it.")
    found = await do(editor, "fork.gather", conversation=made, include_history=True)
    assert found[fork["fork_id"]]["response"] == "It is fine."
    assert "greet" not in str(found)
