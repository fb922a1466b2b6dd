"""Processes that learn together, of which one is killed while another waits for it: `team_deaths.py leader|follower`.
Prints the ids of all.  Run by `test_smoke.py`, where torch is."""

import os
import signal
import sys
import time

from training import team


def work(mine: team.Team) -> None:
    os.write(1, f"{os.getpid()}\n".encode())  # at once: both write
    mine.meet()
    if sys.argv[1] == ("leader" if mine.leads else "follower"):
        os.kill(os.getpid(), signal.SIGKILL)
    mine.meet()
    time.sleep(600)


if __name__ == "__main__":
    team.gather(2, work)
