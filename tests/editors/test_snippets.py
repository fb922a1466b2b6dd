"""The documents' snippets that need no editor: settings through their real reader."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from palimpsest.config.layers import from_file, merged
from tests.documents import snippet, snippets
from tests.editors.conftest import environment


@pytest.mark.parametrize("block", snippets("toml"))
def test_every_setting_of_ours_is_known(block: str) -> None:
    table = tomllib.loads(block)
    if "language-server" in table or "mcp_servers" in table:  # Helix's, which is run in Helix, and an agent's
        return
    layer, refused = from_file(table, whose="user")
    _, wrong = merged([layer])
    assert not [*refused, *wrong]


def test_neovims_settings_are_known() -> None:
    options = re.search(r"init_options = \{ (\w+) = \{ (\w+) = (\d+) \} \}", snippet("lua", "init_options"))
    assert options is not None
    section, name, value = options.groups()
    _, wrong = merged([{section: {name: int(value)}}])
    assert not wrong


def test_llama_vscodes_settings_are_json_and_lead_to_the_engine() -> None:
    found = json.loads(snippet("json", "llama-vscode.endpoint"))
    assert set(found) == {"llama-vscode.endpoint", "llama-vscode.endpoint_chat"}
    assert {urlsplit(value).port for value in found.values()} == {8012}


@pytest.mark.slow(part="editors")
def test_llama_vims_settings_are_vim_script_and_lead_to_a_route(editors: Path, folder: Path) -> None:
    told = folder / "init.vim"
    told.write_text(snippet("vim", "llama_config"), encoding="utf-8")
    command = [editors / "nvim", "--clean", "--headless", "-u", told, "+echo json_encode(g:llama_config)", "+qa!"]
    said = subprocess.run(command, env=environment(folder), capture_output=True, text=True, check=True, timeout=60)
    (address,) = json.loads((said.stdout + said.stderr).strip()).values()
    assert (urlsplit(address).port, urlsplit(address).path) == (8012, "/infill")
