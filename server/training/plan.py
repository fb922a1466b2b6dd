"""What a run of `training.tune` is to do, how far it has come, and what it tells of that."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

import torch

from training.pace import Pace


@dataclass(frozen=True)
class Plan:
    """What a step is made of, how the rate goes, and for how long."""

    n_workspaces: int
    n_at_once: int
    n_tails: int
    is_ahead: bool
    pace: Pace
    rate: float
    minutes: float
    save_every: float
    held_every: float
    n_held: int
    tell_every: int = 10
    max_steps: int = 10**9
    labels: float = 1.0
    """Share of the loss that comes from what stands there; the rest from the base as a teacher that reads in order."""


@dataclass
class Progress:
    """How far a run has come, over all its sittings."""

    step: int = 0
    n_tokens: int = 0
    n_middle: int = 0
    n_workspaces: int = 0
    seconds: float = 0.0


def clock() -> str:
    return time.strftime("%H:%M:%S")


class Report:
    """A line every few steps."""

    def __init__(self, progress: Progress) -> None:
        self.n_tokens, self.at = progress.n_tokens, time.monotonic()
        self.sums = torch.zeros(8, dtype=torch.float64)

    def add(self, progress: Progress, told: torch.Tensor, every: int) -> None:
        self.sums += told.sum(0)
        if progress.step % every == 0:
            middle, end, prefix = (float(self.sums[2 * i] / self.sums[2 * i + 1].clamp(min=1)) for i in range(3))
            speed = (progress.n_tokens - self.n_tokens) / (time.monotonic() - self.at)
            print(
                f"{clock()} step {progress.step} {progress.seconds / 60:.1f} min middle {middle:.3f} end {end:.3f} "
                f"prefix {prefix:.3f} {speed:.0f} tokens/s {progress.n_tokens / 1e6:.3f} M, middles "
                f"{progress.n_middle / 1e3:.1f} k, load {os.getloadavg()[0]:.1f}",
                flush=True,
            )
            self.n_tokens, self.at = progress.n_tokens, time.monotonic()
            self.sums.zero_()
