"""The environment that a training process wants, before torch is imported: `settle`.

glibc gives each step's large arrays back and every step faults them in anew (1.8 times slower) unless it is told to
keep its memory.  Torch works on one thread in each process: processes then meet once a step instead of in every matmul,
which on cores shared with others is twice as fast.
"""

from __future__ import annotations

import os
import sys

SETTINGS = {
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": "99999999999",
    "MALLOC_TOP_PAD_": "268435456",
    "MALLOC_ARENA_MAX": "1",
    "OMP_NUM_THREADS": "1",
}


def settle(module: str) -> None:
    """Starts the module again with these settings where they are missing and no other allocator is there."""
    is_other = "jemalloc" in os.environ.get("LD_PRELOAD", "")
    wanted = {"OMP_NUM_THREADS": "1"} if is_other else SETTINGS
    if any(os.environ.get(name) != value for name, value in wanted.items()):
        os.execve(sys.executable, [sys.executable, "-m", module, *sys.argv[1:]], {**os.environ, **wanted})
