"""What editors' clients ask the server for, besides help with code: budgets, models, the installation, a sample."""

import asyncio
import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from palimpsest.models import files
from palimpsest.system import folders
from palimpsest.system.machine import total_memory
from palimpsest.text.uris import to_uri
from tests.e2e.conftest import Editor, engine_pids, start_editor, stop_editor, until
from tests.test_downloads import Server, serving
from tests.test_model_files import write_model


async def test_usage_says_how_much_of_the_cache_the_context_takes_and_in_which_parts(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    position = editor.at(uri, "total = self.subtotal()")
    with pytest.raises(JsonRpcException, match="where the cursor is"):
        await editor.command("palimpsest.context.usage")
    shown = await editor.settled(uri, position)
    where = {"line": position.line, "character": position.character}
    found = await editor.command("palimpsest.context.usage", {"uri": uri, "position": where})
    model = await editor.command("palimpsest.model.info")
    parts, budgets = found["parts"], found["budgets"]
    assert found["total"] == model["n_ctx"]
    assert not found["estimated"]
    assert parts["blocks"] == sum(block["tokens"] for block in shown["blocks"])
    assert found["used"] == parts["system"] + parts["blocks"] + parts["tail"]["used"]
    assert found["available"] == found["total"] - found["used"] > 0
    assert 0 < parts["tail"]["used"] <= parts["tail"]["budget"] == budgets["tail"]
    assert parts["tail"]["percentage"] == round(100 * parts["tail"]["used"] / budgets["tail"])
    assert 0 < parts["blocks"] <= budgets["blocks"]
    assert await editor.command("palimpsest.context.usage") == found  # the cursor is there


async def test_usage_without_an_engine_is_an_estimate(shop: Path) -> None:
    editor = await start_editor(shop, {"engine": {"kind": "none"}})
    try:
        found = await editor.command("palimpsest.context.usage", {"uri": editor.open("shop/cart.py")})
        assert found["estimated"]
        assert found["total"] == found["available"] == 0
        assert found["used"] > 0
    finally:
        await stop_editor(editor)


async def test_the_status_names_a_state_and_what_can_be_done(editor: Editor, shop: Path) -> None:
    states = {status["state"] for status in editor.statuses}
    assert states <= {"loading", "ready", "busy"}
    uri = editor.open("shop/cart.py")
    await editor.settled(uri, editor.at(uri, "total = self.subtotal()"))
    await until(lambda: editor.status["state"] == "ready")
    assert (editor.status["cause"], editor.status["restart"]) == ("", False)
    await editor.command("palimpsest.completion.toggle", {"scope": "everywhere", "enabled": False})
    await until(lambda: editor.status["state"] == "off")
    assert editor.status["kind"] == "Inactive"
    assert "off" in editor.status["cause"]
    assert not editor.status["restart"]


async def test_the_status_of_a_model_that_cannot_be_loaded_says_that_a_restart_may_help(shop: Path) -> None:
    editor = await start_editor(shop, {"model": {"path": str(shop / "none.gguf")}})
    try:
        await until(lambda: editor.status.get("kind") == "Error")
        assert editor.status["state"] == "off"
        assert "none.gguf" in editor.status["cause"]
        assert editor.status["restart"]
    finally:
        await stop_editor(editor)


async def test_doctor_examines_with_this_windows_settings(shop: Path) -> None:
    editor = await start_editor(shop, {"model": {"path": str(shop / "none.gguf")}, "engine": {"api_key": "secret-1"}})
    try:
        found = await editor.command("palimpsest.doctor")
        assert found["ok"] is False
        rows = {row["name"]: row for row in found["rows"]}
        assert rows["version"]["ok"]
        assert f" in {sys.prefix}, " in rows["version"]["message"], "what an editor installed is not on PATH"
        assert not rows["model"]["ok"]
        assert "none.gguf" in rows["model"]["message"]
        assert f"✗ model: {rows['model']['message']}" in found["text"].splitlines()
        assert "secret-1" not in found["text"]
        assert "editors" not in rows, "one asks"
    finally:
        await stop_editor(editor)


async def test_doctor_looks_into_no_folder_that_is_not_open(
    editor: Editor, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the home folder, which editors without a workspace start the server in."""
    (tmp_path / "palimpsest.toml").write_text("[completion]\nmax_token = 9\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    removed = [lsp.WorkspaceFolder(uri=to_uri(shop), name=shop.name)]
    event = lsp.WorkspaceFoldersChangeEvent(added=[], removed=removed)
    editor.client.workspace_did_change_workspace_folders(lsp.DidChangeWorkspaceFoldersParams(event))
    rows = {row["name"]: row for row in (await editor.command("palimpsest.doctor"))["rows"]}
    assert rows["index"]["message"] == "none: no folder is open"
    assert "settings" not in rows


async def test_doctor_uses_the_engine_that_runs_and_leaves_it(editor: Editor) -> None:
    running = engine_pids()
    found = await editor.command("palimpsest.doctor")
    assert found["ok"], found["text"]
    assert {"llama.cpp", "model", "speed", "memory"} <= {row["name"] for row in found["rows"]}
    assert engine_pids() == running
    assert (await editor.command("palimpsest.model.info"))["in_place"]


async def test_the_log_is_where_it_is_said_to_be(process_editor: Editor) -> None:
    found = await process_editor.command("palimpsest.log")
    assert "engine: ready" in Path(found["path"]).read_text(encoding="utf-8")
    assert Path(found["engine"]).is_file()


async def until_used(editor: Editor, model: Path) -> None:
    for _ in range(600):
        with suppress(JsonRpcException):  # the engine is being exchanged
            if (await editor.command("palimpsest.model.info"))["path"] == str(model):
                return
        await asyncio.sleep(0.1)
    raise AssertionError(f"{model} is not in use")


async def test_models_are_listed_with_what_they_take_and_one_can_be_used(editor: Editor, tmp_path: Path) -> None:
    found = await editor.command("palimpsest.model.list")
    rows = {row["name"]: row for row in found["models"]}
    assert found["used"] == "embedded"
    assert found["memory"] == total_memory()
    assert found["recommended"] in rows
    assert found["reason"]
    assert rows["embedded"]["here"]
    assert rows["embedded"]["path"] == str(files.embedded())
    assert not rows["default"]["here"]
    known = rows["qwen2.5-coder-1.5b-instruct"]
    assert (known["title"], known["purpose"]) == ("Qwen2.5 Coder 1.5B Instruct", "completion, edits, conversations")
    assert (known["size_gb"], known["memory_gib"], known["licence"]) == (1.65, 3, "Apache-2.0")
    assert isinstance(known["fits"], bool)
    assert known["facts"] == "completion, edits, conversations · 1.65 GB · 3 GiB of memory · Apache-2.0"
    assert rows["embedded"]["about"].startswith("in use")
    assert "recommended here" in rows[found["recommended"]]["about"]
    with pytest.raises(JsonRpcException, match="is not here yet"):
        await editor.command("palimpsest.model.use", {"name": "qwen2.5-coder-0.5b"})
    with pytest.raises(JsonRpcException, match="There is no model file dogs"):
        await editor.command("palimpsest.model.use", {"name": "dogs"})
    with pytest.raises(JsonRpcException, match="for next edits alone"):
        await editor.command("palimpsest.model.use", {"name": "sweep-0.5b"})
    copy = tmp_path / "another.gguf"
    shutil.copy(files.embedded(), copy)
    try:
        used = await editor.command("palimpsest.model.use", {"name": str(copy)})
        assert used["path"] == str(copy)
        assert "is used from now on" in used["summary"]
        assert (await editor.command("palimpsest.model.list"))["used"] == str(copy)
        await until_used(editor, copy)
        await editor.command("palimpsest.model.use", {"name": "embedded"})
        await until_used(editor, files.embedded())
    finally:
        (folders.config() / "model.json").unlink(missing_ok=True)


async def test_a_model_that_a_setting_names_is_not_chosen_otherwise(shop: Path) -> None:
    editor = await start_editor(shop, {"model": {"path": str(files.embedded())}})
    try:
        for command in ("palimpsest.model.use", "palimpsest.model.get"):
            with pytest.raises(JsonRpcException, match=r"model\.path"):
                await editor.command(command, {"name": "default"})
    finally:
        await stop_editor(editor)


async def test_no_model_is_chosen_for_an_engine_that_is_not_ours(shop: Path) -> None:
    editor = await start_editor(shop, {"engine": {"kind": "none"}})
    try:
        with pytest.raises(JsonRpcException, match=r"engine\.kind is none"):
            await editor.command("palimpsest.model.use", {"name": "embedded"})
        assert (await editor.command("palimpsest.model.list"))["used"] == ""
    finally:
        await stop_editor(editor)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1")
    for state in serving():
        monkeypatch.setenv("HF_ENDPOINT", state.url)
        yield state


async def test_getting_a_known_model_tells_how_far_it_is_and_what_is_wrong_with_what_came(
    hub: Server, machine: dict[str, str], shop: Path, tmp_path: Path
) -> None:
    repo, revision = "ggml-org/Qwen2.5-Coder-0.5B-Q8_0-GGUF", "ecdd60b1c25ab158bec6e1ab084aeebf9eae0af4"
    content = write_model(tmp_path / "source.gguf", rows=2000).read_bytes()
    hub.files[f"/{repo}/resolve/{revision}/qwen2.5-coder-0.5b-q8_0.gguf"] = content
    editor = await start_editor(shop)
    try:
        told = editor.client.progress_reports["getting"] = []  # the client's own token
        with pytest.raises(JsonRpcException, match="SHA-256"):
            await editor.command("palimpsest.model.get", {"name": "qwen2.5-coder-0.5b", "workDoneToken": "getting"})
        reports = [it for it in told if isinstance(it, lsp.WorkDoneProgressReport)]
        assert any("100 % of" in (it.message or "") for it in reports), reports
        assert (await editor.command("palimpsest.model.list"))["used"] == "embedded"
    finally:
        await stop_editor(editor)


async def test_the_sample_is_fresh_and_nothing_written_into_one_is_lost(editor: Editor, tmp_path: Path) -> None:
    first = await editor.command("palimpsest.sample")
    folder, file = Path(first["folder"]), Path(first["file"])
    assert folder.is_relative_to(Path(os.environ["XDG_STATE_HOME"]))
    assert to_uri(file) == first["uri"]
    lines = file.read_text(encoding="utf-8").split("\n")
    at = first["position"]
    assert lines[at["line"]][: at["character"]].strip() == "total = self.subtotal()"
    assert first["type"].startswith("\n")
    assert await editor.command("palimpsest.sample") == first  # nothing was changed in it
    file.write_text("mine\n", encoding="utf-8")
    second = await editor.command("palimpsest.sample")
    assert second["folder"] != first["folder"]
    assert Path(second["file"]).read_text(encoding="utf-8").split("\n") == lines
    assert file.read_text(encoding="utf-8") == "mine\n"
    third = await editor.command("palimpsest.sample", {"folder": str(tmp_path / "here")})
    assert Path(third["file"]) == tmp_path / "here" / "shop" / "cart.py"
    with pytest.raises(JsonRpcException, match="is there already"):
        await editor.command("palimpsest.sample", {"folder": str(tmp_path / "here")})


async def test_a_completion_is_offered_where_the_sample_says(editor: Editor, shop: Path) -> None:
    found: dict[str, Any] = await editor.command("palimpsest.sample")
    assert found["says"].startswith("At the cursor, press Enter and type “if self.disc”.")
    uri = editor.open(Path(found["file"]))
    position = editor.type(uri, lsp.Position(**found["position"]), found["type"])
    await editor.settled(uri, position)
    assert (await editor.complete(uri, position))[0].insert_text


async def test_a_llama_server_that_runs_is_found_and_others_are_not(
    machine: dict[str, str], shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for state in serving():
        port = state.url.rpartition(":")[2]
        monkeypatch.setenv("LLAMA_ARG_PORT", port)
        editor = await start_editor(shop)
        try:
            assert await found_at(editor, state.url) is None
            state.files["/props"] = b"[1, 2]"
            assert await found_at(editor, state.url) is None
            props = {"default_generation_settings": {"n_ctx": 4096}, "model_path": "/m/qwen.gguf", "build_info": "b1"}
            state.files["/props"] = json.dumps(props).encode()
            engine = {"kind": "llama-server", "url": state.url, "model": "qwen"}
            assert await found_at(editor, state.url) == engine
            state.files["/props"] = json.dumps(props | {"build_info": "palimpsest-0"}).encode()
            assert await found_at(editor, state.url) == engine | {"kind": "in-place"}
        finally:
            await stop_editor(editor)


async def found_at(editor: Editor, url: str) -> dict[str, Any] | None:
    engines = (await editor.command("palimpsest.engines.found"))["engines"]
    return next((engine for engine in engines if engine["url"] == url), None)


async def test_a_request_for_what_is_made_on_save_says_nothing_of_the_cursor(editor: Editor) -> None:
    uri = editor.open("shop/cart.py")
    where = editor.at(uri, "total = self.subtotal()")
    editor.client.protocol.notify("palimpsest/cursor", {"textDocument": {"uri": uri}, "position": where})
    whole = lsp.Range(lsp.Position(0, 0), lsp.Position(99, 0))
    kinds = [lsp.CodeActionKind.SourceOrganizeImports, "source.fixAll.ruff"]
    for only, expected in ((kinds, "Cart.total"), ([lsp.CodeActionKind.RefactorRewrite], "shop.cart")):
        params = lsp.CodeActionParams(lsp.TextDocumentIdentifier(uri), whole, lsp.CodeActionContext([], only))
        await editor.client.text_document_code_action_async(params)
        found = await editor.command("palimpsest.context.show")
        assert found["editing"]["name"] == expected
