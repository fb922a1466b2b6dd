"""Installed without the extra `engine`, the server runs and says so: an editor starts it while the engine is made."""

import tempfile
import tomllib
from pathlib import Path

import pytest

from .conftest import SAMPLE, start_editor, stop_editor, until

ROOT = Path(__file__).parents[2]
BLOCKS = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {absent!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Absent())
"""


async def test_it_serves_and_says_that_there_is_no_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = tempfile.TemporaryDirectory(prefix="pal-", dir="/tmp")  # an engine of another test would serve as well
    monkeypatch.setenv("XDG_RUNTIME_DIR", runtime.name)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extra = {line.partition(">=")[0].replace("-", "_") for line in project["optional-dependencies"]["engine"]}
    assert "llama_cpp_python" in extra
    (tmp_path / "sitecustomize.py").write_text(BLOCKS.format(absent=sorted(extra | {"llama_cpp"})), encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    editor = await start_editor(SAMPLE)
    try:
        await until(lambda: editor.status.get("kind") == "Error")
        assert "engine" in editor.status["message"]
    finally:
        await stop_editor(editor)
        runtime.cleanup()
