"""The embedded model: qwen2's architecture at 5 million parameters, and its loss on a `layout.Batch`.

In: parameters and a batch.  Out: the cross entropy of every wanted token.  float32 throughout: on a CPU without
bf16 units autocast is four times slower.  Attention is plain matmuls, which on a CPU beat the fused kernel.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from training.layout import Batch

Parameters = dict[str, Tensor]


@dataclass(frozen=True)
class Shape:
    """`n_kv` key heads serve `n_heads` query heads; the embedding is the output matrix too."""

    n_layers: int = 6
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


def attention(q: Tensor, k: Tensor, v: Tensor, bias: Tensor, shape: Shape) -> Tensor:
    """q (B, T, n_heads · head), k and v (B, S, n_kv · head), bias (B or 1, 1, 1, T, S) -> (B · T, n_heads · head)."""
    (b, t, _), s, kv, head = q.shape, k.shape[1], shape.n_kv, shape.head
    share = shape.n_heads // kv
    q = q.view(b, t, kv, share, head).permute(0, 2, 3, 1, 4).reshape(b * kv, share * t, head)
    k = k.view(b, s, kv, head).permute(0, 2, 3, 1).reshape(b * kv, head, s)
    v = v.view(b, s, kv, head).transpose(1, 2).reshape(b * kv, s, head)
    scores = torch.bmm(q, k).view(b, kv, share, t, s) + bias
    y = torch.bmm(torch.softmax(scores, -1).view(b * kv, share * t, s), v)
    return y.view(b, kv, share, t, head).permute(0, 3, 1, 2, 4).reshape(b * t, kv * share * head)


def loss(p: Parameters, batch: Batch, shape: Shape) -> Tensor:
    """Cross entropy (m,) at the batch's chosen tokens."""
    positions = torch.from_numpy(batch.positions).float()
    angles = positions[:, None, None] * shape.rope_base ** (-torch.arange(0, shape.head, 2) / shape.head)
    cos, sin = torch.cos(angles), torch.sin(angles)
    groups = [
        (
            torch.from_numpy(g.queries),
            torch.from_numpy(g.keys),
            torch.where(torch.from_numpy(g.seen), 0.0, -1e9)[:, None, None],
        )
        for g in batch.groups
    ]
    back = torch.from_numpy(batch.back)
    h = F.embedding(torch.from_numpy(batch.tokens), p["embedding"])
    n = len(h)
    layers = ("qkv", "qkv_bias", "out", "gate_up", "down", "attention_norm", "feed_forward_norm")
    for qkv, bias, out, gate_up, down, norm_1, norm_2 in zip(*(p[name].unbind(0) for name in layers), strict=True):
        x = F.linear(F.rms_norm(h, (shape.width,), norm_1, shape.epsilon), qkv, bias)
        q, k, v = torch.split(x, list(shape.qkv), -1)
        q = turned(q.reshape(n, shape.n_heads, shape.head) * shape.head**-0.5, cos, sin).view(n, -1)
        k = turned(k.reshape(n, shape.n_kv, shape.head), cos, sin).view(n, -1)
        # Gathering by `embedding`, for its backward pass is the fast scatter-add that CPU indexing lacks.
        kv = torch.cat([k, v], -1)
        ys = []
        for queries, keys, seen in groups:
            gk, gv = F.embedding(keys, kv).chunk(2, -1)
            ys.append(attention(F.embedding(queries, q), gk, gv, seen, shape))
        h = h + F.linear(F.embedding(back, torch.cat(ys)), out)
        gate, up = F.linear(F.rms_norm(h, (shape.width,), norm_2, shape.epsilon), gate_up).chunk(2, -1)
        h = h + F.linear(F.silu(gate) * up, down)
    h = F.embedding(torch.from_numpy(batch.chosen), h)
    logits = F.linear(F.rms_norm(h, (shape.width,), p["final_norm"], shape.epsilon), p["embedding"])
    return F.cross_entropy(logits, torch.from_numpy(batch.targets), reduction="none")
