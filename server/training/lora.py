"""What is learned beside a frozen base: low-rank factors of all its matrices, and the rows of a few tokens.

    y = W x + scale · B (A x)        A (rank, in) random, B (out, rank) zero at first

Queries, keys and values share their A, and so do gate and up.  Hu et al. 2021, https://arxiv.org/abs/2106.09685

In: a `Base`, batches.  Out: losses; the factors at a lower rank.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from training.base import Base
from training.head import Taught, frozen_head
from training.layout import Batch
from training.model import LAYERS, Adapted, Parameters, Parts, Shape, through

MATRICES = ("qkv", "out", "gate_up", "down")
ROWS = "rows"


@dataclass(frozen=True)
class Lora:
    """`factors`: for each of MATRICES `NAME.a` (layers, rank, in) and `NAME.b` (layers, out, rank), and `rows`
    (k, width), the embeddings of the k marks.  An end of its own begins as what has ended texts so far."""

    rank: int
    scale: float
    factors: Parameters

    def state(self) -> dict[str, Any]:
        return {"rank": self.rank, "scale": self.scale, "lora": {n: v.detach().cpu() for n, v in self.factors.items()}}


def fresh(base: Base, rank: int, scale: float, seed: int = 0) -> Lora:
    random = torch.Generator().manual_seed(seed)
    marks = base.vocabulary.marks
    likened = [marks.start if mark == marks.end and not base.knows_end else mark for mark in marks.rows]
    factors = {ROWS: base.parameters["embedding"][likened].clone()}
    for name in MATRICES:
        n, width_out, width_in = base.parameters[name].shape
        factors[f"{name}.a"] = torch.randn(n, rank, width_in, generator=random) * width_in**-0.5
        factors[f"{name}.b"] = torch.zeros(n, width_out, rank)
    return Lora(rank, scale, factors)


def restored(base: Base, state: dict[str, Any]) -> Lora:
    """From a checkpoint, or from an adapter saved before rows, or the end's among them, were learned."""
    factors = fresh(base, state["rank"], state["scale"]).factors
    found = {name: state["lora"].get(name, old) for name, old in factors.items()}
    found[ROWS] = torch.cat([found[ROWS], factors[ROWS][len(found[ROWS]) :]])
    return Lora(state["rank"], state["scale"], found)


@dataclass(frozen=True)
class Frozen:
    """A base's weights in the dtype of matmuls, on a device; norms and biases are float32."""

    shape: Shape
    parameters: Parameters
    ids: Tensor
    dtype: torch.dtype


def frozen(base: Base, dtype: torch.dtype, device: str) -> Frozen:
    low = (*MATRICES, "embedding", "output")
    parameters = {n: v.to(device, dtype if n in low else torch.float32) for n, v in base.parameters.items()}
    return Frozen(base.shape, parameters, torch.tensor(base.vocabulary.marks.rows, device=device), dtype)


def layers(model: Frozen, lora: Lora) -> Iterator[tuple[Any, ...]]:
    """Layer by layer what LAYERS names, matrices with their factors if there are any."""
    f, p = lora.factors, model.parameters
    stacks: list[Any] = []
    for name in LAYERS:
        if name in MATRICES and lora.rank:
            a, b = f[f"{name}.a"].to(model.dtype), (f[f"{name}.b"] * lora.scale).to(model.dtype)
            stacks.append(map(Adapted, p[name].unbind(0), a.unbind(0), b.unbind(0)))
        else:
            stacks.append(p[name].unbind(0))
    return zip(*stacks, strict=True)


def embedded(model: Frozen, rows: Tensor, tokens: Tensor) -> Tensor:
    """Tokens (n,) to (n, width), those of the marks from `rows`."""
    h = F.embedding(tokens, model.parameters["embedding"]).float()
    is_mark = tokens[:, None] == model.ids
    return torch.where(is_mark.any(1, keepdim=True), is_mark.float() @ rows, h)


def states(model: Frozen, lora: Lora, batch: Batch, parts: Parts) -> Tensor:
    """What the last layer gives at the batch's chosen tokens, normed: (m, width)."""
    device, p = model.ids.device, model.parameters
    tokens, chosen = (torch.from_numpy(x).to(device) for x in (batch.tokens, batch.chosen))
    start = embedded(model, lora.factors[ROWS], tokens)
    h = through(start, layers(model, lora), batch, model.shape, parts, model.dtype)
    return F.rms_norm(h.index_select(0, chosen), (model.shape.width,), p["final_norm"], model.shape.epsilon)


@torch.no_grad()
def taught(model: Frozen, batch: Batch, labels: float, parts: Parts) -> Taught:
    """What the base itself, with nothing learned beside it, gives at the batch's chosen tokens."""
    rows = model.parameters["embedding"][model.ids].float()
    teacher = states(model, Lora(0, 1.0, {ROWS: rows}), batch, parts)
    return Taught(teacher.to(model.dtype), rows.to(model.dtype), labels)


def loss(model: Frozen, lora: Lora, batch: Batch, parts: Parts, teacher: Taught | None = None) -> Tensor:
    """Cross entropy (m,) at the batch's chosen tokens, on the model's device."""
    p, rows = model.parameters, lora.factors[ROWS]
    x, targets = states(model, lora, batch, parts), torch.from_numpy(batch.targets).to(model.ids.device)
    if "output" in p:  # not tied: the marks' own rows there are never wanted, and stay
        none = rows.new_zeros(0, rows.size(1)).to(model.dtype)
        teacher = teacher._replace(rows=none) if teacher else None
        return frozen_head(x.to(model.dtype), p["output"], none, model.ids[:0], targets, teacher)
    return frozen_head(x.to(model.dtype), p["embedding"], rows.to(model.dtype), model.ids, targets, teacher)


def widened(lora: Lora, base: Base, rank: int) -> Lora:
    """The same with room for more: further factors that are nothing yet."""
    found = fresh(base, rank, lora.scale).factors | {ROWS: lora.factors[ROWS]}
    for name in MATRICES:
        for which, axis in (("a", 1), ("b", 2)):
            old, new = lora.factors[f"{name}.{which}"], found[f"{name}.{which}"]
            found[f"{name}.{which}"] = torch.cat([old, new.narrow(axis, lora.rank, rank - lora.rank)], axis)
    return Lora(rank, lora.scale, found)


@torch.no_grad()
def reduced(lora: Lora, rank: int) -> Lora:
    """The nearest factors of a lower rank: the largest singular values of B·A."""
    factors = {ROWS: lora.factors[ROWS]}
    for name in MATRICES:
        a, b = lora.factors[f"{name}.a"], lora.factors[f"{name}.b"]
        qb, rb = torch.linalg.qr(b)
        qa, ra = torch.linalg.qr(a.mT)
        u, values, v = torch.linalg.svd(rb @ ra.mT)
        root = values[:, :rank].sqrt()
        factors[f"{name}.b"] = (qb @ u[:, :, :rank]) * root[:, None, :]
        factors[f"{name}.a"] = root[:, :, None] * (v[:, :rank] @ qa.mT)
    return Lora(rank, lora.scale, factors)
