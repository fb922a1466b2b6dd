"""Two editor windows on one engine over TLS, each with a key of its own; one key is revoked while its window types."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from lsprotocol import types as lsp

from tests.providers.conftest import EMBEDDED
from tests.providers.test_team import Team

from .conftest import PATIENT, SAMPLE, Editor, start_editor, stop_editor, until


@pytest.fixture
def team(machine: dict[str, str], tmp_path: Path) -> Iterator[Team]:
    it = Team(EMBEDDED, tmp_path, 8192)
    yield it
    it.engine.kill()


def engine(team: Team, key: str) -> dict[str, str]:
    return {"url": team.url, "ca_file": str(team.ca), "api_key": key}


async def window(team: Team, key: str) -> Editor:
    it = await start_editor(SAMPLE, PATIENT | {"engine": engine(team, key)}, own_process=True)
    await it.ready()
    return it


async def typed(window: Editor, uri: str, position: lsp.Position, letter: str) -> tuple[lsp.Position, int]:
    """The position behind the letter, and how many completions there are."""
    position = window.type(uri, position, letter)
    return position, len(await window.complete(uri, position))


async def test_a_window_whose_key_is_revoked_says_so_and_goes_on_with_another(team: Team) -> None:
    async with team.windows(1):  # once it answers, no window has to look again and again
        one, two = [await window(team, key) for key in team.keys[:2]]
    try:
        places = []
        for editor in (one, two):
            uri = editor.open("shop/cart.py")
            position = editor.edit(uri, "total = self.subtotal()\n", "total = self.subtotal()\n        $0\n")
            position, n = await typed(editor, uri, position, "s")
            assert n
            places.append((uri, position))
        team.give(team.keys[1])
        (uri, at), (uri_two, at_two) = places
        at, _ = await typed(one, uri, at, "q")  # nothing that was shown: it has to be asked
        await until(lambda: "refused the key" in one.status["message"])
        said = [status["message"] for status in one.statuses]
        assert not any("does not answer" in message for message in said), said
        assert one.status["kind"] in ("Warning", "Error")
        assert "`engine.api_key`" in one.status["message"]
        before = (await two.stats())["generated"]
        await typed(two, uri_two, at_two, "q")
        assert (await two.stats())["generated"] > before, "the other window is answered as before"
        assert not any("refused" in status["message"] for status in two.statuses)
        assert (await one.show(uri, at))["blocks"], "what needs no engine is there"
        team.give(team.keys[1], "a-new-one")
        settings = {"palimpsest": PATIENT | {"engine": engine(team, "a-new-one")}}
        one.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams(settings))
        await until(lambda: one.status["kind"] == "Normal")
        before = (await one.stats())["generated"]
        await typed(one, uri, at, "z")
        assert (await one.stats())["generated"] > before
        heard = " ".join(str(status) for status in one.statuses + two.statuses)
        assert not any(key in heard for key in (*team.keys, "a-new-one"))
    finally:
        await asyncio.gather(stop_editor(one), stop_editor(two))
