"""A workspace in whole-prompt mode: one prompt in ordinary causal order.

    [ header ][ block ][ block ] ... [ footer ][ tail ... ]

In: sync requests.  Out: one sequence BASE with the prompt; tails copy it.  A prompt reuses what it begins with alike,
so a changed block costs itself and everything behind it; therefore what changed last stands last.  A memory that
cannot give up a part of a sequence goes back to the nearest checkpoint before the change (`checkpoints.py`).
"""

import itertools
from collections.abc import Generator
from dataclasses import dataclass

from palimpsest import wire
from palimpsest.engine.arena.plan import common_prefix
from palimpsest.engine.cache.checkpoints import Checkpoints, checkpoint_digests
from palimpsest.engine.cache.header_copies import HeaderCopies
from palimpsest.engine.cache.pool import NONE
from palimpsest.engine.cache.sync_stats import SyncStats
from palimpsest.engine.cache.tail import TailBase
from palimpsest.engine.cache.tokenizer import Tokens
from palimpsest.engine.cache.workspace import Shared, Workspace
from palimpsest.engine.llama.native import Run
from palimpsest.errors import ContextTooLarge, DecodeError

MAX_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class _Prompt:
    """What BASE is to have.  `checkpoints`: number of tokens → digest, ascending."""

    header: Tokens
    blocks: dict[str, Tokens]
    tokens: Tokens
    checkpoints: dict[int, str]

    @classmethod
    def of(cls, header: Tokens, blocks: dict[str, Tokens], footer: Tokens, *, checkpoints: bool) -> "_Prompt":
        parts = [header, *blocks.values(), footer]
        tokens = tuple(itertools.chain.from_iterable(parts))
        ends = list(itertools.accumulate(len(part) for part in parts))
        return cls(header, blocks, tokens, checkpoint_digests(tokens, ends) if checkpoints else {})


class WholeWorkspace(Workspace):
    """`tokens` are in BASE; `blocks` are the ones meant by `target`, in the prompt's order."""

    def __init__(self, shared: Shared, name: str) -> None:
        super().__init__(shared, name)
        self.seq = NONE
        self.tokens: Tokens = ()
        self.target: Tokens = ()
        self.blocks: dict[str, Tokens] = {}
        self.header: Tokens = ()
        self._checkpoints = Checkpoints(self.pool, self.store, name, state_only=self.facts.state_only)

    @property
    def ready(self) -> bool:
        return bool(self.target) and self.tokens == self.target

    @property
    def base(self) -> TailBase:
        return TailBase(self.seq, len(self.tokens), self.revision, HeaderCopies(self.pool))

    @property
    def base_seqs(self) -> tuple[int, ...]:
        return (self.seq,)

    @property
    def context_tokens(self) -> int:
        return len(self.tokens)

    @property
    def attended(self) -> list[Tokens]:
        return list(self.blocks.values())

    def sync(self, request: wire.SyncRequest) -> Generator[None, None, wire.SyncAnswer]:
        stats = SyncStats()
        self.request = request
        header, footer, blocks = self._admitted(request, stats)
        prompt = _Prompt.of(header, blocks, footer, checkpoints=not self.facts.rolls_back)
        n_here = common_prefix(self.tokens, prompt.tokens) if self.seq >= 0 else 0
        for attempt in range(MAX_ATTEMPTS):
            try:
                with stats.timed("decode"):
                    n_kept = yield from self._have(prompt, stats)
                break
            except DecodeError as error:
                self.pool.recover(error, self)
                if attempt == MAX_ATTEMPTS - 1:
                    raise
        self._report(prompt, n_here, n_kept, stats)
        answer = stats.answer(self.revision)
        for name in ("reused", "restored"):
            self.pool.stats[name] += getattr(answer, name)
        return answer

    def _admitted(self, request: wire.SyncRequest, stats: SyncStats) -> tuple[Tokens, Tokens, dict[str, Tokens]]:
        """Header, footer, and the blocks that fit: the unchanged in their old order, then the new, then the changed."""
        header, footer, wanted = self.tokenized(request, stats)
        room = self.sizes.n_prompt - self.sizes.tail_room - len(header) - len(footer)
        if room < 0:
            message = "Header and footer leave no room for a tail."
            raise ContextTooLarge(message, fitting=0, hint="Set a larger `engine.n_ctx`.")
        admitted = dict[str, Tokens]()
        for key, tokens in wanted.items():
            if len(tokens) <= room:
                admitted[key] = tokens
                room -= len(tokens)
            else:
                stats.did(key, "unfit")
        old = [key for key in self.blocks if key in admitted]
        changed = [key for key in old if admitted[key] != self.blocks[key]]
        new = [key for key in admitted if key not in self.blocks]
        order = [*(key for key in old if key not in changed), *new, *changed]
        return header, footer, {key: admitted[key] for key in order}

    def _have(self, prompt: _Prompt, stats: SyncStats) -> Generator[None, None, int]:
        """Decode what is missing, and return how many of the prompt's first tokens were there already.  Another job may
        have changed the base at each yield."""
        wanted, n_kept = prompt.tokens, len(prompt.tokens)
        while self.tokens != wanted or self.seq == NONE:
            yield
            self.header, self.blocks, self.target = prompt.header, prompt.blocks, wanted
            if self.tokens == wanted and self.seq >= 0:
                break
            self.changed()
            n, n_decoded = self._step(prompt)
            n_kept = min(n_kept, n)
            stats.decoded += n_decoded
        return n_kept

    def _step(self, prompt: _Prompt) -> tuple[int, int]:
        """Decode one micro-batch of `prompt`.  Returns how many tokens were there before, and how many were added."""
        n = common_prefix(self.tokens, prompt.tokens)
        if self.seq == NONE or n < len(self.tokens):
            n = self._back_to(n, prompt)
        next_checkpoint = next((n_tokens for n_tokens in prompt.checkpoints if n_tokens > n), len(prompt.tokens))
        part = prompt.tokens[n : min(next_checkpoint, n + self.pool.n_batch)]
        if part:
            try:
                self.pool.decode([Run(part, n, self.seq)], self)
            except Exception:  # whatever failed, nobody knows what is in the sequence
                self._drop_base()
                raise
            self.pool.count("blocks", part)
        self.tokens = prompt.tokens[: n + len(part)]
        if len(self.tokens) in prompt.checkpoints:
            self._checkpoints.save(self.seq, len(self.tokens), prompt.checkpoints[len(self.tokens)])
        return n, len(part)

    def _back_to(self, n: int, prompt: _Prompt) -> int:
        """Shorten BASE to `n` tokens of the prompt, or fewer where it cannot; returns how many it has."""
        if not self.facts.rolls_back:
            self.seq, n = self._checkpoints.restore(self.seq, n if self.seq >= 0 else 0, prompt.checkpoints)
        elif self.seq == NONE or not self.context.remove(self.seq, n):
            self._drop_base()
            self.seq, n = self.pool.take(), 0
        self.tokens = prompt.tokens[:n]
        return n

    def _report(self, prompt: _Prompt, n_here: int, n_kept: int, stats: SyncStats) -> None:
        """The first `n_here` tokens were in the cache; those up to `n_kept` came from the store."""
        stats.restored += max(0, n_kept - n_here)
        at = len(prompt.header)
        for key, tokens in prompt.blocks.items():
            n_decoded = min(len(tokens), max(0, at + len(tokens) - n_kept))
            if n_decoded:
                stats.did(key, "written" if n_decoded == len(tokens) else "extended")
                stats.did_decode(key, n_decoded)
            elif at + len(tokens) > n_here:
                stats.did(key, "restored")
            stats.placed(key, at, len(tokens))
            at += len(tokens)

    def forget(self) -> None:
        self.target, self.blocks = (), {}
        self._revision += 1
        self.tails.abandon()
        self._drop_base()

    def _drop_base(self) -> None:
        seq, self.seq, self.tokens = self.seq, NONE, ()
        self.pool.give(seq)

    def shrink(self, n_cells: int, *, attached: bool) -> bool:
        """All or nothing, and nothing of a workspace at work."""
        if not attached or self.busy or self.seq == NONE or n_cells <= 0:
            return False
        self.forget()
        return True

    def spans(self) -> tuple[list[wire.SpanReport], list[tuple[int, int]]]:
        if not self.ready:
            return [], []
        spans = [wire.SpanReport(0, len(self.header), "", "header")] if self.header else []
        at = len(self.header)
        for key, tokens in self.blocks.items():
            spans.append(wire.SpanReport(at, at + len(tokens), key, "attached"))
            at += len(tokens)
        spans.append(wire.SpanReport(at, len(self.tokens), "", "footer"))
        return spans, [(len(self.tokens), self.sizes.n_positions - self.sizes.tail_room)]

    def verify(self) -> bool:
        return self.seq == NONE or self.context.last(self.seq) == len(self.tokens) - 1
