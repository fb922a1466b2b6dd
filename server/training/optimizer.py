"""Muon for the matrices, AdamW for embedding, norms and biases.

In: parameters and their gradients.  Changes the parameters.  Muon: Jordan et al. 2024,
https://kellerjordan.github.io/posts/muon/
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from training.model import Parameters

MUON_RATE, EMBEDDING_RATE, SMALL_RATE, DECAY, MOMENTUM = 0.02, 3e-3, 1e-3, 0.001, 0.95


def orthogonalized(stack: Tensor, dtype: torch.dtype, n_steps: int = 5) -> Tensor:
    """Each matrix of a stack with its singular values brought near 1, by the quintic Newton-Schulz iteration."""
    x: Tensor = stack.mT if stack.size(-2) > stack.size(-1) else stack
    x = (x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)).to(dtype)
    for _ in range(n_steps):
        square = x @ x.mT
        x = 3.4445 * x + (-4.7750 * square + 2.0315 * square @ square) @ x
    return (x.mT if stack.size(-2) > stack.size(-1) else x).to(stack.dtype)


class Optimizer:
    """One step at a share of the full learning rates; its state goes into the checkpoint.

    The work falls into jobs that several processes share: parameters and momentum then lie in shared memory, and
    AdamW's part is always the leader's.
    """

    def __init__(self, p: Parameters, matrices: dict[str, tuple[int, ...]], dtype: torch.dtype) -> None:
        self.p, self.matrices, self.dtype = p, matrices, dtype
        self.momentum = {name: torch.zeros_like(p[name]) for name in matrices}
        small = [p[name] for name in p if name not in matrices and name != "embedding"]
        self.adam = torch.optim.AdamW(
            [{"params": [p["embedding"]], "lr": EMBEDDING_RATE}, {"params": small, "lr": SMALL_RATE}],
            betas=(0.9, 0.95),
            weight_decay=0.0,
            fused=True,
        )

    def share(self) -> None:
        for value in [*self.p.values(), *self.momentum.values()]:
            value.share_memory_()

    @torch.no_grad()
    def step(self, share: float, gradients: Sequence[Parameters], rank: int, n: int) -> None:
        """This process's part of a step on the mean of several gradients; parts touch no data in common."""
        jobs = []
        for name, heights in self.matrices.items():
            start = 0
            for height in heights:
                jobs.append((name, slice(start, start + height)))
                start += height
        jobs.sort(key=lambda job: -self.p[job[0]][:, job[1]].numel())
        for name, rows in jobs[rank::n]:
            gradient = mean([g[name][:, rows] for g in gradients])
            momentum = self.momentum[name][:, rows]
            momentum.lerp_(gradient, 1 - MOMENTUM)
            turn(self.p[name][:, rows], gradient.lerp(momentum, MOMENTUM), share, self.dtype)
        if rank == 0:
            for name in self.p.keys() - self.matrices.keys():
                self.p[name].grad = mean([g[name] for g in gradients])
            for group, rate in zip(self.adam.param_groups, (EMBEDDING_RATE, SMALL_RATE), strict=True):
                group["lr"] = rate * share
            self.adam.step()

    def state(self) -> dict[str, Any]:
        return {"momentum": self.momentum, "adam": self.adam.state_dict()}

    def restore(self, state: dict[str, Any]) -> None:
        for name, value in state["momentum"].items():
            self.momentum[name].copy_(value)
        self.adam.load_state_dict(state["adam"])


def mean(values: Sequence[Tensor]) -> Tensor:
    return torch.stack(list(values)).mean(0)


def turn(weight: Tensor, update: Tensor, share: float, dtype: torch.dtype) -> None:
    """Muon's step on a stack of matrices."""
    scale = max(1.0, weight.size(-2) / weight.size(-1)) ** 0.5
    weight.mul_(1 - DECAY * share).add_(orthogonalized(update, dtype), alpha=-MUON_RATE * share * scale)
