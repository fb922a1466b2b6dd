"""Commands that a client does not wait for are done in the order in which they came."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from .talking import Talk, do, said, talking


@pytest.fixture
async def talk(machine: dict[str, str], shop: Path) -> AsyncIterator[Talk]:
    async with talking(shop) as it:
        yield it


async def test_what_is_remembered_one_behind_the_other_is_in_that_order(talk: Talk) -> None:
    editor, _ = talk
    one = (await do(editor, "conversation.new"))["conversation"]
    texts = [f"Fact {n}" for n in range(20)]
    await asyncio.gather(*(do(editor, "conversation.remember", conversation=one, text=text) for text in texts))
    kept = (await do(editor, "conversation.inspect", conversation=one))["experiences"]
    assert [row["text"] for row in kept] == texts


async def test_a_checkpoint_has_what_was_remembered_before_it_and_nothing_of_what_came_behind(talk: Talk) -> None:
    editor, _ = talk

    async def kept(conversation: str) -> list[str]:
        rows: list[dict[str, Any]] = (await do(editor, "conversation.inspect", conversation=conversation))[
            "experiences"
        ]
        return [row["text"] for row in rows]

    for n in range(5):
        one = (await do(editor, "conversation.new", memory_key=f"key-{n}"))["conversation"]
        _, made, _ = await asyncio.gather(
            do(editor, "conversation.remember", conversation=one, text="before"),
            do(editor, "checkpoint.create", conversation=one, name="between"),
            do(editor, "conversation.remember", conversation=one, text="behind"),
        )
        assert await kept(one) == ["before", "behind"]
        await do(editor, "checkpoint.restore", conversation=one, checkpoint_id=made["checkpoint_id"])
        assert await kept(one) == ["before"]


async def test_a_question_right_behind_a_restored_checkpoint_is_asked_of_what_it_brought_back(talk: Talk) -> None:
    editor, model = talk
    for _ in range(5):
        one = (await do(editor, "ask", text="First."))["conversation"]
        made = await do(editor, "checkpoint.create", conversation=one)
        await do(editor, "ask", conversation=one, text="Second.")
        await asyncio.gather(
            do(editor, "checkpoint.restore", conversation=one, checkpoint_id=made["checkpoint_id"]),
            do(editor, "ask", conversation=one, text="Third."),
        )
        asked = [text for role, text in said(model) if role == "user"]
        assert (asked[0][-6:], asked[-1][-6:], any("Second." in text for text in asked)) == ("First.", "Third.", False)
        text = (await do(editor, "conversation.open", conversation=one))["text"]
        assert ("First." in text, "Second." in text, "Third." in text) == (True, False, True)
