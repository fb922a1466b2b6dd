"""Model paths that lead to something else than a file of a model: said at once, never waited for."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from palimpsest.engine.llama.native import Model
from palimpsest.errors import ModelError
from palimpsest.models.header import read_header
from tests.llama_server.conftest import EMBEDDED


def something_else(kind: str, folder: Path) -> Path:
    path = folder / "model.gguf"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "link to a device":
        path.symlink_to("/dev/zero")
    elif kind == "link to itself":
        path.symlink_to(path)
    else:
        path.mkdir()
    return path


@pytest.mark.parametrize("kind", ["pipe", "link to a device", "link to itself", "folder"])
def test_only_a_file_is_opened(kind: str, tmp_path: Path) -> None:
    path = something_else(kind, tmp_path)
    with pytest.raises(ModelError) as read:
        read_header(path)
    with pytest.raises(ModelError) as loaded:
        Model(path, n_gpu_layers=0, extra_bufts=True)
    assert str(path) in read.value.message
    assert str(path) in loaded.value.message


def test_no_command_waits_for_a_pipe(tmp_path: Path) -> None:
    path = something_else("pipe", tmp_path)
    for command in (["model", "info", str(path)], ["model", "use", str(path)], ["engine", "--model", str(path)]):
        own = {"XDG_CONFIG_HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)}
        http = ["--http", "0"] if command[0] == "engine" else []
        asked = [sys.executable, "-P", "-m", "palimpsest", *command, *http]
        done = subprocess.run(asked, env=os.environ | own, capture_output=True, text=True, timeout=60)
        assert done.returncode == 1
        assert str(path) in done.stderr.replace("\n", "")


def test_every_part_of_a_model_is_a_file(tmp_path: Path) -> None:
    first, second = (tmp_path / f"model-0000{i}-of-00002.gguf" for i in (1, 2))
    shutil.copy(EMBEDDED, first)
    with pytest.raises(ModelError, match="part of it is missing"):
        Model(first, n_gpu_layers=0, extra_bufts=True)
    os.mkfifo(second)
    with pytest.raises(ModelError, match="not a regular file"):
        Model(first, n_gpu_layers=0, extra_bufts=True)
