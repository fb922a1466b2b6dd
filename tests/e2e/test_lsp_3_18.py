"""What came with LSP 3.18, by the bytes on the wire: a client that announces it gets it, and no other does."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from palimpsest.edits.lsp.action_help import TEXTS
from palimpsest.text.uris import to_uri

from .raw import Raw
from .scripted import scripted
from .test_suggest_trust import FIX, reply

NO_ENGINE = {"engine": {"kind": "none"}}
CONTENT = {
    "workspace": {"textDocumentContent": {"dynamicRegistration": True}},
    "window": {"showDocument": {"support": True}},
}
QUIET_S = 1.5


@pytest.fixture
async def client() -> AsyncIterator[Raw]:
    it = await Raw.start()
    yield it
    await it.stop()


@pytest.mark.parametrize("knows", [True, False])
async def test_an_edit_of_the_models_is_a_refactoring(
    client: Raw, shop: Path, machine: dict[str, str], knows: bool
) -> None:
    announced = {"workspaceEdit": {"documentChanges": True, **({"metadataSupport": True} if knows else {})}}
    client.answers = {"workspace/applyEdit": {"applied": False, "failureReason": "no thanks"}}
    with scripted() as engine:
        engine.replies = [reply(FIX)]
        settings = {"engine": {"kind": "openai", "url": engine.url}, "suggestion": {"confirm": "never"}}
        await client.begin(shop, settings, workspace=announced)
        await client.ready()
        uri = await client.open(shop / "shop" / "cart.py")
        line = (shop / "shop" / "cart.py").read_text(encoding="utf-8").split("\n").index("        return total") - 1
        await client.command("palimpsest.suggest.apply", {"uri": uri, "position": {"line": line, "character": 20}})
        params = (await client.notified("workspace/applyEdit"))["params"]
    assert params.get("metadata") == ({"isRefactoring": True} if knows else None)


@pytest.mark.parametrize("knows", [True, False])
async def test_each_kind_of_code_action_says_what_it_does(client: Raw, shop: Path, knows: bool) -> None:
    announced = {"codeAction": {"documentationSupport": True}} if knows else {}
    there = await client.begin(shop, NO_ENGINE, textDocument=announced, **CONTENT)
    documented = there["codeActionProvider"].get("documentation", [])
    assert [it["kind"] for it in documented] == (there["codeActionProvider"]["codeActionKinds"] if knows else [])
    for it in documented:
        assert it["command"]["title"]
        answer = await client.command(it["command"]["command"], *it["command"]["arguments"])
        assert answer["result"]["text"] == TEXTS[it["kind"]]
        asked = await client.notified("window/showDocument", uri=f"palimpsest:/help/{it['kind']}.md")
        read = await client.request("workspace/textDocumentContent", {"uri": asked["params"]["uri"]})
        assert read["result"]["text"] == TEXTS[it["kind"]]


async def test_a_client_that_shows_no_documents_shows_it_as_a_message(client: Raw, shop: Path) -> None:
    await client.begin(shop, NO_ENGINE)
    await client.command("palimpsest.help", {"kind": "source.palimpsest"})
    (said,) = client.shown
    assert "what stands outside of functions" in said
    refused = await client.command("palimpsest.help", {"kind": "refactor"})
    assert "there are refactor.rewrite.palimpsest" in refused["error"]["message"]


@pytest.mark.parametrize("knows", [True, False])
async def test_lenses_have_tooltips(client: Raw, shop: Path, knows: bool) -> None:
    announced = {"codeLens": {"resolveSupport": {"properties": ["command"]}}} if knows else {}
    await client.begin(shop, NO_ENGINE, textDocument=announced)
    path = shop / "talk.palimpsest.md"
    await client.open(path, "## user\n\nHow are prices rounded?\n")
    lenses = (await client.request("textDocument/codeLens", {"textDocument": {"uri": to_uri(path)}}))["result"]
    assert [lens["command"]["title"] for lens in lenses] == ["Send"]
    assert ["tooltip" in lens["command"] for lens in lenses] == [knows]


async def read(client: Raw, uri: str) -> str:
    text: str = (await client.request("workspace/textDocumentContent", {"uri": uri}))["result"]["text"]
    return text


def refreshed(client: Raw) -> list[str]:
    method = "workspace/textDocumentContent/refresh"
    return [m["params"]["uri"] for m in client.came if m.get("method") == method]


async def said(client: Raw, conversation: str, content: str) -> dict[str, Any]:
    return await client.command(
        "palimpsest.conversation.append", {"conversation": conversation, "role": "user", "content": content}
    )


async def test_a_document_of_ours_that_is_shown_is_refreshed_when_it_is_another(
    client: Raw, shop: Path, machine: dict[str, str]
) -> None:
    await client.begin(shop, NO_ENGINE, **CONTENT)
    talks = [(await client.command("palimpsest.conversation.new", {}))["result"]["conversation"] for _ in range(2)]
    uri, other = (f"palimpsest:/export/{talk}.md" for talk in talks)
    assert "three" not in await read(client, uri)
    await read(client, other)
    await said(client, talks[0], "One, two, three.")
    await client.notified("workspace/textDocumentContent/refresh", uri=uri)
    assert "three" in await read(client, uri)
    await said(client, talks[0], "Four.")
    while refreshed(client).count(uri) < 2:
        await asyncio.sleep(0.02)
    await said(client, talks[0], "Five.")  # it was not asked for again: it is not shown any more
    await asyncio.sleep(QUIET_S)
    assert refreshed(client) == [uri, uri]


async def test_a_client_that_does_not_announce_them_is_not_asked(
    client: Raw, shop: Path, machine: dict[str, str]
) -> None:
    await client.begin(shop, NO_ENGINE)
    talk = (await client.command("palimpsest.conversation.new", {}))["result"]["conversation"]
    await read(client, f"palimpsest:/export/{talk}.md")
    await said(client, talk, "One, two, three.")
    await asyncio.sleep(QUIET_S)
    assert refreshed(client) == []
