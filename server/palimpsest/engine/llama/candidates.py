"""Tokens with their logits, as llama.cpp's samplers take them.

In: a numpy array.  Out: the same as a llama_token_data_array.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import numpy.typing as npt

from palimpsest.engine.llama.layouts import TokenData

CANDIDATE = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])  # llama_token_data
Candidates = npt.NDArray[np.void]


def array_of(api: Any, candidates: Candidates) -> Any:
    """A llama_token_data_array over `found`, which must outlive it."""
    data = ctypes.cast(candidates.ctypes.data, ctypes.POINTER(TokenData))
    return api.llama_token_data_array(data=data, size=len(candidates), selected=-1, sorted=False)
