"""`palimpsest completion`: the shell's own completion knows every command and its arguments."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from palimpsest.command_line import COMMANDS, main

ASK = """
source "$1"
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
"$(complete -p palimpsest | sed 's/.*-F \\([^ ]*\\).*/\\1/')"
printf '%s\\n' "${COMPREPLY[@]}"
"""


def script(shell: str, folder: Path) -> Path:
    path = folder / f"palimpsest.{shell}"
    command = [sys.executable, "-m", "palimpsest", "completion", shell]
    path.write_bytes(subprocess.run(command, capture_output=True, check=True, timeout=60).stdout)
    return path


def test_bash_completes_commands_and_their_arguments(tmp_path: Path) -> None:
    path = script("bash", tmp_path)
    (tmp_path / "a.gguf").touch()

    def completed(*words: str) -> set[str]:
        command = ["bash", "-c", ASK, "bash", str(path), "palimpsest", *words]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60, cwd=tmp_path)
        return set(done.stdout.split())

    assert completed("") >= {*COMMANDS}
    assert completed("mod") == {"model"}
    assert completed("model", "") >= {"list", "use", "get", "info"}
    assert completed("engine", "--mo") == {"--model", "--mode"}
    assert completed("engine", "--mode", "") >= {"auto", "in-place", "whole-prompt"}
    assert "a.gguf" in completed("doctor", "--model", "a")


@pytest.mark.parametrize(("shell", "check"), [("zsh", ["-n"]), ("fish", ["--no-execute"])])
def test_other_shells_can_read_theirs(tmp_path: Path, shell: str, check: list[str]) -> None:
    path = script(shell, tmp_path)
    assert "whole-prompt" in path.read_text(encoding="utf-8")
    if found := shutil.which(shell):
        subprocess.run([found, *check, str(path)], check=True, timeout=60)


def test_another_shell_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["completion", "csh"])
    assert ended.value.code == 2
    assert "zsh" in capsys.readouterr().err
