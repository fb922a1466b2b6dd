"""A model made for next edits beside the one for completions, through a real client and a real engine; its place is
taken by a copy of the embedded model, which writes what it can."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from palimpsest.config.settings import NextEditSettings, Settings
from palimpsest.models.files import embedded
from palimpsest.providers.base.target import target_of
from palimpsest.providers.palimpsest.launch import find

from .conftest import start_editor, stop_editor
from .test_command_line import last_object, run
from .test_next_edit import ask


@pytest.fixture
def second(tmp_path: Path) -> Path:
    path = tmp_path / "sweep-next-edit-copy.gguf"
    shutil.copy(embedded(), path)
    return path


async def test_trees_come_first_and_the_model_is_asked_behind_them(
    machine: dict[str, str], shop: Path, second: Path
) -> None:
    editor = await start_editor(shop, {"next_edit": {"model": str(second)}})
    try:
        await editor.ready()
        cart = editor.open("shop/cart.py")
        editor.edit(cart, "total = self.subtotal()", "sum_of_all = self.subtotal()")
        answer = await ask(editor, cart, editor.at(cart, "sum_of_all"))
        assert [edit["kind"] for edit in answer["edits"]] == ["rename"]
        editor.edit(cart, "sum_of_all = self.subtotal()", "total = self.subtotal() + 1")
        answer = await ask(editor, cart, editor.at(cart, "total = self.subtotal() + 1"))
        assert all(edit["kind"] == "model" for edit in answer["edits"])

        engine = await find(target_of(Settings(next_edit=NextEditSettings(model=str(second)))).address())
        assert engine is not None, "it is the engine of both models"
        model = engine.for_next_edits()
        assert Path((await model.model()).path) == second
        stats = (await model.cache_map("any")).stats
        assert stats["decoded"] > 0
        await engine.aclose()
    finally:
        await stop_editor(editor)


def doctor(model: str) -> dict[str, dict[str, Any]]:
    given = json.dumps({"next_edit": {"model": model}})
    return {
        check["name"]: check for check in last_object(run("doctor", "--json", "--settings", "-", input=given))["checks"]
    }


def test_doctor_says_which_is_used_and_what_it_takes(machine: dict[str, str], second: Path) -> None:
    checks = doctor(str(second))
    assert checks["next edits"]["ok"]
    assert ", as sweep, " in checks["next edits"]["detail"]
    assert str(second) in checks["next edits"]["detail"]
    assert checks["memory for next edits"]["detail"].startswith("model ")


def test_doctor_says_what_is_wrong_with_it(machine: dict[str, str], tmp_path: Path) -> None:
    checks = doctor(str(tmp_path / "zeta.gguf"))
    assert not checks["next edits"]["ok"]
    assert "There is no model file" in checks["next edits"]["detail"]
    checks = doctor("sweep-1.5b")
    assert checks["next edits"]["hint"] == "palimpsest model get sweep-1.5b"


def test_it_stands_in_the_list_and_is_not_used_for_completions(machine: dict[str, str]) -> None:
    assert [one["name"] for one in last_object(run("model", "list", "--json"))["next_edit"]] == ["sweep-1.5b"]
    assert "next edits" in run("model", "list").stdout
    assert "next_edit.model" in run("model", "get", "sweep-1.5b", "--use", status=1).stderr
