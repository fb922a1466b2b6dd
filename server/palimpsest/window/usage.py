"""What this window's requests have cost: sums, the last request, and what the engine reported of each block.

In: the engine's answers.  Out: figures for the status and the cache map.  Knows no engine.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from palimpsest import wire
from palimpsest.types import Block, BlockKey

MOST_COUNTED = 2_000
"""Blocks whose tokens are counted one by one; those that were decoded longest ago are forgotten first."""


@dataclass(slots=True)
class Totals:
    """Tokens since the window opened.  `decoded` for blocks and requests, `replayed` of them in copies of the header
    that blocks are decoded behind; `warmed` for tails on a pause, besides."""

    decoded: int = 0
    replayed: int = 0
    warmed: int = 0
    reused: int = 0
    restored: int = 0
    moved: int = 0
    evicted: int = 0
    generated: int = 0


@dataclass(slots=True)
class Last:
    """The last request for text: tokens decoded and reused for its prompt, its blocks included; milliseconds."""

    decoded: int = 0
    reused: int = 0
    ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Talked:
    """The conversation that was answered last: its tokens, of `total` that it may have; what
    becomes of its KV where blocks or old results go, and the tokens `left` that way."""

    conversation: str
    used: int
    total: int
    kv: wire.KvPolicy
    left: int = 0


@dataclass(slots=True)
class Usage:
    """Owner of these figures.  `on_change` is called after each change; it must be quick."""

    on_change: Callable[[], None] = lambda: None
    totals: Totals = field(default_factory=Totals)
    last: Last = field(default_factory=Last)
    reports: dict[BlockKey, tuple[str, wire.BlockReport]] = field(default_factory=dict)
    """What the last sync made of each block, with the text that it was asked about."""
    by_block: dict[BlockKey, int] = field(default_factory=dict)
    """Tokens decoded for each block since the window opened, whatever its text was; the last decoded at the end."""
    context_tokens: int = 0
    talked: Talked | None = None
    n_busy: int = 0
    parts: dict[str, float] = field(default_factory=dict)
    """Milliseconds of the last request for text: `parse` and `blocks` (since the one before), `engine` (waiting for
    its answer), and what the engine says, with `engine.` and `sync.` before its names."""
    _spent: dict[str, float] = field(default_factory=dict)

    def synced(self, answer: wire.SyncAnswer, blocks: Sequence[Block]) -> None:
        """`blocks` are what was asked for; a report counts for the very text it was made for."""
        totals = self.totals
        totals.decoded += answer.decoded
        totals.replayed += answer.replayed
        totals.reused += answer.reused
        totals.restored += answer.restored
        totals.moved += answer.moved
        totals.evicted += answer.evicted
        texts = {block.key: block.text for block in blocks}
        reports = {BlockKey.parse(report.key): report for report in answer.blocks}
        self.reports = {key: (texts[key], report) for key, report in reports.items() if key in texts}
        for key, report in reports.items():
            if report.decoded:
                self.by_block[key] = self.by_block.pop(key, 0) + report.decoded
        for key in list(self.by_block)[: max(0, len(self.by_block) - MOST_COUNTED)]:
            del self.by_block[key]
        self.on_change()

    def told(self, talked: Talked) -> None:
        """A conversation was answered."""
        self.talked = talked
        self.on_change()

    @contextmanager
    def spent(self, part: str) -> Iterator[None]:
        """What is done inside goes to the next request's `parts`."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self._spent[part] = self._spent.get(part, 0.0) + 1000 * (time.perf_counter() - start)

    def generated(self, answer: wire.GenerateAnswer) -> None:
        sync = answer.sync
        self.parts = {**self._spent, **{f"engine.{name}": ms for name, ms in answer.ms.items()}}
        self.parts |= {f"sync.{name}": ms for name, ms in (sync.ms if sync else {}).items()}
        self._spent.clear()
        self.totals.decoded += answer.decoded
        self.totals.reused += answer.reused
        self.totals.generated += answer.generated
        self.last = Last(
            decoded=answer.decoded + (sync.decoded if sync else 0),
            reused=answer.reused + (sync.reused if sync else 0),
            ms=round(answer.ms.get("total", 0.0), 1),
        )
        self.context_tokens = answer.context_tokens + answer.tail_tokens
        self.on_change()

    def compared(self, answer: wire.ScoreAnswer) -> None:
        """Lines were compared; the last request for text is still the last."""
        self.totals.decoded += answer.decoded
        self.on_change()

    def warmed(self, answer: wire.GenerateAnswer) -> None:
        """A tail was decoded ahead, perhaps with what may follow; the last request for text is still the last."""
        self.totals.warmed += answer.decoded
        self.totals.generated += answer.generated
        self.totals.reused += answer.reused
        self.context_tokens = answer.context_tokens + answer.tail_tokens
        self.on_change()

    @contextmanager
    def busy(self) -> Iterator[None]:
        self.begin()
        try:
            yield
        finally:
            self.end()

    def begin(self) -> None:
        """One piece of work more is under way; `end` follows."""
        self.n_busy += 1
        self.on_change()

    def end(self) -> None:
        self.n_busy -= 1
        self.on_change()

    def report_of(self, block: Block) -> wire.BlockReport | None:
        """What the last sync made of a block, if it was of this very text."""
        text, report = self.reports.get(block.key, ("", None))
        return report if text == block.text else None

    def holds(self, block: Block) -> bool:
        """Whether the last sync left it in the cache."""
        report = self.report_of(block)
        return report is not None and report.span is not None

    def reset(self) -> None:
        self.reports = {}
        self.on_change()
