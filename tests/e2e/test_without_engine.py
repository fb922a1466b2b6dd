"""Where there is no llama.cpp, the server runs and says so: an editor starts it while the engine is made."""

import tempfile
from pathlib import Path

import pytest

from tests.installing import without_library

from .conftest import SAMPLE, start_editor, stop_editor, until


async def test_it_serves_and_says_that_there_is_no_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = tempfile.TemporaryDirectory(prefix="pal-", dir="/tmp")  # an engine of another test would serve as well
    monkeypatch.setenv("XDG_RUNTIME_DIR", runtime.name)
    for name, value in without_library(tmp_path).items():
        monkeypatch.setenv(name, value)
    editor = await start_editor(SAMPLE)
    try:
        await until(lambda: editor.status.get("kind") == "Error")
        assert "engine" in editor.status["message"]
    finally:
        await stop_editor(editor)
        runtime.cleanup()
