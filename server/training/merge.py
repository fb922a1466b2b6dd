"""Adds an adapter to its base: `python -m training.merge --base FILE.gguf --adapter FILE.gguf --out FILE.gguf`.

In: two GGUFs, the second written by `training.adapter`.  Out: one, its matrices in Q8_0, with what the adapter says of
the layout.  Knows no torch: W + alpha / rank · B A, tensor by tensor.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import numpy.typing as npt

from training import CACHE

Floats = npt.NDArray[np.float32]
Kind = gguf.GGMLQuantizationType
EMBEDDING = "token_embd.weight"
NOT_COPIED = ("GGUF.", "general.architecture", "general.file_type", "general.quantization_version")
FROM_ADAPTER = ("palimpsest.", "tokenizer.")
ROWS, TOKENS = "palimpsest.rows", "palimpsest.rows.tokens"
FILE_TYPES = {Kind.Q8_0: gguf.LlamaFileType.MOSTLY_Q8_0, Kind.F32: gguf.LlamaFileType.ALL_F32}


class NotAnAdapter(Exception):
    """A file that cannot be added to this base; says why."""


class Adapter:
    """An adapter read back."""

    def __init__(self, path: Path) -> None:
        reader = gguf.GGUFReader(path)
        self.fields = reader.fields
        if "adapter.lora.alpha" not in self.fields:
            raise NotAnAdapter(f"{path.name} is no adapter of low-rank factors")
        self.alpha = float(self.fields["adapter.lora.alpha"].contents())
        self.tensors = {t.name: t for t in reader.tensors}
        self.names = {name.rsplit(".lora_", 1)[0] for name in self.tensors}

    def merged(self, name: str, weight: Floats) -> Floats:
        """A weight of the base with what belongs to it."""
        if name == EMBEDDING and ROWS in self.fields:
            tokens = self.fields[TOKENS].contents()
            weight = weight.copy()
            weight[tokens] = np.array(self.fields[ROWS].contents(), np.float32).reshape(len(tokens), -1)
        if name in self.names:
            a, b = (floats(self.tensors[f"{name}.lora_{x}"]) for x in "ab")
            if (len(b), a.shape[1]) != weight.shape:
                raise NotAnAdapter(f"{name} has {weight.shape} in the base, {(len(b), a.shape[1])} in the adapter")
            weight = weight + self.alpha / len(a) * (b @ a)
        return weight


def floats(tensor: gguf.ReaderTensor) -> Floats:
    return np.asarray(gguf.quants.dequantize(tensor.data, tensor.tensor_type), np.float32)


def put(writer: gguf.GGUFWriter, name: str, value: Floats, kind: Kind) -> None:
    """A tensor in a kind of number, or the nearest that its rows fit into."""
    value = np.ascontiguousarray(value, np.float32)
    block, _ = gguf.GGML_QUANT_SIZES[kind]
    if kind == Kind.F32 or value.ndim == 1:
        writer.add_tensor(name, value)
    elif kind == Kind.F16 or value.shape[-1] % block:
        writer.add_tensor(name, value.astype(np.float16))
    else:
        writer.add_tensor(name, gguf.quants.quantize(value, kind), raw_dtype=kind)


def said(base: gguf.GGUFReader, adapter: Adapter) -> Iterator[tuple[str, gguf.ReaderField]]:
    """The keys of the merged file: the base's, and over them the adapter's that are meant for it."""
    ours = {k: f for k, f in adapter.fields.items() if k.startswith(FROM_ADAPTER) and k not in (ROWS, TOKENS)}
    yield from ((k, f) for k, f in base.fields.items() if not k.startswith(NOT_COPIED) and k not in ours)
    yield from ours.items()


@contextmanager
def writing(path: Path, architecture: str) -> Iterator[gguf.GGUFWriter]:
    """A file under way, which appears whole, by a rename."""
    beside = path.with_suffix(".part")
    writer = gguf.GGUFWriter(beside, architecture)
    yield writer
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    beside.replace(path)


def copy(writer: gguf.GGUFWriter, key: str, value: Any, kind: gguf.GGUFValueType) -> None:
    if kind == gguf.GGUFValueType.ARRAY:
        writer.add_array(key, value)
    else:
        writer.add_key_value(key, value, kind)


def merge(base: Path, adapter: Path, out: Path, kind: Kind = Kind.Q8_0) -> None:
    """Raises NotAnAdapter."""
    reader, learned = gguf.GGUFReader(base), Adapter(adapter)
    if left := learned.names - {t.name for t in reader.tensors}:
        raise NotAnAdapter(f"{base.name} has no {min(left)}, which {adapter.name} was made for")
    architecture = str(reader.fields["general.architecture"].contents())
    with writing(out, architecture) as writer:
        for key, field in said(reader, learned):
            copy(writer, key, field.contents(), field.types[0])
        writer.add_file_type(FILE_TYPES[kind])
        writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
        for tensor in reader.tensors:
            put(writer, tensor.name, learned.merged(tensor.name, floats(tensor)), kind)


def main() -> None:
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("--base", type=Path, required=True)
    cli.add_argument("--adapter", type=Path, default=CACHE / "adapter.gguf")
    cli.add_argument("--out", type=Path, default=CACHE / "merged-q8_0.gguf")
    a = cli.parse_args()
    merge(a.base, a.adapter, a.out)
    print(f"{a.out.name}: {a.out.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
