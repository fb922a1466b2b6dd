"""The environment with torch is made once, however many ask for it at the same time."""

import shutil
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow(part="training")
def test_several_that_want_it_at_once_all_get_it_whole(tmp_path: Path) -> None:
    folder = tmp_path / "server" / "training"
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "server" / "training" / "environment.sh", folder)
    (folder / "requirements.txt").write_text("# nothing more: what is tried is who makes it\n")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    python = tmp_path / ".venv" / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec "{ROOT}/.venv/bin/python" "$@"\n')
    python.chmod(0o755)
    command = ["bash", folder / "environment.sh"]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)]
    until = time.monotonic() + 60
    while not (tmp_path / ".venv-train" / "bin" / "python").exists():  # the first is in the middle of it
        assert time.monotonic() < until
        time.sleep(0.02)
    started += [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for _ in range(2)]
    said = [(process.communicate()[0].decode(), process.returncode) for process in started]
    assert [code for _, code in said] == [0, 0, 0], said
    made = tmp_path / ".venv-train" / "bin" / "python"
    subprocess.run([made, "-m", "pip", "--version"], check=True, stdout=subprocess.PIPE)
    stamp = tmp_path / ".venv-train" / ".made-from"
    first = stamp.stat().st_mtime_ns
    subprocess.run(command, check=True)
    assert stamp.stat().st_mtime_ns == first, "it was made again"
