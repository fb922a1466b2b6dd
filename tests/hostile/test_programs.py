"""Nothing that a repository brings along is run by opening it: interpreters, links, modules."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from palimpsest.languages.python.packages.environment import find_environment
from palimpsest.languages.python.packages.locations import InstalledModules
from tests.e2e.conftest import start_editor, stop_editor

Repository = Callable[[dict[str, Any]], Path]
CONFIGURATION = "home = /usr/bin\nversion = 3.11.2\n"
SOURCE = "import json\nimport zlib\nimport evil\n\n\ndef work() -> None:\n    json.dumps(evil.value)\n"


def trap(ran: Path) -> bytes:
    """An "interpreter" that leaves a trace when it is run."""
    return f'#!/bin/sh\necho ran >> {ran}\nexec {sys.executable} "$@"\n'.encode()


def armed(root: Path) -> None:
    for path in root.rglob("*"):
        if path.is_file() and not path.is_symlink() and path.read_bytes().startswith(b"#!"):
            path.chmod(0o755)


def layouts(ran: Path) -> dict[str, dict[str, Any]]:
    program = trap(ran)
    return {
        "in the workspace": {"app/.venv/pyvenv.cfg": CONFIGURATION, "app/.venv/bin/python3": program},
        "a link to elsewhere in the repository": {
            "app/.venv/pyvenv.cfg": CONFIGURATION,
            "app/.venv/bin/python3": Path("../../../tools/python3"),
            "tools/python3": program,
        },
        "the environment is a link": {
            "app/.venv": Path("../tools/env"),
            "tools/env/pyvenv.cfg": CONFIGURATION,
            "tools/env/bin/python3": program,
        },
        "its home is in the repository": {
            "app/.venv/pyvenv.cfg": "home = ../tools\nversion = 3.11.2\n",
            "tools/python3": program,
        },
        "a program beside the sources": {"app/python3": program, "app/python3.11": program, "app/git": program},
        "modules named like those that we run": {
            "app/palimpsest.py": f"open({str(ran)!r}, 'w').write('palimpsest')\n",
            "app/pip.py": f"open({str(ran)!r}, 'w').write('pip')\n",
            "app/json.py": f"open({str(ran)!r}, 'w').write('json')\n",
            "app/sitecustomize.py": f"open({str(ran)!r}, 'w').write('site')\n",
        },
    }


@pytest.mark.parametrize("name", list(layouts(Path())))
async def test_opening_a_file_runs_nothing_of_the_repository(
    machine: dict[str, str], repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    ran = tmp_path / "ran"
    root = repository({**layouts(ran)[name], "app/main.py": SOURCE, "app/evil.py": "value = 1\n"})
    armed(root)
    monkeypatch.setenv("PATH", f".:{root / 'app'}:{os.environ['PATH']}")
    named = "python3" if name == "a program beside the sources" else ""
    editor = await start_editor(root / "app", {"context": {"python": named}})
    try:
        await editor.ready()
        uri = editor.open("main.py")
        await editor.settled(uri, editor.at(uri, "evil.value"))
        await editor.complete(uri, editor.at(uri, "evil.value"))
    finally:
        await stop_editor(editor)
    assert not ran.exists(), ran.read_text()


@pytest.mark.parametrize("setting", [".venv", "./python3", "tools/python3", "../tools/python3", "python3"])
def test_a_relative_interpreter_in_a_persons_settings_never_lands_in_a_workspace(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    ran = tmp_path / "ran"
    files = {**layouts(ran)["in the workspace"], "tools/python3": trap(ran), "app/python3": trap(ran)}
    root = repository({**files, "app/tools/python3": trap(ran)})
    armed(root)
    monkeypatch.chdir(root / "app")
    environment = find_environment(setting, [root / "app"], {"PATH": f".:{root / 'app'}:{os.environ['PATH']}"})
    assert environment is not None
    assert not environment.python.is_relative_to(root)
    assert not ran.exists()


def test_no_module_of_the_repository_is_imported_by_an_activated_environment(
    repository: Repository, tmp_path: Path
) -> None:
    ran = tmp_path / "ran"
    module = f"open({str(ran)!r}, 'w').write('ran')\n"
    root = repository({"app/zlib.py": module, "app/_json.py": module, "app/native.py": module})
    environment = find_environment("", [root / "app"], {"PATH": os.environ["PATH"]})
    assert environment is not None
    place = InstalledModules(environment, None)
    for name in ("zlib", "_json", "native", "app.native"):
        place.inspect(name, place.find(name))
    assert not any(folder.is_relative_to(root) for folder in environment.importable)
    assert not ran.exists()


def test_an_environment_in_the_workspace_lends_no_file_from_elsewhere(repository: Repository, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / "package").mkdir(parents=True)
    (outside / "single.py").write_text("password = 'secret'\n")
    (outside / "package" / "__init__.py").write_text("password = 'secret'\n")
    site = f"app/.venv/lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
    root = repository(
        {
            "app/.venv/pyvenv.cfg": CONFIGURATION,
            f"{site}/single.py": outside / "single.py",
            f"{site}/package": outside / "package",
            f"{site}/here.py": "value = 1\n",
            f"{site}/x.pth": f"{outside}\n../../../../../../../outside\n",
        }
    )
    environment = find_environment("", [root / "app"], {"PATH": ""})
    assert environment is not None
    place = InstalledModules(environment, None)
    assert place.find("single") is None
    assert place.find("package") is None
    found = place.find("here")
    assert found is not None
    assert place.read(found.path) is not None
    assert outside not in environment.site
