"""Commands of ours in processes of their own: what they started ends with them when they are cancelled."""

from __future__ import annotations

import asyncio
import gc
import sys
from pathlib import Path

import pytest

from palimpsest.lsp.subprocesses import our_answer

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a shell script stands for the command")


def runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("first", ["", "trap '' TERM\n"])
async def test_a_cancelled_command_ends_what_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    script, told = tmp_path / "python", asyncio.Queue[dict[str, int]]()
    script.write_text(f'#!/bin/sh\n{first}sleep 3000 &\necho "{{\\"pid\\": $!}}" >&2\nwait\n')
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script))
    asked = asyncio.create_task(our_answer("model", "get", told=told.put_nowait, grace_s=0.2))
    pid = (await told.get())["pid"]
    assert runs(pid)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    gc.collect()  # says, by a warning that is an error here, if a process was left behind
    while runs(pid):
        await asyncio.sleep(0.02)
