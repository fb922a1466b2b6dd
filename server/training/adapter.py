"""What was learned as a GGUF: `python -m training.adapter --base FILE.gguf [--checkpoint FILE] [--out FILE]`.

In: a base, and `lora.pt` of `training.tune`.  Out: an adapter of low-rank factors, in Q8_0 where their rows allow it,
which llama.cpp loads beside the base (`--lora`) and `training.merge` adds to it.
The keys `palimpsest.*` and those of the tokens tell `merge` what else the merged file is to say; `palimpsest.rows` are
the embeddings of the tokens that part a prompt, which llama.cpp's adapters cannot carry.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import torch
from torch import Tensor

from palimpsest.models.merge import Kind, Matrix
from training import CACHE
from training import base as bases
from training.base import Base
from training.lora import ROWS, Lora, fresh, reduced, restored
from training.tokenizer import Marks
from training.vocabulary import END_KEY, NotABase

DESCRIPTION = "Low-rank factors that teach a code model Palimpsest's cache layout, suffix first, and edits in ln-diff."


@contextmanager
def writing(path: Path, architecture: str) -> Iterator[gguf.GGUFWriter]:
    """A file under way, which appears whole, by a rename."""
    beside = path.with_suffix(".part")
    writer = gguf.GGUFWriter(beside, architecture)
    try:
        yield writer
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def put(writer: gguf.GGUFWriter, name: str, value: Matrix, kind: Kind) -> None:
    """A matrix in a kind of number, or in f16 where its rows do not fit into that."""
    value = np.ascontiguousarray(value, np.float32)
    block, _ = gguf.GGML_QUANT_SIZES[kind]
    if kind == Kind.F32:
        writer.add_tensor(name, value)
    elif value.shape[-1] % block:
        writer.add_tensor(name, value.astype(np.float16))
    else:
        writer.add_tensor(name, gguf.quants.quantize(value, kind), raw_dtype=kind)


def add_layout(writer: gguf.GGUFWriter, marks: Marks) -> None:
    """What the merged model says of itself."""
    writer.add_string("palimpsest.fim_layout", "spm")
    writer.add_string("palimpsest.edit_format", "ln-diff")
    writer.add_string("palimpsest.prompt", "plain")
    writer.add_bos_token_id(marks.start)
    writer.add_add_bos_token(True)
    if marks.has_own_end:
        writer.add_eot_token_id(marks.end)  # llama.cpp, and so the engine, ends an answer there
        writer.add_uint32(END_KEY, marks.end)
    for name, token in {"pre": marks.prefix, "suf": marks.suffix, "mid": marks.middle}.items():
        writer.add_uint32(f"tokenizer.ggml.fim_{name}_token_id", token)


def write(base: Base, lora: Lora, path: Path, kind: Kind = Kind.Q8_0, name: str = "") -> None:
    with writing(path, base.architecture) as writer:
        writer.add_type("adapter")
        writer.add_string("adapter.type", "lora")
        writer.add_float32("adapter.lora.alpha", lora.rank * lora.scale)
        writer.add_name(f"palimpsest adapter of {base.path.stem}")
        if name:
            writer.add_string("palimpsest.name", name)
        writer.add_description(DESCRIPTION)
        writer.add_license("Apache-2.0")
        add_layout(writer, base.vocabulary.marks)
        writer.add_array("palimpsest.rows.tokens", base.vocabulary.marks.rows)
        writer.add_array("palimpsest.rows", [float(x) for x in lora.factors[ROWS].reshape(-1)])
        for i in range(base.shape.n_layers):
            for name, (a, b) in of_layer(base, lora, i).items():
                put(writer, f"blk.{i}.{name}.weight.lora_a", a.float().numpy(), kind)
                put(writer, f"blk.{i}.{name}.weight.lora_b", b.float().numpy(), kind)


QKV, GATE_UP = ("attn_q", "attn_k", "attn_v"), ("ffn_gate", "ffn_up")
"""Those of a layer's matrices that have their input, and so A, in common."""


def of_layer(base: Base, lora: Lora, i: int) -> dict[str, tuple[Tensor, Tensor]]:
    """A layer's A and B by the names that llama.cpp has for the matrices."""
    factors = {name: value[i] for name, value in lora.factors.items() if name != ROWS}
    outs = bases.by_name(factors["qkv.b"], factors["gate_up.b"], base.shape, base.architecture)
    ins = dict.fromkeys(QKV, "qkv") | dict.fromkeys(GATE_UP, "gate_up")
    pairs = {name: (factors[f"{ins[name]}.a"], b) for name, b in outs.items()}
    alone = {bases.PARTS[name]: (factors[f"{name}.a"], factors[f"{name}.b"]) for name in ("out", "down")}
    return pairs | alone


def read(base: Base, path: Path) -> Lora:
    """What `write` made, as exact as the kind of its numbers; rows that it does not have are those of `fresh`.
    Raises NotABase where it is of another base."""
    reader = gguf.GGUFReader(path)
    fields = {key: field.contents() for key, field in reader.fields.items()}
    arrays = {t.name: np.array(gguf.quants.dequantize(t.data, t.tensor_type), np.float32) for t in reader.tensors}

    def factor(name: str, which: str) -> Tensor:
        try:
            return torch.stack(
                [torch.from_numpy(arrays[f"blk.{i}.{name}.weight.lora_{which}"]) for i in range(base.shape.n_layers)]
            )
        except KeyError as error:
            raise NotABase(f"{path.name} has no {error.args[0]}: it is no adapter that was made here") from None

    b = {name: factor(name, "b") for name in (*QKV, *GATE_UP)}
    qkv = [bases.joined_qkv(each, base.shape, base.architecture) for each in zip(*(b[n] for n in QKV), strict=True)]
    factors = {
        "qkv.a": factor(QKV[0], "a"),
        "qkv.b": torch.stack(qkv),
        "gate_up.a": factor(GATE_UP[0], "a"),
        "gate_up.b": torch.cat([b[name] for name in GATE_UP], 1),
    }
    for name in ("out", "down"):
        factors |= {f"{name}.{which}": factor(bases.PARTS[name], which) for which in "ab"}
    rank = factors["qkv.a"].shape[1]
    scale = float(fields["adapter.lora.alpha"]) / rank
    expected = fresh(base, rank, scale).factors
    if any(value.shape != expected[name].shape for name, value in factors.items()):
        raise NotABase(f"{path.name} is an adapter of another base than {base.path.name}")
    return Lora(rank, scale, {**factors, ROWS: rows(fields, base.vocabulary.marks, expected[ROWS])})


def load(base: Base, path: Path) -> Lora:
    """A checkpoint, or an adapter as a GGUF.  Raises NotABase."""
    if path.suffix == ".gguf":
        return read(base, path)
    return restored(base, torch.load(path, weights_only=False, map_location="cpu"))


def rows(fields: Mapping[str, Any], marks: Marks, fresh_rows: Tensor) -> Tensor:
    """The embeddings of the marks (k, width): those that a file has, the others as they are at first."""
    tokens = fields.get("palimpsest.rows.tokens", [])
    values = torch.tensor(fields.get("palimpsest.rows", [])).reshape(len(tokens), -1)
    known = dict(zip(tokens, values, strict=True))
    return torch.stack([known.get(mark, row) for mark, row in zip(marks.rows, fresh_rows, strict=True)])


def main() -> None:
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("--base", type=Path, required=True)
    cli.add_argument("--checkpoint", type=Path, default=CACHE / "lora.pt")
    cli.add_argument("--out", type=Path, default=CACHE / "adapter.gguf")
    cli.add_argument("--rank", type=int, default=0, help="a lower one than was trained")
    cli.add_argument("--name", default="", help="of the merged model; the base's own where it is left out")
    a = cli.parse_args()
    base = bases.read(a.base)
    saved = torch.load(a.checkpoint, weights_only=False, map_location="cpu")
    lora = restored(base, saved)
    try:
        write(base, reduced(lora, a.rank) if a.rank else lora, a.out, name=a.name)
    except OSError as error:
        sys.exit(f"{a.out} cannot be written: {error.strerror or error}.")
    print(f"{a.out.name}: {a.out.stat().st_size / 1e6:.1f} MB after step {saved.get('progress', {}).get('step', 0)}")


if __name__ == "__main__":
    main()
