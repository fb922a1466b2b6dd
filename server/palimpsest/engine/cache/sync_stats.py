"""Collects what one sync does: a report for each block, token counts, milliseconds.

In: what was done.  Out: a `SyncAnswer`.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from palimpsest import wire

PHASES = ("tokenize", "plan", "evict", "move", "restore", "decode", "total")


@dataclass(slots=True)
class SyncStats:
    """`blocks`: reports by key, in the order of the request.  A block reported twice keeps its dearer action."""

    blocks: dict[str, wire.BlockReport] = field(default_factory=dict)
    decoded: int = 0
    replayed: int = 0
    restored: int = 0
    moved: int = 0
    evicted: int = 0
    evicted_keys: list[str] = field(default_factory=list)
    ms: dict[str, float] = field(default_factory=lambda: dict.fromkeys(PHASES, 0.0))
    _start: float = field(default_factory=time.perf_counter)

    @contextmanager
    def timed(self, phase: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.ms[phase] += 1000 * (time.perf_counter() - start)

    def expect(self, keys: Sequence[tuple[str, int]]) -> None:
        for key, n_tokens in keys:
            self.blocks.setdefault(key, wire.BlockReport(key, n_tokens, "kept"))

    def did(self, key: str, action: wire.BlockAction) -> None:
        if key in self.blocks:
            self.blocks[key] = replace(self.blocks[key], action=action)

    def did_decode(self, key: str, n_tokens: int) -> None:
        if key in self.blocks:
            self.blocks[key] = replace(self.blocks[key], decoded=self.blocks[key].decoded + n_tokens)

    def placed(self, key: str, start: int, n_tokens: int) -> None:
        self.blocks[key] = replace(self.blocks[key], span=(start, start + n_tokens))

    def did_move(self, key: str, n_tokens: int) -> None:
        self.moved += n_tokens
        if key in self.blocks:
            self.blocks[key] = replace(self.blocks[key], moved=True)

    def did_evict(self, key: str, n_tokens: int) -> None:
        self.evicted += n_tokens
        self.evicted_keys.append(key)

    @property
    def decoded_of_blocks(self) -> int:
        """Without copies of the header."""
        return sum(report.decoded for report in self.blocks.values())

    def answer(self, revision: int) -> wire.SyncAnswer:
        self.ms["total"] = 1000 * (time.perf_counter() - self._start)
        reports = list(self.blocks.values())
        here = [r for r in reports if r.action not in ("unfit", "deferred")]
        return wire.SyncAnswer(
            revision=revision,
            blocks=reports,
            unfit=[r.key for r in reports if r.action == "unfit"],
            decoded=self.decoded,
            replayed=self.replayed,
            reused=sum(max(0, r.tokens - r.decoded) for r in here if r.action != "restored"),
            restored=self.restored,
            moved=self.moved,
            evicted=self.evicted,
            evicted_keys=self.evicted_keys,
            ms=self.ms,
        )
