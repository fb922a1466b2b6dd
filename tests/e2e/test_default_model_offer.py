"""The default model is offered once to who has none, and a person's "no" is one."""

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pytest_lsp import LanguageClient

from palimpsest import folders
from tests.e2e.conftest import start_editor, stop_editor


async def asked(shop: Path, settings: dict[str, Any] | None = None, *, answers: str = "Not now") -> list[str]:
    """What a window asks its person from its start on."""
    questions = list[str]()

    def listen(client: LanguageClient) -> None:
        @client.feature(lsp.WINDOW_SHOW_MESSAGE_REQUEST)
        def ask(params: lsp.ShowMessageRequestParams) -> lsp.MessageActionItem | None:
            questions.append(params.message)
            return next((item for item in params.actions or () if item.title == answers), None)

    editor = await start_editor(shop, settings, listen=listen)
    try:
        await editor.command("palimpsest.stats")  # its answer comes behind what is asked at the start
    finally:
        await stop_editor(editor)
    return questions


@pytest.fixture
def never_asked(machine: dict[str, str]) -> Path:
    mark = folders.state() / "default-model-offered"
    mark.unlink(missing_ok=True)
    return mark


async def test_is_made_once_for_all_windows(never_asked: Path, shop: Path) -> None:
    first = await asked(shop)
    assert len(first) == 1
    assert "default model" in first[0]
    assert "palimpsest.model.get" in first[0]
    assert await asked(shop) == []


@pytest.mark.parametrize("settings", [{"model": {"path": "chosen"}}, {"engine": {"kind": "none"}}])
async def test_is_not_made_to_who_has_chosen(never_asked: Path, shop: Path, settings: dict[str, Any]) -> None:
    assert await asked(shop, settings) == []
    assert not never_asked.exists()


async def test_a_wrong_name_is_named(never_asked: Path, shop: Path) -> None:
    editor = await start_editor(shop)
    try:
        with pytest.raises(Exception, match="expected one of default"):
            await editor.command("palimpsest.model.get", {"name": "other"})
    finally:
        await stop_editor(editor)
