"""What the commands print for a person: texts from outside as they are."""

import io
import re
import shutil
from pathlib import Path

import pytest

from palimpsest.command_line import main
from palimpsest.demo import draw
from palimpsest.demo.story import StoryEvent
from palimpsest.models import files
from palimpsest.models.known import Machine
from palimpsest.system.terminal import terminal
from tests.sources import sources

OUTSIDE = "models [q4]/[/a]/:car:/[bold]m.gguf"
"""A path that rich would take for markup in four ways."""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("RUNTIME_DIR", "CONFIG_HOME", "CACHE_HOME", "STATE_HOME", "DATA_HOME"):
        monkeypatch.setenv(f"XDG_{name}", str(tmp_path))
    return tmp_path / "palimpsest"


def test_a_path_is_shown_as_it_is(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In what is right and what is not; without a llama.cpp, no engine is started."""
    path, library = home / OUTSIDE, home / "[/b]" / "none.so"
    path.parent.mkdir(parents=True)
    shutil.copy(files.embedded(), path)
    (home / "palimpsest.toml").write_text(f"[engine]\nlibrary = '{library}'\n", encoding="utf-8")
    assert main(["doctor", "--model", str(path)]) == 1
    said = capsys.readouterr().out
    assert f": {path}\n" in said
    assert str(library) in said


def test_so_is_the_name_of_a_block_in_the_demonstration() -> None:
    block = {"type": "file", "name": "a [q4]/[/a].py", "tokens": 3, "span": (1, 4)}
    event = StoryEvent("open", 1, 2, 3, 4, 5, 6, 7.0, new=[block], map={"spans": []})
    written = io.StringIO()
    terminal(file=written).print(draw.event(1, event))
    assert block["name"] in written.getvalue()


def test_so_are_the_names_of_machine_and_models(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = home / "models" / OUTSIDE
    path.parent.mkdir(parents=True)
    path.touch()
    # no door: what GPU is here
    monkeypatch.setattr("palimpsest.cli.model.this_machine", lambda: Machine(1 << 33, 4, "[RTX] 4090 [/b]"))
    assert main(["model", "list"]) == 0
    said = capsys.readouterr().out
    assert "[RTX] 4090 [/b]" in said
    assert f"Here:   {path}\n" in said
    assert main(["model", "info", str(path)]) == 1
    assert str(path) in capsys.readouterr().err


def test_one_place_makes_what_is_printed_to() -> None:
    """Another console would take texts for markup again."""
    made = [
        name
        for name, text in sources().items()
        if re.search(r"\bConsole\(|\bfrom rich import print|\brender_markup\b|\bfrom_markup\b", text)
    ]
    assert made == ["system/terminal.py"]
