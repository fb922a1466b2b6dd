"""A model made for next edits beside the one for completions, through a real client and a real engine; its place is
taken by a copy of the embedded model, which writes what it can."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp

from palimpsest.config.settings import NextEditSettings, Settings
from palimpsest.errors import InvalidArgument
from palimpsest.models.files import embedded
from palimpsest.providers.base.target import target_of
from palimpsest.providers.palimpsest.launch import find
from palimpsest.system.engine_address import Address

from .conftest import Editor, start_editor, stop_editor
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
        address = target_of(Settings(next_edit=NextEditSettings(model=str(second)))).address()
        assert await answers(address), "it is the engine of both models"
        cart = editor.open("shop/cart.py")
        editor.edit(cart, "total = self.subtotal()", "sum_of_all = self.subtotal()")
        answer = await ask(editor, cart, editor.at(cart, "sum_of_all"))
        assert [edit["kind"] for edit in answer["edits"]] == ["rename"]
        editor.edit(cart, "sum_of_all = self.subtotal()", "total = self.subtotal() + 1")
        answer = await ask(editor, cart, editor.at(cart, "total = self.subtotal() + 1"))
        assert all(edit["kind"] == "model" for edit in answer["edits"])

        engine = await find(address)
        assert engine is not None
        async with aclosing(engine):
            model = engine.for_next_edits()
            assert Path((await model.model()).path) == second
            assert (await model.cache_map("any")).stats["decoded"] > 0
    finally:
        await stop_editor(editor)


def warned(editor: Editor) -> list[str]:
    return [one.message for one in editor.client.messages if "Setting next_edit.model: " in one.message]


async def test_it_can_be_set_and_taken_away_while_the_window_is_open(
    machine: dict[str, str], shop: Path, second: Path
) -> None:
    editor = await start_editor(shop)
    try:
        await editor.ready()
        for model in (str(second), "", str(second)):
            given = {"palimpsest": {"next_edit": {"model": model}}}
            editor.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams(settings=given))
            address = target_of(Settings(next_edit=NextEditSettings(model=model))).address()
            assert await answers(address) is bool(model)
    finally:
        await stop_editor(editor)


async def answers(address: Address) -> bool:
    """Whether a window has its engine there, and this one a second model that is loaded."""
    while True:
        if (engine := await find(address)) is not None:
            try:
                if (await engine.health()).clients and (await engine.health()).state == "ready":
                    with suppress(InvalidArgument):
                        while (await engine.for_next_edits().health()).state == "loading":
                            await asyncio.sleep(0.05)
                        return (await engine.for_next_edits().health()).state == "ready"
                    return False
            finally:
                await engine.aclose()
        await asyncio.sleep(0.05)


@pytest.mark.parametrize("model", ["~nobody-has-this-name/zeta.gguf", "a\0b", "zeta.gguf", 3, False])
async def test_a_window_says_what_is_wrong_with_it_and_lives_on(
    machine: dict[str, str], shop: Path, model: object
) -> None:
    editor = await start_editor(shop, {"next_edit": {"model": model}})
    try:
        await editor.ready()
        cart = editor.open("shop/cart.py")
        for _ in range(2):
            await ask(editor, cart, editor.at(cart, "total"))
        assert len(warned(editor)) == 1
    finally:
        await stop_editor(editor)


async def test_it_is_used_once_its_file_is_there(machine: dict[str, str], shop: Path, second: Path) -> None:
    hidden = second.rename(second.with_suffix(".part"))
    editor = await start_editor(shop, {"next_edit": {"model": str(second)}})
    try:
        await editor.ready()
        cart = editor.open("shop/cart.py")
        await ask(editor, cart, editor.at(cart, "total"))
        assert "There is no model file" in warned(editor)[0]
        hidden.rename(second)
        await ask(editor, cart, editor.at(cart, "total"))
        assert await answers(target_of(Settings(next_edit=NextEditSettings(model=str(second)))).address())
    finally:
        await stop_editor(editor)


async def test_what_the_engine_says_of_it_is_shown(machine: dict[str, str], shop: Path, second: Path) -> None:
    data = bytearray(second.read_bytes())
    at = data.index(b"general.architecture") + len(b"general.architecture") + 12
    data[at : at + 5] = b"xwenx"  # of no architecture that llama.cpp knows: its header is whole
    second.write_bytes(data)
    editor = await start_editor(shop, {"next_edit": {"model": str(second)}})
    try:
        await editor.ready()
        cart = editor.open("shop/cart.py")
        editor.edit(cart, "total = self.subtotal()", "total = self.subtotal() + 1")
        while not warned(editor):
            await ask(editor, cart, editor.at(cart, "total"))
            await asyncio.sleep(0.05)
        assert str(second) in warned(editor)[0]
    finally:
        await stop_editor(editor)


async def test_an_engine_killed_while_it_writes_costs_one_answer(
    machine: dict[str, str], shop: Path, second: Path
) -> None:
    editor = await start_editor(shop, {"next_edit": {"model": str(second)}})
    try:
        await editor.ready()
        address = target_of(Settings(next_edit=NextEditSettings(model=str(second)))).address()
        assert await answers(address)
        cart = editor.open("shop/cart.py")
        editor.edit(cart, "total = self.subtotal()", "total = self.subtotal() + 1")
        asking = asyncio.ensure_future(ask(editor, cart, editor.at(cart, "total")))
        await asyncio.sleep(0.1)
        engine = await find(address)
        assert engine is not None
        os.kill((await engine.health()).pid, signal.SIGKILL)
        await engine.aclose()
        assert "edits" in await asking
        assert await answers(address)
        await editor.ready()
    finally:
        await stop_editor(editor)


def doctor(model: str, engine: dict[str, str] | None = None, status: int = 0) -> dict[str, dict[str, Any]]:
    given = json.dumps({"next_edit": {"model": model}, "engine": engine or {}})
    said = run("doctor", "--json", "--settings", "-", input=given, status=status)
    assert not said.stderr, "all that it has to say is in its lines"
    return {check["name"]: check for check in last_object(said)["checks"]}


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
    assert [one["name"] for one in last_object(run("model", "list", "--json"))["next_edit"]] == [
        "sweep-0.5b",
        "sweep-1.5b",
        "sweep-7b-q4",
        "zeta-2.1-q4",
    ]
    assert "next edits" in run("model", "list").stdout
    assert "next_edit.model" in run("model", "get", "sweep-1.5b", "--use", status=1).stderr
