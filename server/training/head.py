"""The loss at chosen tokens over a frozen vocabulary, a few rows of which are learned.

In: what the last layer gives, perhaps what a teacher's gives at the same tokens.  Out: cross entropies, (m,).  A
vocabulary of a real model has fifty thousand tokens and more: its logits are never kept, and the gradient is made on
the way there, for the loss of each token apart.

With a teacher the target of a token is `labels` of what stands there and the rest of the teacher's distribution, so
that the loss is `labels` · CE(target) + (1 - `labels`) · CE(teacher) (Hinton et al. 2015, arXiv 1503.02531).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

AT_ONCE = 128
"""Tokens whose logits are there together."""


class Taught(NamedTuple):
    """A teacher's states (m, width) at the chosen tokens, its rows (k, width), and the share of the labels."""

    states: Tensor
    rows: Tensor
    labels: float


class FrozenHead(torch.autograd.Function):
    """x (m, width), vocabulary (n, width), rows (k, width) that stand in for the vocabulary's at `ids` (k,)."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, vocabulary: Tensor, rows: Tensor, ids: Tensor, targets: Tensor, taught: Taught | None
    ) -> Tensor:
        wanted = ctx.needs_input_grad[0]
        losses, found, of_rows = [], [], []
        for first in range(0, len(x), AT_ONCE):
            part, target = x[first : first + AT_ONCE], targets[first : first + AT_ONCE]
            at = torch.arange(len(part), device=part.device)
            p = _logits(part, vocabulary, rows, ids)
            p.sub_(p.amax(-1, keepdim=True))
            expected, share = p[at, target], 1.0
            if taught is not None:
                q, share = _logits(taught.states[first : first + AT_ONCE], vocabulary, taught.rows, ids), taught.labels
                q = q.softmax(-1)
                expected = share * expected + (1 - share) * (p * q).sum(-1)
            sums = p.exp_().sum(-1)
            losses.append(sums.log() - expected)
            if wanted:
                p.div_(sums[:, None])
                p[at, target] -= share
                if taught is not None:
                    p.sub_(q, alpha=1 - share)
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
        return dx, None, ((of_rows * each[:, None]).mT @ x.float()).to(ctx.dtypes[1]), None, None, None


def _logits(x: Tensor, vocabulary: Tensor, rows: Tensor, ids: Tensor) -> Tensor:
    logits = x @ vocabulary.mT
    logits[:, ids] = x @ rows.mT
    return logits.float()


def frozen_head(
    x: Tensor, vocabulary: Tensor, rows: Tensor, ids: Tensor, targets: Tensor, taught: Taught | None = None
) -> Tensor:
    return FrozenHead.apply(x, vocabulary, rows, ids, targets, taught)  # type: ignore[no-any-return, no-untyped-call]
