"""How a missing part is added, for each way that Palimpsest may have been installed."""

import json
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from palimpsest.system import installation
from tests.documents import GUIDE

METADATA = """Metadata-Version: 2.4
Name: palimpsest
Version: 1.0
Provides-Extra: engine
Requires-Dist: httpx>=0.27
Requires-Dist: llama-cpp-python>=0.3.36; extra == 'engine'
Requires-Dist: numpy>=1.26; extra == "engine"
Requires-Dist: huggingface-hub>=0.30; extra == 'download'
"""
NEEDS = ["llama-cpp-python>=0.3.36", "numpy>=1.26"]
Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Leaves what an installer would."""

    def write(direct_url: Any = None, installer: str = "pip") -> None:
        place = tmp_path / "palimpsest-1.0.dist-info"
        place.mkdir()
        (place / "METADATA").write_text(METADATA)
        (place / "INSTALLER").write_text(f"{installer}\n")
        if direct_url is not None:
            text = direct_url if isinstance(direct_url, str) else json.dumps(direct_url)
            (place / "direct_url.json").write_text(text)
        monkeypatch.syspath_prepend(tmp_path)

    return write


def words() -> list[str]:
    return shlex.split(installation.add("engine"))


def test_from_a_clone_that_is_edited(install: Install, tmp_path: Path) -> None:
    install({"url": tmp_path.as_uri(), "dir_info": {"editable": True}})
    assert words() == [sys.executable, "-m", "pip", "install", "-e", f"{tmp_path}[engine]"]


def test_from_a_clone(install: Install, tmp_path: Path) -> None:
    install({"url": tmp_path.as_uri(), "dir_info": {}})
    assert words() == [sys.executable, "-m", "pip", "install", f"{tmp_path}[engine]"]


def test_from_a_wheel_in_a_folder_with_a_space(install: Install, tmp_path: Path) -> None:
    wheel = tmp_path / "my wheels" / "palimpsest-1.0-py3-none-any.whl"
    wheel.parent.mkdir()
    wheel.touch()
    install({"url": wheel.as_uri(), "archive_info": {}})
    assert words()[-1] == f"{wheel}[engine]"


def test_from_a_wheel_that_is_gone_what_is_needed_is_named(install: Install) -> None:
    install({"url": "file:///gone/palimpsest-1.0-py3-none-any.whl", "archive_info": {}})
    assert words() == [sys.executable, "-m", "pip", "install", *NEEDS]


def test_from_a_repository_at_the_commit_that_is_here(install: Install) -> None:
    install({"url": "https://git.example/p.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}})
    assert words()[-1] == "palimpsest[engine] @ git+https://git.example/p.git@abc"


@pytest.mark.parametrize("record", [None, "{", "[]", {"url": 3}, {}])
def test_where_it_is_not_recorded_what_is_needed_is_named(install: Install, record: Any) -> None:
    install(record)
    assert words()[-2:] == NEEDS


def test_by_uv(install: Install) -> None:
    install(installer="uv")
    assert words()[:5] == ["uv", "pip", "install", "--python", sys.executable]


def test_where_there_is_no_pip(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    install()
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert words()[:4] == ["pip", "--python", sys.executable, "install"]
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    assert words()[0] == "uv"


def test_by_pipx_it_is_added_to_its_environment(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install()
    (tmp_path / "pipx_metadata.json").touch()
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert words() == ["pipx", "inject", "palimpsest", *NEEDS]
    assert f"--pip-args={installation.PREBUILT}" in shlex.split(installation.add("engine", installation.PREBUILT))


def test_from_a_clone_that_was_never_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    assert words()[-2:] == ["-e", f"{Path(__file__).parents[1]}[engine]"]


def test_no_hint_in_the_house_names_our_package_to_an_index() -> None:
    root = Path(__file__).parents[1]
    named = re.compile(r"install[^\n]*[\s'\"]palimpsest(\[[\w,]+\])?['\"`\s]")
    for path in [*GUIDE, *(root / "server" / "palimpsest").rglob("*.py")]:
        for line in path.read_text(encoding="utf-8").splitlines():
            assert not named.search(line), (path, line)
