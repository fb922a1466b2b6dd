"""What wants a window of its own: workspaces that are trusted or not, an engine whose replies a test writes."""

from __future__ import annotations

import json
import shlex
import stat
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.scripted import Scripted, scripted
from tests.editors.conftest import carried
from tests.editors.vscode.completions import COMPLETION, TYPED, rest
from tests.editors.vscode.conftest import CART, Open
from tests.editors.vscode.recording import Recording
from tests.editors.vscode.server import CodeServer
from tests.editors.vscode.settings import switch, types

pytestmark = [pytest.mark.slow(part="editors"), pytest.mark.timeout(600)]


def program(path: Path, proof: Path) -> None:
    """One that leaves a proof where it is run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\ntouch '{proof}'\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def told_to_server(recording: Recording, since: int) -> list[Any]:
    """All settings that the server was given, at its start and when it asked."""
    given = [said.params["initializationOptions"] for said in recording.notices("initialize", since=since)]
    asked = [
        said.message["id"]
        for said in recording.said(since)
        if said.side == "server" and said.method == "workspace/configuration"
    ]
    for said in recording.said(since):
        if said.side == "client" and not said.method and said.message.get("id") in asked:
            given += said.message["result"]
    return given


def test_of_an_untrusted_workspace_nothing_is_run_and_no_setting_used(open_window: Open, tmp_path: Path) -> None:
    """In Restricted Mode: what its files name as the server, its environment's, and the settings in it."""
    proof = tmp_path / "it was run"
    named, environment = tmp_path / "named", ".venv/bin/palimpsest"
    program(named, proof)

    def prepare(folder: Path) -> None:
        program(folder / environment, proof)
        wanted = {
            "palimpsest.server.command": [str(named), "serve"],
            "palimpsest.server.useWorkspaceEnvironment": True,
            "palimpsest.engine.url": "http://127.0.0.1:9/",
            "palimpsest.completion.enabled": False,
        }
        (folder / ".vscode").mkdir()
        (folder / ".vscode" / "settings.json").write_text(json.dumps(wanted), encoding="utf-8")

    window = open_window(
        CART, prepare, security__workspace__trust__enabled=True, security__workspace__trust__startupPrompt="never"
    )
    window.ready()
    window.until(lambda: "Restricted Mode" in window.status_bar)
    window.at(CART, "total = self.subtotal()")
    window.key("Enter")
    window.type("if self.disc")
    window.until(lambda: window.ghost)
    given = told_to_server(window.server.recording, window.begun)
    assert given
    assert not any("enabled" in settings.get("completion", {}) or "engine" in settings for settings in given), given
    assert not proof.exists()


def test_a_trusted_workspace_may_set_what_it_may_and_no_program(open_window: Open, tmp_path: Path) -> None:
    proof, named = tmp_path / "it was run", tmp_path / "named"
    program(named, proof)

    def prepare(folder: Path) -> None:
        program(folder / ".venv/bin/palimpsest", proof)
        wanted = {"palimpsest.server.command": [str(named), "serve"], "palimpsest.completion.enabled": False}
        (folder / ".vscode").mkdir()
        (folder / ".vscode" / "settings.json").write_text(json.dumps(wanted), encoding="utf-8")

    window = open_window(CART, prepare)
    window.until(lambda: window.message.get("kind") == "Inactive" and window.message["model"])
    assert "completion.enabled" in window.message["message"]
    assert not proof.exists()


def test_what_the_extension_carries_is_installed_and_then_used(open_window: Open, server: CodeServer) -> None:
    carried(server.extension / "server")
    window = open_window(CART, palimpsest__server__command="")
    window.command("Palimpsest: Install the Server")
    window.until(lambda: "Fetching an engine." in window.notifications)
    window.until(lambda: "It is installed." in window.notifications)
    window.at(CART, "total = self.subtotal()")
    window.key("Enter")
    window.type("if self.disc")
    window.until(lambda: window.ghost)


def test_the_walkthrough_ticks_what_has_been_done(open_window: Open) -> None:
    window = open_window()
    window.ready()
    window.command("Palimpsest: Open the Walkthrough")

    def ticked(step: str) -> bool:
        return window.page.locator(f'[data-step-id$="#start#{step}"] .codicon-getting-started-step-checked').count() > 0

    window.until(lambda: ticked("install"))
    assert not ticked("complete")
    window.open(CART)
    window.at(CART, "total = self.subtotal()")
    window.key("Enter")
    window.type("if self.disc")
    window.until(lambda: window.ghost)
    window.key("Tab")
    window.command("Palimpsest: Open the Walkthrough")
    window.until(lambda: ticked("complete"))


def test_what_was_typed_before_there_was_a_server_is_completed_when_there_is(open_window: Open, tmp_path: Path) -> None:
    slow, go = tmp_path / "slow", tmp_path / "go"
    begins = f"#!/bin/sh\nif [ $1 = serve ]; then while [ ! -e '{go}' ]; do sleep 0.1; done; fi\n"
    slow.write_text(f'{begins}exec {shlex.quote(sys.executable)} -P -m palimpsest "$@"\n', encoding="utf-8")
    slow.chmod(0o755)
    window = open_window(CART, palimpsest__server__command=[str(slow), "serve"])
    window.until(lambda: "Palimpsest" in window.status_bar)
    window.at(CART, "total = self.subtotal()")
    window.key("Enter")
    window.type("if self.disc")
    assert window.ghost == ""
    go.touch()
    window.until(lambda: window.ghost)


@pytest.fixture
def engine() -> Iterator[Scripted]:
    with scripted() as it:
        yield it


def test_what_the_server_has_found_on_a_pause_takes_the_place_of_what_is_shown(
    open_window: Open, engine: Scripted
) -> None:
    """Nobody types; the model's answers are written by the test, the first longer than the time that it has."""

    def prepare(folder: Path) -> None:
        text = "values = []\n\n\ndef compute(values, key):\n    pass\n\n\ntotal = \n"
        (folder / "sums.py").write_text(text, encoding="utf-8")

    in_time = [{"content": "ompute(values, key=lam"}, *[{"content": ""}] * 2000]
    engine.replies = [in_time, "ompute(values, key=lambda one: one)\n"]
    of_engine: dict[str, Any] = {"palimpsest__engine__kind": "openai", "palimpsest__engine__url": engine.url}
    of_time: dict[str, Any] = {"palimpsest__completion__first_ms": 1, "palimpsest__completion__time_ms": 20_000}
    window = open_window("sums.py", prepare, **of_engine, **of_time)
    window.ready()
    window.at("sums.py", "total = ")
    window.type("c", delay_ms=0)
    window.until(lambda: window.ghost == "ompute(values, key=lambda one: one)")
    asked = window.server.recording.asked(COMPLETION, window.begun)
    texts = [item["insertText"] for it in asked if it.result for item in it.result["items"]]
    assert texts == ["compute(values)", "compute(values, key=lambda one: one)"]


def test_a_key_that_is_entered_goes_to_the_engine_and_into_no_message(open_window: Open, engine: Scripted) -> None:
    window = open_window(CART, palimpsest__engine__kind="openai", palimpsest__engine__url=engine.url)
    window.ready()
    assert engine.keys[-1] == ""
    for key, sent in (("s3cret", "Bearer s3cret"), ("", "")):
        n, since = len(engine.keys), window.server.recording.mark()
        window.command("Palimpsest: Enter the Engine's Key")
        window.page.locator(".quick-input-title", has_text="Enter the Engine's Key").wait_for()
        window.type(key)
        window.key("Enter")
        window.until(lambda n=n, sent=sent: sent in engine.keys[n:])
        window.ready(since)
    assert "s3cret" not in window.server.recording.path.read_text(encoding="utf-8")


DISCOUNT = "shop/discount.py"
OLD, NEW = "        return total * self.percent // 100", "        return round(total * self.percent / 100)"
WRONG, RIGHT = "            total -= self.discount.amount(totla)", "            total -= self.discount.amount(total)"


def test_an_edit_of_two_files_is_shown_applied_and_undone_in_both(open_window: Open, engine: Scripted) -> None:
    """The reply is written by the test."""
    window = open_window(DISCOUNT, palimpsest__engine__kind="openai", palimpsest__engine__url=engine.url)
    window.ready()
    files = [window.folder / CART, window.folder / DISCOUNT]
    before = [file.read_text(encoding="utf-8") for file in files]
    line = before[1].split("\n").index(OLD) + 1
    engine.replies = [
        f'<suggestion name="{DISCOUNT}">\nL{line} {NEW}\n</suggestion>\n'
        f'<suggestion name="editing">\nL5 {RIGHT}\n</suggestion>\n<summary>Round and correct.</summary>\n'
    ]
    window.command("Palimpsest: Pin File")
    window.until(
        lambda: [
            a
            for a in window.server.recording.asked("workspace/executeCommand", window.begun, "palimpsest.context.pin")
            if a.result
        ]
    )
    window.open(CART)
    window.at(CART, "amount(totla)")
    window.command("Palimpsest: Edit with an Instruction")
    window.page.locator(".quick-input-title", has_text="Edit with an Instruction").wait_for()
    window.type("Round, and correct the name.")
    window.key("Enter")
    window.page.locator(".tab.active", has_text="Round and correct. (2 files)").wait_for()
    window.until(lambda: NEW.strip() in window.shown(".monaco-diff-editor .modified .view-lines"))
    assert "Round, and correct the name." in engine.prompt
    window.command("Palimpsest: Apply the Edit")
    after = [before[0].replace(WRONG, RIGHT), before[1].replace(OLD, NEW)]

    def saved() -> list[str]:
        window.save()
        return [file.read_text(encoding="utf-8") for file in files]

    window.until(lambda: saved() == after)


def test_behind_what_was_accepted_tab_goes_behind_what_closes(open_window: Open) -> None:
    window = open_window(CART, palimpsest__completion__multiline="never")
    window.ready()
    window.at(CART, "total = self.subtotal()")
    window.key("Enter")
    window.type("print([self.dis])")
    window.key("ArrowLeft", "ArrowLeft")
    window.type("c")
    ghost = rest(window)
    window.key("Tab")
    window.until(
        lambda: window.server.recording.asked(
            "workspace/executeCommand", window.since, "palimpsest.completion.accepted"
        )
    )
    time.sleep(1)  # what comes next may be shown by now, and Tab would take it
    window.key("Escape", "Tab")
    column = len(f"        print([self.disc{ghost}])") + 1
    window.until(lambda: f"Col {column}" in window.status_bar)
    window.type("#")
    assert f"print([self.disc{ghost}])#\n" in window.text(CART)
    window.key("Backspace", "ArrowLeft", "Tab")
    window.type("#")
    assert f"print([self.disc{ghost}])" not in window.text(CART), "the cursor was moved: it is a Tab"


def test_what_is_prepared_is_shown_by_a_key(open_window: Open) -> None:
    window = open_window(CART, palimpsest__completion__show="key")
    window.ready()
    window.at(CART, "total = self.subtotal()")
    window.key("Enter")
    window.type(TYPED)
    window.until(lambda: window.server.recording.completions(window.since))
    time.sleep(1)
    assert window.ghost == ""
    window.key("Control+Alt+Space")
    assert rest(window)
    kinds = [a.params["context"]["triggerKind"] for a in window.server.recording.asked(COMPLETION, window.since)]
    assert set(kinds) == {2}, "the server is not asked for more"
    window.key("ArrowLeft")
    window.until(lambda: window.ghost == "")


def test_an_accepted_completion_brings_its_import(open_window: Open, engine: Scripted, artefacts: Path) -> None:
    """The reply is written by the test.  Before the index is complete nobody knows where the name is from."""
    window = open_window(DISCOUNT, palimpsest__engine__kind="openai", palimpsest__engine__url=engine.url)
    window.ready()
    engine.replies = ["t_price(total))\n"]
    wanted = "from dataclasses import dataclass\nfrom shop.item import format_price\n"

    def brought() -> bool:
        window.restore(DISCOUNT)
        window.at(DISCOUNT, OLD)
        window.key("Enter")
        window.type("print(forma")
        window.until(lambda: window.ghost == "t_price(total))")
        window.key("Tab")
        time.sleep(0.5)  # the server's edit
        return wanted in window.text(DISCOUNT)

    window.until(brought)
    window.screenshot(artefacts / "import.png")
    assert "        print(format_price(total))\n" in window.text(DISCOUNT)
    window.key("Control+z")
    window.until(lambda: wanted not in window.text(DISCOUNT))
    assert "print(format_price(total))" in window.text(DISCOUNT), "one undo takes the import alone back"


PYTHON_EXTENSION = {
    "extension.vsixmanifest": """
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011"><Metadata>
<Identity Language="en-US" Id="python" Version="2026.1.0" Publisher="ms-python"/><DisplayName>Python</DisplayName>
<Description>A stand-in</Description></Metadata>
<Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
<Dependencies/><Assets><Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json"/></Assets>
</PackageManifest>""",
    "extension/package.json": json.dumps(
        {
            "name": "python", "publisher": "ms-python", "version": "2026.1.0", "engines": {"vscode": "^1.97.0"},
            "main": "./extension.js", "activationEvents": [],
        }
    ),
    "extension/extension.js": """const vscode = require("vscode"), fs = require("fs");
const selected = () => fs.readFileSync(SELECTED, "utf8");
exports.activate = (context) => {
  const changed = new vscode.EventEmitter();
  let before = selected();
  setInterval(() => selected() !== before && changed.fire(before = selected()), 100);
  return { environments: {
    getActiveEnvironmentPath: () => ({ id: selected(), path: selected() }),
    resolveEnvironment: async (it) => ({ executable: { uri: vscode.Uri.file(it.path) } }),
    onDidChangeActiveEnvironmentPath: changed.event,
  } };
};
""",
}  # fmt: skip
"""Microsoft's, as far as others can ask it."""


def test_the_server_of_the_interpreter_selected_for_python_is_started_and_of_the_next_one(
    open_window: Open, server: CodeServer, tmp_path: Path
) -> None:
    selected, package = tmp_path / "selected", tmp_path / "python.vsix"
    interpreters = [tmp_path / name / "bin" / "python" for name in ("one", "two")]
    for it in interpreters:
        it.parent.mkdir(parents=True)
        its = it.with_name("palimpsest")
        its.write_text(
            f"#!/bin/sh\n[ $1 != serve ] || touch '{it.parent}/ran'\n"
            f'exec {shlex.quote(sys.executable)} -P -m palimpsest "$@"\n',
            encoding="utf-8",
        )
        its.chmod(0o755)
    selected.write_text(str(interpreters[0]), encoding="utf-8")
    with zipfile.ZipFile(package, "w") as archive:
        for name, text in PYTHON_EXTENSION.items():
            archive.writestr(name, text.replace("SELECTED", json.dumps(str(selected))))
    server.install(package)
    try:
        wanted = {"palimpsest__server__command": "", "palimpsest__server__useWorkspaceEnvironment": True}
        window = open_window(CART, **wanted)
        window.until((interpreters[0].parent / "ran").exists)
        assert not (interpreters[1].parent / "ran").exists()
        selected.write_text(str(interpreters[1]), encoding="utf-8")
        window.until((interpreters[1].parent / "ran").exists)
    finally:
        server.uninstall("ms-python.python")


def test_what_is_shown_goes_when_another_window_switches_completions_off(open_window: Open) -> None:
    """This one keeps its cursor where it is."""
    shown = open_window(CART)
    shown.ready()
    types(shown)
    shown.until(lambda: shown.ghost)
    other = open_window(CART)
    try:
        switch(other, "palimpsest.completion.enabled", on=False)
        shown.until(lambda: not shown.ghost)
    finally:
        switch(other, "palimpsest.completion.enabled", on=True)
