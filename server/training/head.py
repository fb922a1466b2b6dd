"""The loss at chosen tokens over a frozen vocabulary, a few rows of which are learned.

In: what the last layer gives.  Out: cross entropies, (m,).  A vocabulary of a real model has fifty thousand tokens and
more: its logits are never kept, and the gradient is made on the way there, for the loss of each token apart.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

AT_ONCE = 128
"""Tokens whose logits are there together."""


class FrozenHead(torch.autograd.Function):
    """x (m, width), vocabulary (n, width), rows (k, width) that stand in for the vocabulary's at `ids` (k,)."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, vocabulary: Tensor, rows: Tensor, ids: Tensor, targets: Tensor) -> Tensor:
        wanted = ctx.needs_input_grad[0]
        losses, found, of_rows = [], [], []
        for part, target in zip(torch.split(x, AT_ONCE), torch.split(targets, AT_ONCE), strict=True):
            at = torch.arange(len(part), device=part.device)
            logits = part @ vocabulary.mT
            logits[:, ids] = part @ rows.mT
            p = logits.float()
            p.sub_(p.amax(-1, keepdim=True))
            of_target = p[at, target]
            sums = p.exp_().sum(-1)
            losses.append(sums.log() - of_target)
            if wanted:
                p.div_(sums[:, None])
                p[at, target] -= 1
                of_rows.append(p[:, ids])
                p[:, ids] = 0
                found.append((p.to(vocabulary.dtype) @ vocabulary).float() + of_rows[-1] @ rows.float())
        if wanted:
            ctx.save_for_backward(x, torch.cat(found), torch.cat(of_rows))
        ctx.dtypes = x.dtype, rows.dtype
        return torch.cat(losses)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        (each,) = gradients
        x, found, of_rows = ctx.saved_tensors
        dx = (found * each[:, None]).to(ctx.dtypes[0])
        return dx, None, ((of_rows * each[:, None]).mT @ x.float()).to(ctx.dtypes[1]), None, None


def frozen_head(x: Tensor, vocabulary: Tensor, rows: Tensor, ids: Tensor, targets: Tensor) -> Tensor:
    return FrozenHead.apply(x, vocabulary, rows, ids, targets)  # type: ignore[no-any-return, no-untyped-call]
