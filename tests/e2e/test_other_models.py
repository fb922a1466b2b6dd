"""Models other than the embedded one: no FIM tokens, a chat template, a cache that cannot be edited."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.models import written

from .conftest import Editor, start_editor, stop_editor
from .test_suggest import suggest


async def _started(
    shop: Path, kind: str, folder: Path, status: str, more: dict[str, dict[str, Any]] | None = None
) -> Editor:
    settings = {
        "model": {"path": str(written(kind, folder))},
        "engine": {"extra_bufts": "off"},
        "suggestion": {"max_tokens": 64},
        **(more or {}),
    }
    editor = await start_editor(shop, settings)
    for _ in range(1200):
        if editor.status.get("kind") == status:
            return editor
        await asyncio.sleep(0.05)
    raise AssertionError(editor.status)


async def test_without_fim_tokens_edits_work_completions_come_from_the_code_and_the_status_says_so(
    shop: Path, tmp_path: Path
) -> None:
    # With as many tokens for a reply as by default, in a small context.
    editor = await _started(
        shop, "plain", tmp_path, "Warning", {"engine": {"n_ctx": 4096, "extra_bufts": "off"}, "suggestion": {}}
    )
    try:
        assert "does not fill in the middle" in editor.status["message"]
        uri = editor.open("shop/cart.py")
        position = editor.at(uri, "self.discount.amount(totla)")
        assert await editor.complete(uri, position) == []
        at = editor.edit(uri, "total = self.subtotal()\n", "total = self.subtotal()\n        if self.disc$0\n")
        await editor.settled(uri, at)
        assert [item.insert_text for item in await editor.complete(uri, at)] == ["discount"]
        editor.edit(uri, "        if self.disc\n", "")
        # It has a chat template, so it is told the format, and may name the editable blocks, too.
        answer = await suggest(editor, uri, position)
        assert answer["suggestions"] or answer["refused"], "the reply was read"
        for refusal in answer["refused"]:
            assert any(why in refusal["reason"] for why in ("syntax", "cannot be edited", "changes nothing"))
    finally:
        await stop_editor(editor)


@pytest.mark.parametrize("kind", ["mamba", "mrope"])
async def test_a_cache_that_cannot_be_edited_is_served_with_whole_prompts_and_says_why(
    shop: Path, tmp_path: Path, kind: str
) -> None:
    editor = await _started(shop, kind, tmp_path, "Normal")
    try:
        info = await editor.command("palimpsest.model.info")
        assert info["in_place"] is False
        assert info["why_not"]
        uri = editor.open("shop/cart.py")
        position = editor.edit(uri, "total = self.subtotal()\n", "total = self.subtotal()\n        if self.disc$0\n")
        await editor.settled(uri, position)
        await editor.complete(uri, position)
        assert (await editor.stats())["decoded"] > 0
    finally:
        await stop_editor(editor)
