"""What the editors' clients say of settings and commands is what the tables say."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from palimpsest.config.layers import OF_CLIENTS
from palimpsest.config.schema import schema
from palimpsest.config.settings import described
from palimpsest.lsp.features import all_commands
from tests.documents import ROOT

PACKAGE = "clients/vscode/package.json"
TEXTS = "clients/vscode/package.nls.json"
GENERATED = "clients/nvim/lua/palimpsest/generated.lua"
MANUAL = "clients/nvim/doc/palimpsest.txt"


def clients(root: Path, *arguments: str) -> tuple[int, str]:
    ran = subprocess.run(
        [sys.executable, ROOT / "scripts/clients.py", "--root", root, *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT / "server")},
        capture_output=True,
        text=True,
    )
    return ran.returncode, ran.stderr


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("made")
    (root / MANUAL).parent.mkdir(parents=True)
    (root / MANUAL).write_text("A\n=====\nCOMMANDS *palimpsest-commands*\n~~~\n=====\nSETTINGS *palimpsest-settings*\n")
    assert clients(root) == (0, "")
    return root


WITH_A_SECTION = """
import dataclasses, json, runpy, sys
from palimpsest.config import settings as table

@dataclasses.dataclass(frozen=True, slots=True)
class ExtraSettings:
    level: int = table._setting(3, "How much.", by=table.WORK)

@dataclasses.dataclass(frozen=True, slots=True)
class Settings(table.Settings):
    extra: ExtraSettings = table._section(ExtraSettings(), "Extras", "log")

table.Settings = Settings
from palimpsest.config.layers import merged
from palimpsest.config.schema import schema
from palimpsest.window.window_parts import stale_parts
from scripts.reference import TABLES

changed, problems = merged([{"extra": {"level": 5}}])
said = {
    "table": [row for row in TABLES["settings"]() if "extra.level" in row[0]],
    "schema": schema()["properties"]["extra"]["properties"]["level"]["default"],
    "merged": [changed.extra.level, [str(problem) for problem in problems]],
    "parts": sorted(stale_parts(Settings(), changed, folders=False)),
}
print(json.dumps(said))
sys.argv = ["scripts/clients.py", "--root", sys.argv[1]]
runpy.run_path("scripts/clients.py", run_name="__main__")
"""


def test_a_section_that_is_declared_is_everywhere_without_another_list(tmp_path: Path) -> None:
    (tmp_path / MANUAL).parent.mkdir(parents=True)
    (tmp_path / MANUAL).write_text("A\n=====\nSETTINGS *palimpsest-settings*\n")
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'server'}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-c", WITH_A_SECTION, str(tmp_path)]
    ran = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    said = json.loads(ran.stdout.splitlines()[0])
    assert (said["schema"], said["merged"], said["parts"], len(said["table"])) == (3, [5, []], ["log"], 1)
    assert properties(tmp_path)["palimpsest.extra.level"]["default"] == 3
    assert "Extras" in texts(tmp_path).values(), "its page"
    assert 'name = "extra.level"' in (tmp_path / GENERATED).read_text(encoding="utf-8")
    assert "extra.level" in (tmp_path / MANUAL).read_text(encoding="utf-8")


def texts(root: Path) -> dict[str, str]:
    """Those that are named between `%` in package.json."""
    named: dict[str, str] = json.loads((root / TEXTS).read_text(encoding="utf-8"))
    return {f"%{name}%": text for name, text in named.items()}


def properties(root: Path) -> dict[str, dict[str, Any]]:
    pages = json.loads((root / PACKAGE).read_text(encoding="utf-8"))["contributes"]["configuration"]
    return {name: it for page in pages for name, it in page["properties"].items()}


def test_the_clients_are_as_the_tables_say() -> None:
    assert clients(ROOT, "--check") == (0, "")


def test_every_setting_is_there_with_type_default_and_description(made: Path) -> None:
    shown, said, sections = properties(made), texts(made), schema()["properties"]
    for it in described():
        if it.secret:
            assert f"palimpsest.{it.name}" not in shown  # it belongs into the editor's secret store
            continue
        there = shown[f"palimpsest.{it.name}"]
        default = list(it.default) if isinstance(it.default, tuple) else it.default
        assert (there["default"], said[there["markdownDescription"]]) == (default, it.doc)
        allowed = there if there["type"] != "array" else there["items"]
        assert allowed.get("enum", []) == list(it.choices)
        assert (there.get("minimum"), there.get("maximum")) == (it.low, it.high)
        section, _, name = it.name.partition(".")
        in_files = sections[section]["properties"][name]
        assert {**there, **in_files} == {**there, "description": in_files["description"]}, "a file may hold the same"
    assert shown["palimpsest.completion.enabled"]["type"] == "boolean"
    assert shown["palimpsest.engine.n_ctx"]["type"] == "integer"
    assert shown["palimpsest.context.exclude"]["items"] == {"type": "string"}


def test_every_text_that_the_extension_shows_is_there_and_no_other() -> None:
    used = re.findall(r'"(%[\w.-]+%)"', (ROOT / PACKAGE).read_text(encoding="utf-8"))
    assert sorted(used) == sorted(texts(ROOT))


def test_what_a_workspaces_file_may_not_set_its_editor_settings_may_not_either(made: Path) -> None:
    shown = properties(made)
    for it in described():
        if not it.secret:
            machine = shown[f"palimpsest.{it.name}"]["scope"] == "machine"
            assert machine == (it.by.set_by in ("user", "editor"))
    assert shown["palimpsest.server.command"]["scope"] == "machine"
    assert shown["palimpsest.server.useWorkspaceEnvironment"]["scope"] == "machine"
    restricted = json.loads((made / PACKAGE).read_text())["capabilities"]["untrustedWorkspaces"]
    assert {name for name, it in shown.items() if it["scope"] != "machine"} == set(
        restricted["restrictedConfigurations"]
    )


def test_the_server_knows_which_settings_are_the_clients_own(made: Path) -> None:
    own = {name.removeprefix("palimpsest.") for name in properties(made)} - {it.name for it in described()}
    assert own == OF_CLIENTS


def test_neovim_has_the_same_titles_and_settings(made: Path) -> None:
    text = (made / GENERATED).read_text(encoding="utf-8")
    every = json.loads((ROOT / "clients/shared/commands.json").read_text(encoding="utf-8"))
    its = [it for it in every if it.get("only") != "vscode"]
    assert len(its) == text.count("title = ") > 20
    manual = (made / MANUAL).read_text(encoding="utf-8")
    for it in its:
        name = it["id"]
        assert text.count(f'id = "{name}",\n      title = "{it["title"]}",') == 1
        assert manual.count(f"*:Palimpsest-{name}*") == 1
    for setting in described():
        assert text.count(f'name = "{setting.name}"') == 1
        assert manual.count(f"*palimpsest-{setting.name}*") == (not setting.secret)
    assert manual.count("~~~") == 0
    assert max(map(len, manual.splitlines())) <= 80


def test_what_needs_a_command_that_an_installation_may_lack_can_be_hidden(made: Path) -> None:
    every = json.loads((ROOT / "clients/shared/commands.json").read_text(encoding="utf-8"))
    needing = {it["id"]: it["needs"] for it in every if "needs" in it}
    assert "conversation.new" in needing
    assert set(needing.values()) <= all_commands().keys()
    vscode = json.loads((made / PACKAGE).read_text(encoding="utf-8"))["contributes"]["commands"]
    hidden = {it["command"].removeprefix("palimpsest.client."): it["enablement"] for it in vscode if "enablement" in it}
    source = (ROOT / "clients/vscode/src/server.ts").read_text(encoding="utf-8")
    for name, needed in needing.items():
        assert hidden.get(name, f"!palimpsest.lacks.{needed}") == f"!palimpsest.lacks.{needed}"
        assert f'"{needed}"' in source
    assert len(hidden) > 10
    lua = (made / GENERATED).read_text(encoding="utf-8")
    assert lua.count("needs = ") == len([it for it in every if "needs" in it and it.get("only") != "vscode"])


def test_what_else_is_in_a_file_stays_and_what_differs_is_named(tmp_path: Path) -> None:
    package, manual = tmp_path / PACKAGE, tmp_path / MANUAL
    for file in (package, manual):
        file.parent.mkdir(parents=True)
    other = {"command": "else.where", "title": "Else"}
    mine = {"command": "palimpsest.client.log", "title": "An old title", "icon": "$(output)"}
    gone = {"command": "palimpsest.client.gone", "title": "Gone"}
    contributes = {"views": {"a": []}, "commands": [other, mine, gone]}
    package.write_text(json.dumps({"name": "p", "main": "./dist/a.js", "contributes": contributes}))
    manual.write_text("before\n====\nSETTINGS *palimpsest-settings*\n~~~\n====\nABOUT *palimpsest-about*\nbehind\n")
    status, told = clients(tmp_path, "--check")
    assert status == 1
    assert [name for name in (PACKAGE, TEXTS, GENERATED, MANUAL) if name in told] == [PACKAGE, TEXTS, GENERATED, MANUAL]
    assert clients(tmp_path) == (0, "")
    assert clients(tmp_path, "--check") == (0, "")
    data = json.loads(package.read_text(encoding="utf-8"))
    assert (data["name"], data["main"], data["contributes"]["views"]) == ("p", "./dist/a.js", {"a": []})
    by_name = {it["command"]: it for it in data["contributes"]["commands"]}
    assert by_name["palimpsest.client.log"] == {
        **mine, "title": "%palimpsest.client.log%", "category": "Palimpsest",
    }  # fmt: skip
    assert texts(tmp_path)["%palimpsest.client.log%"] == "Show the Log"
    assert by_name["else.where"] == other
    assert "palimpsest.client.gone" not in by_name
    text = manual.read_text(encoding="utf-8")
    begins, ends = "before\n====\nSETTINGS *palimpsest-settings*\n\n", "\n====\nABOUT *palimpsest-about*\nbehind\n"
    assert (text[: len(begins)], text[-len(ends) :]) == (begins, ends)
    assert text.count("~~~") == 0
