"""All kinds of attention on the same tokens; fails where they differ.  Run by `test_smoke.py`, where torch is."""

import numpy as np
import torch

from training.attention import Attention, Fused, Heads, Matmuls, on_gpu, rows_of
from training.layout import Group

HEADS, N = Heads(4, 2, 16), 61


def groups() -> list[Group]:
    """Rows alone, tails with some keys hidden for all and for the first of a tail, one longer row; the last token is
    padding."""
    context = np.random.default_rng(0).permutation(20)[:14].reshape(2, 7)
    alone, tails, longer = np.arange(20).reshape(2, 10), np.arange(20, 40).reshape(2, 10), np.arange(40, 60)[None]
    hidden = [(0, 10, 2, 5), (1, 4, 6, 7)]
    return [
        Group(alone, alone, []),
        Group(tails, np.concatenate([context, tails], 1), hidden),
        Group(longer, longer, []),
    ]


def main() -> None:
    torch.manual_seed(0)
    q, k, v = (torch.randn(N, width, requires_grad=True) for width in (64, 32, 32))
    weights, back = torch.randn(N, 64), torch.arange(N).clamp(max=N - 2)
    weights[-1] = 0
    rows = [rows_of(group, torch.device("cpu"), torch.float32) for group in groups()]
    found = []
    for y in (
        Attention.apply(Fused, q * 0.25, k, v, rows, back, HEADS),
        Attention.apply(Matmuls, q * 0.25, k, v, rows, back, HEADS),
        on_gpu(q * 0.25, k, v, rows, back, HEADS),
    ):
        found.append([y, *torch.autograd.grad((y * weights).sum(), [q, k, v])])
    for fused, plain, gpu in zip(*found, strict=True):
        torch.testing.assert_close(fused, plain, rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(gpu, plain, rtol=1e-4, atol=1e-5)
        assert plain.abs().max() > 0.1


if __name__ == "__main__":
    main()
