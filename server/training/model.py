"""The embedded model: qwen2's architecture at some nine million parameters, and its loss on a `layout.Batch`.

In: parameters and a batch.  Out: the cross entropy of every wanted token.

Weights, residual stream, norms and loss are float32.  Matmuls and attention are in the dtype asked for: bfloat16 is
nine times as fast as float32 on a CPU with AMX, four times slower on one without.  Attention is plain matmuls with a
backward pass of its own: at these shapes twice as fast as the fused kernel on a CPU.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from training.layout import Batch, Group

Parameters = dict[str, Tensor]
HIDDEN = -30000.0  # what is added to the score of a key that may not be seen


@dataclass(frozen=True)
class Shape:
    """`n_kv` key heads serve `n_heads` query heads; the embedding is the output matrix too."""

    n_layers: int = 12
    width: int = 256
    n_heads: int = 4
    n_kv: int = 2
    feed_forward: int = 640
    n_vocabulary: int = 4096
    rope_base: float = 100_000.0
    n_context: int = 8192
    epsilon: float = 1e-6

    @property
    def head(self) -> int:
        return self.width // self.n_heads

    @property
    def qkv(self) -> tuple[int, int, int]:
        return self.n_heads * self.head, self.n_kv * self.head, self.n_kv * self.head

    def as_dict(self) -> dict[str, float]:
        return asdict(self)


def matrices(shape: Shape) -> dict[str, tuple[int, ...]]:
    """The stacked matrices, and into which heights each falls: the optimizer treats the parts apart."""
    return {"qkv": shape.qkv, "out": (shape.width,), "gate_up": (shape.feed_forward,) * 2, "down": (shape.width,)}


LAYERS = ("qkv", "qkv_bias", "out", "gate_up", "down", "attention_norm", "feed_forward_norm")


def parameters(shape: Shape) -> Parameters:
    """Fresh weights, layers stacked in front so that the optimizer works on a few large arrays."""
    n, d, f = shape.n_layers, shape.width, shape.feed_forward
    scale = 0.6 * d**-0.5
    made = {
        "embedding": torch.randn(shape.n_vocabulary, d) * 0.02,
        "qkv": torch.randn(n, sum(shape.qkv), d) * scale,
        "qkv_bias": torch.zeros(n, sum(shape.qkv)),
        "out": torch.zeros(n, d, shape.n_heads * shape.head),
        "gate_up": torch.randn(n, 2 * f, d) * scale,
        "down": torch.zeros(n, d, f),
        "attention_norm": torch.ones(n, d),
        "feed_forward_norm": torch.ones(n, d),
        "final_norm": torch.ones(d),
    }
    return {name: weight.requires_grad_() for name, weight in made.items()}


def turned(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """RoPE on halves (llama.cpp's NEOX kind).  x (n, heads, head), cos and sin (n, 1, head / 2)."""
    a, b = x.chunk(2, -1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)


def before_attention(
    h: Tensor, cos: Tensor, sin: Tensor, norm: Tensor, qkv: Tensor, bias: Tensor, shape: Shape
) -> tuple[Tensor, Tensor, Tensor]:
    """Residual stream (n, width) to queries (n, n_heads · head), scaled, and keys and values (n, n_kv · head)."""
    n = h.shape[0]
    x = F.linear(F.rms_norm(h, (shape.width,), norm, shape.epsilon).to(qkv.dtype), qkv).float() + bias
    q, k, v = torch.split(x, list(shape.qkv), -1)
    q = turned(q.reshape(n, shape.n_heads, shape.head) * shape.head**-0.5, cos, sin).reshape(n, -1)
    k = turned(k.reshape(n, shape.n_kv, shape.head), cos, sin).reshape(n, -1)
    return q.to(qkv.dtype), k.to(qkv.dtype), v.to(qkv.dtype)


def after_attention(
    h: Tensor, y: Tensor, out: Tensor, norm: Tensor, gate_up: Tensor, down: Tensor, shape: Shape
) -> Tensor:
    """Adds what attention found, and the feed-forward part, to the residual stream."""
    h = h + F.linear(y, out).float()
    x = F.rms_norm(h, (shape.width,), norm, shape.epsilon).to(gate_up.dtype)
    gate, up = F.linear(x, gate_up).chunk(2, -1)
    return h + F.linear((F.silu(gate.float()) * up.float()).to(gate_up.dtype), down).float()


def head(h: Tensor, norm: Tensor, embedding: Tensor, targets: Tensor, shape: Shape) -> Tensor:
    x = F.rms_norm(h, (shape.width,), norm, shape.epsilon).to(embedding.dtype)
    return F.cross_entropy(F.linear(x, embedding).float(), targets, reduction="none")


@dataclass(frozen=True)
class Parts:
    """The three functions above, as they are or compiled."""

    before: Callable[..., tuple[Tensor, Tensor, Tensor]] = before_attention
    after: Callable[..., Tensor] = after_attention
    head: Callable[..., Tensor] = head


def compiled() -> Parts:
    """Twice as fast on a CPU; wants a C++ compiler."""
    return Parts(*(torch.compile(f, dynamic=True) for f in (before_attention, after_attention, head)))


class Attention(torch.autograd.Function):
    """Grouped attention over flat tokens.  q (n, heads · head), k and v (n, kv · head) -> (n, heads · head)."""

    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor, groups: list[Group], back: Tensor, shape: Shape) -> Tensor:
        kept, ys = [], []
        for group in groups:
            gq, gk, gv = gathered(group, q, k, v, shape)
            scores = torch.bmm(gq, gk.mT)
            hide(scores, group, shape)
            p = torch.softmax(scores, -1)
            y = torch.bmm(p, gv)
            kept += [gq, gk, gv, p, y]
            ys.append(flat_queries(y, group, shape))
        ctx.save_for_backward(back, *kept)
        ctx.groups, ctx.shape, ctx.n = groups, shape, len(q)
        return torch.cat(ys).index_select(0, back)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        (dy,), shape, n = gradients, ctx.shape, ctx.n
        back, *kept = ctx.saved_tensors
        dq = torch.zeros_like(dy)
        dk, dv = (torch.zeros(n, shape.qkv[1]) for _ in "kv")
        for i, group in enumerate(ctx.groups):
            gq, gk, gv, p, y = kept[5 * i : 5 * i + 5]
            queries, keys = torch.from_numpy(group.queries), torch.from_numpy(group.keys)
            gy = dy.index_select(0, queries.reshape(-1)) * torch.from_numpy(group.real).reshape(-1, 1)
            gy = split_queries(gy, group, shape)
            ds = torch._softmax_backward_data(torch.bmm(gy, gv.mT), p, -1, p.dtype)
            real = torch.from_numpy(group.real).reshape(-1)
            dq.index_copy_(
                0, queries.reshape(-1)[real], flat_queries(torch.bmm(ds, gk), group, shape)[real]
            )
            flat = keys.reshape(-1)
            dk.index_add_(0, flat, flat_keys(torch.bmm(ds.mT, gq), group, shape).float())
            dv.index_add_(0, flat, flat_keys(torch.bmm(p.mT, gy), group, shape).float())
        return dq, dk.to(dy.dtype), dv.to(dy.dtype), None, None, None


def split_queries(x: Tensor, group: Group, shape: Shape) -> Tensor:
    """(B · T, heads · head) -> (B · kv, share · T, head)"""
    (b, t), kv = group.queries.shape, shape.n_kv
    x = x.view(b, t, kv, shape.n_heads // kv, shape.head).permute(0, 2, 3, 1, 4)
    return x.reshape(b * kv, -1, shape.head)


def flat_queries(x: Tensor, group: Group, shape: Shape) -> Tensor:
    (b, t), kv = group.queries.shape, shape.n_kv
    x = x.view(b, kv, shape.n_heads // kv, t, shape.head).permute(0, 3, 1, 2, 4)
    return x.reshape(b * t, -1)


def flat_keys(x: Tensor, group: Group, shape: Shape) -> Tensor:
    b, s = group.keys.shape
    return x.view(b, shape.n_kv, s, shape.head).transpose(1, 2).reshape(b * s, -1)


def gathered(group: Group, q: Tensor, k: Tensor, v: Tensor, shape: Shape) -> tuple[Tensor, Tensor, Tensor]:
    b, s = group.keys.shape
    keys = torch.from_numpy(group.keys).reshape(-1)
    gq = split_queries(q.index_select(0, torch.from_numpy(group.queries).reshape(-1)), group, shape)
    gk, gv = (
        x.index_select(0, keys).view(b, s, shape.n_kv, shape.head).transpose(1, 2).reshape(-1, s, shape.head)
        for x in (k, v)
    )
    return gq, gk, gv


def hide(scores: Tensor, group: Group, shape: Shape) -> None:
    """Takes the keys that a query may not see out of the scores (B · kv, share · T, S), in place.

    The last T keys of a row are its own queries: seen as far back as they lie.  Of those before, all are seen but the
    spans named in `hidden`.
    """
    (b, t), s = group.queries.shape, group.keys.shape[1]
    scores = scores.view(b, shape.n_heads, t, s)
    scores[..., s - t :] += torch.full((t, t), HIDDEN, dtype=scores.dtype).triu_(1)
    for row, until, start, end in group.hidden:
        scores[row, :, :until, start:end] = HIDDEN


def loss(p: Parameters, batch: Batch, shape: Shape, parts: Parts, dtype: torch.dtype) -> Tensor:
    """Cross entropy (m,) at the batch's chosen tokens."""
    positions = torch.from_numpy(batch.positions).float()
    angles = positions[:, None, None] * shape.rope_base ** (-torch.arange(0, shape.head, 2) / shape.head)
    cos, sin = torch.cos(angles), torch.sin(angles)
    back = torch.from_numpy(batch.back)
    h = F.embedding(torch.from_numpy(batch.tokens), p["embedding"])
    low = {name: p[name].to(dtype) for name in ("qkv", "out", "gate_up", "down", "embedding")}
    stacks = ({**p, **low}[name].unbind(0) for name in LAYERS)
    for qkv, bias, out, gate_up, down, norm_1, norm_2 in zip(*stacks, strict=True):
        q, k, v = parts.before(h, cos, sin, norm_1, qkv, bias, shape)
        y = Attention.apply(q, k, v, batch.groups, back, shape)
        h = parts.after(h, y, out, norm_2, gate_up, down, shape)
    h = F.embedding(torch.from_numpy(batch.chosen), h)
    return parts.head(h, p["final_norm"], low["embedding"], torch.from_numpy(batch.targets), shape)
