"""The machine's resources for a model: memory, cores, a graphics processor.

In: the system.  Out: a `Machine`.
"""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys

from palimpsest.models.known import Machine
from palimpsest.system.machine import physical_cores, total_memory

ANSWER_S = 5.0


def this_machine() -> Machine:
    """What is unknown of a graphics processor is 0 or empty.  May wait some seconds for a driver's tool."""
    gpu, gpu_memory = _gpu()
    return Machine(total_memory(), physical_cores(), gpu, gpu_memory)


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
