"""A commit message for what is not committed yet: a real repository, server and model."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from palimpsest.text.uris import to_uri

from .conftest import Editor, start_editor, stop_editor
from .scripted import scripted

IDENTITY = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
CART = "shop/cart.py"


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *IDENTITY, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
async def editor(machine: dict[str, str], shop: Path) -> AsyncIterator[Editor]:
    """An editor window on the sample workspace, all of it committed."""
    git(shop, "init", "-q")
    git(shop, "add", "-A")
    git(shop, "commit", "-q", "-m", "first")
    it = await start_editor(shop)
    await it.ready()
    yield it
    await stop_editor(it)


def rewrite(editor: Editor, file: str, old: str, new: str) -> None:
    path = editor.root / file
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


async def refused(editor: Editor, argument: dict[str, Any] | None = None) -> str:
    with pytest.raises(JsonRpcException) as caught:
        await editor.command("palimpsest.summarize", argument)
    return str(caught.value.message)


async def test_what_only_moved_or_became_executable_is_said_without_a_model(editor: Editor) -> None:
    git(editor.root, "mv", CART, "shop/basket.py")
    answer = await editor.command("palimpsest.summarize", {"staged": True})
    assert answer["text"] == "Rename shop/cart.py to shop/basket.py\n"
    assert answer["files"] == ["shop/basket.py (was shop/cart.py)"]
    git(editor.root, "mv", "shop/basket.py", "basket.py")
    git(editor.root, "mv", "basket.py", "cart.py")
    answer = await editor.command("palimpsest.summarize", {"staged": True})
    assert answer["summary"] == "Move shop/cart.py to the top folder"
    git(editor.root, "reset", "-q", "--hard")
    (editor.root / CART).chmod(0o755)
    assert (await editor.command("palimpsest.summarize"))["summary"] == "Make shop/cart.py executable"


async def test_the_change_in_one_line_ready_to_paste(editor: Editor) -> None:
    rewrite(editor, CART, "def total(self)", "def total_of_all(self)")
    (editor.root / "notes.txt").write_text("Prices change in May.\n")
    (editor.root / "picture.bin").write_bytes(b"\0\1\2")
    answer = await editor.command("palimpsest.summarize")
    assert 0 < len(answer["summary"]) <= 72
    assert "\n" not in answer["summary"]
    assert answer["text"].split("\n")[0] == answer["summary"]
    assert sorted(answer["files"]) == ["notes.txt", "picture.bin", CART]
    assert answer["left_out"] == []
    assert answer["xml"] == f'<summary files="{" ".join(answer["files"])}">\n{answer["text"]}</summary>'


async def test_what_is_staged_and_what_is_not_saved(editor: Editor) -> None:
    assert "has changed" in await refused(editor)
    uri = editor.open(CART)
    editor.edit(uri, "def total(self)", "def sum_up(self)")
    assert "not saved" in await refused(editor), "on disk nothing changed"
    assert (await editor.command("palimpsest.summarize", {"uri": uri}))["files"] == [CART]
    assert "nothing is staged" in await refused(editor, {"uri": uri, "staged": True})
    changed = await editor.command("palimpsest.summarize", {"uri": uri})
    assert (await editor.command("palimpsest.summarize", {"uri": uri, "staged_first": True}))["files"] == changed[
        "files"
    ]
    rewrite(editor, "shop/order.py", "def ", "def x_")
    git(editor.root, "add", "shop/order.py")
    answer = await editor.command("palimpsest.summarize", {"uri": uri, "staged": True})
    first = await editor.command("palimpsest.summarize", {"uri": uri, "staged_first": True})
    assert first["files"] == answer["files"]
    assert answer["files"] == ["shop/order.py"]
    assert sorted((await editor.command("palimpsest.summarize", {"uri": uri}))["files"]) == [CART, "shop/order.py"]


async def test_a_message_is_what_follows_the_thought_and_one_that_is_cut_off_in_it_is_none(editor: Editor) -> None:
    rewrite(editor, CART, "def total(self)", "def sum_up(self)")
    with scripted() as said:
        draft = "<think>\nPerhaps <summary>Change it</summary>\n"
        said.replies = [f"{draft}</think>\n\nHere is a commit message:\n```\nSubject: Rename total\n```\n", draft]
        other = await start_editor(editor.root, {"engine": {"kind": "openai", "url": said.url}})
        try:
            await other.ready()
            assert (await other.command("palimpsest.summarize"))["text"] == "Rename total\n"
            assert "no summary" in await refused(other)
        finally:
            await stop_editor(other)


async def test_secrets_and_ignored_files_reach_no_model(editor: Editor) -> None:
    (editor.root / ".env").write_text("KEY=1\n")
    git(editor.root, "add", "-f", ".env")
    message = await refused(editor)
    assert ".env looks like a file of secrets" in message
    rewrite(editor, CART, "def total(self)", "def sum_up(self)")
    answer = await editor.command("palimpsest.summarize")
    assert answer["files"] == [CART]
    assert answer["left_out"] == [{"file": ".env", "reason": "looks like a file of secrets"}]


async def test_a_file_with_a_token_before_or_after_reaches_no_model(editor: Editor) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    (editor.root / "old.txt").write_text(f"log in with {token}\n")
    git(editor.root, "add", "-A")
    git(editor.root, "commit", "-q", "-m", "second")
    (editor.root / "old.txt").write_text("log in by hand\n")
    (editor.root / "new.txt").write_text(f"log in with {token}\n")
    key = "q7Zp3" + "vK9xT2mW8rB4nL6"
    rewrite(editor, CART, "def total(self)", f"API_KEY = '{key}'\n\n    def sum_up(self)")
    with scripted() as said:
        said.replies = ["<summary>Rename total</summary>"]
        other = await start_editor(editor.root, {"engine": {"kind": "openai", "url": said.url}})
        try:
            await other.ready()
            answer = await other.command("palimpsest.summarize")
        finally:
            await stop_editor(other)
    assert answer["files"] == [CART]
    assert {left["file"] for left in answer["left_out"]} == {"new.txt", "old.txt"}
    assert all("token" in left["reason"] for left in answer["left_out"])
    assert token not in str(said.asked)
    assert key not in str(said.asked)
    assert "API_KEY" in str(said.asked)


async def test_what_cannot_be_summarized_is_said(editor: Editor, tmp_path: Path) -> None:
    assert "uri" in await refused(editor, {"uri": to_uri(tmp_path / "elsewhere.py")})
    assert "staged" in await refused(editor, {"staged": "yes"})
    assert "is not a file" in await refused(editor, {"uri": "untitled:1"})
    (editor.root / ".git").rename(tmp_path / "gone")
    assert "in no git repository" in await refused(editor)


async def test_a_model_that_is_told_what_to_do_sees_the_change_and_the_rules(editor: Editor, shop: Path) -> None:
    (shop / "AGENTS.md").write_text("Log in with\npassword: letmein2024\nMessages begin with a capital letter.\n")
    (shop / ".env").write_text("KEY=hidden\n")
    rewrite(editor, CART, "def total(self)", "def sum_up(self)")
    with scripted() as said:
        said.replies = [f"Sure!\n<summary>{'Rename total to sum_up ' * 5}</summary>\n<body>\n- One name.\n</body>"]
        other = await start_editor(shop, {"engine": {"kind": "openai", "url": said.url}})
        try:
            await other.ready()
            answer = await other.command("palimpsest.summarize")
        finally:
            await stop_editor(other)
    assert answer["summary"] == ("Rename total to sum_up " * 3).strip()
    assert answer["text"] == f"{answer['summary']}\n\n- One name.\n"
    assert f'<change file="{CART}" kind="changed">' in said.prompt
    assert "\n-    def total(self) -> int:\n+    def sum_up(self) -> int:\n" in said.prompt
    assert "\nMessages begin with a capital letter.\n</context>" in said.prompt
    assert "\npassword: ...\n" in said.prompt
    assert "hidden" not in said.prompt
    assert ".env" not in said.prompt


async def test_the_progress_shows_the_summary_while_it_is_written(editor: Editor) -> None:
    rewrite(editor, CART, "def total(self)", "def total_of_all(self)")
    reports = editor.client.progress_reports["mine"] = []
    params = lsp.ExecuteCommandParams("palimpsest.summarize", [{}], work_done_token="mine")
    answer = await editor.client.workspace_execute_command_async(params)
    shown = [report.message for report in reports if isinstance(report, lsp.WorkDoneProgressReport)]
    assert len(shown) > 2, "one word after the other"
    assert shown[-1] == answer["summary"]
    assert all(answer["summary"].startswith(text.rstrip(",;:-")) for text in shown)


async def test_it_shows_progress_and_can_be_cancelled(editor: Editor) -> None:
    for n in range(200):  # a change that takes a while to read
        (editor.root / f"new_{n}.txt").write_text(f"Note {n}: prices change in May.\n" * 500)
    reports = editor.client.progress_reports["mine"] = []  # the client's own token
    params = lsp.ExecuteCommandParams("palimpsest.summarize", [{}], work_done_token="mine")
    asked = asyncio.ensure_future(editor.client.workspace_execute_command_async(params))
    while not reports and not asked.done():
        await asyncio.sleep(0.002)
    editor.client.window_work_done_progress_cancel(lsp.WorkDoneProgressCancelParams("mine"))
    with pytest.raises(JsonRpcException, match="cancelled"):
        await asked
    assert reports[0].title == "Summarizing the change"
    answer = await editor.command("palimpsest.summarize")
    assert len(answer["files"]) == 200
