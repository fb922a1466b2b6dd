"""Attention over flat tokens, in groups of rows: `attend(queries, keys, values, groups, back, heads)`.

In: the queries, keys and values of all tokens of a step, and `layout.Group`s, which say who sees what.  Out: what each
token found.  Three ways, to the same result:

    matmuls  bfloat16 on a CPU.  With AMX twice as fast as the fused kernel.
    fused    float32 on a CPU.  There the kernel is the faster one: scores stay in the cache, and what a causal mask
             hides is not computed at all.
    on_gpu   torch's scaled_dot_product_attention with the groups' masks, which is one fused kernel there.

The first two have a backward pass of their own: autograd would fill a gradient of all tokens for each group, which
costs a CPU more than it costs a GPU.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from training.layout import Group

HIDDEN = -30000.0  # what is added to the score of a key that may not be seen
FUSED = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
FUSED_BACKWARD = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward


@dataclass(frozen=True)
class Heads:
    """`n_kv` key heads serve `n` query heads, each `width` wide."""

    n: int
    n_kv: int
    width: int

    @property
    def share(self) -> int:
        return self.n // self.n_kv


@dataclass(frozen=True)
class Rows:
    """A `layout.Group` as tensors: flat indexes of queries (b · t,) and keys (b · s,); with a fused kernel the mask
    (b, 1, t, s) that is added to the scores, None where a row's tokens see those up to themselves and nothing else."""

    b: int
    t: int
    s: int
    queries: Tensor
    keys: Tensor
    hidden: list[tuple[int, int, int, int]]
    mask: Tensor | None


def is_fused(device: torch.device, dtype: torch.dtype) -> bool:
    return device.type == "cpu" and dtype == torch.float32


def rows_of(group: Group, device: torch.device, dtype: torch.dtype) -> Rows:
    (b, t), s = group.queries.shape, group.keys.shape[1]
    queries, keys = (torch.from_numpy(x).to(device).reshape(-1) for x in (group.queries, group.keys))
    mask = None
    if (is_fused(device, dtype) or device.type == "cuda") and (s > t or group.hidden):
        mask = hide(torch.zeros(b, 1, t, s, dtype=dtype, device=device), t, s, group.hidden)
    return Rows(b, t, s, queries, keys, group.hidden, mask)


def hide(scores: Tensor, t: int, s: int, hidden: list[tuple[int, int, int, int]]) -> Tensor:
    """Takes the keys that a query may not see out of the scores (b, heads, t, s), in place (see `Group`)."""
    scores[..., s - t :] += torch.full((t, t), HIDDEN, dtype=scores.dtype, device=scores.device).triu_(1)
    for row, until, start, end in hidden:
        scores[row, :, :until, start:end] = HIDDEN
    return scores


def attend(q: Tensor, k: Tensor, v: Tensor, groups: list[Rows], back: Tensor, heads: Heads) -> Tensor:
    """q (n, heads · width), scaled, k and v (n, kv · width) -> (n, heads · width)"""
    if q.device.type == "cuda":
        return on_gpu(q, k, v, groups, back, heads)
    kernel = Fused if is_fused(q.device, q.dtype) else Matmuls
    return Attention.apply(kernel, q, k, v, groups, back, heads)  # type: ignore[no-any-return, no-untyped-call]


def on_gpu(q: Tensor, k: Tensor, v: Tensor, groups: list[Rows], back: Tensor, heads: Heads) -> Tensor:
    """As `attend`.  Keys are given to each query head: not every fused kernel knows a mask and fewer key heads."""
    found = []
    for rows in groups:
        gq = heads_apart(q.index_select(0, rows.queries), rows.b, rows.t, heads.n)
        gk, gv = (for_each_query_head(x.index_select(0, rows.keys), rows, heads) for x in (k, v))
        y = F.scaled_dot_product_attention(gq, gk, gv, rows.mask, is_causal=rows.mask is None, scale=1.0)
        found.append(heads_together(y, rows))
    return torch.cat(found).index_select(0, back)


class Kernel:
    """How one group's attention is computed, and its gradients.  Everything is flat: a row per token."""

    n_kept: int

    @staticmethod
    def found(q: Tensor, k: Tensor, v: Tensor, rows: Rows, heads: Heads) -> tuple[Tensor, tuple[Tensor, ...]]:
        """What each query found, and the `n_kept` tensors that the way back needs."""
        raise NotImplementedError

    @staticmethod
    def back(dy: Tensor, kept: Sequence[Tensor], rows: Rows, heads: Heads) -> tuple[Tensor, Tensor, Tensor]:
        """Gradients of queries, keys and values."""
        raise NotImplementedError


class Attention(torch.autograd.Function):
    """A kernel for one group after another."""

    @staticmethod
    def forward(
        ctx: Any, kernel: type[Kernel], q: Tensor, k: Tensor, v: Tensor, groups: list[Rows], back: Tensor, heads: Heads
    ) -> Tensor:
        kept: list[Tensor] = []
        ys = []
        for rows in groups:
            gk, gv = k.index_select(0, rows.keys), v.index_select(0, rows.keys)
            y, keep = kernel.found(q.index_select(0, rows.queries), gk, gv, rows, heads)
            ys.append(y)
            kept += keep
        ctx.save_for_backward(*kept)
        ctx.kernel, ctx.groups, ctx.heads, ctx.n = kernel, groups, heads, len(q)
        return torch.cat(ys).index_select(0, back)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        (dy,), heads, kernel = gradients, ctx.heads, ctx.kernel
        kept, n_kept = ctx.saved_tensors, kernel.n_kept
        dq = torch.zeros_like(dy)
        dk, dv = (torch.zeros(ctx.n, heads.n_kv * heads.width, device=dy.device) for _ in "kv")
        for i, rows in enumerate(ctx.groups):
            of_group = kept[n_kept * i : n_kept * (i + 1)]
            gq, gk, gv = kernel.back(dy.index_select(0, rows.queries), of_group, rows, heads)
            dq.index_copy_(0, rows.queries, gq)
            dk.index_add_(0, rows.keys, gk.float())
            dv.index_add_(0, rows.keys, gv.float())
        return None, dq, dk.to(dy.dtype), dv.to(dy.dtype), None, None, None


class Matmuls(Kernel):
    """Plain matmuls."""

    n_kept = 4

    @staticmethod
    def found(q: Tensor, k: Tensor, v: Tensor, rows: Rows, heads: Heads) -> tuple[Tensor, tuple[Tensor, ...]]:
        gq = split_queries(q, rows, heads)
        gk, gv = (split_keys(x, rows, heads) for x in (k, v))
        scores = torch.bmm(gq, gk.mT)
        hide(scores.view(rows.b, heads.n, rows.t, rows.s), rows.t, rows.s, rows.hidden)
        p = torch.softmax(scores, -1)
        return flat_queries(torch.bmm(p, gv), rows, heads), (gq, gk, gv, p)

    @staticmethod
    def back(dy: Tensor, kept: Sequence[Tensor], rows: Rows, heads: Heads) -> tuple[Tensor, Tensor, Tensor]:
        gq, gk, gv, p = kept
        gy = split_queries(dy, rows, heads)
        ds = torch._softmax_backward_data(torch.bmm(gy, gv.mT), p, -1, p.dtype)
        dq = flat_queries(torch.bmm(ds, gk), rows, heads)
        return dq, flat_keys(torch.bmm(ds.mT, gq), rows, heads), flat_keys(torch.bmm(p.mT, gy), rows, heads)


def split_queries(x: Tensor, rows: Rows, heads: Heads) -> Tensor:
    """(b · t, heads · width) -> (b · kv, share · t, width)"""
    x = x.view(rows.b, rows.t, heads.n_kv, heads.share, heads.width).permute(0, 2, 3, 1, 4)
    return x.reshape(rows.b * heads.n_kv, -1, heads.width)


def flat_queries(x: Tensor, rows: Rows, heads: Heads) -> Tensor:
    x = x.view(rows.b, heads.n_kv, heads.share, rows.t, heads.width).permute(0, 3, 1, 2, 4)
    return x.reshape(rows.b * rows.t, -1)


def split_keys(x: Tensor, rows: Rows, heads: Heads) -> Tensor:
    """(b · s, kv · width) -> (b · kv, s, width)"""
    return x.view(rows.b, rows.s, heads.n_kv, heads.width).transpose(1, 2).reshape(-1, rows.s, heads.width)


def flat_keys(x: Tensor, rows: Rows, heads: Heads) -> Tensor:
    return x.view(rows.b, heads.n_kv, rows.s, heads.width).transpose(1, 2).reshape(rows.b * rows.s, -1)


class Fused(Kernel):
    """Torch's flash attention for CPUs; it wants as many key heads as query heads."""

    n_kept = 5

    @staticmethod
    def found(q: Tensor, k: Tensor, v: Tensor, rows: Rows, heads: Heads) -> tuple[Tensor, tuple[Tensor, ...]]:
        gq = heads_apart(q, rows.b, rows.t, heads.n)
        gk, gv = (for_each_query_head(x, rows, heads) for x in (k, v))
        y, sums = FUSED(gq, gk, gv, 0.0, rows.mask is None, attn_mask=rows.mask, scale=1.0)
        return heads_together(y, rows), (gq, gk, gv, y, sums)

    @staticmethod
    def back(dy: Tensor, kept: Sequence[Tensor], rows: Rows, heads: Heads) -> tuple[Tensor, Tensor, Tensor]:
        gy = heads_apart(dy, rows.b, rows.t, heads.n)
        dq, dk, dv = FUSED_BACKWARD(gy, *kept, 0.0, rows.mask is None, attn_mask=rows.mask, scale=1.0)
        return heads_together(dq, rows), over_query_heads(dk, rows, heads), over_query_heads(dv, rows, heads)


def heads_apart(x: Tensor, b: int, t: int, n: int) -> Tensor:
    """(b · t, n · width) -> (b, n, t, width)"""
    return x.view(b, t, n, -1).transpose(1, 2)


def heads_together(x: Tensor, rows: Rows) -> Tensor:
    """(b, n, t, width) -> (b · t, n · width)"""
    return x.transpose(1, 2).reshape(rows.b * rows.t, -1)


def for_each_query_head(x: Tensor, rows: Rows, heads: Heads) -> Tensor:
    """(b · s, kv · width) -> (b, heads, s, width)"""
    x = x.view(rows.b, rows.s, heads.n_kv, 1, heads.width).expand(-1, -1, -1, heads.share, -1)
    return x.reshape(rows.b, rows.s, heads.n, heads.width).transpose(1, 2)


def over_query_heads(x: Tensor, rows: Rows, heads: Heads) -> Tensor:
    """Gradients (b, heads, s, width) summed for each key head: (b · s, kv · width)"""
    x = x.view(rows.b, heads.n_kv, heads.share, rows.s, heads.width).sum(2)
    return x.transpose(1, 2).reshape(rows.b * rows.s, -1)
