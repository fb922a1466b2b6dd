"""Muon for the matrices, AdamW for embedding, norms and biases.

In: parameters and their gradients.  Changes the parameters.  Muon: Jordan et al. 2024,
https://kellerjordan.github.io/posts/muon/
"""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Any

import torch
from torch import Tensor

from training.model import Parameters

MUON_RATE, EMBEDDING_RATE, SMALL_RATE, DECAY, MOMENTUM = 0.02, 3e-3, 1e-3, 0.001, 0.95


def orthogonalized(stack: Tensor, n_steps: int = 5) -> Tensor:
    """Each matrix of a stack with its singular values brought near 1, by the quintic Newton-Schulz iteration."""
    x: Tensor = stack.mT if stack.size(-2) > stack.size(-1) else stack
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(n_steps):
        square = x @ x.mT
        x = 3.4445 * x + (-4.7750 * square + 2.0315 * square @ square) @ x
    result: Tensor = x.mT if stack.size(-2) > stack.size(-1) else x
    return result


class Optimizer:
    """One step at a share of the full learning rates; its state goes into the checkpoint."""

    def __init__(self, p: Parameters, matrices: dict[str, tuple[int, ...]]) -> None:
        self.p, self.matrices = p, matrices
        self.momentum = {name: torch.zeros_like(p[name]) for name in matrices}
        small = [p[name] for name in p if name not in matrices and name != "embedding"]
        self.adam = torch.optim.AdamW(
            [{"params": [p["embedding"]], "lr": EMBEDDING_RATE}, {"params": small, "lr": SMALL_RATE}],
            betas=(0.9, 0.95),
            weight_decay=0.0,
            fused=True,
        )

    @torch.no_grad()
    def step(self, share: float, gradients: Parameters, threads: Executor) -> None:
        jobs = []
        for name, heights in self.matrices.items():
            momentum, gradient = self.momentum[name], gradients[name]
            momentum.lerp_(gradient, 1 - MOMENTUM)
            ahead = gradient.lerp(momentum, MOMENTUM)
            parts = zip(torch.split(self.p[name], list(heights), 1), torch.split(ahead, list(heights), 1), strict=True)
            jobs += [(weight, update, share) for weight, update in parts]
        jobs.sort(key=lambda job: -job[0].numel())
        list(threads.map(turn, jobs))
        for name in self.p.keys() - self.matrices.keys():
            self.p[name].grad = gradients[name]
        for group, rate in zip(self.adam.param_groups, (EMBEDDING_RATE, SMALL_RATE), strict=True):
            group["lr"] = rate * share
        self.adam.step()

    def state(self) -> dict[str, Any]:
        return {"momentum": self.momentum, "adam": self.adam.state_dict()}

    def restore(self, state: dict[str, Any]) -> None:
        for name, value in state["momentum"].items():
            self.momentum[name].copy_(value)
        self.adam.load_state_dict(state["adam"])


@torch.no_grad()  # of the thread that runs it
def turn(job: tuple[Tensor, Tensor, float]) -> None:
    """Muon's step on a stack of matrices."""
    weight, update, share = job
    scale = max(1.0, weight.size(-2) / weight.size(-1)) ** 0.5
    weight.mul_(1 - DECAY * share).add_(orthogonalized(update), alpha=-MUON_RATE * share * scale)
