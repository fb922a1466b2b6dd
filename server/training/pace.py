"""How fast a run learns: the rate over its time, and Adam for low-rank factors.

In: factors and their gradients.  Changes the factors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from training.model import Parameters

LOWEST, CLIP, B_RATE = 0.02, 1.0, 2.0


def default_dtype() -> str:
    """What matmuls are fastest in here."""
    fast = torch.cuda.is_available() or torch.cpu._is_avx512_bf16_supported()
    return "bfloat16" if fast else "float32"


@dataclass(frozen=True)
class Pace:
    """How the learning rate goes: warm up to `peak` (a share of the full rate), hold, and fall to almost nothing from
    the share `falling_from` of the time on.  Going on from a trained model wants less than the full rate, falling from
    the beginning: more undoes the annealing that it had."""

    peak: float = 1.0
    falling_from: float = 0.5
    n_warm_up: int = 60

    def rate(self, step: int, share: float) -> float:
        """Share of the full learning rate after `step` steps, when `share` of the time has gone."""
        falling = 1.0 if share < self.falling_from else max(LOWEST, (1 - share) / (1 - self.falling_from))
        return self.peak * min(1.0, (step + 1) / self.n_warm_up) * falling


USUAL = Pace()


class Adam:
    """Adam on gradients clipped to a norm of CLIP; B learns at twice the rate of A and rows (LoRA+ has it much higher
    still: Hayou et al. 2024, https://arxiv.org/abs/2402.12354)."""

    def __init__(self, factors: Parameters, rate: float) -> None:
        self.factors = factors
        groups = [
            {"params": [value], "rate": rate * (B_RATE if n.endswith(".b") else 1.0)} for n, value in factors.items()
        ]
        self.adam = torch.optim.Adam(groups, lr=rate, betas=(0.9, 0.98))

    def step(self, share: float, gradients: Sequence[Parameters], weight: float) -> None:
        """One step at a share of the full rate on the sum of several gradients, divided by `weight`."""
        for name, value in self.factors.items():
            value.grad = sum((g[name] for g in gradients), torch.zeros_like(value)) / weight
        torch.nn.utils.clip_grad_norm_(self.factors.values(), CLIP)
        for group in self.adam.param_groups:
            group["lr"] = group["rate"] * share
        self.adam.step()

    def state(self) -> dict[str, Any]:
        return self.adam.state_dict()

    def restore(self, state: dict[str, Any]) -> None:
        """What was learned of the gradients; the rates are those of this run."""
        rates = [group["rate"] for group in self.adam.param_groups]
        self.adam.load_state_dict(state)
        for group, rate in zip(self.adam.param_groups, rates, strict=True):
            group["rate"] = rate
