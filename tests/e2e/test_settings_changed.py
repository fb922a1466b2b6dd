"""A setting or a folder that changes: only what it is about begins anew."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import pytest

from palimpsest.config.settings import ContextSettings, EngineSettings, Settings, WindowPart
from palimpsest.text.uris import to_uri
from palimpsest.window.window_parts import stale_parts

from .raw import Raw
from .scripted import Scripted, scripted
from .test_suggest_trust import FIX, reply

OTHER = {"type": "package", "name": "from an agent", "text": "what it says"}


@pytest.fixture
def engine() -> Iterator[Scripted]:
    with scripted() as it:
        it.replies = [reply(FIX)]
        yield it


@pytest.fixture
async def client(machine: dict[str, str], shop: Path, engine: Scripted) -> AsyncIterator[Raw]:
    it = await Raw.start()
    workspace = {"workspaceEdit": {"documentChanges": True}, "workspaceFolders": True}
    await it.begin(shop, {"engine": {"kind": "openai", "url": engine.url}}, workspace=workspace)
    await it.ready()
    yield it
    await it.stop()


class Window:
    """What a person has built up in a window, and whether it is still there."""

    def __init__(self, client: Raw, shop: Path) -> None:
        self.client, self.shop = client, shop

    async def fill(self) -> None:
        self.uri = await self.client.open(self.shop / "shop" / "cart.py")
        text = (self.shop / "shop" / "cart.py").read_text(encoding="utf-8").split("\n")
        line = next(n for n, content in enumerate(text) if "totla" in content)
        self.asked = {"uri": self.uri, "position": {"line": line, "character": 20}}
        self.pinned = {"uri": to_uri(self.shop / "shop" / "item.py")}
        for name, argument in (("context.pin", self.pinned), ("context.put", OTHER)):
            assert "result" in await self.client.command(f"palimpsest.{name}", argument)
        answer = await self.client.command("palimpsest.suggest", self.asked)
        self.id = answer["result"]["suggestions"][0]["id"]
        self.shown = await self.suggestions_shown()
        await self.client.command("palimpsest.completion.toggle", {"scope": "buffer", "uri": self.uri})
        self.client.came.clear()

    async def suggestions_shown(self) -> int:
        stats = (await self.client.command("palimpsest.stats"))["result"]
        n: int = stats["by_kind"].get("suggestion", {"shown": 0})["shown"]
        return n

    async def blocks(self) -> list[str]:
        shown = await self.client.command("palimpsest.context.show", self.asked)
        return [block["name"] for block in shown["result"]["blocks"]]

    async def configure(self, **own: Any) -> None:
        await self.client.notify("workspace/didChangeConfiguration", {"settings": {"palimpsest": own}})

    async def check(self) -> None:
        """All of it is there, and nobody was told that anything went away."""
        blocks = await self.blocks()
        assert "shop/item.py" in blocks
        assert OTHER["name"] in blocks
        shown = await self.suggestions_shown()
        assert shown == self.shown
        answer = await self.client.command("palimpsest.suggest.rerun", {"id": self.id})
        assert "result" in answer, answer
        self.shown = await self.suggestions_shown()
        state = await self.client.command("palimpsest.completion.toggle", {"scope": "buffer", "uri": self.uri})
        assert state["result"]["enabled"], "it was off"
        await self.client.command("palimpsest.completion.toggle", {"scope": "buffer", "uri": self.uri})
        statuses = [m["params"] for m in self.client.came if m.get("method") == "palimpsest/status"]
        assert not any("clos" in status["message"] for status in statuses), statuses
        assert self.client.shown == []


async def test_what_a_setting_is_not_about_goes_on(client: Raw, shop: Path) -> None:
    window = Window(client, shop)
    await window.fill()
    for own in (
        {"completion": {"max_tokens": 9}},
        {"context": {"block_tokens": 500}},
        {"suggestion": {"n": 2}},
        {"next_edit": {"enabled": False}, "statistics": {"enabled": True}, "log": {"level": "debug"}},
        {},
    ):
        await window.configure(**own)
        await window.check()
        statuses = [m["params"]["kind"] for m in client.came if m.get("method") == "palimpsest/status"]
        assert not {"Error", "Warning"} & set(statuses), own
    await window.configure(suggestion={"enabled": False})
    where = {"start": window.asked["position"], "end": window.asked["position"]}
    params = {"textDocument": {"uri": window.uri}, "range": where, "context": {"diagnostics": [], "only": ["refactor"]}}
    assert (await client.request("textDocument/codeAction", params))["result"] == []
    await window.configure(statistics={"enabled": False})
    await client.command("palimpsest.suggest", window.asked)
    assert await window.suggestions_shown() == window.shown, "what is about statistics holds for them"


async def test_another_engine_takes_over_with_everything_else_as_it_was(
    client: Raw, shop: Path, engine: Scripted
) -> None:
    window = Window(client, shop)
    await window.fill()
    with scripted() as second:
        second.replies = [reply(FIX)]
        await window.configure(engine={"kind": "openai", "url": second.url})
        await client.notified("palimpsest/status", kind="Normal")
        before = len(engine.asked)
        await window.check()
        assert second.asked
        assert len(engine.asked) == before
        client.came.clear()
        await window.configure(engine={"kind": "none"})
        await window.configure(engine={"kind": "openai", "url": second.url})
        await client.notified("palimpsest/status", kind="Normal")


async def test_a_folder_that_comes_or_goes_takes_only_what_is_in_it(client: Raw, shop: Path, tmp_path: Path) -> None:
    window = Window(client, shop)
    await window.fill()
    more = tmp_path / "more"
    more.mkdir()
    (more / "there.py").write_text("THERE = 1\n", encoding="utf-8")
    folder = {"uri": to_uri(more), "name": "more"}
    there = {"uri": to_uri(more / "there.py")}
    note = {"type": "file", "name": "a note", "text": "THERE = 1", **there}
    assert "error" in await client.command("palimpsest.context.pin", there)
    await client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [folder], "removed": []}})
    await window.check()
    for name, argument in (("context.pin", there), ("context.put", note)):
        assert "result" in await client.command(f"palimpsest.{name}", argument)
    assert {"there.py", "a note"} <= {name.rpartition("/")[2] for name in await window.blocks()}
    await client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": [folder]}})
    await window.check()
    assert not {"there.py", "a note"} & {name.rpartition("/")[2] for name in await window.blocks()}
    assert "error" in await client.command("palimpsest.context.unpin", there), "it is not pinned any more"


def test_every_part_depends_on_a_section_and_the_same_settings_are_none() -> None:
    assert set[str]().union(*(it.metadata["parts"] for it in fields(Settings))) == set(get_args(WindowPart))
    settings = Settings()
    assert stale_parts(settings, Settings(), folders=False) == frozenset()
    assert stale_parts(settings, Settings(engine=EngineSettings(n_ctx=5)), folders=False) == {"engine"}
    assert stale_parts(settings, Settings(context=ContextSettings(budget=5)), folders=False) == {
        "documents",
        "sources",
        "index",
        "next_edits",
    }
    assert stale_parts(settings, settings, folders=True) == {"switches", "index", "next_edits", "documents"}
