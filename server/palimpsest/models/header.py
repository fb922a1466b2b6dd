"""Read the header of a GGUF file: what model it is, whether all of it is there, and whether llama.cpp would end the
process over what it counts.

In: a file.  Out: a `GgufFile`, or ModelError with what to do.  Reads no weights and needs no library, so that the
server can say what is wrong before an engine is started.

The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md (versions 2 and 3, little-endian).
"""

from __future__ import annotations

import math
import mmap
import struct
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from palimpsest.errors import ModelError
from palimpsest.system.reading import Refused, open_regular

MAGIC = b"GGUF"
NOT_COMPLETE = "Download it again; `palimpsest model get` goes on where it stopped and checks the result."
NOT_A_MODEL = "Download it again, or choose another: `palimpsest model list` shows some."
MAX_LAYERS = MAX_EXPERTS = 512
"""llama.cpp's own bounds, which it asserts."""
MAX_DIMENSIONS, MAX_WEIGHTS = 4, 2**63 - 1
"""A tensor of ggml has at most so many dimensions and so many weights."""
_SCALARS = dict(enumerate("BbHhIif?")) | {10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9

TENSOR_TYPES: dict[int, tuple[str, int, int]] = {
    0: ("F32", 1, 4),
    1: ("F16", 1, 2),
    2: ("Q4_0", 32, 18),
    3: ("Q4_1", 32, 20),
    6: ("Q5_0", 32, 22),
    7: ("Q5_1", 32, 24),
    8: ("Q8_0", 32, 34),
    9: ("Q8_1", 32, 40),
    10: ("Q2_K", 256, 84),
    11: ("Q3_K", 256, 110),
    12: ("Q4_K", 256, 144),
    13: ("Q5_K", 256, 176),
    14: ("Q6_K", 256, 210),
    15: ("Q8_K", 256, 292),
    16: ("IQ2_XXS", 256, 66),
    17: ("IQ2_XS", 256, 74),
    18: ("IQ3_XXS", 256, 98),
    19: ("IQ1_S", 256, 50),
    20: ("IQ4_NL", 32, 18),
    21: ("IQ3_S", 256, 110),
    22: ("IQ2_S", 256, 82),
    23: ("IQ4_XS", 256, 136),
    24: ("I8", 1, 1),
    25: ("I16", 1, 2),
    26: ("I32", 1, 4),
    27: ("I64", 1, 8),
    28: ("F64", 1, 8),
    29: ("IQ1_M", 256, 56),
    30: ("BF16", 1, 2),
    34: ("TQ1_0", 256, 54),
    35: ("TQ2_0", 256, 66),
    39: ("MXFP4", 32, 17),
    40: ("NVFP4", 64, 36),
    41: ("Q1_0", 128, 18),
}
"""ggml's tensor types: name, weights in a block, bytes of a block.  Newer types count as having no size."""


@dataclass(frozen=True, slots=True)
class GgufFile:
    """`size` is in bytes; `n_ctx_train` is 0 and `name` the file's name if the header does not give them;
    `quantization` is the type of most weights."""

    path: Path
    architecture: str
    name: str
    n_ctx_train: int
    n_params: int
    quantization: str
    size: int


def read_header(path: Path) -> GgufFile:
    """What the file says about itself.  Raises ModelError when it is missing, no GGUF, cut off, or counts what there
    cannot be."""
    try:
        with open_regular(path) as file:
            if file.read(4) != MAGIC:
                raise ModelError(f"{path} is not a GGUF file.")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return _read(path, data)
    except FileNotFoundError:
        raise ModelError(f"There is no model file {path}.") from None
    except Refused as error:
        raise ModelError(f"The model file {path} cannot be read: it {error.message}.") from None
    except OSError as error:
        raise ModelError(f"The model file {path} cannot be read: {error.strerror or error}.") from error


def _read(path: Path, data: mmap.mmap) -> GgufFile:
    size = len(data)
    cursor = _Cursor(data, 4)
    try:
        version, n_tensors, n_fields = cursor.take("I"), cursor.take("Q"), cursor.take("Q")
        if version not in (2, 3):
            raise ModelError(f"{path} is GGUF of version {version}; versions 2 and 3 can be read.")
        fields = dict(cursor.field() for _ in range(n_fields))
        tensors = [cursor.tensor() for _ in range(n_tensors)]
    except (struct.error, IndexError):
        raise ModelError(f"{path} is cut off inside its header ({size:,} bytes).", hint=NOT_COMPLETE) from None
    except (KeyError, RecursionError):
        raise ModelError(f"The header of {path} is damaged.", hint=NOT_COMPLETE) from None
    if wrong := _wrong_count(fields, tensors):
        raise ModelError(f"{path} cannot be loaded: its header says {wrong:.200}.", hint=NOT_A_MODEL)
    alignment = fields.get("general.alignment", 32)
    start = -(-cursor.at // alignment) * alignment
    needed = max((start + t.offset + t.size for t in tensors), default=cursor.at)
    if needed > size:
        raise ModelError(f"{path} is not complete: {size:,} of {needed:,} bytes.", hint=NOT_COMPLETE)
    weights = Counter[str]()
    for tensor in tensors:
        weights[tensor.type] += tensor.n_weights
    architecture = str(fields.get("general.architecture") or "unknown")
    return GgufFile(
        path=path,
        architecture=architecture,
        name=str(fields.get("general.name") or path.stem),
        n_ctx_train=int(fields.get(f"{architecture}.context_length") or 0),
        n_params=weights.total(),
        quantization=weights.most_common(1)[0][0] if weights else "none",
        size=size,
    )


def _wrong_count(fields: dict[str, Any], tensors: list[_Tensor]) -> str:
    """What llama.cpp would refuse or fail an assertion of on loading, whatever the architecture; "" where there is
    nothing."""
    alignment = fields.get("general.alignment", 32)
    if not isinstance(alignment, int) or alignment < 32 or alignment & (alignment - 1):
        return f"general.alignment = {alignment}, which is no power of two from 32 on"
    start = f"{fields.get('general.architecture')}."
    own = {name.removeprefix(start): value for name, value in fields.items() if name.startswith(start)}
    if not isinstance(own.get("context_length") or 0, int):
        return f"{start}context_length = {own['context_length']}, which is no count"
    n = {name: value for name, value in own.items() if type(value) is int}
    layers, experts = n.get("block_count", 1), n.get("expert_count", 0)
    used, groups = n.get("expert_used_count", 0), n.get("expert_group_count", 0)
    most = {
        name: max((tensor.widest for tensor in tensors), default=0)
        for name in n
        if name.endswith(("_count", "_length")) and not name.endswith("context_length")
    }  # the rest of a file in parts has other tensors
    most = {} if fields.get("split.count", 1) != 1 else most
    most |= {"block_count": MAX_LAYERS, "expert_count": MAX_EXPERTS, "expert_used_count": experts}
    if heads := n.get("attention.head_count"):
        most["rope.dimension_count"] = n.get("attention.key_length", n.get("embedding_length", 0) // heads)
    most |= {"expert_group_count": max(0, experts - 1), "nextn_predict_layers": max(0, layers - 1)}
    least = {"block_count": 1, "attention.key_length": 1, "expert_used_count": min(1, experts)}
    for name, value in n.items():
        if not least.get(name, 0) <= value <= most.get(name, value):
            bounds = f"{least.get(name, 0):,} to {most.get(name, value):,}"
            return f"{start}{name} = {value:,}, which can be {bounds}"
    if experts and not used:
        return f"{start}expert_count = {experts:,} and none of them used"
    if groups > 1 and (experts % groups or not 0 < n.get("expert_group_used_count", 0) < groups):
        return f"{start}expert_group_count = {groups:,}, which does not go with the other counts of experts"
    small = ((name, x) for name, x in own.items() if name.endswith("epsilon") and x is not None)
    wrong = (name for name, x in small if not isinstance(x, int | float) or not 0 <= x < math.inf)
    return next((f"{start}{name} = {own[name]}" for name in wrong), "")


@dataclass(frozen=True, slots=True)
class _Tensor:
    """`widest`: its largest dimension."""

    type: str
    n_weights: int
    widest: int
    offset: int
    size: int


class _Cursor:
    """Reads values one after another; raises struct.error or IndexError past the end."""

    def __init__(self, data: mmap.mmap, at: int) -> None:
        self._data = data
        self.at = at

    def take(self, code: str) -> Any:
        (value,) = struct.unpack_from(f"<{code}", self._data, self.at)
        self.at += struct.calcsize(code)
        return value

    def skip(self, length: int) -> None:
        self.at += length
        if self.at > len(self._data):
            raise IndexError(self.at)

    def string(self) -> str:
        length, start = self.take("Q"), self.at
        self.skip(length)
        return self._data[start : self.at].decode("utf-8", "replace")

    def field(self) -> tuple[str, Any]:
        return self.string(), self.value(self.take("I"))

    def value(self, kind: int) -> Any:
        """The value; None for an array, since vocabularies are long and not needed here."""
        if kind == _STRING:
            return self.string()
        if kind != _ARRAY:
            return self.take(_SCALARS[kind])
        inner, count = self.take("I"), self.take("Q")
        if inner in _SCALARS:
            self.skip(count * struct.calcsize(_SCALARS[inner]))
        elif inner == _STRING:
            for _ in range(count):
                self.skip(self.take("Q"))
        elif inner == _ARRAY:
            for _ in range(count):
                self.value(_ARRAY)
        else:
            raise KeyError(inner)
        return None

    def tensor(self) -> _Tensor:
        self.string()
        n_dimensions = self.take("I")
        if n_dimensions > MAX_DIMENSIONS:
            raise KeyError(n_dimensions)
        dimensions = [self.take("Q") for _ in range(n_dimensions)]
        n_weights = math.prod(dimensions)
        if n_weights > MAX_WEIGHTS:
            raise KeyError(n_weights)
        kind, offset = self.take("I"), self.take("Q")
        name, block, n_bytes = TENSOR_TYPES.get(kind, (f"type {kind}", 1, 0))
        return _Tensor(name, n_weights, max(dimensions, default=0), offset, -(-n_weights // block) * n_bytes)
