"""A model that is named and is no file: in an editor's settings, in the models folder, to doctor."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import start_editor, stop_editor, told, until

PATIENCE_S = 60


@pytest.fixture(params=["pipe", "device"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    place = tmp_path / "model.gguf"
    if request.param == "pipe":
        os.mkfifo(place)
    else:
        place.symlink_to("/dev/zero")
    return place


def answer(*arguments: str | Path, status: int = 0) -> dict[str, object]:
    command = [sys.executable, "-m", "palimpsest", *map(str, arguments), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, stdin=subprocess.DEVNULL)
    assert done.returncode == status, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


def test_doctor_says_so(machine: dict[str, str], path: Path) -> None:
    checks = answer("doctor", "--model", path, status=1)["checks"]
    assert isinstance(checks, list)
    model = next(check for check in checks if check["name"] == "model")
    assert model["ok"] is False
    assert str(path) in model["detail"]


def test_the_list_leaves_it_out(machine: dict[str, str]) -> None:
    folder = Path(machine["XDG_DATA_HOME"]) / "palimpsest" / "models"
    folder.mkdir(parents=True, exist_ok=True)
    pipe = folder / "pipe.gguf"
    os.mkfifo(pipe)
    try:
        assert answer("model", "list")["downloaded"] == []
    finally:
        pipe.unlink()


async def test_an_editor_is_told_and_works_without_a_model(shop: Path, path: Path) -> None:
    editor = await start_editor(shop, {"model": {"path": str(path)}})
    try:
        await until(lambda: told(editor))
        assert str(path) in told(editor)[0]
        uri = editor.open("shop/cart.py")
        assert await editor.complete(uri, editor.at(uri, "total = self.")) == []
        assert (await editor.show(uri, editor.at(uri, "total = self.")))["blocks"]
    finally:
        await stop_editor(editor)
