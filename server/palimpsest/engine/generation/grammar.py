"""What an answer keeps to, asked token by token; and a GBNF, followed by llama.cpp.

In: a grammar's text, candidate tokens.  Out: which of them may come next.  Knows no sequence and no text.
"""

from __future__ import annotations

import ctypes
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from palimpsest.engine.generation.admission import admit
from palimpsest.engine.llama.layouts import TokenData
from palimpsest.engine.llama.library import library
from palimpsest.engine.llama.native import Model
from palimpsest.engine.llama.vocab import Ids
from palimpsest.errors import InvalidArgument
from palimpsest.wire import text_hash

CANDIDATE = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])  # llama_token_data
Candidates = npt.NDArray[np.void]


class Constraint(Protocol):
    def close(self) -> None: ...

    def admits(self, token: int) -> bool: ...

    def admitted(self, ids: Ids) -> npt.NDArray[np.bool_]:
        """For each id whether it may come next."""

    def accept(self, token: int) -> None:
        """`token` must be one it admits."""


class Grammar:
    """One GBNF grammar's state as it is followed.  Raises InvalidArgument when `text` is no grammar with a `root`, or
    one that would cost llama.cpp too much (`admission.py`), or did."""

    def __init__(self, model: Model, text: str) -> None:
        admit(text)
        self._library, self._text = library(), text
        self._api = self._library.api
        if text_hash(text) in self._library.refused_grammars:
            raise InvalidArgument("grammar", "is not followed again: llama.cpp did not come back from it.")
        raw = text.encode("utf-8", "replace")
        with self._library.bounded(self._text):
            self.handle: Any = self._api.llama_sampler_init_grammar(model.vocab, raw, b"root")
        if not self.handle:
            raise InvalidArgument("grammar", "this is not a GBNF grammar with a rule named root.")

    def close(self) -> None:
        if self.handle:
            self._api.llama_sampler_free(self.handle)
            self.handle = None

    def admits(self, token: int) -> bool:
        return bool(self.admitted(np.array([token], np.int32))[0])

    def admitted(self, ids: Ids) -> npt.NDArray[np.bool_]:
        """For each id whether the grammar allows it next."""
        found = np.zeros(len(ids), CANDIDATE)
        found["id"] = ids
        with self._library.bounded(self._text):
            self._api.llama_sampler_apply(self.handle, ctypes.byref(array_of(self._api, found)))
        # the sampler sets what it refuses to minus infinity, in place and in order
        return np.asarray(found["logit"] == 0.0)

    def accept(self, token: int) -> None:
        """`token` must be one it admits: llama.cpp aborts on another."""
        with self._library.bounded(self._text):
            self._api.llama_sampler_accept(self.handle, token)


def array_of(api: Any, found: Candidates) -> Any:
    """A llama_token_data_array over `found`, which must outlive it."""
    data = ctypes.cast(found.ctypes.data, ctypes.POINTER(TokenData))
    return api.llama_token_data_array(data=data, size=len(found), selected=-1, sorted=False)
