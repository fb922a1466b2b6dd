"""A sequence's state as bytes, and back: all of it or nothing.

In: sequences of a context, bytes.  Out: bytes, and whether they arrived.  llama.cpp takes whatever looks like a state:
what it brought is looked at before anybody relies on it.  Belongs to a `Context`; keeps no account.

Under a sliding window llama.cpp leaves out of a state what the sequence's highest position does not see.  So there a
state is several, each of a piece no longer than half the window, that go through a sequence of their own:

    length (8, little-endian) | state of a piece | length | state of a piece | …
"""

import ctypes
import struct
from collections.abc import Iterator
from typing import Any

from palimpsest.engine.arena.store import Data

PARTIAL = 1  # LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY
_LENGTH = struct.Struct("<Q")


class States:
    """`spare`: an empty sequence for pieces.  `window`: 0 without one."""

    def __init__(self, api: Any, handle: Any, memory: Any, *, window: int, spare: int) -> None:
        self._api, self._handle, self._memory = api, handle, memory
        self._piece, self._spare = max(1, window // 2) if window else 0, spare
        self._sizes: dict[int, int] = {}  # bytes of a state by number of cells, two of them: they tell all others

    def save(self, seq: int, n_cells: int) -> bytearray:
        """Of a sequence that has so many cells."""
        if not self._piece:
            return self._noted(self._get(seq), n_cells)
        states, last = bytearray(), self._last(seq)
        first = self._first(seq)
        for start in range(first - first % self._piece, last + 1, self._piece):
            with_cells = max(start, first), min(start + self._piece, last + 1)
            self._api.llama_memory_seq_cp(self._memory, seq, self._spare, *with_cells)
            try:
                state = self._noted(self._get(self._spare), with_cells[1] - with_cells[0])
            finally:
                self._clear(self._spare)
            states += _LENGTH.pack(len(state)) + state
        return states

    def load(self, seq: int, data: Data, start: int, n_cells: int) -> bool:
        """Into an empty sequence; False, and it is empty, where this is not the state of `n_cells` at `start, …`, or
        finds no room."""
        end = start
        for piece in _pieces(data) if self._piece else [data]:
            into = self._spare if self._piece else seq
            n = self._arrived(into, piece, end)
            if self._piece:
                if n:
                    self._api.llama_memory_seq_cp(self._memory, into, seq, end, end + n)
                self._clear(into)
            end += n
            if not n:
                break
        if end - start == n_cells and n:
            return True
        self._clear(seq)
        return False

    def save_partial(self, seq: int) -> bytearray:
        """Of a hybrid model only what cannot be taken apart; of a recurrent one all there is."""
        return self._get(seq, PARTIAL)

    def load_partial(self, seq: int, data: Data) -> bool:
        """In the place of what the sequence had of its kind."""
        if self._set(seq, data, PARTIAL):
            return True
        self._clear(seq)
        return False

    def _arrived(self, seq: int, data: Data, start: int) -> int:
        """Load one state; how many cells it brought, 0 when they are not those from `start` on without a gap."""
        if not self._set(seq, data, 0):
            return 0
        first, last = self._first(seq), self._last(seq)
        n = last - first + 1
        return n if first == start and self._size(seq) == self._expected(n, self._size(seq)) else 0

    def _expected(self, n_cells: int, otherwise: int) -> int:
        """Bytes of a state: a fixed part, and one for each cell."""
        if len(self._sizes) < 2:
            return otherwise
        (n, size), (m, other) = self._sizes.items()
        return size + (n_cells - n) * (other - size) // (m - n)

    def _noted(self, state: bytearray, n_cells: int) -> bytearray:
        if n_cells and len(self._sizes) < 2:
            self._sizes[n_cells] = len(state)
        return state

    def _size(self, seq: int, flags: int = 0) -> int:
        return int(self._api.llama_state_seq_get_size_ext(self._handle, seq, flags))

    def _get(self, seq: int, flags: int = 0) -> bytearray:
        data = bytearray(self._size(seq, flags))
        buffer = (ctypes.c_uint8 * len(data)).from_buffer(data)
        n = self._api.llama_state_seq_get_data_ext(self._handle, buffer, len(data), seq, flags)
        del buffer
        assert n == len(data), f"{n} bytes of state, {len(data)} announced"
        return data

    def _set(self, seq: int, data: Data, flags: int) -> bool:
        raw = bytearray(data) if not isinstance(data, bytearray) else data
        if not raw:
            return False
        buffer = (ctypes.c_uint8 * len(raw)).from_buffer(raw)
        n = int(self._api.llama_state_seq_set_data_ext(self._handle, buffer, len(raw), seq, flags))
        del buffer
        return n == len(raw)

    def _first(self, seq: int) -> int:
        return int(self._api.llama_memory_seq_pos_min(self._memory, seq))

    def _last(self, seq: int) -> int:
        return int(self._api.llama_memory_seq_pos_max(self._memory, seq))

    def _clear(self, seq: int) -> None:
        self._api.llama_memory_seq_rm(self._memory, seq, -1, -1)


def _pieces(data: Data) -> Iterator[bytearray]:
    """Up to the first that is not whole: an empty one then."""
    view = memoryview(data)
    while len(view):
        (length,) = _LENGTH.unpack(view[: _LENGTH.size]) if len(view) >= _LENGTH.size else (0,)
        piece, view = view[_LENGTH.size :][:length], view[_LENGTH.size + length :]
        yield bytearray(piece) if length and len(piece) == length else bytearray()
