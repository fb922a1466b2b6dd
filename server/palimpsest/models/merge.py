"""Merges a LoRA adapter into its base model: one GGUF file in Q8_0, which prefills faster than the base's Q4_1.

In: the base's GGUF, an adapter's GGUF.  Out: a file that is moved into place when complete.  Matrices are read, changed
and written one at a time, so that memory use is bounded by the largest (the embedding, some 110 MB for 135 M
parameters).

The adapter is in llama.cpp's format: tensors `NAME.lora_a` (rank, n_in), `NAME.lora_b` (n_out, rank), and
`adapter.lora.alpha`.  W becomes W + (alpha / rank) B A (Hu et al. 2021, arXiv 2106.09685, 4.1).  Our additions: its
keys `palimpsest.*` and `tokenizer.*` become metadata of the merged file and take precedence over the base's
(`palimpsest.name`: its name); `palimpsest.rows` are new rows of the embedding, those of the tokens
`palimpsest.rows.tokens`.
"""

import errno
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from gguf.quants import dequantize, quantize
from numpy.typing import NDArray

from palimpsest.errors import ModelError
from palimpsest.models.transfer import Progress

Matrix = NDArray[np.float32]
Kind = gguf.GGMLQuantizationType
SAYS = ("palimpsest.", "tokenizer.")
ROWS, TOKENS, NAME = "palimpsest.rows", "palimpsest.rows.tokens", "palimpsest.name"
EMBEDDING = "token_embd.weight"
FILE_TYPES = {Kind.Q8_0: gguf.LlamaFileType.MOSTLY_Q8_0, Kind.F32: gguf.LlamaFileType.ALL_F32}
_OWN = ("GGUF.", "general.architecture", "general.file_type", "general.quantization_version")


@dataclass(frozen=True)
class Adapter:
    """`pairs`: A (rank, n_in) and B (n_out, rank) by the matrix they change; `rows`: tokens and their embeddings;
    `says`: metadata of the merged file, as (value, type)."""

    alpha: float
    pairs: dict[str, tuple[Matrix, Matrix]]
    rows: tuple[NDArray[np.int64], Matrix] | None
    says: dict[str, tuple[Any, gguf.GGUFValueType]]

    @classmethod
    def read(cls, path: Path) -> "Adapter":
        """Raises ModelError for a file that is no adapter."""
        reader = _reader(path)
        fields = {key: (field.contents(), field.types[0]) for key, field in reader.fields.items()}
        values = {tensor.name: _values(tensor) for tensor in reader.tensors}
        matrices = {name.removesuffix(".lora_a") for name in values if name.endswith(".lora_a")}
        if "adapter.lora.alpha" not in fields or any(f"{name}.lora_b" not in values for name in matrices):
            raise ModelError(f"{path} is not a LoRA adapter.")
        tokens: list[int] = fields[TOKENS][0] if TOKENS in fields else []
        rows: list[float] = fields[ROWS][0] if ROWS in fields else []
        says = {key: value for key, value in fields.items() if key.startswith(SAYS) and key not in (ROWS, TOKENS, NAME)}
        if NAME in fields:
            says["general.name"] = fields[NAME]
        return cls(
            alpha=float(fields["adapter.lora.alpha"][0]),
            pairs={name: (values[f"{name}.lora_a"], values[f"{name}.lora_b"]) for name in matrices},
            rows=(np.asarray(tokens, np.int64), np.asarray(rows, np.float32).reshape(len(tokens), -1))
            if len(tokens)
            else None,
            says=says,
        )

    def changed(self, name: str, weight: Matrix) -> Matrix:
        """The matrix `name` of the merged model.  Raises ModelError if the adapter has a different shape."""
        try:
            if name in self.pairs:
                a, b = self.pairs[name]
                weight = weight + np.float32(self.alpha / a.shape[0]) * (b @ a)
            if name == EMBEDDING and self.rows is not None:
                weight = weight.copy()
                weight[self.rows[0]] = self.rows[1]
        except (ValueError, IndexError) as error:
            raise ModelError(f"The adapter's {name} is for a matrix of another shape than {weight.shape}.") from error
        return weight


def merge(base: Path, adapter: Path, target: Path, progress: Progress | None = None, kind: Kind = Kind.Q8_0) -> None:
    """Writes `target`, its matrices in Q8_0 or F32.  `progress` is called with (bytes written, total bytes).

    Raises ModelError, OSError; an existing target is then left unchanged.
    """
    reader, lora = _reader(base), Adapter.read(adapter)
    if missing := lora.pairs.keys() - {tensor.name for tensor in reader.tensors}:
        raise ModelError(f"{base} has no {sorted(missing)[0]}, which {adapter} changes.")
    _replace(target, reader, lora, kind, progress)


def widen(path: Path, target: Path) -> None:
    """Writes a copy of a model with all weights in f32.  Raises ModelError, OSError."""
    _replace(target, _reader(path), Adapter(0.0, {}, None, {}), Kind.F32)


def _replace(
    target: Path, reader: gguf.GGUFReader, lora: Adapter, kind: Kind, progress: Progress | None = None
) -> None:
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        _write(part, reader, lora, kind, progress)
        part.replace(target)
    except OSError as error:
        if error.errno is None:  # numpy says only how much of an array was written
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(target)) from error
        raise
    finally:
        part.unlink(missing_ok=True)


def _write(path: Path, reader: gguf.GGUFReader, lora: Adapter, kind: Kind, progress: Progress | None) -> None:
    architecture = reader.get_field("general.architecture")
    writer = gguf.GGUFWriter(path, architecture.contents() if architecture else "llama")
    try:
        for key, value, form in _metadata(reader, lora):
            sub = reader.fields[key].types[-1] if form == gguf.GGUFValueType.ARRAY and key in reader.fields else None
            writer.add_key_value(key, value, form, sub)
        writer.add_file_type(FILE_TYPES[kind])
        writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
        sizes = [_declare(writer, tensor, kind) for tensor in reader.tensors]
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_ti_data_to_file()
        done = 0
        for tensor, size in zip(reader.tensors, sizes, strict=True):
            values = lora.changed(tensor.name, _values(tensor))
            writer.write_tensor_data(quantize(np.ascontiguousarray(values), _kind(tensor, kind)))
            done += size
            if progress:
                progress(done, sum(sizes))
        for file in writer.fout or ():
            file.flush()
            os.fsync(file.fileno())  # before the rename: a file of zeros would look whole after a loss of power
    finally:
        writer.close()


def _metadata(reader: gguf.GGUFReader, lora: Adapter) -> Iterator[tuple[str, Any, gguf.GGUFValueType]]:
    for key, field in reader.fields.items():
        if not key.startswith(_OWN) and key not in lora.says:
            yield key, field.contents(), field.types[0]
    for key, (value, kind) in lora.says.items():
        yield key, value, kind


def _kind(tensor: gguf.ReaderTensor, wanted: Kind) -> Kind:
    """The type to write: vectors, and rows whose length is not a multiple of a block, stay in f32."""
    whole = len(tensor.shape) > 1 and int(tensor.shape[0]) % gguf.GGML_QUANT_SIZES[wanted][0] == 0
    return wanted if whole else Kind.F32


def _declare(writer: gguf.GGUFWriter, tensor: gguf.ReaderTensor, wanted: Kind) -> int:
    """Declares the tensor in the file's header; returns its size in bytes."""
    kind = _kind(tensor, wanted)
    shape = tuple(int(n) for n in reversed(tensor.shape))
    block, size = gguf.GGML_QUANT_SIZES[kind]
    n_bytes = int(np.prod(shape)) // block * size
    plain = kind == Kind.F32
    stored = shape if plain else gguf.quant_shape_to_byte_shape(shape, kind)
    writer.add_tensor_info(tensor.name, stored, np.dtype(np.float32 if plain else np.uint8), n_bytes, kind)
    return n_bytes


def _values(tensor: gguf.ReaderTensor) -> Matrix:
    """(n_out, n_in) in f32; a vector keeps its shape."""
    return dequantize(tensor.data, tensor.tensor_type).astype(np.float32, copy=False)


def _reader(path: Path) -> gguf.GGUFReader:
    try:
        return gguf.GGUFReader(path)
    except (OSError, ValueError, KeyError, IndexError) as error:
        raise ModelError(f"{path} cannot be read as GGUF: {error}") from error
