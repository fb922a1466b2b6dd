"""`conversation.kv` through a real server and the real engine: what blocks that change cost a conversation."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from .conftest import Editor, start_editor, stop_editor, until

SAID = "What is a price?\n" + "A price is what a thing costs before tax, in cents, and never below nothing.\n" * 12


async def decoded_after_an_edit(editor: Editor, shop: Path) -> tuple[int, int, dict[str, Any]]:
    """Tokens decoded by the first turn, and by a second one after the file at the cursor was edited; the status."""
    uri = editor.open(shop / "shop/cart.py")
    at = editor.at(uri, "def ")
    where = {"uri": uri, "position": {"line": at.line, "character": at.character}}
    first = await editor.command("palimpsest.ask", {"text": SAID, **where})

    def used() -> int:
        told = editor.status.get("conversation") or {}
        return int(told["used"]) if told.get("conversation") == first["conversation"] else 0

    await until(used)
    before = used()
    editor.edit(uri, "def ", "LIMIT = 12\n\n\ndef ")
    second = await editor.command("palimpsest.ask", {"text": "Why?", "conversation": first["conversation"], **where})
    await until(lambda: used() > before)  # a status of the first turn may still be on its way
    return first["usage"]["decoded"], second["usage"]["decoded"], editor.status["conversation"]


async def test_what_was_said_stays_in_the_cache_when_the_code_is_edited(machine: dict[str, str], shop: Path) -> None:
    editor = await start_editor(shop, {"conversation": {"kv": "leave", "reply_tokens": 32}})
    try:
        await editor.ready()
        first, second, status = await decoded_after_an_edit(editor, shop)
        assert second < first / 4
        assert status["kv"] == "leave"
        figures = editor.status["figures"]
        assert f"its cache stays when blocks change ({status['left']:,} as they were)" in figures[-1]
        assert figures[0].endswith(f" of {editor.status['tokens']['total']:,} tokens")
        assert re.fullmatch(r"[\d.]+k?/[\d.]+k( \d+ ms)?", editor.status["brief"])
        assert status["left"] > 0
        assert 0 < status["used"] < status["total"]
    finally:
        await stop_editor(editor)


async def test_with_decode_it_is_decoded_again_and_exact(machine: dict[str, str], shop: Path) -> None:
    editor = await start_editor(shop, {"conversation": {"kv": "decode", "reply_tokens": 32}})
    try:
        await editor.ready()
        first, second, status = await decoded_after_an_edit(editor, shop)
        assert second > first
        assert (status["kv"], status["left"]) == ("decode", 0)
    finally:
        await stop_editor(editor)
