"""The index of names in a real server: built beside it, kept right whatever happens, and never waited for."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil
import pytest
from lsprotocol import types as lsp

from palimpsest.index.store import database
from palimpsest.system.priority import BEHIND
from palimpsest.text.uris import to_uri

from .conftest import READY_S, Editor, start_editor, stop_editor, until

MANY = 450
MAIN = "def go():\n    {0}(1)\n    return 2\n"
Start = Callable[..., Awaitable[Editor]]


def module(n: int) -> str:
    return f'class Thing{n}:\n    """Thing {n}."""\n\n    def __init__(self, size: int) -> None: ...\n'


def write(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "work"
    write(root, {f"area{n % 7}/mod_{n}.py": module(n) for n in range(MANY)})
    write(root, {"main.py": MAIN.format("Thing7")})
    return root


@pytest.fixture
async def start(machine: dict[str, str], root: Path) -> AsyncIterator[Start]:
    """Starts windows on the folder."""
    started = list[Editor]()

    async def begin(settings: dict[str, Any] | None = None) -> Editor:
        started.append(await start_editor(root, settings, own_process=True))
        return started[-1]

    yield begin
    for editor in started:
        if is_alive(editor.pid):
            await stop_editor(editor)
        else:
            await editor.client.stop()


async def blocks(editor: Editor, name: str) -> set[str]:
    """Types and names of the blocks for code that uses a name; the cursor goes there as a person's does."""
    uri = to_uri(editor.root / "main.py")
    if uri not in editor.texts:
        editor.open("main.py")
    if f"{name}(" not in editor.texts[uri]:
        editor.edit(uri, editor.texts[uri], MAIN.format(name))
    position = editor.at(uri, "return 2")
    editor.cursor(uri, position)
    shown = await editor.show(uri, position)
    return {f"{block['type']}:{block['name']}" for block in shown["blocks"]}


async def until_shown(editor: Editor, name: str, key: str, *, shown: bool = True) -> None:
    """Wait until a block is there, or no more."""
    ends = asyncio.get_running_loop().time() + READY_S
    while (key in await blocks(editor, name)) != shown:
        assert asyncio.get_running_loop().time() < ends, f"{key} is {'not ' if shown else ''}there"
        await asyncio.sleep(0.05)


def changed(editor: Editor, *names: str) -> None:
    """As an editor says what it has seen on disk."""
    events = [lsp.FileEvent(to_uri(editor.root / name), lsp.FileChangeType.Changed) for name in names]
    editor.client.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams(events))


def builders(server: int) -> list[int]:
    """The processes that build a server's index."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                status = (folder / "status").read_text()
                line = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if f"PPid:\t{server}\n" in status and b"palimpsest.index.worker" in line:
                found.append(int(folder.name))
    return found


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def kept(machine: Mapping[str, str], root: Path) -> Path:
    return database(Path(machine["XDG_CACHE_HOME"]) / "palimpsest", root.resolve())


def paths(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as connection:
        return {name for (name,) in connection.execute("SELECT path FROM files")}


async def test_it_is_built_in_the_background_and_its_building_is_shown(start: Start) -> None:
    editor = await start()
    await until_shown(editor, "Thing7", "class:area0.mod_7.Thing7")
    reports = reports_of(editor)
    titles = [value.title for value in reports if isinstance(value, lsp.WorkDoneProgressBegin)]
    assert "Palimpsest: names in work" in titles
    said = [value.message for value in reports if isinstance(value, lsp.WorkDoneProgressReport)]
    # a walk that began anew counts what was left
    assert any(re.fullmatch(r"[1-9]\d* of \d+ files", message or "") for message in said)
    await until(lambda: any(isinstance(value, lsp.WorkDoneProgressEnd) for value in reports_of(editor)))


def reports_of(editor: Editor) -> list[object]:
    return [value for values in editor.client.progress_reports.values() for value in values]


async def test_it_follows_edits_and_files_that_change_without_the_editor(start: Start, root: Path) -> None:
    editor = await start()
    await until_shown(editor, "Thing7", "class:area0.mod_7.Thing7")
    uri = editor.open("area0/mod_7.py")
    editor.edit(uri, "class Thing7", "class Renamed")
    await until_shown(editor, "Renamed", "class:area0.mod_7.Renamed")
    assert "class:area0.mod_7.Thing7" not in await blocks(editor, "Thing7")
    editor.close(uri)  # without saving
    await until_shown(editor, "Thing7", "class:area0.mod_7.Thing7")
    write(root, {"fresh/made.py": "class Fresh:\n    def __init__(self, size: int) -> None: ...\n"})
    changed(editor, "fresh/made.py")
    await until_shown(editor, "Fresh", "class:fresh.made.Fresh")
    (root / "fresh" / "made.py").unlink()
    changed(editor, "fresh/made.py")
    await until_shown(editor, "Fresh", "class:fresh.made.Fresh", shown=False)


async def test_a_builder_goes_behind_the_engine_which_has_a_session_of_its_own(start: Start, root: Path) -> None:
    editor = await start()
    await until(lambda: builders(editor.pid) or editor.open("main.py") is None)
    [builder] = builders(editor.pid)
    await until(lambda: psutil.Process(builder).nice() == BEHIND)
    assert os.getsid(builder) == builder, "Linux compares nice values only within a session"


async def test_a_builder_that_is_killed_is_followed_by_another(start: Start, root: Path) -> None:
    editor = await start()
    await until(lambda: builders(editor.pid) or editor.open("main.py") is None)
    [first] = builders(editor.pid)
    os.kill(first, signal.SIGKILL)  # somewhere in the middle of building
    await until_shown(editor, "Thing7", "class:area0.mod_7.Thing7")
    [second] = builders(editor.pid)
    assert second != first
    write(root, {"fresh.py": "class Fresh: ...\n"})
    os.kill(second, signal.SIGKILL)
    changed(editor, "fresh.py")
    await until_shown(editor, "Fresh", "class:fresh.Fresh")


@pytest.mark.slow(part="storms")
async def test_a_server_that_is_killed_leaves_an_index_that_is_right(
    start: Start, root: Path, machine: dict[str, str]
) -> None:
    first = await start()
    first.open("main.py")
    await until(lambda: builders(first.pid))
    [builder] = builders(first.pid)
    await until(kept(machine, root).exists)
    os.kill(first.pid, signal.SIGKILL)
    await until(lambda: not is_alive(builder))
    write(root, {"area0/mod_7.py": module(7).replace("Thing7", "Other")})
    second = await start()
    await until_shown(second, "Other", "class:area0.mod_7.Other")
    assert "class:area0.mod_7.Thing7" not in await blocks(second, "Thing7")
    await until_shown(second, f"Thing{MANY - 1}", f"class:area{(MANY - 1) % 7}.mod_{MANY - 1}.Thing{MANY - 1}")
    await until(lambda: len(paths(kept(machine, root))) == MANY + 1)  # a window asks for what it shows before its turn


async def test_two_windows_keep_one_index(start: Start, root: Path, machine: dict[str, str]) -> None:
    one, two = await start(), await start()
    await until_shown(one, "Thing7", "class:area0.mod_7.Thing7")
    await until_shown(two, "Thing8", "class:area1.mod_8.Thing8")
    write(root, {"fresh.py": "class Fresh: ...\n"})
    changed(two, "fresh.py")
    await until_shown(one, "Fresh", "class:fresh.Fresh")
    await until_shown(two, "Fresh", "class:fresh.Fresh")
    await stop_editor(one)
    write(root, {"later.py": "class Later: ...\n"})
    changed(two, "later.py")
    await until_shown(two, "Later", "class:later.Later")
    assert {"fresh.py", "later.py"} <= paths(kept(machine, root))


async def test_what_palimpsestignore_comes_to_name_is_gone_from_everywhere(
    start: Start, root: Path, machine: dict[str, str]
) -> None:
    editor = await start()
    await until_shown(editor, "Thing7", "class:area0.mod_7.Thing7")
    await until(lambda: "area0/mod_7.py" in paths(kept(machine, root)))
    write(root, {".palimpsestignore": "mod_7.py\n"})
    assert "class:area0.mod_7.Thing7" not in await blocks(editor, "Thing7"), "not even once, before anyone looks"
    uri = to_uri(root / "main.py")
    shown = await editor.show(uri, editor.at(uri, "return 2"))
    assert "mod_7.py" not in shown["prompt"]
    changed(editor, ".palimpsestignore")
    await until(lambda: "area0/mod_7.py" not in paths(kept(machine, root)))
    write(root, {".palimpsestignore": ""})
    changed(editor, ".palimpsestignore")
    await until_shown(editor, "Thing7", "class:area0.mod_7.Thing7")


@pytest.mark.slow(part="storms")
async def test_what_limits_leave_out_is_in_the_log_and_in_doctor(
    start: Start, root: Path, machine: dict[str, str]
) -> None:
    write(root, {"big.py": "x = 1\n" * 2_000, "vendored/a.py": "class A: ...\n"})
    limits = {"max_files": 20, "max_file_bytes": 5_000, "exclude": ["vendored/"]}
    editor = await start({"index": limits})
    editor.open("main.py")
    log = Path(machine["XDG_STATE_HOME"]) / "palimpsest" / "log" / "server.log"
    reasons = [f"{MANY + 1 - 20} beyond index.max_files (20)", "1 larger than index.max_file_bytes (5,000)"]
    await until(lambda: all(f"left out: {reason}" in log.read_text(encoding="utf-8") for reason in reasons))
    command = [sys.executable, "-m", "palimpsest", "doctor", "--json", "--folder", str(root)]
    told = json.loads((await asyncio.to_thread(subprocess.run, command, capture_output=True, check=False)).stdout)
    [said] = [check["detail"] for check in told["checks"] if check["name"] == "index"]
    assert "20 files; left out:" in said
    assert all(reason in said for reason in reasons)


@pytest.mark.slow(part="storms")
async def test_typing_does_not_wait_for_it(start: Start, machine: dict[str, str], root: Path) -> None:
    """Its process is stopped and its database locked by somebody else; everything a person does is answered."""
    editor = await start()
    await until_shown(editor, "Thing7", "class:area0.mod_7.Thing7")
    [builder] = builders(editor.pid)
    with closing(sqlite3.connect(kept(machine, root), isolation_level=None)) as other:
        os.kill(builder, signal.SIGSTOP)
        other.execute("BEGIN EXCLUSIVE")
        try:
            uri = to_uri(root / "main.py")
            position = editor.at(uri, "return 2")
            for text in ("\n", "    T", "h", "i", "n", "g", "9("):
                position = editor.type(uri, position, text)
                async with asyncio.timeout(READY_S):
                    await editor.complete(uri, position)
            assert "class:area1.mod_8.Thing8" in await blocks(editor, "Thing8"), "what is known is known"
            uri = editor.open("area2/mod_9.py")
            editor.edit(uri, "class Thing9", "class Unread")
            assert "class:area2.mod_9.Unread" not in await blocks(editor, "Unread")
        finally:
            other.execute("ROLLBACK")
            os.kill(builder, signal.SIGCONT)
    await until_shown(editor, "Unread", "class:area2.mod_9.Unread")


async def test_none_is_built_of_a_home_folder(
    start: Start, root: Path, monkeypatch: pytest.MonkeyPatch, machine: dict[str, str]
) -> None:
    monkeypatch.setenv("HOME", str(root))
    editor = await start()
    editor.open("main.py")
    log = await editor.command("palimpsest.log")
    await until(lambda: "no index of a home folder" in Path(log["path"]).read_text("utf-8"))
    assert builders(editor.pid) == []
