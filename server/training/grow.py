"""Begins with the weights of a model made before: `training.train --from FILE.gguf`.

In: a GGUF that `training.export` wrote.  Changes fresh parameters.  Layers that the shape has more are put between the
old ones and begin as nothing: their output matrices are zero, so the model first answers as the old one did.
"""

from __future__ import annotations

from pathlib import Path

import gguf
import torch
from torch import Tensor

from training.model import Parameters, Shape

NAMES = {"out": "attn_output", "down": "ffn_down", "attention_norm": "attn_norm", "feed_forward_norm": "ffn_norm"}


def places(n_old: int, n_new: int) -> list[int]:
    """Where each old layer goes among the new ones: spread evenly, the last one last."""
    return [(i + 1) * n_new // n_old - 1 for i in range(n_old)]


@torch.no_grad()
def take_over(p: Parameters, shape: Shape, file: Path) -> None:
    """Raises ValueError where the widths differ."""
    found = {
        t.name: torch.from_numpy(gguf.quants.dequantize(t.data, t.tensor_type)) for t in gguf.GGUFReader(file).tensors
    }
    copy(p["embedding"], found["token_embd.weight"])
    copy(p["final_norm"], found["output_norm.weight"])
    n_old = 1 + max(int(name.split(".")[1]) for name in found if name.startswith("blk."))
    for old, new in enumerate(places(n_old, shape.n_layers)):

        def weight(name: str, kind: str = "weight", old: int = old) -> Tensor:
            return found[f"blk.{old}.{name}.{kind}"]

        copy(p["qkv"][new], torch.cat([weight(f"attn_{x}") for x in "qkv"]))
        copy(p["qkv_bias"][new], torch.cat([weight(f"attn_{x}", "bias") for x in "qkv"]))
        copy(p["gate_up"][new], torch.cat([weight("ffn_gate"), weight("ffn_up")]))
        for name, there in NAMES.items():
            copy(p[name][new], weight(there))


def copy(to: Tensor, value: Tensor) -> None:
    if to.shape != value.shape:
        raise ValueError(f"the model to begin with has {tuple(value.shape)} where {tuple(to.shape)} is wanted")
    to.copy_(value)
