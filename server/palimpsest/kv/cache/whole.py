"""A workspace in whole-prompt mode: ordinary causal order, as much of it reused as begins alike.

    [ header ][ block ][ block ] ... [ footer ][ tail ... ]

In: sync requests.  Out: one sequence BASE with all of it; tails copy BASE, which is the checkpoint that typing goes
back to.  A memory that cannot give up a part of a sequence (recurrent, hybrid) keeps a second sequence STEM without
the footer, so that one more block costs that block; any other change costs all.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

from palimpsest import wire
from palimpsest.errors import ContextTooLarge, DecodeError
from palimpsest.kv.arena.plan import common_prefix
from palimpsest.kv.cache.ledger import Ledger
from palimpsest.kv.cache.workspace import Workspace
from palimpsest.kv.generation.tail import NONE, Base
from palimpsest.kv.llama.native import Run

if TYPE_CHECKING:
    from palimpsest.kv.cache.engine import Engine

Tokens = tuple[int, ...]
MAX_ATTEMPTS = 3


class WholeWorkspace(Workspace):
    """`tokens` are in BASE, `stem` in STEM; `blocks` are the ones meant by `target`, in the prompt's order."""

    def __init__(self, engine: Engine, name: str) -> None:
        super().__init__(engine, name)
        self.context = engine.context
        self.seq = self.stem_seq = NONE
        self.tokens: Tokens = ()
        self.stem: Tokens = ()
        self.target: Tokens = ()
        self.blocks: dict[str, Tokens] = {}
        self.header: Tokens = ()

    @property
    def ready(self) -> bool:
        return bool(self.target) and self.tokens == self.target

    @property
    def base(self) -> Base:
        return Base(self.seq, len(self.tokens), self.revision, ())

    @property
    def base_cells(self) -> int:
        return len(self.tokens) if self.seq >= 0 else 0

    @property
    def context_tokens(self) -> int:
        return len(self.tokens)

    def sync(self, request: wire.SyncRequest) -> Generator[None, None, wire.SyncAnswer]:
        ledger = Ledger()
        self.request = request
        header, footer, blocks = self._admitted(request, ledger)
        stem = header + tuple(token for tokens in blocks.values() for token in tokens)
        for attempt in range(MAX_ATTEMPTS):
            n_kept = common_prefix(self.tokens, stem + footer)
            try:
                with ledger.timed("decode"):
                    yield from self._have(header, blocks, stem, footer, ledger)
                break
            except DecodeError as error:
                self.recover(error)
                if attempt == MAX_ATTEMPTS - 1:
                    raise
        self._report(header, blocks, n_kept, ledger)
        answer = ledger.answer(self.revision)
        self.engine.stats["reused"] += answer.reused
        return answer

    def _admitted(self, request: wire.SyncRequest, ledger: Ledger) -> tuple[Tokens, Tokens, dict[str, Tokens]]:
        """Header, footer, and the blocks that fit: the ones already there in their old order, then the new ones."""
        tokens_of = self.engine.tokens_of
        with ledger.timed("tokenize"):
            header = self.engine.facts.header_start + tokens_of(request.header)
            footer = tokens_of(request.footer) or tokens_of("\n")
            wanted = self.engine.texts.tokens(request.blocks)
        ledger.expect([(key, len(tokens)) for key, tokens in wanted.items()])
        room = min(self.engine.n_positions, self.engine.n_ctx) - self.engine.tail_room - len(header) - len(footer)
        if room < 0:
            message = "Header and footer leave no room for a tail."
            raise ContextTooLarge(message, fitting=0, hint="Set a larger `engine.n_ctx`.")
        admitted = dict[str, Tokens]()
        for key, tokens in wanted.items():
            if len(tokens) <= room:
                admitted[key] = tokens
                room -= len(tokens)
            else:
                ledger.did(key, "unfit")
        old = [key for key in self.blocks if key in admitted]
        order = [*old, *(key for key in admitted if key not in self.blocks)]
        return header, footer, {key: admitted[key] for key in order}

    def _have(
        self, header: Tokens, blocks: dict[str, Tokens], stem: Tokens, footer: Tokens, ledger: Ledger
    ) -> Generator[None, None, None]:
        """Decode what is missing, looking again after each yield at what is there."""
        wanted = stem + footer
        while self.tokens != wanted or self.seq == NONE:
            yield
            self.header, self.blocks, self.target = header, blocks, wanted
            if self.tokens == wanted and self.seq >= 0:
                break
            self.changed()
            if self.engine.facts.rolls_back:
                self.seq, self.tokens, n = self._step(self.seq, self.tokens, wanted)
            elif self.stem != stem or self.stem_seq == NONE:
                self.stem_seq, self.stem, n = self._step(self.stem_seq, self.stem, stem)
            else:
                if self.tokens[: len(stem)] != stem or wanted[: len(self.tokens)] != self.tokens or self.seq == NONE:
                    self.engine.give(self.seq)
                    self.seq, self.tokens = self.engine.take(), stem
                    self.context.copy(self.stem_seq, self.seq)
                self.seq, self.tokens, n = self._step(self.seq, self.tokens, wanted)
            ledger.decoded += n

    def _step(self, seq: int, here: Tokens, wanted: Tokens) -> tuple[int, Tokens, int]:
        """One micro-batch towards `wanted`: the sequence, what it has then, and how many tokens were decoded."""
        n = common_prefix(here, wanted)
        if seq == NONE or (n < len(here) and not (self.engine.facts.rolls_back and self.context.remove(seq, n))):
            self.engine.give(seq)
            seq, n = self.engine.take(), 0
        part = wanted[n : n + self.context.n_batch]
        if part:
            try:
                self.engine.decode([Run(part, n, seq)], self)
            except Exception:
                self.engine.give(seq)
                self._lost(seq)
                raise
        return seq, wanted[: n + len(part)], len(part)

    def _lost(self, seq: int) -> None:
        if seq == self.seq or self.engine.facts.rolls_back:
            self.seq, self.tokens = NONE, ()
        if seq == self.stem_seq or not self.engine.facts.rolls_back:
            self.stem_seq, self.stem = NONE, ()

    def _report(self, header: Tokens, blocks: dict[str, Tokens], n_kept: int, ledger: Ledger) -> None:
        at = len(header)
        for key, tokens in blocks.items():
            n_decoded = min(len(tokens), max(0, at + len(tokens) - n_kept))
            if n_decoded:
                ledger.did(key, "written" if n_decoded == len(tokens) else "extended")
                ledger.did_decode(key, n_decoded)
            ledger.placed(key, at, len(tokens))
            at += len(tokens)

    def forget(self) -> None:
        self._abandon_tails()
        self.engine.give(self.seq)
        self.engine.give(self.stem_seq)
        self.seq = self.stem_seq = NONE
        self.tokens = self.stem = self.target = ()
        self.blocks = {}
        self.revision += 1

    def close(self) -> None:
        self.forget()

    def shrink(self, n_cells: int, *, attached: bool) -> bool:
        """All or nothing, and nothing of a workspace at work."""
        if not attached or self.busy or not self.base_cells or n_cells <= 0:
            return False
        self.forget()
        return True

    def spans(self) -> tuple[list[wire.SpanReport], list[tuple[int, int]]]:
        if not self.ready:
            return [], []
        found = [wire.SpanReport(0, len(self.header), "", "header")] if self.header else []
        at = len(self.header)
        for key, tokens in self.blocks.items():
            found.append(wire.SpanReport(at, at + len(tokens), key, "attached"))
            at += len(tokens)
        found.append(wire.SpanReport(at, len(self.tokens), "", "footer"))
        return found, [(len(self.tokens), self.engine.n_positions - self.engine.tail_room)]

    def verify(self) -> bool:
        return self.seq == NONE or self.context.last(self.seq) == len(self.tokens) - 1
