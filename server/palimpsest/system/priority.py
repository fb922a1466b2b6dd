"""How much of the processors a process takes while others want them, too.

Linux schedules each session as a group of its own, and nice values count within one only (sched(7), "The autogroup
feature").  So work that nobody waits for needs a session of its own: `start_new_session=True`, then `step_back` in it.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path

BEHIND = 10
"""A tenth of the time that others get who want it, too (sched(7), weights of nice values).  With the largest, 19, an
index is not built for as long as something else takes all cores."""


def step_back(nice: int = BEHIND) -> None:
    """Has this process, what it starts, and its session if it leads one, go behind others.  `nice` is from 0 to 19.
    Nothing on Windows, where whoever starts a process says so."""
    if sys.platform == "win32":
        return
    os.nice(max(0, nice - os.nice(0)))
    if os.getsid(0) == os.getpid():
        with suppress(OSError):  # no Linux, or one without these groups
            Path("/proc/self/autogroup").write_text(str(nice), encoding="ascii")
