"""The structures of llama.h that the engine fills or reads, as each known version of llama.cpp lays them out.

Pure data.  llama.h has no stable binary interface: fields are added in the middle of the parameter structures.  So a
library is only used where what its `…_default_params()` return is, byte by byte, what a layout here says
(`binding.py`).  A new version of llama.cpp: `python scripts/llama_layout.py LIBRARY` prints its defaults beside the
newest layout's; add the fields that llama.h has got, and its version.
"""

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

i32, u32, f32, size, boolean, pointer = (
    ctypes.c_int32,
    ctypes.c_uint32,
    ctypes.c_float,
    ctypes.c_size_t,
    ctypes.c_bool,
    ctypes.c_void_p,
)
Field = tuple[str, type[Any], float | None]
"""Name, type, and what the default parameters have there."""

MODEL: Final[Sequence[Field]] = (
    ("devices", pointer, None),
    ("tensor_buft_overrides", pointer, None),
    ("n_gpu_layers", i32, -1),
    ("split_mode", i32, 1),
    ("load_mode", i32, -1),
    ("lazy_mode", i32, 1),
    ("main_gpu", i32, 0),
    ("tensor_split", pointer, None),
    ("progress_callback", pointer, None),
    ("progress_callback_user_data", pointer, None),
    ("kv_overrides", pointer, None),
    ("vocab_only", boolean, False),
    ("check_tensors", boolean, False),
    ("use_extra_bufts", boolean, True),
    ("no_host", boolean, False),
    ("no_alloc", boolean, False),
    ("load_mtp", boolean, False),
)
CONTEXT_HEAD: Final[Sequence[Field]] = (
    ("n_ctx", u32, 512),
    ("n_batch", u32, 2048),
    ("n_ubatch", u32, 512),
    ("n_seq_max", u32, 1),
    ("n_rs_seq", u32, 0),
    ("n_outputs_max", u32, 0),
    ("n_outputs_max_per_seq", u32, 1),
    ("n_threads", i32, 4),
    ("n_threads_batch", i32, 4),
    ("ctx_type", i32, 0),
    ("rope_scaling_type", i32, -1),
    ("pooling_type", i32, -1),
    ("attention_type", i32, -1),
    ("flash_attn_type", i32, -1),
    ("rope_freq_base", f32, 0.0),
    ("rope_freq_scale", f32, 0.0),
    ("yarn_ext_factor", f32, -1.0),
    ("yarn_attn_factor", f32, -1.0),
    ("yarn_beta_fast", f32, -1.0),
    ("yarn_beta_slow", f32, -1.0),
    ("yarn_orig_ctx", u32, 0),
    ("defrag_thold", f32, -1.0),
    ("cb_eval", pointer, None),
    ("cb_eval_user_data", pointer, None),
    ("type_k", i32, 1),
    ("type_v", i32, 1),
    ("abort_callback", pointer, None),
    ("abort_callback_data", pointer, None),
)
CONTEXT_TAIL: Final[Sequence[Field]] = (
    ("embeddings", boolean, False),
    ("offload_kqv", boolean, True),
    ("no_perf", boolean, True),
    ("op_offload", boolean, True),
    ("swa_full", boolean, True),
    ("kv_unified", boolean, False),
    ("samplers", pointer, None),
    ("n_samplers", size, 0),
    ("ctx_other", pointer, None),
)


@dataclass(frozen=True, slots=True)
class StructLayout:
    """`versions`: what `llama_version()` says of those that it was seen in."""

    versions: tuple[str, ...]
    model: Sequence[Field]
    context: Sequence[Field]


LAYOUTS: Final = (
    StructLayout(("0.4", "0.5"), MODEL, (*CONTEXT_HEAD, *CONTEXT_TAIL)),
    StructLayout(("0.6",), MODEL, (*CONTEXT_HEAD, ("added_in_0_6", pointer, None), *CONTEXT_TAIL)),
)


def structure(name: str, fields: Sequence[Field]) -> type[Any]:
    return type(name, (ctypes.Structure,), {"_fields_": [(field, kind) for field, kind, _ in fields]})


class LlamaBatch(ctypes.Structure):
    """llama_batch"""

    _fields_ = (
        ("n_tokens", i32),
        ("token", pointer),
        ("embd", pointer),
        ("pos", pointer),
        ("n_seq_id", pointer),
        ("seq_id", pointer),
        ("logits", pointer),
    )


class TokenData(ctypes.Structure):
    """llama_token_data"""

    _fields_ = (("id", i32), ("logit", f32), ("p", f32))


class TokenDataArray(ctypes.Structure):
    """llama_token_data_array"""

    _fields_ = (
        ("data", ctypes.POINTER(TokenData)),
        ("size", size),
        ("selected", ctypes.c_int64),
        ("sorted", boolean),
    )


CANDIDATE = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])  # llama_token_data


def array_of(candidates: npt.NDArray[np.void]) -> TokenDataArray:
    """Tokens with their logits as llama.cpp's samplers take them, over `candidates`, which must outlive it."""
    data = ctypes.cast(candidates.ctypes.data, ctypes.POINTER(TokenData))
    return TokenDataArray(data=data, size=len(candidates), selected=-1, sorted=False)


class ChainParams(ctypes.Structure):
    """llama_sampler_chain_params"""

    _fields_ = (("no_perf", boolean),)
