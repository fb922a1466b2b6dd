"""A program that a model wrote, run apart: bounded in time, memory and processes, without files and network.

In: a Python program.  Out: whether it ends with status 0.  It runs in a process of its own (`-I -S`), in an empty
folder, with no environment.  The operating system's limits bound it; an audit hook (PEP 578) refuses to open a file
for writing or outside Python's own library, to start a program, to load native code and to open a socket.  That stops
what a completion does by mistake.  It is no prison for a program written to break out: problems and their tests are
run as their authors wrote them.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import dataclass

from bench.completing.trying import ended
from palimpsest.errors import EngineUnavailable

_RUN = """
import resource, sys
seconds, memory = int(sys.argv[1]), int(sys.argv[2])
program = sys.stdin.read()
import collections, copy, functools, heapq, itertools, math, random, re, string, typing, hashlib
library = tuple(path for path in sys.path if path)
def refuse(event, arguments):
    if event == "open":
        path, mode, flags = arguments
        reads = isinstance(path, str) and not flags & 3
        if not (reads and path.startswith(library)):
            raise PermissionError(f"no files here: {path}")
    elif event.startswith(("socket.", "subprocess.", "os.", "shutil.", "ctypes.", "ftplib.", "http.", "urllib.",
                           "pty.", "signal.", "winreg.", "webbrowser.", "tempfile.", "mmap.", "syslog.")):
        if event not in ("os.listdir", "os.scandir"):
            raise PermissionError(f"not allowed here: {event}")
for what, limit in ((resource.RLIMIT_CPU, seconds), (resource.RLIMIT_AS, memory), (resource.RLIMIT_FSIZE, 0),
                    (resource.RLIMIT_CORE, 0), (resource.RLIMIT_NOFILE, 16)):
    resource.setrlimit(what, (limit, limit))
sys.addaudithook(refuse)
exec(compile(program, "program", "exec"), {"__name__": "program"})
"""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Of one run; `memory` in bytes of address space."""

    seconds: int
    memory: int


def check() -> None:
    """Raises EngineUnavailable on a platform that has no such limits."""
    if sys.platform == "win32":
        raise EngineUnavailable("Programs cannot be run within limits on Windows.", hint="Use WSL.")


def passes(program: str, bounds: Bounds) -> bool:
    """Whether the program ends by itself, in time, with status 0."""
    with tempfile.TemporaryDirectory(prefix="pal-") as folder, tempfile.TemporaryFile() as given:
        given.write(program.encode("utf-8", "replace"))
        given.seek(0)
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _RUN, str(bounds.seconds), str(bounds.memory)],
            cwd=folder,
            env={"PYTHONHASHSEED": "0"},
            stdin=given,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        return ended(process, 2 * bounds.seconds + 5) == 0
