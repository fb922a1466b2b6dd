"""Which blocks stand in the cache for a cursor, and what changing them costs."""

import asyncio
from itertools import pairwise
from pathlib import Path

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from palimpsest.text.uris import to_uri

from .conftest import Editor, engine_pids, start_editor, stop_editor


def names(shown: dict[str, object], kind: str) -> list[str]:
    return [block["name"] for block in shown["blocks"] if block["type"] == kind]  # type: ignore[attr-defined]


async def test_a_cursor_in_a_method_shows_the_method_and_its_surroundings(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    position = editor.at(uri, "total = self.subtotal()")
    shown = await editor.settled(uri, position)
    assert shown["editing"]["type"] == "function"
    assert shown["editing"]["name"] == "Cart.total"
    assert shown["editing"]["file"] == "shop/cart.py"
    assert "total = self.subtotal()<|FIM_MIDDLE|>" in shown["editing"]["text"]
    assert "shop.cart.Cart" in names(shown, "class")
    assert names(shown, "filesystem")
    assert names(shown, "scope")
    for block in shown["blocks"]:
        start, end = block["span"]
        assert end - start == block["tokens"]
        assert block["text"] in shown["prompt"]
    assert shown["prompt"].index("<context") < shown["prompt"].index("<editing")


async def test_spans_in_the_cache_map_do_not_overlap(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    await editor.settled(uri, editor.at(uri, "total = self.subtotal()"))
    found = await editor.command("palimpsest.cache.map")
    arena = [s for s in found["spans"] if s["state"] in ("header", "attached", "detached")]
    assert {"header", "attached"} <= {s["state"] for s in arena}
    pieces = sorted([*((s["start"], s["end"]) for s in arena), *map(tuple, found["free"])])
    assert [(one, other) for one, other in pairwise(pieces) if one[1] > other[0]] == []


async def test_an_import_brings_its_package_and_takes_it_away_again(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    position = editor.at(uri, "rows.append(format_price(self.total()))")
    assert "json" not in names(await editor.settled(uri, position), "package")
    editor.edit(uri, "import logging\n", "import json\nimport logging\n")
    position = editor.edit(uri, "rows.append(format_price(self.total()))", "rows.append(json.dumps(self.total()))")
    shown = await editor.settled(uri, position)
    assert "json" in names(shown, "package")
    text = next(block["text"] for block in shown["blocks"] if block["name"] == "json")
    assert "json.dumps(" in text
    editor.edit(uri, "import json\n", "")
    position = editor.edit(uri, "json.dumps(self.total())", "self.total()")
    assert "json" not in names(await editor.settled(uri, position), "package")


async def test_coming_back_to_a_file_decodes_no_block_token(editor: Editor) -> None:
    cart, order = editor.open("shop/cart.py"), editor.open("shop/order.py")
    here, there = editor.at(cart, "total = self.subtotal()"), editor.at(order, "weight = 0.0")
    await editor.settled(cart, here)
    await editor.settled(order, there)
    before = await editor.stats()
    await editor.settled(cart, here)
    assert (await editor.stats())["decoded"] == before["decoded"]


async def test_replacing_one_block_of_fifteen_decodes_that_block_and_the_header_only(shop: Path) -> None:
    editor = await start_editor(shop, {"context": {"sources": [], "budget": 6000}, "engine": {"n_ctx": 8192}})
    try:
        await editor.ready()
        uri = editor.open("shop/cart.py")
        position = editor.at(uri, "total = self.subtotal()")
        for i in range(15):
            text = "\n".join(f"function_{i}_{j}(first: int, second: str) -> bool" for j in range(20))
            await editor.command("palimpsest.context.put", {"type": "package", "name": f"module{i}", "text": text})
        shown = await editor.settled(uri, position)
        assert len(shown["blocks"]) == 15
        before = await editor.stats()
        new = "\n".join(f"replaced_{j}(other: float) -> None" for j in range(22))
        await editor.command("palimpsest.context.put", {"type": "package", "name": "module7", "text": new})
        shown = await editor.settled(uri, position)
        tokens = next(block["tokens"] for block in shown["blocks"] if block["name"] == "module7")
        header = (await editor.command("palimpsest.cache.map"))["spans"][0]
        assert header["state"] == "header"
        decoded = (await editor.stats())["decoded"] - before["decoded"]
        assert 0 < decoded <= tokens + header["end"] - header["start"]
    finally:
        await stop_editor(editor)


async def test_blocks_put_from_outside_come_stay_and_go(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    position = editor.at(uri, "total = self.subtotal()")
    answer = await editor.command(
        "palimpsest.context.put", {"type": "documentation", "name": "tax", "text": "VAT is 19 percent.", "priority": 3}
    )
    assert answer["name"] == "tax"
    assert answer["tokens"] > 0
    assert "tax" in names(await editor.settled(uri, position), "documentation")
    dropped = await editor.command("palimpsest.context.drop", {"type": "documentation", "name": "tax"})
    assert dropped == {"dropped": True}
    assert "tax" not in names(await editor.settled(uri, position), "documentation")
    assert await editor.command("palimpsest.context.drop", {"type": "documentation", "name": "tax"}) == {
        "dropped": False
    }


async def test_a_pinned_file_is_there_until_it_is_unpinned(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    position = editor.at(uri, "total = self.subtotal()")
    target = to_uri(editor.root / "shop" / "discount.py")
    pinned = await editor.command("palimpsest.context.pin", {"uri": target})
    assert pinned["tokens"] > 50
    assert pinned["says"] == f"{pinned['name']} is pinned ({pinned['tokens']} tokens)"
    shown = await editor.settled(uri, position)
    assert any("percent: int" in b["text"] for b in shown["blocks"] if b["name"] == "shop/discount.py")
    await editor.command("palimpsest.context.unpin", {"uri": target})
    assert "shop/discount.py" not in names(await editor.settled(uri, position), "file")


@pytest.mark.parametrize("name", [".env", "server.key"])
async def test_secrets_never_enter_a_block(editor: Editor, name: str) -> None:
    (editor.root / name).write_text("TOKEN=very-secret-value\n")
    with pytest.raises(JsonRpcException) as caught:
        await editor.command("palimpsest.context.pin", {"uri": to_uri(editor.root / name)})
    assert caught.value.code == -32602
    assert caught.value.message.startswith("uri: ")
    uri = editor.open("shop/cart.py")
    shown = await editor.settled(uri, editor.at(uri, "total = self.subtotal()"))
    assert "very-secret-value" not in shown["prompt"]


async def test_a_file_outside_the_workspace_is_not_pinned(editor: Editor, tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text("x = 1\n")
    with pytest.raises(JsonRpcException) as caught:
        await editor.command("palimpsest.context.pin", {"uri": to_uri(outside)})
    assert caught.value.code == -32602


async def test_astral_characters_crlf_and_no_newline_at_the_end(editor: Editor) -> None:
    text = 'def smile(n):\r\n    face = "😀" * n\r\n    return face'
    uri = editor.open("shop/smile.py", text)
    position = editor.at(uri, '"😀"')
    shown = await editor.show(uri, position)
    assert shown["editing"]["name"] == "smile"
    assert '"😀"<|FIM_MIDDLE|> * n' in shown["editing"]["text"]
    position = editor.edit(uri, "return face", "return fac")
    assert "return fac<|FIM_MIDDLE|>" in (await editor.show(uri, position))["editing"]["text"]


async def test_reset_forgets_and_everything_comes_back(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    position = editor.at(uri, "total = self.subtotal()")
    await editor.settled(uri, position)
    assert await editor.command("palimpsest.cache.reset") == {}
    before = await editor.stats()
    await editor.settled(uri, position)
    assert (await editor.stats())["decoded"] > before["decoded"]


async def test_model_info_and_restart(editor: Editor) -> None:
    info = await editor.command("palimpsest.model.info")
    assert info["in_place"] is True
    assert info["fim"]["layout"] == "spm"
    assert info["n_params"] > 1_000_000
    engines = engine_pids()
    await editor.command("palimpsest.restartEngine")
    await editor.ready()
    uri = editor.open("shop/cart.py")
    await editor.settled(uri, editor.at(uri, "total = self.subtotal()"))
    assert engine_pids() - engines


async def test_whole_prompt_mode_answers_too(shop: Path) -> None:
    editor = await start_editor(shop, {"engine": {"mode": "whole-prompt"}})
    try:
        await editor.ready()
        info = await editor.command("palimpsest.model.info")
        assert info["in_place"] is False
        assert "setting" in info["why_not"] or "engine.mode" in info["why_not"]
        uri = editor.open("shop/cart.py")
        position = editor.edit(uri, "total = self.subtotal()\n", "total = self.subtotal()\n        if self.disc$0\n")
        await editor.settled(uri, position)
        await editor.complete(uri, position)
    finally:
        await stop_editor(editor)


async def test_an_editing_block_names_what_ast_names(editor: Editor) -> None:
    uri = editor.open("shop/order.py")
    shown = await editor.show(uri, editor.at(uri, "@dataclass\nclass Order", after=False))
    assert (shown["editing"]["type"], shown["editing"]["name"]) == ("class", "Order")
    shown = await editor.show(uri, lsp.Position(0, 0))
    assert (shown["editing"]["type"], shown["editing"]["name"]) == ("file", "shop.order")


async def test_cache_and_context_are_pages_with_the_ranges_of_their_kinds_and_blocks(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    position = editor.at(uri, "total = self.subtotal()")
    shown = await editor.settled(uri, position)
    place = {"uri": uri, "position": {"line": position.line, "character": position.character}}
    page = await editor.command("palimpsest.page", {"name": "context", **place})
    lines = page["text"].split("\n")

    def piece(range: dict[str, dict[str, int]]) -> str:
        start, end = range["start"], range["end"]
        assert start["line"] == end["line"]
        return lines[start["line"]].encode()[start["character"] : end["character"]].decode()

    assert page["title"] == "Context"
    assert {"function Cart.total", "Budgets"} <= {piece(it["range"]) for it in page["marks"] if it["kind"] == "title"}
    assert [it["block"] for it in page["links"]] == shown["blocks"]
    assert all(it["block"]["name"] in piece(it["range"]) for it in page["links"])
    assert (await editor.command("palimpsest.virtual.read", {"uri": "palimpsest:/context"}))["text"] == page["text"]
    assert (await editor.command("palimpsest.context.show"))["blocks"] == shown["blocks"]  # the cursor is there
    assert shown["editing"]["uri"] == uri
    assert shown["about"].startswith(f"{len(shown['blocks'])}, ")
    assert [row["label"] for row in shown["budgets"]] == ["Context", "Blocks", "Code at the cursor", "Instructions"]

    page = await editor.command("palimpsest.page", {"name": "cache", "width": 32})
    lines = page["text"].split("\n")
    assert all(len(line) == 32 and set(line) <= set("█·") for line in lines[:8])
    assert {"header", "class", "editing", "free", "used", "dim"} <= {it["kind"] for it in page["marks"]}
    assert {set(piece(it["range"])).pop() for it in page["marks"] if it["range"]["start"]["line"] < 8} == set("█·")
    assert page["links"] == []
    with pytest.raises(JsonRpcException, match="name"):
        await editor.command("palimpsest.page", {"name": "lunch"})


@pytest.mark.parametrize("name", ["cache", "context"])
async def test_a_page_is_read_by_its_own_name_alone(editor: Editor, name: str) -> None:
    uri = editor.open("shop/cart.py")
    await editor.settled(uri, editor.at(uri, "total = self.subtotal()"))
    assert (await editor.command("palimpsest.virtual.read", {"uri": f"palimpsest:/{name}"}))["text"]
    with pytest.raises(JsonRpcException, match=f"there is palimpsest:/{name}"):
        await editor.command("palimpsest.virtual.read", {"uri": f"palimpsest:/{name}/other"})


async def test_what_finds_no_room_in_the_cache_is_said_to_find_none_and_is_not_counted(
    machine: dict[str, str], shop: Path
) -> None:
    """The cache keeps room for an answer, which a budget that is set may not leave."""
    many = "".join(f"def step_{i}(value: int) -> int:\n    return value * {i}\n\n\n" for i in range(60))
    (shop / "steps.py").write_text(many, encoding="utf-8")
    editor = await start_editor(shop, {"engine": {"n_ctx": 1280}, "context": {"budget": 900, "block_tokens": 600}})
    try:
        await editor.ready()
        uri = editor.open("shop/cart.py")
        position = editor.at(uri, "total = self.subtotal()")
        place = {"uri": uri, "position": {"line": position.line, "character": position.character}}
        await editor.command("palimpsest.context.pin", {"uri": to_uri(shop / "steps.py")})
        states = dict[str, list[int]]()

        async def is_settled() -> bool:
            nonlocal states
            shown, states = await editor.command("palimpsest.context.show", place), {}
            for block in shown["blocks"]:
                states.setdefault(block["state"], []).append(block["tokens"])
            return "wanted" not in states and not editor.status.get("busy")

        editor.cursor(uri, position)
        while not await is_settled():
            await asyncio.sleep(0.05)
        assert states["left out"]

        async def counted() -> bool:
            """What is shown may be chosen anew between the two questions."""
            usage = await editor.command("palimpsest.context.usage", place)
            return await is_settled() and usage["parts"]["blocks"] == sum(states["resident"])

        while not await counted():
            await asyncio.sleep(0.05)
        page = await editor.command("palimpsest.page", {"name": "context", **place})
        assert "context.budget" in page["text"]
        assert "✗ " in page["text"]
    finally:
        await stop_editor(editor)
