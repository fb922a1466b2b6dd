"""The default model is offered once to who has none, and a person's "no" is one."""

from pathlib import Path
from typing import Any

import pytest

from palimpsest.system import folders
from tests.e2e.conftest import start_editor, stop_editor


async def told(shop: Path, settings: dict[str, Any] | None = None) -> list[str]:
    """What a window tells its person from its start on."""
    editor = await start_editor(shop, settings)
    try:
        await editor.command("palimpsest.stats")  # its answer comes behind what is told at the start
        return [told.message for told in editor.client.messages if "default model" in told.message]
    finally:
        await stop_editor(editor)


@pytest.fixture
def never_asked(machine: dict[str, str]) -> Path:
    mark = folders.state() / "default-model-offered"
    mark.unlink(missing_ok=True)
    return mark


async def test_is_made_once_for_all_windows(never_asked: Path, shop: Path) -> None:
    first = await told(shop)
    assert len(first) == 1
    assert first[0].startswith("Palimpsest answers with the small model")
    assert "palimpsest.model.get" in first[0]
    assert await told(shop) == []


@pytest.mark.parametrize("settings", [{"model": {"path": "chosen"}}, {"engine": {"kind": "none"}}])
async def test_is_not_made_to_who_has_chosen(never_asked: Path, shop: Path, settings: dict[str, Any]) -> None:
    assert await told(shop, settings) == []
    assert not never_asked.exists()


async def test_a_wrong_name_is_named(never_asked: Path, shop: Path) -> None:
    editor = await start_editor(shop)
    try:
        with pytest.raises(Exception, match="expected one of default, granite"):
            await editor.command("palimpsest.model.get", {"name": "other"})
    finally:
        await stop_editor(editor)
