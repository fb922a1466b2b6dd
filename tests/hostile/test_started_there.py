"""The server is started in a workspace, as editors do: its own imports are not the workspace's modules, and what it
starts loads nothing of it."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from palimpsest.system import git
from palimpsest.system.programs import on_path
from tests.e2e.raw import SERVE, Raw

SCRIPT = str(Path(sys.executable).with_name("palimpsest"))
MODULES = (
    *(
        "pygls",
        "lsprotocol",
        "tree_sitter",
        "griffe",
        "httpx2",
        "platformdirs",
        "tomllib",
        "asyncio",
        "sqlite3",
        "psutil",
    ),
    *("typing", "argparse", "signal", "logging", "json", "subprocess", "numpy", "mcp", "acp", "pip"),
)
Repository = Callable[[dict[str, Any]], Path]
LISTED = (".", ":/opt/x", "/opt/x:", "/opt/x:{root}")


def trapped(repository: Repository, ran: Path) -> Path:
    code = f"open({str(ran)!r}, 'a').write(__name__ + ' ')\nraise ImportError\n"
    return repository({f"{name}.py": code for name in MODULES} | {"a.py": "import json\n"})


@pytest.mark.parametrize(
    ("command", "listed"),
    [(SERVE, ""), (SERVE, "{root}"), *(((SCRIPT, "serve"), listed) for listed in LISTED)],
    ids=lambda value: value if isinstance(value, str) else "module" if value is SERVE else "script",
)
async def test_modules_of_the_folder_it_is_started_in_are_not_imported(
    machine: dict[str, str],
    repository: Repository,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, ...],
    listed: str,
) -> None:
    ran = tmp_path / "ran"
    root = trapped(repository, ran)
    monkeypatch.chdir(root)
    raw = await Raw.start(environment={"PYTHONPATH": listed.format(root=root)}, command=command)
    await raw.begin(root, {"engine": {"kind": "none"}})
    uri = await raw.open(root / "a.py")
    where = {"uri": uri, "position": {"line": 0, "character": 11}}
    assert "result" in await raw.command("palimpsest.context.show", where)
    await raw.request("shutdown", None)
    await raw.notify("exit", None)
    await raw.process.wait()
    await raw.stop()
    assert not ran.exists(), ran.read_text()


@pytest.mark.parametrize(
    "words",
    [("mcp",), ("acp",), ("engine", "--list"), ("engine", "get", "--list"), ("model", "list"), ("doctor",)],
    ids=" ".join,
)
def test_no_command_imports_modules_of_the_folder_it_is_started_in(
    machine: dict[str, str], repository: Repository, tmp_path: Path, words: tuple[str, ...]
) -> None:
    ran = tmp_path / "ran"
    root = trapped(repository, ran)
    where = {**os.environ, "PYTHONPATH": f".:/opt/x:{root}", "PATH": f":.:{os.environ['PATH']}"}
    subprocess.run([SCRIPT, *words], cwd=root, env=where, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert not ran.exists(), ran.read_text()


async def test_what_the_server_starts_runs_nothing_before_pythons_own(
    machine: dict[str, str], repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server's own Python has, since nobody could prevent that; the index, the engine and commands have not."""
    ran = tmp_path / "ran"
    code = f"import os\nopen({str(ran)!r}, 'a').write(f'{{os.getpid()}} ')\n"
    root = repository({"sitecustomize.py": code, "usercustomize.py": code, "a.py": "import json\n"})
    monkeypatch.chdir(root)
    raw = await Raw.start(environment={"PYTHONPATH": str(root), "PYTHONUSERBASE": str(root)})
    await raw.begin(root)
    await raw.open(root / "a.py")
    await raw.ready()
    assert "result" in await raw.command("palimpsest.doctor")
    pid = raw.process.pid
    await raw.leave()
    assert set(ran.read_text().split()) == {str(pid)}


@pytest.mark.parametrize("listed", ["", ":/opt/x", ".", "{root}"])
async def test_git_loads_no_library_of_the_folder_it_is_asked_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listed: str
) -> None:
    root = tmp_path / "repository"
    root.mkdir()
    await asyncio.to_thread(subprocess.run, ["git", "init", "-q", "."], cwd=root, check=True)
    used = subprocess.run(
        ["ldd", str(on_path("git", (), os.environ["PATH"]))], capture_output=True, text=True, check=True
    )
    libraries = [line.split()[0] for line in used.stdout.splitlines() if "libz" in line or "libpcre" in line]
    assert libraries
    for name in libraries:
        (root / name).write_text("no library: who loads it fails\n")
    monkeypatch.setenv("LD_LIBRARY_PATH", listed.format(root=root))
    monkeypatch.setenv("PATH", f"{root}:{os.environ['PATH']}")
    assert git.run(root, "rev-parse", "--is-inside-work-tree").strip() == b"true"
