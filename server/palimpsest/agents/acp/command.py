"""`palimpsest acp`: the Agent Client Protocol over stdio, for editors that talk with agents.

In: arguments, the protocol's lines.  Out: its answers, logs to a file and to stderr, an exit status (0 when the editor
leaves, 1 where this cannot work here, 2 wrong usage).
"""

import argparse
import importlib.util
import os
import shutil
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from palimpsest.app import log_to_file
from palimpsest.system import loops

NEEDS = f"palimpsest acp needs the Agent Client Protocol's library: {sys.executable} -m pip install {{}}"
LIBRARY = "'agent-client-protocol>=0.12,<0.13'"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--log-level", default="info", choices=("debug", "info", "warning", "error"))
    parser.add_argument(
        "--set-up", action="store_true", help="fetch llama.cpp and the default model, and end; an editor runs it so"
    )


def run(options: argparse.Namespace) -> int:
    if options.set_up:
        return _set_up()
    if importlib.util.find_spec("acp") is None:
        print(NEEDS.format(LIBRARY), file=sys.stderr)
        return 1
    log_to_file(options.log_level)
    _pipe_stdin()
    with _piped_stdout():
        loops.run(_serve())
    return 0


def _set_up() -> int:
    """As a person would.  Without the first, the llama.cpp that came with the package is used."""
    palimpsest = [sys.executable, "-P", "-m", "palimpsest"]
    subprocess.run([*palimpsest, "engine", "get"], check=False)
    return subprocess.run([*palimpsest, "model", "get", "default", "--use"], check=False).returncode


def _pipe_stdin() -> None:
    """Put a pipe in the place of a file or `/dev/null`, which the library waits on for ever (not on Windows)."""
    if sys.platform == "win32" or os.isatty(0) or stat.S_ISFIFO(mode := os.fstat(0).st_mode) or stat.S_ISSOCK(mode):
        return
    file = os.fdopen(os.dup(0), "rb")
    reading, writing = os.pipe()
    os.dup2(reading, 0)
    os.close(reading)

    def copy() -> None:
        with file, os.fdopen(writing, "wb") as pipe, suppress(OSError):  # nobody reads on
            shutil.copyfileobj(file, pipe)

    threading.Thread(target=copy, name="stdin", daemon=True).start()


@contextmanager
def _piped_stdout() -> Iterator[None]:
    """Put a pipe in the place of a file, which the library refuses to write to; all of it is in the file behind."""
    if sys.platform == "win32" or not stat.S_ISREG(os.fstat(1).st_mode):
        yield
        return
    file = os.fdopen(os.dup(1), "wb")
    reading, writing = os.pipe()
    os.dup2(writing, 1)
    os.close(writing)

    def copy() -> None:
        with file, os.fdopen(reading, "rb") as pipe:
            shutil.copyfileobj(pipe, file)

    thread = threading.Thread(target=copy, name="stdout")
    thread.start()
    try:
        yield
    finally:
        os.dup2(2, 1)
        thread.join()


async def _serve() -> None:
    from acp import stdio_streams

    from palimpsest.agents.acp.agent import serve
    from palimpsest.agents.acp.lines import MOST_BUFFERED, LineTransport

    await serve(LineTransport(*await stdio_streams(limit=MOST_BUFFERED)))
