"""The plugin in a repository of its own, as plugin managers install it, and what is offered to others' collections."""

import json
import os
import subprocess
from pathlib import Path

import pytest

import palimpsest
from tests.documents import ROOT

LSPCONFIG = ROOT / "docs" / "upstream" / "nvim-lspconfig"
ANSWER = "vim.fn.writefile({{ vim.json.encode({}) }}, vim.env.ANSWER)"


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("own") / "palimpsest.nvim"
    subprocess.run([ROOT / "scripts" / "nvim_plugin.sh", folder], capture_output=True, check=True)
    return folder


def answered(neovim: Path, folder: Path, init: str) -> object:
    """What a script of Lua that runs at the start has written."""
    own = {"HOME": str(folder), "ANSWER": str(folder / "answer.json"), "LANG": "C.UTF-8", "PATH": os.environ["PATH"]}
    own |= {f"XDG_{it}_HOME": str(folder / it.lower()) for it in ("CONFIG", "DATA", "STATE", "CACHE")}
    script = folder / "init.lua"
    script.write_text(init, encoding="utf-8")
    command = [neovim, "--headless", "-u", script, "-i", "NONE", "-c", "qa!"]
    ran = subprocess.run(command, cwd=folder, env=own, capture_output=True, text=True, timeout=120)
    assert (folder / "answer.json").exists(), ran.stderr
    return json.loads((folder / "answer.json").read_text(encoding="utf-8"))


def test_it_has_the_plugin_alone_and_leads_nowhere_outside(repository: Path) -> None:
    names = git(repository, "ls-files").split()
    ours = git(ROOT, "ls-tree", "-r", "--name-only", "HEAD:clients/nvim").split()
    assert {*names} - {*ours} == {"install.py", "LICENSE", "server.txt"}
    assert {"doc/palimpsest.txt", ".luarc.json", "lsp/palimpsest.lua"} <= {*names}
    assert (repository / "server.txt").read_text() == f"palimpsest-lsp=={palimpsest.__version__}\n"
    assert "](../" not in (repository / "README.md").read_text(encoding="utf-8")
    assert json.loads((repository / ".luarc.json").read_text())["runtime.version"] == "LuaJIT"


def test_a_second_time_it_adds_what_is_new_to_what_is_there(repository: Path) -> None:
    before = git(repository, "rev-parse", "HEAD")
    script = ROOT / "scripts" / "nvim_plugin.sh"
    said = subprocess.run([script, repository], capture_output=True, text=True, check=True).stdout
    assert (said, git(repository, "rev-parse", "HEAD")) == ("There is nothing new.\n", before)
    (repository / "lua" / "palimpsest" / "gone.lua").write_text("return 1\n")
    git(repository, "add", "-A")
    git(repository, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-qm", "An older one")
    subprocess.run([script, repository], capture_output=True, check=True)
    assert git(repository, "rev-list", "--count", "HEAD") == "3\n"
    assert git(repository, "diff", before.strip(), "HEAD") == ""


def test_neovims_own_plugin_manager_installs_it_with_its_help_and_server(
    editors: Path, repository: Path, tmp_path: Path
) -> None:
    found = answered(
        editors / "nvim",
        tmp_path,
        f"""
        vim.pack.add({{ {{ src = "file://{repository}" }} }}, {{ confirm = false, load = true }})
        local script, source = require("palimpsest.install").parts()
        vim.cmd.help("palimpsest-start")
        local help, command = vim.api.nvim_buf_get_name(0), vim.fn.exists(":Palimpsest")
        """
        + ANSWER.format("{ script = script, source = source, help = help, command = command }"),
    )
    installed = tmp_path / "data" / "nvim" / "site" / "pack" / "core" / "opt" / "palimpsest.nvim"
    assert found == {
        "script": str(installed / "install.py"),
        "source": f"palimpsest-lsp=={palimpsest.__version__}",
        "help": str(installed / "doc" / "palimpsest.txt"),
        "command": 2,
    }


@pytest.mark.parametrize("version", ["0.11", "0.12"])
def test_a_clone_on_the_runtime_path_will_do_beside_nvim_lspconfig(
    editors: Path, nvim_tools: Path, repository: Path, tmp_path: Path, version: str
) -> None:
    """As lazy.nvim and others add a plugin.  Ours and the server without it do not get into each other's way."""
    clone = tmp_path / "lazy" / "palimpsest.nvim"
    git(tmp_path, "clone", "-q", str(repository), str(clone))
    found = answered(
        nvim_tools / "nvim-0.11" if version == "0.11" else editors / "nvim",
        tmp_path,
        f"""
        vim.opt.runtimepath:append({{ "{clone}", "{LSPCONFIG}" }})
        local ours, theirs = vim.lsp.config.palimpsest, vim.lsp.config.palimpsest_ls
        """
        + ANSWER.format("{ ours = type(ours.cmd), filetypes = ours.filetypes ~= nil, theirs = theirs.cmd }"),
    )
    assert found == {"ours": "function", "filetypes": False, "theirs": ["palimpsest", "serve"]}
