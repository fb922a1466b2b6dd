"""A model of llama's or qwen2's architecture, by default the embedded one's nine million parameters, and its loss on a
`layout.Batch`.

In: parameters, perhaps with what a LoRA adds to them, and a batch.  Out: the cross entropy of every wanted token.

Weights, residual stream, norms and loss are float32.  Matmuls and attention (`training.attention`) are in the dtype
asked for: bfloat16 is nine times as fast as float32 on a CPU with AMX, four times slower on one without.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from training.attention import Heads, attend, rows_of
from training.layout import Batch

Parameters = dict[str, Tensor]


class Adapted(NamedTuple):
    """A frozen matrix (out, in) and what is learned beside it: `b` (out, rank), scaled, times `a` (rank, in)."""

    weight: Tensor
    a: Tensor
    b: Tensor

    @property
    def dtype(self) -> torch.dtype:
        return self.weight.dtype


Matrix = Tensor | Adapted


def linear(x: Tensor, matrix: Matrix) -> Tensor:
    if isinstance(matrix, Tensor):
        return F.linear(x, matrix)
    return F.linear(x, matrix.weight) + F.linear(F.linear(x, matrix.a), matrix.b)


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

    @property
    def heads(self) -> Heads:
        return Heads(self.n_heads, self.n_kv, self.head)

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
    h: Tensor, cos: Tensor, sin: Tensor, norm: Tensor, qkv: Matrix, bias: Tensor, shape: Shape
) -> tuple[Tensor, Tensor, Tensor]:
    """Residual stream (n, width) to queries (n, n_heads · head), scaled, and keys and values (n, n_kv · head)."""
    n = h.shape[0]
    x = linear(F.rms_norm(h, (shape.width,), norm, shape.epsilon).to(qkv.dtype), qkv).float() + bias
    q, k, v = torch.split(x, list(shape.qkv), -1)
    q = turned(q.reshape(n, shape.n_heads, shape.head) * shape.head**-0.5, cos, sin).reshape(n, -1)
    k = turned(k.reshape(n, shape.n_kv, shape.head), cos, sin).reshape(n, -1)
    return q.to(qkv.dtype), k.to(qkv.dtype), v.to(qkv.dtype)


def after_attention(
    h: Tensor, y: Tensor, out: Matrix, norm: Tensor, gate_up: Matrix, down: Matrix, shape: Shape
) -> Tensor:
    """Adds what attention found, and the feed-forward part, to the residual stream."""
    h = h + linear(y, out).float()
    x = F.rms_norm(h, (shape.width,), norm, shape.epsilon).to(gate_up.dtype)
    gate, up = linear(x, gate_up).chunk(2, -1)
    return h + linear((F.silu(gate.float()) * up.float()).to(gate_up.dtype), down).float()


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


def loss(p: Parameters, batch: Batch, shape: Shape, parts: Parts, dtype: torch.dtype) -> Tensor:
    """Cross entropy (m,) at the batch's chosen tokens, on the device that the parameters are on."""
    device = p["embedding"].device
    tokens, chosen, targets = (torch.from_numpy(x).to(device) for x in (batch.tokens, batch.chosen, batch.targets))
    low = {name: p[name].to(dtype) for name in ("qkv", "out", "gate_up", "down", "embedding")}
    layers = zip(*({**p, **low}[name].unbind(0) for name in LAYERS), strict=True)
    h = through(F.embedding(tokens, p["embedding"]), layers, batch, shape, parts, dtype)
    return parts.head(F.embedding(chosen, h), p["final_norm"], low["embedding"], targets, shape)


def through(
    h: Tensor, layers: Iterable[Sequence[Any]], batch: Batch, shape: Shape, parts: Parts, dtype: torch.dtype
) -> Tensor:
    """Embedded tokens (n, width) through all layers, each a row of what LAYERS names."""
    device = h.device
    positions, back = (torch.from_numpy(x).to(device) for x in (batch.positions, batch.back))
    groups = [rows_of(group, device, dtype) for group in batch.groups]
    turns = shape.rope_base ** (-torch.arange(0, shape.head, 2, device=device) / shape.head)
    angles = positions.float()[:, None, None] * turns
    cos, sin = torch.cos(angles), torch.sin(angles)
    for qkv, bias, out, gate_up, down, norm_1, norm_2 in layers:
        q, k, v = parts.before(h, cos, sin, norm_1, qkv, bias, shape)
        y = attend(q, k, v, groups, back, shape.heads)
        h = parts.after(h, y, out, norm_2, gate_up, down, shape)
    return h
