"""llama.vim, as far as it decides what to ask of a llama-server: its `/infill` requests for a session.

In: what the person does.  Out: request bodies.  Sends nothing; knows no clock but the trace's.

What it does is the plugin's published behaviour with its defaults: 256 lines before and 64 after the cursor; a ring
of 16 chunks of at most 32 lines, picked at random places on yank, save, entering and leaving a file and 64 lines past
the window when the cursor has moved over 32 lines; a chunk over 0.9 alike replaces the old one, one over 0.5 alike to
what surrounds the cursor is dropped; every second in normal mode (or after 3 seconds without a move) one queued chunk
joins the ring, with a warm-up request that predicts nothing.  An answer for the same surroundings is not asked for
again.  Left out, all in the peer's favour: its second, speculative request behind each shown completion, and limits
on time.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bench.traces.buffers import Buffers
from bench.traces.format import Cursor, Edit, Event, Open, Pause, Save, Yank

N_PREFIX, N_SUFFIX = 256, 64
RING_CHUNKS, CHUNK_LINES, RING_SCOPE = 16, 64, 1024
QUEUED_MOST = 16
UPDATE_MS, STILL_MS = 1000, 3000
ENTER_MS = 100
KEY_MS = 120
MOVED_LINES = 32
CACHED_ANSWERS = 250


@dataclass(frozen=True, slots=True)
class Chunk:
    lines: tuple[str, ...]
    filename: str

    def extra(self) -> dict[str, Any]:
        return {"text": "\n".join(self.lines) + "\n", "filename": self.filename}


class LlamaVim:
    """`follow` each event after the buffers did; it returns the warm-ups that fall due.  `request` at a request."""

    def __init__(self, buffers: Buffers, seed: int = 0, n_predict: int = 1) -> None:
        self._buffers = buffers
        self._random = random.Random(seed)
        self._n_predict = n_predict
        self._ring: list[Chunk] = []
        self._queued: list[Chunk] = []
        self._answered: dict[str, None] = {}
        self._file = ""
        self._picked_at = -9999
        self._now = self._moved_at = self._updated_at = 0
        self._inserting = False
        self._entered_at: int | None = None

    def follow(self, event: Event) -> list[dict[str, Any]]:
        """`event` has been followed by the buffers, but for turning to another file, which is left first."""
        buffers = self._buffers
        if isinstance(event, Pause):
            return self._wait(event.ms)
        if isinstance(event, Edit):
            self._enter(event.file)
            self._inserting, self._moved_at = True, self._now
            return self._wait(KEY_MS)
        if isinstance(event, Open | Cursor):
            self._enter(event.file)
            self._inserting, self._moved_at = False, self._now
        elif isinstance(event, Save):
            self._inserting = False
            self._pick(self._around_cursor(), unmodified=True)
        elif isinstance(event, Yank):
            self._inserting = False
            self._pick(buffers.lines(event.file)[event.line : event.end_line])
        return []

    def leave(self, event: Event) -> None:
        """Before the buffers follow: the file that is left gives a chunk."""
        if isinstance(event, Open | Cursor | Edit) and self._file and event.file != self._file:
            self._pick(self._around_cursor(), unmodified=True)

    def request(self) -> dict[str, Any] | None:
        """The body of a request at the cursor, None where the answer is known."""
        buffers = self._buffers
        lines, at, column = buffers.lines(buffers.file), buffers.line, buffers.column
        line = lines[at]
        before, after = (line[:column], line[column:]) if line.strip() else ("", "")
        prefix = "\n".join(lines[max(0, at - N_PREFIX) : at]) + "\n"
        suffix = after + "\n" + "\n".join(lines[at + 1 : at + 1 + N_SUFFIX]) + "\n"
        keys = self._keys(prefix, before, suffix)
        if any(key in self._answered for key in keys):
            return None
        self._drop_alike_to_cursor()
        body = {
            "input_prefix": prefix,
            "input_suffix": suffix,
            "input_extra": [chunk.extra() for chunk in self._ring],
            "prompt": before,
            "n_predict": self._n_predict,
            "n_indent": len(line) - len(line.lstrip()),
            "top_k": 40,
            "top_p": 0.90,
            "samplers": ["top_k", "top_p", "infill"],
            "stream": False,
            "cache_prompt": True,
            "id_slot": 0,
        }
        self._answered.update(dict.fromkeys(keys))
        while len(self._answered) > CACHED_ANSWERS:
            self._answered.pop(self._random.choice(list(self._answered)))
        self._gather(lines, at)
        return body

    def _keys(self, prefix: str, before: str, suffix: str) -> list[str]:
        keys = [f"{prefix}{before}\0{suffix}"]
        for _ in range(3):
            prefix = prefix.partition("\n")[2]
            if not prefix:
                break
            keys.append(f"{prefix}{before}\0{suffix}")
        return keys

    def _gather(self, lines: Sequence[str], at: int) -> None:
        """Chunks from beyond the window, once the cursor has moved far."""
        if abs(at - self._picked_at) <= MOVED_LINES:
            return
        self._pick(lines[max(0, at - RING_SCOPE) : max(1, at - N_PREFIX + 1)], evict=False)
        self._pick(lines[min(len(lines) - 1, at + N_SUFFIX) : at + N_SUFFIX + CHUNK_LINES + 1], evict=False)
        self._picked_at = at

    def _enter(self, file: str) -> None:
        if file != self._file:
            self._file = file
            self._entered_at = self._now + ENTER_MS

    def _wait(self, ms: int) -> list[dict[str, Any]]:
        warm_ups, end = [], self._now + ms
        while self._updated_at + UPDATE_MS <= end:
            self._now = self._updated_at = self._updated_at + UPDATE_MS
            self._look_around()
            if self._inserting and self._now - self._moved_at < STILL_MS:
                continue
            if self._queued:
                warm_ups.append(self._update())
        self._now = end
        self._look_around()
        return warm_ups

    def _look_around(self) -> None:
        if self._entered_at is not None and self._entered_at <= self._now:
            self._entered_at = None
            self._pick(self._around_cursor(), unmodified=True)

    def _update(self) -> dict[str, Any]:
        if len(self._ring) == RING_CHUNKS:
            del self._ring[0]
        self._ring.append(self._queued.pop(0))
        return {
            "input_prefix": "",
            "input_suffix": "",
            "input_extra": [chunk.extra() for chunk in self._ring],
            "prompt": "",
            "n_predict": 0,
            "temperature": 0.0,
            "samplers": [],
            "stream": False,
            "cache_prompt": True,
            "id_slot": 0,
        }

    def _around_cursor(self) -> list[str]:
        lines, at = self._buffers.lines(self._file), self._buffers.line
        return lines[max(0, at - CHUNK_LINES // 2) : at + CHUNK_LINES // 2 + 1]

    def _part(self, lines: Sequence[str]) -> tuple[str, ...]:
        if len(lines) + 1 < CHUNK_LINES:
            return tuple(lines)
        return self._half(lines)

    def _half(self, lines: Sequence[str]) -> tuple[str, ...]:
        start = self._random.randint(0, max(0, len(lines) - CHUNK_LINES // 2))
        return tuple(lines[start : start + CHUNK_LINES // 2 + 1])

    def _pick(self, lines: Sequence[str], *, unmodified: bool = False, evict: bool = True) -> None:
        if len(lines) < 3 or (unmodified and self._file in self._buffers.modified):
            return
        part = self._part(lines)
        if any(chunk.lines == part for chunk in (*self._ring, *self._queued)):
            return
        for chunks in (self._queued, self._ring):
            for i in range(len(chunks) - 1, 0, -1):  # the plugin never looks at the first
                if alike(chunks[i].lines, part) > 0.9:
                    if not evict:
                        return
                    del chunks[i]
        if len(self._queued) == QUEUED_MOST:
            del self._queued[0]
        self._queued.append(Chunk(part, self._file))

    def _drop_alike_to_cursor(self) -> None:
        part = self._half(self._around_cursor())
        for i in range(len(self._ring) - 1, 0, -1):
            if alike(self._ring[i].lines, part) > 0.5:
                del self._ring[i]


def alike(a: Sequence[str], b: Sequence[str]) -> float:
    """Twice the lines of `a` that `b` has, over the lines of both."""
    there = set(b)
    return 2.0 * sum(line in there for line in a) / (len(a) + len(b))
