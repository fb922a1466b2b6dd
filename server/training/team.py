"""Processes that train together: each works on a part of the batch, and all meet a few times a step.

In: tensors that all of them share.  Out: a `Team` in each process.  Processes rather than threads: each has an
allocator and an interpreter lock of its own.  Knows no model.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import wait
from multiprocessing.context import ForkProcess
from multiprocessing.synchronize import Barrier
from pathlib import Path

import torch
from torch import Tensor

from palimpsest.system.processes import end_with

PATIENCE_S = 900.0  # how long one waits for the others: long enough for a first compilation on busy cores


@dataclass(frozen=True)
class Team:
    """`rank` 0 leads.  `told` is a row of figures for each, `(n, 8)`; the leader's orders are in `orders`."""

    rank: int
    n: int
    barrier: Barrier
    told: Tensor
    orders: Tensor

    @property
    def leads(self) -> bool:
        return self.rank == 0

    def meet(self) -> None:
        """Wait for all.  Raises threading.BrokenBarrierError where one of them is stuck."""
        self.barrier.wait(PATIENCE_S)


def shared(tensor: Tensor) -> Tensor:
    """In memory that processes forked from this one write to as well."""
    return tensor.share_memory_()


def make_way() -> None:
    """Lets other programs go first, where `PALIMPSEST_NICE` says how much: Linux weighs sessions, not processes."""
    if nice := os.environ.get("PALIMPSEST_NICE"):
        with suppress(OSError):
            Path("/proc/self/autogroup").write_text(nice)


def gather(n: int, work: Callable[[Team], None]) -> None:
    """Runs `work` in this process, as rank 0, and in n - 1 forked from it.  All end if one of them does so too early,
    however it ends."""
    make_way()
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(n)
    told, orders = shared(torch.zeros(n, 8, dtype=torch.float64)), shared(torch.zeros(4, dtype=torch.float64))
    leader, is_over = os.getpid(), threading.Event()

    def follow(rank: int) -> None:
        end_with(leader, signal.SIGKILL)
        os.setsid()  # Linux shares cores out by session: each process is to count as one
        make_way()
        for each in (signal.SIGTERM, signal.SIGINT):  # sent to all of a run, they are for who leads: it saves and ends
            signal.signal(each, signal.SIG_IGN)
        work(Team(rank, n, barrier, told, orders))

    others = [context.Process(target=follow, args=(rank,), daemon=True) for rank in range(1, n)]
    for each in others:
        each.start()
    threading.Thread(target=_watch, args=(others, is_over), daemon=True).start()
    try:
        work(Team(0, n, barrier, told, orders))
    except BaseException:
        is_over.set()
        for each in others:
            each.kill()
        raise
    is_over.set()
    for each in others:
        each.join(30)


def _watch(others: Sequence[ForkProcess], is_over: threading.Event) -> None:
    """Ends this process where one of the others has failed: whoever waits at a barrier where one was killed waits for
    good, even to abort it."""
    running = list(others)
    while running and not is_over.is_set():
        ready = wait([each.sentinel for each in running])
        ended = [each for each in running if each.sentinel in ready]
        running = [each for each in running if each not in ended]
        for each in ended:
            each.join()  # its end of the pipe is closed a moment before it has a status
        failed = [each for each in ended if each.exitcode]
        if failed and not is_over.is_set():
            print(f"One of the processes that learn ended with status {failed[0].exitcode}.", file=sys.stderr)
            sys.stderr.flush()
            for each in running:
                each.kill()
            os._exit(1)
