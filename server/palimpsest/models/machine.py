"""The machine's resources for a model: memory, cores, a graphics processor.

In: the system.  Out: a `Machine`.
"""

import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from palimpsest.models.known import Machine
from palimpsest.system.machine import physical_cores, total_memory
from palimpsest.system.programs import on_path

ANSWER_S = 5.0


def this_machine(untrusted: Sequence[Path] = ()) -> Machine:
    """What is unknown of a graphics processor is 0 or empty.  May wait some seconds for a driver's tool, which is none
    of an untrusted folder."""
    gpu, gpu_memory = _gpu(untrusted)
    return Machine(total_memory(), physical_cores(), gpu, gpu_memory)


def _gpu(untrusted: Sequence[Path]) -> tuple[str, int]:
    """Name and own memory in bytes; Apple's share the machine's memory."""
    if sys.platform == "darwin":
        return ("graphics processor of Apple's", 0) if platform.machine() == "arm64" else ("", 0)
    tool = on_path("nvidia-smi", untrusted, os.environ.get("PATH", os.defpath))
    if tool is None:
        return "", 0
    asked = [str(tool), "--query-gpu=memory.total,name", "--format=csv,noheader,nounits"]
    try:
        answer = subprocess.run(asked, capture_output=True, text=True, timeout=ANSWER_S, check=True).stdout
        rows = [line.split(",", 1) for line in answer.splitlines() if "," in line]
        mib, name = max((int(size), name.strip()) for size, name in rows)
    except (OSError, ValueError, subprocess.SubprocessError):
        return "", 0
    return name, mib << 20
