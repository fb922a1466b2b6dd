"""Conversations with a model that reads little: what is long, and when a summary is due, follows its window."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from palimpsest.conversations.compaction.grammar import LISTS, ORDER, TEXTS

from .conftest import start_editor, stop_editor
from .talking import do, talking

LOG = "".join(f"11:04:{n % 60:02d}.{n * 7919 % 1000:03d} 0x{n * 2654435761 % 2**32:08x} [{n}] ok\n" for n in range(900))
SUMMARY: dict[str, Any] = {
    name: "w " * (TEXTS[name] // 2) if name in TEXTS else [f"{i} {'l' * (LISTS[name][1] - 2)}" for i in range(6)]
    for name in ORDER[:-1]
}
"""As long as one can be."""


async def test_a_long_message_is_answered_whatever_its_length_and_its_tokens(
    machine: dict[str, str], shop: Path
) -> None:
    """By the real model in the package: it reads 2,048 tokens, and a log has one for each character."""
    editor = await start_editor(shop, {"conversation": {"reply_tokens": 16}})
    try:
        for n_chars in (1_500, 7_900, 20_000):
            said = await do(editor, "ask", text=f"What is wrong?\n\n```\n{LOG[:n_chars]}```\n")
            assert said["usage"]["used"] < said["usage"]["total"]
    finally:
        await stop_editor(editor)


async def test_a_small_window_is_not_compacted_before_every_turn(machine: dict[str, str], shop: Path) -> None:
    (shop / "AGENTS.md").write_text("Prices are rounded to the cent.\n\n" * 100, encoding="utf-8")
    async with talking(shop, window=4096) as (editor, model):
        model.summary, model.replies = json.dumps(SUMMARY), ["So it is. " * 90]
        conversation = (await do(editor, "conversation.new"))["conversation"]
        for n in range(14):
            await do(editor, "ask", text=f"And `round_{n}`? " * 20, conversation=conversation)
        points = (await do(editor, "checkpoint.list", conversation=conversation))["checkpoints"]
        assert 1 <= len(points) <= 7, "behind every second turn at most"
        summary = (await do(editor, "conversation.inspect", conversation=conversation))["summary"]
        assert summary["goal"] == SUMMARY["goal"].strip(), "the model wrote it: it had room to"
        assert sum(map(len, summary["discoveries"])) < 2_000


async def test_the_model_has_room_to_write_a_summary_behind_blocks(machine: dict[str, str], shop: Path) -> None:
    """Of an engine that keeps no room for them, their tags count as well."""
    async with talking(shop, window=8192) as (editor, model):
        model.summary = json.dumps(SUMMARY)
        uri = editor.open("shop/cart.py")
        at = editor.at(uri, "total = self.subtotal()")
        place = {"uri": uri, "position": {"line": at.line, "character": at.character}}
        await editor.settled(uri, at)
        conversation = (await do(editor, "conversation.new"))["conversation"]
        for n in range(8):
            model.replies = ["It keeps each line of an order. " * 95]
            await do(editor, "ask", text=f"And {n}?", conversation=conversation, **place)
        summary = (await do(editor, "conversation.inspect", conversation=conversation))["summary"]
        assert summary["goal"] == SUMMARY["goal"].strip()


async def test_what_is_read_leaves_room_for_the_answer(machine: dict[str, str], shop: Path) -> None:
    """In words and, of a child, which is not compacted; two parts in one reply have the room of one."""
    async with talking(shop, window=6000) as (editor, model):
        model.summary = json.dumps(SUMMARY)  # it may be time for one
        one = await do(editor, "conversation.new")
        conversation = one["conversation"]
        text = "".join(f"{n}: an order was looked at and put aside.\n" for n in range(285))
        await do(editor, "fd.create", conversation=conversation, content=text)
        half = 'read_fd(fd="fd-1", start_line=1, end_line=140)'
        for call in ('read_fd(fd="fd-1", read_all=True)', f"{half}\n{half}\n{half}"):
            model.replies = [call, "Done."]
            model.most = 6000 * 3  # characters; the engine refuses what leaves no room to answer
            answer = await do(editor, "ask", text="Read it.", conversation=conversation)
            assert answer["reply"] == "Done."
            assert "out_of_range" in str(model.asked[-1]["messages"][-1]["content"])
            usage = await do(editor, "context.usage", conversation=conversation)
            assert usage["total"] - usage["used"] > 1000
        model.replies = ['read_fd(fd="fd-1", page=1)', "A page."]
        await do(editor, "ask", text="Then a page.", conversation=conversation)
        assert "looked at" in str(model.asked[-1]["messages"][-1]["content"])
