"""`docs/troubleshooting.md`: every command that it shows is run, and what it calls by name is called so."""

import ast
import inspect
import json
import re
import shlex
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from pygls.exceptions import JsonRpcException

from palimpsest.cli import checks, doctor
from tests import documents
from tests.documents import ROOT

from .conftest import Editor, start_editor, stop_editor, until
from .talking import do, talking
from .test_compaction import WRITTEN
from .test_interrupted import Command, interruptible

__all__ = ["interruptible"]

PAGE = ROOT / "docs" / "troubleshooting.md"
FETCHING = {"palimpsest engine get", "palimpsest engine get cpu", "palimpsest model get default"}
"""From the network: `tests/libraries/test_get.py` and `tests/test_default_model.py` run these on servers of theirs."""
STATES = {"ready", "loading", "off", "degraded", "snoozed until …"}
OF_EDITORS = {"Extensions", "Keyboard Shortcuts", "Completions are off …"}


def shown(pattern: str) -> set[str]:
    lines = [*documents.spans(PAGE), *documents.code_lines(PAGE)]
    return {line.partition("#")[0].strip() for line in lines if re.match(pattern, line)}


@pytest.fixture
async def editor(shop: Path) -> AsyncIterator[Editor]:
    it = await start_editor(shop)
    await it.ready()
    yield it
    await stop_editor(it)


def ran(line: str, cwd: Path) -> str:
    command = [sys.executable, "-m", *shlex.split(line)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=cwd)
    assert done.returncode == 0, (line, done.stdout, done.stderr)
    return done.stdout


async def test_each_command_of_the_terminal_says_something(editor: Editor, shop: Path, tmp_path: Path) -> None:
    lines = shown(r"palimpsest [\w-]") - FETCHING
    followed, stopped = {line for line in lines if "--follow" in line}, {line for line in lines if "--stop" in line}
    assert {"palimpsest doctor", "palimpsest engine --list", "palimpsest log"} <= lines
    for line in lines - followed - stopped:
        shorter = " --seconds 3 --places 3" if line == "palimpsest model check" else ""  # it takes minutes by itself
        assert ran(f"{line}{shorter}", shop).strip(), line
    for line in followed:
        command = Command(*shlex.split(line)[1:])
        command.says(b"until Ctrl-C")
        command.is_interrupted()
    for line in stopped:
        (engine, *_) = json.loads(ran("palimpsest engine --list --json", shop))
        assert engine["name"] in ran(line.replace("NAME", engine["name"]), shop)


async def test_each_command_of_the_server_answers(editor: Editor, shop: Path) -> None:
    uri = editor.open("shop/cart.py")
    place = {"uri": uri, "position": {"line": 0, "character": 0}}
    arguments: dict[str, dict[str, Any]] = {
        "palimpsest.toggle": {"feature": "completion", "scope": "buffer", "uri": uri},
        "palimpsest.completion.snooze": {"minutes": 0},
        "palimpsest.context.show": place,
        "palimpsest.context.unpin": {"uri": uri},
        "palimpsest.context.drop": {"type": "recent", "name": "a note"},
    }
    named = shown(r"palimpsest\.\w") - {"palimpsest.toml"}
    assert named >= {*arguments, "palimpsest.doctor", "palimpsest.stats", "palimpsest.cache.map"}
    await editor.command("palimpsest.context.pin", {"uri": uri})
    await editor.command("palimpsest.context.put", {**arguments["palimpsest.context.drop"], "text": "a = 1"})
    for name in sorted(named - {"palimpsest.restartEngine"}):
        assert isinstance(await editor.command(name, arguments.get(name, {})), dict)
    await editor.command("palimpsest.restartEngine", {})
    await editor.ready()


def test_what_it_calls_by_name_is_called_so() -> None:
    titles = {row["title"] for row in json.loads((ROOT / "clients/shared/commands.json").read_text(encoding="utf-8"))}
    checked = re.findall(r'Check\(\s*"([^"]+)"', inspect.getsource(doctor) + inspect.getsource(checks))
    named = set(re.findall(r"(?<!\*)\*([^*\n]+)\*(?!\*)", documents.prose(PAGE)))
    assert named - titles - STATES - OF_EDITORS - {*checked} == set()


def test_what_it_quotes_is_said_by_the_server() -> None:
    """Between “ and ”, with … for what differs; but for what a person says."""
    said = set[str]()
    for path in (ROOT / "server" / "palimpsest").rglob("*.py"):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        said |= {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    every = "\0".join(said)
    quoted = set(re.findall("“([^”]+)”", PAGE.read_text(encoding="utf-8"))) - {"go on", "important"}
    assert {"Send again", "This may mean …"} <= quoted
    pieces = {piece.strip() for one in quoted for piece in re.split(r"[…()]", one)}
    assert [one for one in sorted(pieces) if one not in every] == []


def test_the_folder_of_a_server_that_an_editor_installed_is_where_it_is_said_to_be() -> None:
    package = json.loads((ROOT / "clients/vscode/package.json").read_text(encoding="utf-8"))
    folders = [row for row in documents.spans(PAGE) if "globalStorage" in row]
    assert len(folders) == 4
    assert {re.findall(r"globalStorage.([^/\\]+)", row)[0] for row in folders} == {
        f"{package['publisher']}.{package['name']}"
    }


def test_those_of_neovim_are_run_in_neovim() -> None:
    run = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests" / "editors" / "nvim").glob("test_*.py"))
    named = shown(":Palimpsest ")
    assert named
    assert [one for one in named if f"{one}<CR>" not in run] == []


async def test_a_full_window_is_compacted_and_what_was_said_is_sent_again(machine: dict[str, str], shop: Path) -> None:
    async with talking(shop, {"conversation": {"compaction": "off"}}, window=4096) as (window, model):
        uri = window.open("talk.palimpsest.md", "## user\n\nA question\n")
        talk = (await do(window, "conversation.send", uri=uri))["conversation"]
        for role in ("user", "assistant") * 4:
            await do(window, "conversation.append", conversation=talk, role=role, content="Long. " * 500)
        with pytest.raises(JsonRpcException, match="longer than the model can read"):
            await do(window, "ask", text="And now?", conversation=talk)
        await until(lambda: "Not finished: The conversation is longer" in window.texts[uri])
        await do(window, "conversation.compact", conversation=talk)
        model.replies = ["Hello again."]
        assert (await do(window, "conversation.send", uri=uri))["reply"] == "Hello again."


async def test_a_summary_by_rules_is_gone_back_from_and_written_anew(machine: dict[str, str], shop: Path) -> None:
    async with talking(shop) as (window, model):
        talk = (await do(window, "ask", text="One"))["conversation"]
        model.replies = ["No summary.", json.dumps(WRITTEN)]
        assert (await do(window, "conversation.compact", conversation=talk))["written_by"] == "mechanical"
        (kept,) = (await do(window, "checkpoint.list", conversation=talk))["checkpoints"]
        await do(window, "checkpoint.restore", conversation=talk, checkpoint_id=kept["checkpoint_id"])
        assert (await do(window, "conversation.compact", conversation=talk))["written_by"] == "model"
