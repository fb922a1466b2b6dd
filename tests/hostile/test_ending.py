"""The server ends with its editor, whatever it is doing: waiting for a program, held up by native code, or orphaned."""

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from palimpsest.text.uris import to_uri
from tests.e2e.raw import Raw, initialize_params

WAIT_S = 60
NO_ENGINE = {"engine": {"kind": "none"}}
STUCK = """
import re, sys
from palimpsest.lsp.ending import Ending
ending = Ending(lambda: None, grace_s=0.1, stuck_s=0.5, pulse_s=0.1)
if sys.argv[1] == "begun":
    ending.begin()
print("stuck", flush=True)
re.match("(a*)*b", "a" * 60)  # never ends, and never lets another thread have a turn
"""


@pytest.mark.parametrize(("state", "ended_by"), [("serving", signal.SIGPROF), ("begun", signal.SIGALRM)])
def test_native_code_that_keeps_all_threads_from_running_does_not_keep_the_process(
    state: str, ended_by: signal.Signals
) -> None:
    """Timers of the system end it.  A regular expression stands for whatever we have not thought of: none of ours
    can be made to do this any more."""
    command = [sys.executable, "-c", STUCK, state]
    done = subprocess.run(command, capture_output=True, timeout=WAIT_S, check=False)
    assert done.stdout == b"stuck\n"
    assert done.returncode in (-ended_by, -signal.SIGPROF)
    if ended_by == signal.SIGPROF:
        assert b"re" in done.stderr  # where it was stuck


@pytest.mark.slow(part="storms")
async def test_it_ends_after_exit_though_a_program_is_waited_for(machine: dict[str, str], tmp_path: Path) -> None:
    """An interpreter of the person's that never answers holds a thread up, which the interpreter would wait for."""
    slow, started = tmp_path / "python3", tmp_path / "started"
    slow.write_text(f"#!/bin/sh\n: > {started}\nexec sleep 600\n")
    slow.chmod(0o755)
    (tmp_path / "work").mkdir()
    raw = await Raw.start(own_process=True)
    await raw.begin(tmp_path / "work", {**NO_ENGINE, "context": {"python": str(slow)}})
    uri = to_uri(tmp_path / "work" / "a.py")
    document = {"uri": uri, "languageId": "python", "version": 1, "text": "import json\n\n\njson.\n"}
    await raw.notify("textDocument/didOpen", {"textDocument": document})
    where = {"uri": uri, "position": {"line": 3, "character": 5}}
    await raw.ask("workspace/executeCommand", {"command": "palimpsest.context.show", "arguments": [where]})
    while not started.exists():
        await asyncio.sleep(0.01)
    await raw.request("shutdown", None)
    await raw.notify("exit", None)
    async with asyncio.timeout(WAIT_S):  # 0 would be its own end, ten seconds later
        assert await raw.process.wait() == 1
    await raw.stop()


async def test_it_ends_with_the_editors_process_though_its_input_stays_open(
    machine: dict[str, str], tmp_path: Path
) -> None:
    """As where a process that the editor has started holds the other end of the pipe."""
    with subprocess.Popen(["sleep", "600"]) as stands_for_the_editor:
        raw = await Raw.start(own_process=True)
        params = initialize_params(tmp_path)
        await raw.request("initialize", {**params, "processId": stands_for_the_editor.pid})
        await raw.notify("initialized", {})
        assert raw.process.returncode is None
        stands_for_the_editor.kill()
    async with asyncio.timeout(WAIT_S):
        await raw.process.wait()
    await raw.stop()


async def test_a_process_that_is_not_there_is_not_taken_for_an_editor_that_left(
    machine: dict[str, str], tmp_path: Path
) -> None:
    """An editor outside of the container that the server runs in says a number that means nothing inside."""
    with subprocess.Popen(["true"]) as gone:
        gone.wait()
    raw = await Raw.start(own_process=True)
    await raw.request("initialize", {**initialize_params(tmp_path), "processId": gone.pid})
    answer = await raw.request("workspace/executeCommand", {"command": "palimpsest.stats"})
    assert "result" in answer
    await raw.stop()
