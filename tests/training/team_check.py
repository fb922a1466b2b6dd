"""A signal that a person sends to all of a training's processes, as `pkill -f training.tune` does, ends none but the
one that leads.  Run by `test_smoke.py`, where torch is."""

import os
import signal

from training import team

# no door: who is stuck is to be seen in seconds
team.PATIENCE_S = 20.0


def work(mine: team.Team) -> None:
    mine.meet()
    if not mine.leads:
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGINT)
    mine.meet()
    mine.told[mine.rank, 0] = 1 + mine.rank
    mine.meet()
    if mine.leads:
        assert mine.told[:, 0].tolist() == [1, 2], mine.told


if __name__ == "__main__":
    team.gather(2, work)
