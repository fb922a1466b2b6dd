"""A checkpoint to a GGUF that llama.cpp loads: `python -m training.export [--checkpoint FILE] [--out FILE]`.

In: `checkpoint.pt`, `tokenizer.json`.  Out: the file, put in place by a rename, so that an engine that has the old
one mapped keeps it.  Architecture qwen2, matrices in Q8_0.  The keys `palimpsest.*` tell the engine how to lay out
a prompt.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import torch

from training import CACHE, tokenizer
from training.model import Shape

OUT = Path(__file__).parents[1] / "palimpsest" / "assets" / "palimpsest-embedded.gguf"
MAX_BYTES = 40_000_000
DESCRIPTION = (
    "A very small code model (Python) trained in Palimpsest's cache layout: context blocks encoded alone behind a "
    "shared header, the suffix as one more block, the middle continuing the prefix; it also writes ln-diff. "
    "A demonstrator."
)


def add_vocabulary(writer: gguf.GGUFWriter, file: Path) -> None:
    """The BPE with special tokens as control tokens; BOS stands before every header."""
    model = json.loads(file.read_text())["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].get)
    assert tuple(tokens[: len(tokenizer.SPECIAL)]) == tokenizer.SPECIAL
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(tokens)
    writer.add_token_merges([" ".join(merge) if isinstance(merge, list) else merge for merge in model["merges"]])
    control, normal = gguf.TokenType.CONTROL, gguf.TokenType.NORMAL
    writer.add_token_types([control if token in tokenizer.SPECIAL else normal for token in tokens])
    writer.add_bos_token_id(tokenizer.END)
    writer.add_eos_token_id(tokenizer.END)
    writer.add_eot_token_id(tokenizer.END)
    writer.add_pad_token_id(tokenizer.END)
    writer.add_add_bos_token(True)
    for name, token in {
        "pre": tokenizer.PREFIX,
        "mid": tokenizer.MIDDLE,
        "suf": tokenizer.SUFFIX,
        "pad": 4,
        "rep": 5,
        "sep": 6,
    }.items():
        writer.add_uint32(f"tokenizer.ggml.fim_{name}_token_id", token)


def add_shape(writer: gguf.GGUFWriter, shape: Shape) -> None:
    writer.add_block_count(shape.n_layers)
    writer.add_context_length(shape.n_context)
    writer.add_embedding_length(shape.width)
    writer.add_feed_forward_length(shape.feed_forward)
    writer.add_head_count(shape.n_heads)
    writer.add_head_count_kv(shape.n_kv)
    writer.add_rope_freq_base(shape.rope_base)
    writer.add_layer_norm_rms_eps(shape.epsilon)
    writer.add_vocab_size(shape.n_vocabulary)


def add_weights(writer: gguf.GGUFWriter, p: dict[str, Any], shape: Shape) -> None:
    """No `output.weight`: llama.cpp then uses the embedding, to which it is tied."""

    def matrix(name: str, value: torch.Tensor) -> None:
        kind = gguf.GGMLQuantizationType.Q8_0
        writer.add_tensor(name, gguf.quants.quantize(value.contiguous().numpy(), kind), raw_dtype=kind)

    def vector(name: str, value: torch.Tensor) -> None:
        writer.add_tensor(name, value.contiguous().numpy().astype(np.float32))

    matrix("token_embd.weight", p["embedding"])
    vector("output_norm.weight", p["final_norm"])
    for i in range(shape.n_layers):
        at = f"blk.{i}."
        vector(at + "attn_norm.weight", p["attention_norm"][i])
        vector(at + "ffn_norm.weight", p["feed_forward_norm"][i])
        heights = list(shape.qkv)
        parts = zip("qkv", torch.split(p["qkv"][i], heights), torch.split(p["qkv_bias"][i], heights), strict=True)
        for letter, weight, bias in parts:
            matrix(f"{at}attn_{letter}.weight", weight)
            vector(f"{at}attn_{letter}.bias", bias)
        matrix(at + "attn_output.weight", p["out"][i])
        gate, up = p["gate_up"][i].chunk(2)
        matrix(at + "ffn_gate.weight", gate)
        matrix(at + "ffn_up.weight", up)
        matrix(at + "ffn_down.weight", p["down"][i])


def main() -> None:
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("--checkpoint", type=Path, default=CACHE / "checkpoint.pt")
    cli.add_argument("--out", type=Path, default=OUT)
    a = cli.parse_args()
    saved = torch.load(a.checkpoint, weights_only=False, map_location="cpu")
    shape = Shape(**saved["shape"])
    beside = a.out.with_suffix(".part")
    writer = gguf.GGUFWriter(beside, "qwen2")
    writer.add_name("palimpsest-embedded")
    writer.add_description(DESCRIPTION)
    writer.add_license("Apache-2.0")
    writer.add_size_label(f"{round(sum(x.numel() for x in saved['parameters'].values()) / 1e6)}M")
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q8_0)
    writer.add_string("palimpsest.fim_layout", "spm")
    writer.add_string("palimpsest.edit_format", "ln-diff")
    writer.add_string("palimpsest.prompt", "plain")
    add_shape(writer, shape)
    add_vocabulary(writer, tokenizer.FILE)
    add_weights(writer, saved["parameters"], shape)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    size = beside.stat().st_size
    assert size <= MAX_BYTES, size
    beside.replace(a.out)
    print(f"{a.out.name}: {size / 1e6:.1f} MB after step {saved['progress']['step']}")


if __name__ == "__main__":
    main()
