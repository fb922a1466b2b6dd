"""One workspace's part of the cache: what its two kinds have in common.

In: sync requests.  Out: the base that tails stand on, its tails, reports of what is where.  To the pool it is a
`SequenceOwner`.  `in_place.py` and `whole.py` are the kinds.
"""

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

from palimpsest import wire
from palimpsest.engine.cache.pool import NONE, CellPool
from palimpsest.engine.cache.stores import Stores
from palimpsest.engine.cache.sync_stats import SyncStats
from palimpsest.engine.cache.tail import Tail, TailBase
from palimpsest.engine.cache.tail_prompt import TailPrompt
from palimpsest.engine.cache.tails import Tails
from palimpsest.engine.cache.tokenizer import Tokenizer, WantedTokens
from palimpsest.engine.llama.vocab import Vocabulary
from palimpsest.engine.model.facts import ModelFacts
from palimpsest.engine.model.sizes import Sizes


@dataclass(frozen=True, slots=True)
class Shared:
    """What the workspaces of one cache share.  `store`: KV that is not in the cache."""

    pool: CellPool
    store: Stores
    tokenizer: Tokenizer
    sizes: Sizes
    facts: ModelFacts
    vocab: Vocabulary


class Workspace(ABC):
    """`request` is the last sync."""

    def __init__(self, shared: Shared, name: str) -> None:
        self.name = name
        self.pool, self.store, self.sizes, self.facts = shared.pool, shared.store, shared.sizes, shared.facts
        self.context = shared.pool.context
        self._revision = 0
        self.request: wire.SyncRequest | None = None
        self.tails = Tails(
            lambda: Tail(self.pool, self, shared.vocab, rolls_back=shared.facts.rolls_back),
            lambda: self.revision,
            self.keeps,
        )
        self._tokenizer = shared.tokenizer
        self.last_used = self.pool.tick()
        self._n_active = 0

    # What the kinds do

    @property
    @abstractmethod
    def ready(self) -> bool:
        """Whether there is a base for tails."""

    @property
    @abstractmethod
    def base(self) -> TailBase: ...

    @property
    def moves(self) -> bool:
        """Whether cells can be moved to other positions."""
        return False

    @property
    @abstractmethod
    def base_seqs(self) -> tuple[int, ...]:
        """Sequences with header, blocks and footer, attached or not, and copies of the header; none where there is no
        base."""

    @property
    def header_copies(self) -> int:
        """Cells of copies of the header, which other blocks are decoded behind."""
        return 0

    @property
    def context_tokens(self) -> int:
        """Cells that a tail attends to besides its own."""
        return 0

    @property
    def attended(self) -> list[tuple[int, ...]]:
        """The tokens of each block that a tail attends to."""
        return []

    @abstractmethod
    def sync(self, request: wire.SyncRequest) -> Generator[None, None, wire.SyncAnswer]:
        """Attach the blocks that `request` names and no others, yielding between micro-batches.  Closing it at a yield
        leaves the cache consistent."""

    @abstractmethod
    def forget(self) -> None:
        """Drop all cells without a copy to the store; tails in use keep theirs until they are done."""

    def close(self) -> None:
        """As `forget`, but the blocks' KV goes to the store where it can."""
        self.forget()

    def shrink(self, n_cells: int, *, attached: bool) -> bool:
        """Give back that many cells of detached blocks (or of attached ones too); False when there are none."""
        return False

    def spans(self) -> tuple[list[wire.SpanReport], list[tuple[int, int]]]:
        """Header, blocks and footer in order of position, and the free ranges."""
        return [], []

    def verify(self) -> bool:
        """Whether llama.cpp's memory has what we think it has, as far as it can be asked."""
        return True

    def check(self) -> None:
        """Raises AssertionError where the base's cells are not those of header, attached blocks and footer."""
        assert self.verify(), f"{self.name}: {self.base_seqs}"

    def keeps(self, tail: Tail) -> bool:
        """Whether a tail of another revision is worth keeping, since that may come again."""
        return False

    # What they have in common

    @property
    def revision(self) -> int:
        """Says what is attached, and where; a tail is good for one revision."""
        return self._revision

    @property
    def busy(self) -> bool:
        """Whether a job of this workspace is under way: it is not to be closed."""
        return self._n_active > 0

    @contextmanager
    def active(self) -> Iterator[None]:
        """While a job works on it."""
        self._n_active += 1
        self.last_used = self.pool.tick()
        try:
            yield
        finally:
            self._n_active -= 1

    @property
    def seqs(self) -> set[int]:
        """All its sequences."""
        return {*self.base_seqs, *self.tails.seqs} - {NONE}

    @property
    def tail_cells(self) -> int:
        """Cells that tails have and the base has not: their own, and blocks' that a suspended job still looks at."""
        return self.context.cells.count(self.seqs, self.base_seqs)

    @property
    def snapshots(self) -> set[int]:
        """Sequences in which suspended jobs still look at the base's cells as they were."""
        return self.tails.snapshots

    def tail(self, name: str, wanted: TailPrompt | None = None, *, fresh: int = 0) -> AbstractContextManager[Tail]:
        """The tail of that name, marked busy; another one while a job uses that.  `wanted`: what it is for, where what
        was decoded at other places is to be kept.  `fresh`: as in `Tails.use`."""
        return self.tails.use(name, wanted, fresh=fresh)

    def drop_tail(self) -> bool:
        return self.tails.drop_one()

    def drop_tail_aside(self) -> bool:
        return self.tails.drop_aside()

    def changed(self) -> None:
        """What is attached is about to change, so tails are outdated."""
        self._revision += 1
        self.tails.drop_prompts()

    def tokenized(self, request: wire.SyncRequest, stats: SyncStats) -> WantedTokens:
        """Header, footer and blocks in tokens; the stats expects a report for each block."""
        with stats.timed("tokenize"):
            wanted = self._tokens_of(request)
            stats.expect([(key, len(tokens)) for key, tokens in wanted.blocks.items()])
        return wanted

    def _tokens_of(self, request: wire.SyncRequest) -> WantedTokens:
        return self._tokenizer.wanted(request)

    def map_spans(self) -> tuple[list[wire.SpanReport], list[tuple[int, int]]]:
        """`spans` and the tails behind them."""
        spans, free = self.spans()
        for name, tail in self.tails.items():
            end = tail.start + len(tail.tokens)
            if tail.seq >= 0 and end > tail.base_end:
                spans.append(wire.SpanReport(tail.base_end, end, name, "tail"))
        return spans, free
