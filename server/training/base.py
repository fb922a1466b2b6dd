"""A model of somebody else's to go on from: a GGUF of the families llama and qwen2 (Llama, SmolLM2, Qwen2.5-Coder, …).

In: the file.  Out: its weights as `model.Parameters` (layers stacked), its shape and `vocabulary`.

llama.cpp turns pairs of neighbours in the family llama, torch halves (`model.turned`): queries and keys are put into
the order of halves on reading, and what was learned of them back into pairs on writing (`by_name`).
https://github.com/ggml-org/llama.cpp/blob/master/conversion
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from training import vocabulary
from training.model import Parameters, Shape
from training.vocabulary import NotABase, Vocabulary

Floats = npt.NDArray[np.float32]
PARTS = {"out": "attn_output", "down": "ffn_down", "attention_norm": "attn_norm", "feed_forward_norm": "ffn_norm"}
"""A layer's weights by our names and the GGUF's, those that stand alone."""


@dataclass(frozen=True)
class Base:
    """`parameters` are float32 and frozen; `knows_end`: whether an end of its own was learned already."""

    path: Path
    architecture: str
    shape: Shape
    parameters: Parameters
    vocabulary: Vocabulary
    knows_end: bool = False


def read(path: Path) -> Base:
    """Raises NotABase."""
    reader = gguf.GGUFReader(path)
    fields = {key: field.contents() for key, field in reader.fields.items()}
    architecture = str(fields["general.architecture"])
    if architecture not in ("llama", "qwen2"):
        raise NotABase(f"{path.name} is of the family {architecture}; llama and qwen2 can be trained on")
    shape = shape_of(fields, architecture)
    arrays = {
        t.name: torch.from_numpy(np.array(gguf.quants.dequantize(t.data, t.tensor_type), np.float32))
        for t in reader.tensors
    }
    if "rope_freqs.weight" in arrays:
        raise NotABase(f"{path.name} has rotary factors of its own, which are not known here")
    parameters = stacked(arrays, shape, architecture)
    return Base(path, architecture, shape, parameters, vocabulary.of(fields), vocabulary.END_KEY in fields)


def shape_of(fields: Mapping[str, Any], architecture: str) -> Shape:
    def field(name: str, default: Any = None) -> Any:
        return fields.get(f"{architecture}.{name}", default)

    shape = Shape(
        n_layers=int(field("block_count")),
        width=int(field("embedding_length")),
        n_heads=int(field("attention.head_count")),
        n_kv=int(field("attention.head_count_kv", field("attention.head_count"))),
        feed_forward=int(field("feed_forward_length")),
        n_vocabulary=len(fields["tokenizer.ggml.tokens"]),
        rope_base=float(field("rope.freq_base", 10_000.0)),
        n_context=int(field("context_length")),
        epsilon=float(field("attention.layer_norm_rms_epsilon")),
    )
    if field("rope.scaling.type", "none") != "none" or field("attention.key_length", shape.head) != shape.head:
        raise NotABase("scaled rotary positions and heads of another width than the model's share are not known here")
    return shape


def swapped(weight: Tensor, n_heads: int, shape: tuple[int, int]) -> Tensor:
    """Rows of each head read as a matrix of `shape` and transposed."""
    return weight.reshape(n_heads, *shape, *weight.shape[1:]).transpose(1, 2).reshape(weight.shape)


def in_halves(weight: Tensor, n_heads: int) -> Tensor:
    """From neighbours to halves."""
    return swapped(weight, n_heads, (weight.shape[0] // n_heads // 2, 2))


def in_pairs(weight: Tensor, n_heads: int) -> Tensor:
    """From halves to neighbours."""
    return swapped(weight, n_heads, (2, weight.shape[0] // n_heads // 2))


def stacked(arrays: Mapping[str, Tensor], shape: Shape, architecture: str) -> Parameters:
    def layer(i: int, name: str, kind: str = "weight") -> Tensor:
        return arrays[f"blk.{i}.{name}.{kind}"]

    def qkv(i: int, kind: str = "weight") -> Tensor:
        return joined_qkv([layer(i, f"attn_{x}", kind) for x in "qkv"], shape, architecture)

    layers = range(shape.n_layers)
    has_biases = "blk.0.attn_q.bias" in arrays
    found = {
        "embedding": arrays["token_embd.weight"],
        "final_norm": arrays["output_norm.weight"],
        "qkv": torch.stack([qkv(i) for i in layers]),
        "qkv_bias": torch.stack([qkv(i, "bias") if has_biases else torch.zeros(sum(shape.qkv)) for i in layers]),
        "gate_up": torch.stack([torch.cat([layer(i, "ffn_gate"), layer(i, "ffn_up")]) for i in layers]),
        **{name: torch.stack([layer(i, there) for i in layers]) for name, there in PARTS.items()},
    }
    if "output.weight" in arrays:
        found["output"] = arrays["output.weight"]
    return found


def joined_qkv(found: Sequence[Tensor], shape: Shape, architecture: str) -> Tensor:
    """Rows of queries, keys and values as llama.cpp has them, in one matrix as torch wants them."""
    q, k, v = found
    if architecture == "llama":
        q, k = in_halves(q, shape.n_heads), in_halves(k, shape.n_kv)
    return torch.cat([q, k, v])


def by_name(qkv: Tensor, gate_up: Tensor, shape: Shape, architecture: str) -> dict[str, Tensor]:
    """Rows of the joined matrices as llama.cpp has them, matrix by matrix; of a LoRA's outputs (rows, rank), too."""
    q, k, v = torch.split(qkv, list(shape.qkv))
    gate, up = gate_up.chunk(2)
    if architecture == "llama":
        q, k = in_pairs(q, shape.n_heads), in_pairs(k, shape.n_kv)
    return {"attn_q": q, "attn_k": k, "attn_v": v, "ffn_gate": gate, "ffn_up": up}


def main() -> None:
    """Says why one cannot go on from a file; nothing where one can."""
    try:
        read(Path(sys.argv[1]))
    except NotABase as error:
        print(error)


if __name__ == "__main__":
    main()
