"""The machine's resources for a model: memory, cores, a graphics processor.

In: the system.  Out: a `Machine`.
"""

from __future__ import annotations

import ctypes
import os
import platform
import shutil
import subprocess
import sys

from palimpsest.models.known import Machine

ANSWER_S = 5.0


def this_machine() -> Machine:
    """Never raises: unknown values are 0 or empty.  May wait some seconds for a driver's tool."""
    gpu, gpu_memory = _gpu()
    return Machine(total_memory(), cores(), gpu, gpu_memory)


def cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def total_memory() -> int:
    """The machine's memory in bytes; 0 if unknown."""
    if sys.platform == "win32":
        status = (ctypes.c_uint64 * 8)()  # MEMORYSTATUSEX: its length in the first four bytes, ullTotalPhys second
        ctypes.cast(status, ctypes.POINTER(ctypes.c_uint32))[0] = ctypes.sizeof(status)
        done = ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status))
        return int(status[1]) if done else 0
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):
        return 0


def _gpu() -> tuple[str, int]:
    """Name and own memory in bytes; Apple's share the machine's memory."""
    if sys.platform == "darwin":
        return ("graphics processor of Apple's", 0) if platform.machine() == "arm64" else ("", 0)
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return "", 0
    asked = [tool, "--query-gpu=memory.total,name", "--format=csv,noheader,nounits"]
    try:
        answer = subprocess.run(asked, capture_output=True, text=True, timeout=ANSWER_S, check=True).stdout
        found = [line.split(",", 1) for line in answer.splitlines() if "," in line]
        mib, name = max((int(size), name.strip()) for size, name in found)
    except (OSError, ValueError, subprocess.SubprocessError):
        return "", 0
    return name, mib << 20
