"""Processes of this machine, by a name that is not given twice.

In: process ids.  Out: names, and whether who had one is still there.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path


def name_of(pid: int) -> str:
    """`pid:start`, where `start` is when the system says that it began (Linux); else the id alone, which the system may
    give again."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        return f"{pid}:{fields[19]}"  # the 22nd field of proc(5), and two stand before the bracket
    except (OSError, IndexError):
        return str(pid)


@cache
def own_name() -> str:
    return name_of(os.getpid())


def is_there(name: str) -> bool:
    """Whether the process with this name runs."""
    number, _, start = name.partition(":")
    if not number.isdigit():
        return False
    if start:
        return name_of(int(number)) == name
    return _answers(int(number))


def _answers(pid: int) -> bool:
    if os.name == "nt":  # there, signal 0 would end the process
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
