"""The README's snippets that need no editor: settings through their real reader, commands through their parsers."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from palimpsest.config.layers import from_file, merged
from tests.editors.conftest import ROOT, environment, snippet

README = (ROOT / "README.md").read_text(encoding="utf-8")
INDENTED = re.findall(r"^    (.*?(?:\\\n.*?)*)$", README, re.MULTILINE)
COMMANDS = [
    shlex.split(line.replace("\\\n", " "), comments=True) for line in INDENTED if line.startswith("palimpsest ")
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_and_option_is_there(words: list[str]) -> None:
    sub = [word for word in words[1:3] if not word.startswith("-") and word.islower() and "." not in word]
    asked = [sys.executable, "-P", "-m", "palimpsest", *sub, "--help"]
    told = subprocess.run(asked, capture_output=True, text=True, check=True, timeout=60).stdout
    for option in [word for word in words if word.startswith("--")]:
        assert option in told, f"{option} of {' '.join(words)}"


@pytest.mark.parametrize("block", re.findall(r"^```toml\n(.*?)^```$", README, re.MULTILINE | re.DOTALL))
def test_every_setting_of_ours_is_known(block: str) -> None:
    table = tomllib.loads(block)
    if "language-server" in table:  # Helix's; it is run in Helix
        return
    layer, refused = from_file(table, whose="person")
    _, wrong = merged([layer])
    assert not [*refused, *wrong]


def test_neovims_settings_are_known() -> None:
    options = re.search(r"init_options = \{ (\w+) = \{ (\w+) = (\d+) \} \}", snippet("lua", "vim.lsp.config"))
    assert options is not None
    section, name, value = options.groups()
    _, wrong = merged([{section: {name: int(value)}}])
    assert not wrong


def test_llama_vscodes_settings_are_json_and_lead_to_the_engine() -> None:
    found = json.loads(snippet("json", "llama-vscode.endpoint"))
    assert set(found) == {"llama-vscode.endpoint", "llama-vscode.endpoint_chat"}
    assert {urlsplit(value).port for value in found.values()} == {8012}


@pytest.mark.slow
def test_llama_vims_settings_are_vim_script_and_lead_to_a_route(editors: Path, folder: Path) -> None:
    told = folder / "init.vim"
    told.write_text(snippet("vim", "llama_config"), encoding="utf-8")
    command = [editors / "nvim", "--clean", "--headless", "-u", told, "+echo json_encode(g:llama_config)", "+qa!"]
    said = subprocess.run(command, env=environment(folder), capture_output=True, text=True, check=True, timeout=60)
    (address,) = json.loads((said.stdout + said.stderr).strip()).values()
    assert (urlsplit(address).port, urlsplit(address).path) == (8012, "/infill")
