"""A Hugging Face folder to a GGUF to train on: `python -m training.folder DIR --out FILE.gguf`.

In: `config.json`, `tokenizer.json` and `*.safetensors` of a model of the families llama or qwen2.  Out: the same
weights in the same precision under llama.cpp's names, queries and keys in its order (`training.base`).
Format of the weights: https://github.com/huggingface/safetensors#format
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import torch
from gguf.utility import LocalTensor, SafetensorsLocal

from training.adapter import writing
from training.base import Floats, in_pairs
from training.vocabulary import NotABase

Kind = gguf.GGMLQuantizationType
ALONE = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}
IN_LAYER = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
}
KINDS = {"F32": Kind.F32, "F16": Kind.F16, "BF16": Kind.BF16}


def floats(tensor: LocalTensor) -> Floats:
    raw = np.array(tensor.mmap_bytes())
    if tensor.dtype == "BF16":  # the upper half of a float32
        values = (raw.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    else:
        values = raw.view({"F32": np.float32, "F16": np.float16}[tensor.dtype]).astype(np.float32)
    return np.asarray(values.reshape(tensor.shape), np.float32)


def renamed(name: str) -> str:
    """A tensor's name in a GGUF.  Raises NotABase."""
    stem, _, kind = name.rpartition(".")
    if stem in ALONE:
        return f"{ALONE[stem]}.{kind}"
    parts = stem.split(".", 3)
    if parts[:2] == ["model", "layers"] and len(parts) == 4 and parts[3] in IN_LAYER:
        return f"blk.{parts[2]}.{IN_LAYER[parts[3]]}.{kind}"
    raise NotABase(f"{name} is no tensor of a model of llama's or qwen2's family")


def tensors(folder: Path, config: Mapping[str, Any]) -> Iterator[tuple[str, Floats, Kind]]:
    """Name, values and kind of each."""
    heads = {"attn_q": config["num_attention_heads"], "attn_k": config["num_key_value_heads"]}
    for file in sorted(folder.glob("*.safetensors")):
        for name, tensor in SafetensorsLocal(file).tensors.items():
            if tensor.dtype not in KINDS:
                raise NotABase(f"{name} is stored as {tensor.dtype}; known are " + ", ".join(KINDS))
            there, values = renamed(name), floats(tensor)
            part = there.split(".")[-2]
            if config["model_type"] == "llama" and part in heads:
                values = in_pairs(torch.from_numpy(values), heads[part]).numpy()
            if there != "output.weight" or not config.get("tie_word_embeddings"):
                yield there, values, KINDS[tensor.dtype]


def split_of(tokenizer: Mapping[str, Any]) -> str:
    """Which of llama.cpp's splits a `tokenizer.json` has; only by what it says, so `training.parity` is to check it."""
    steps = tokenizer["pre_tokenizer"].get("pretokenizers", [tokenizer["pre_tokenizer"]])
    kinds = [step["type"] for step in steps]
    if kinds == ["Digits", "ByteLevel"]:
        return "smollm"
    pattern = steps[0].get("pattern", {}).get("Regex", "")
    if kinds == ["Split", "ByteLevel"] and r"|\p{N}|" in pattern:
        return "qwen2"
    raise NotABase("a tokenizer that splits text neither as SmolLM2's nor as Qwen2's")


def add_vocabulary(writer: gguf.GGUFWriter, folder: Path, config: Mapping[str, Any]) -> None:
    made = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    ids = {**made["model"]["vocab"], **{token["content"]: token["id"] for token in made.get("added_tokens", ())}}
    special = {token["content"] for token in made.get("added_tokens", ()) if token["special"]}
    texts = {i: text for text, i in ids.items()}
    tokens = [texts.get(i, f"[PAD{i}]") for i in range(config["vocab_size"])]
    normal, control, unused = gguf.TokenType.NORMAL, gguf.TokenType.CONTROL, gguf.TokenType.UNUSED
    kinds = [unused if i not in texts else control if texts[i] in special else normal for i in range(len(tokens))]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(split_of(made))
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_token_merges([m if isinstance(m, str) else " ".join(m) for m in made["model"]["merges"]])
    end = config["eos_token_id"]
    writer.add_eos_token_id(end[0] if isinstance(end, list) else end)


def put(writer: gguf.GGUFWriter, name: str, values: Floats, kind: Kind) -> None:
    """Vectors in f32, as llama.cpp wants them."""
    kind = kind if values.ndim > 1 else Kind.F32
    writer.add_tensor(name, gguf.quants.quantize(np.ascontiguousarray(values), kind), raw_dtype=kind)


def convert(folder: Path, out: Path) -> None:
    """Raises NotABase."""
    config = json.loads((folder / "config.json").read_text("utf-8"))
    architecture = config["model_type"]
    if architecture not in ("llama", "qwen2"):
        raise NotABase(f"{folder.name} is of the family {architecture}; llama and qwen2 can be trained on")
    if config.get("rope_scaling"):
        raise NotABase("scaled rotary positions are not known here")
    config.setdefault("num_key_value_heads", config["num_attention_heads"])
    with writing(out, architecture) as writer:
        writer.add_name(folder.resolve().name)
        writer.add_block_count(config["num_hidden_layers"])
        writer.add_context_length(config["max_position_embeddings"])
        writer.add_embedding_length(config["hidden_size"])
        writer.add_feed_forward_length(config["intermediate_size"])
        writer.add_head_count(config["num_attention_heads"])
        writer.add_head_count_kv(config["num_key_value_heads"])
        writer.add_rope_freq_base(config.get("rope_theta", 10_000.0))
        writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
        writer.add_vocab_size(config["vocab_size"])
        add_vocabulary(writer, folder, config)
        for name, values, kind in tensors(folder, config):
            put(writer, name, values, kind)


def main() -> None:
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("folder", type=Path)
    cli.add_argument("--out", type=Path, required=True)
    a = cli.parse_args()
    convert(a.folder, a.out)
    print(f"{a.out.name}: {a.out.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
