"""The loaded model, its cache, and who has what in it: the one owner of every native handle.

In: a model file and settings.  Out: sequences, room, decoded tokens, for the workspaces that share the cache.
All of it belongs to the engine's thread.  Knows no request.
"""

from __future__ import annotations

import functools
import logging
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from palimpsest import wire
from palimpsest.config.settings import EngineSettings
from palimpsest.errors import ContextTooLarge, DecodeError, EngineError, ModelError
from palimpsest.kv.cache.in_place import InPlaceWorkspace
from palimpsest.kv.cache.pace import Pace
from palimpsest.kv.cache.stores import Stores, make_stores
from palimpsest.kv.cache.texts import Texts
from palimpsest.kv.cache.whole import WholeWorkspace
from palimpsest.kv.generation.compose import Composer
from palimpsest.kv.generation.known import KnownWords
from palimpsest.kv.generation.tail import NONE
from palimpsest.kv.generation.words import Lexicon
from palimpsest.kv.llama import facts as model_facts
from palimpsest.kv.llama import load, memory, purpose, trial
from palimpsest.kv.llama.native import LONGEST_TEXT, NO_SLOT, TEXT_FOR_A_TOKEN, Context, Logits, Model, Run

if TYPE_CHECKING:
    from palimpsest.kv.cache.workspace import Workspace

LOG = logging.getLogger("palimpsest.engine")
STATS = ("decoded", "reused", "restored", "moved", "evicted", "generated", "searched")
TOKEN_CACHE, SHORT_TEXT = 1024, 1 << 16
"""Texts whose tokens are kept, and characters of the longest of them."""
MANY_WORKSPACES = 128
TAIL_CACHE = 16


class Engine:
    """`workspaces` by name.  `why_not`: why the cache is not edited in place, "" when it is.  `end_suspended` ends the
    least urgent job that waits for others in the middle of its work; False when there is none."""

    def __init__(
        self, path: Path, settings: EngineSettings, *, caution: bool = False, make_context: type[Context] = Context
    ) -> None:
        """Loads the model.  Raises EngineUnavailable, ModelError, ContextTooLarge, InvalidArgument."""
        self.settings = settings
        load.check(settings)
        self.extra_bufts = settings.extra_bufts == "on" or (settings.extra_bufts == "auto" and not caution)
        self.model = Model(path, n_gpu_layers=load.n_gpu_layers(settings), extra_bufts=self.extra_bufts)
        self.facts = model_facts.read(self.model)
        if not self.facts.n_ctx_train or not self.model.n_vocab:
            raise ModelError(f"{path} is not a language model.", hint=purpose.HINT)
        self.max_bytes = memory.bound(settings)
        self.context, self.params = memory.make(self.model, self.facts, settings, make_context, self.max_bytes)
        self.why_not = model_facts.decide(
            self.facts,
            settings.mode,
            self.context.can_shift,
            settings.type_k,
            lambda: trial.passed(self.context, self.model),
        )
        self.vocab = load.vocabulary(self.model, self.facts)
        others = np.array(sorted(self.facts.ends - self.facts.eog), np.int32)
        # a grammar ends with llama.cpp's own ends alone
        self.hidden_with_grammar = np.concatenate([self.vocab.hidden, others])
        special = functools.partial(self.model.tokenize, special=True)
        self.model.longest_text = max(LONGEST_TEXT, TEXT_FOR_A_TOKEN * self.n_ctx)
        self.composer = Composer(self.facts, self.vocab, lambda text: list(self._tokens_of_tail(text)), special)
        self._tokens_of_short: Callable[[str], tuple[int, ...]] = functools.lru_cache(maxsize=TOKEN_CACHE)(
            lambda text: tuple(self.model.tokenize(text))
        )
        # while a word is typed, neither what stands before it nor what stands after it changes
        self._tokens_of_tail: Callable[[str], tuple[int, ...]] = functools.lru_cache(maxsize=TAIL_CACHE)(
            lambda text: tuple(self.model.tokenize(text))
        )
        self.lexicon = Lexicon(self.vocab)
        self.known_words: KnownWords[tuple[int, ...]] = KnownWords(
            lambda tokens: self.vocab.text(tokens).decode("utf-8", "replace")
        )
        self.texts = Texts(self.tokens_of)
        self.store: Stores = make_stores(path, settings, self._has_long_rope)
        self.pace = Pace()
        self.stats = dict.fromkeys(STATS, 0)
        self.workspaces: dict[str, Workspace] = {}
        self.end_suspended: Callable[[], bool] = lambda: False
        self._free = list(range(self.context.n_seq_max - 1, -1, -1))
        self._reserve = self._free.pop() if self.in_place else NONE
        self._clock = 0

    def close(self) -> None:
        """Blocks go to the store, and as far as it is on disk they stay there."""
        try:
            for name in list(self.workspaces) if self.store.on_disk else ():
                self.close_workspace(name)
            self.store.close()
        except EngineError as error:
            LOG.warning("not all blocks were kept: %s", error)
        finally:
            self.composer.close()
            self.context.close()
            self.model.close()

    # Facts that follow

    @property
    def _has_long_rope(self) -> bool:
        """Some models rotate otherwise in caches larger than what they were first trained with."""
        said = self.model.metadata(f"{self.facts.architecture}.rope.scaling.original_context_length")
        return self.n_ctx > int(said or 0)

    @property
    def in_place(self) -> bool:
        return not self.why_not

    @property
    def n_ctx(self) -> int:
        """Cells."""
        return self.context.n_ctx

    @property
    def n_positions(self) -> int:
        """Positions of one workspace.  Half as many more than cells: holes and slack cost none."""
        return min(self.facts.n_ctx_train, self.n_ctx + self.n_ctx // 2 if self.in_place else self.n_ctx)

    @property
    def tail_room(self) -> int:
        """Positions and cells for a tail and its answer: a quarter, 1,024 at least where that leaves half.  A model
        with a chat template is told in its tail what to do: 1,536 where that leaves five eighths."""
        n = min(self.n_ctx, self.n_positions)
        told = min(1536, 3 * n // 8) if self.facts.chat is not None else 0
        return max(n // 4, min(1024, n // 2), told)

    @property
    def used_cells(self) -> int:
        return self.context.cells.used

    @property
    def free_cells(self) -> int:
        return self.context.cells.free

    def tokens_of(self, text: str) -> tuple[int, ...]:
        return self._tokens_of_short(text) if len(text) <= SHORT_TEXT else tuple(self.model.tokenize(text))

    def tick(self) -> int:
        """Later than every tick before: for what was used least recently."""
        self._clock += 1
        return self._clock

    def check(self) -> None:
        """Raises AssertionError where llama.cpp, the account of its cells and what workspaces think they have differ,
        or cells are in use that nobody knows of.  For tests, while no job is under way."""
        self.context.check()
        known = set[int]()
        for workspace in self.workspaces.values():
            workspace.check()
            for tail in workspace.tails.values():
                tail.check()
            known |= workspace.seqs
        unknown = self.used_cells - self.context.cells.count(known)
        assert not unknown, f"{unknown} cells are used by nobody"
        taken = set(range(self.context.n_seq_max)) - {*self._free, self._reserve}
        assert taken == known, f"sequences {taken} are taken, {known} in use"

    # Workspaces

    def workspace(self, name: str) -> Workspace:
        """The workspace of that name, made when there is none."""
        found = self.workspaces.get(name)
        if found is None:
            if len(self.workspaces) >= MANY_WORKSPACES:  # names of requests that failed before anything was done
                empty = [w for w in self.workspaces.values() if not w.seqs and not w.busy]
                for workspace in empty:
                    del self.workspaces[workspace.name]
            kind = InPlaceWorkspace if self.in_place else WholeWorkspace
            found = self.workspaces[name] = kind(self, name)
        return found

    def map(self, name: str) -> wire.CacheMap:
        """Of a workspace that is not known, a map with nothing in it; it does not come to be by being asked about."""
        known = self.workspaces.get(name)
        spans, free = known.map_spans() if known is not None else ([], [])
        return wire.CacheMap(
            n_ctx=self.n_ctx,
            used_cells=self.used_cells,
            n_positions=self.n_positions,
            spans=spans,
            free=free,
            stored=self.store.keys_of(name),
            stored_bytes=self.store.bytes,
            stats=dict(self.stats),
            memory=self.memory(),
        )

    def memory(self) -> dict[str, int]:
        """Bytes, as `wire.CacheMap` names them."""
        return {
            "model": self.model.n_bytes,
            "cache": self.context.cache_bytes,
            "compute": self.context.compute_bytes,
            "store": self.store.bytes,
            "disk": self.store.disk_bytes,
            "limit": self.max_bytes,
        }

    def reset(self, name: str) -> None:
        """Forget what the workspace has here and in the store, also on disk."""
        workspace = self.workspaces.pop(name, None)
        if workspace is not None:
            workspace.forget()
        self.store.forget(name)

    def close_workspace(self, name: str) -> None:
        """Free its cells; its blocks' KV goes to the store."""
        workspace = self.workspaces.pop(name, None)
        if workspace is None:
            return
        try:
            workspace.close()
        except DecodeError as error:  # whoever needed the room is not to blame
            LOG.warning("not all blocks of a closed workspace were kept: %s", error)
            workspace.recover(error)
        self.store.keep(name)

    def save(self) -> Generator[None, None, None]:
        """Put copies of all that is resident where the store on disk finds them; yields between blocks."""
        for workspace in list(self.workspaces.values()):
            if isinstance(workspace, InPlaceWorkspace):
                try:
                    yield from workspace.save()
                except DecodeError as error:
                    workspace.recover(error)
            self.store.keep(workspace.name)

    # Sequences

    def take(self) -> int:
        """An empty sequence.  Raises EngineError when every one is in use by something that runs."""
        if not self._free:
            self._give_up_sequences()
        if not self._free:
            raise EngineError("All sequences of the cache are in use.", hint="Ask for fewer alternatives at a time.")
        return self._free.pop()

    def give(self, seq: int) -> None:
        """Empty a sequence and take it back; −1 is none."""
        if seq >= 0:
            assert seq not in self._free, f"sequence {seq} given back twice"
            self.context.remove(seq)
            self._free.append(seq)

    @contextmanager
    def scratch(self) -> Iterator[int]:
        """An empty sequence for a copy that is made and gone without a yield.  It is kept in reserve for that, so that
        a workspace can be closed where no other sequence is left.  Only where the cache is edited in place."""
        assert self._reserve >= 0, "the reserve is in use, or there is none"
        seq, self._reserve = self._reserve, NONE
        try:
            yield seq
        finally:
            self.context.remove(seq)
            self._reserve = seq

    @property
    def free_sequences(self) -> int:
        return len(self._free)

    @property
    def n_sequences(self) -> int:
        """All that `take` hands out."""
        return self.context.n_seq_max - (1 if self.in_place else 0)

    def _give_up_sequences(self) -> None:
        """Until one is free: tails that nobody uses, then workspaces at rest, what was used least recently first; then
        jobs that wait for others end."""
        oldest = self._oldest_first()
        ways: list[Callable[[], object]] = [*(w.drop_tails for w in oldest)]
        ways += [functools.partial(self._close_at_rest, w) for w in oldest]
        for way in ways:
            if self._free:
                return
            way()
        while not self._free and self.end_suspended():
            for workspace in oldest:
                workspace.drop_tails()

    def _close_at_rest(self, workspace: Workspace) -> None:
        if not workspace.busy:
            self.close_workspace(workspace.name)

    # Decoding, with room made for it

    @property
    def n_batch(self) -> int:
        """Tokens of the next micro-batch: what can be decoded while a keystroke waits for it."""
        return self.pace.batch(self.context.n_batch)

    def decode(self, runs: Sequence[Run], workspace: Workspace) -> list[Logits | None]:
        """Decode one micro-batch for `workspace`; others give up cells when there are too few.

        Raises ContextTooLarge (nothing happened) when there is no room, DecodeError when llama.cpp failed.
        """
        n_tokens = sum(len(run.tokens) for run in runs)
        if self.free_cells < n_tokens and not self.make_room(n_tokens, workspace, at_any_cost=True):
            raise self._no_room()
        try:
            logits = self._decode(runs, n_tokens)
        except DecodeError as error:
            if error.return_code != NO_SLOT:
                raise
            raise self._no_room() from error
        self.stats["decoded"] += n_tokens
        return logits

    def _no_room(self) -> ContextTooLarge:
        return ContextTooLarge(
            "The cache has no room for this.",
            fitting=self.free_cells,
            hint="Set a larger `engine.n_ctx`, or a smaller `context.budget`.",
        )

    def _decode(self, runs: Sequence[Run], n_tokens: int) -> list[Logits | None]:
        shifts = self.context.shift_pending
        began = time.perf_counter()
        logits = self.context.decode(runs)
        if not shifts:
            self.pace.note(n_tokens, time.perf_counter() - began)
        return logits

    def apply_shifts(self) -> bool:
        """Have llama.cpp carry out pending shifts, which only a decode does; False without a cell for it."""
        if not self.context.shift_pending:
            return True
        with self.scratch() as seq:
            try:
                self.context.decode([Run([max(self.facts.header_start, default=0)], 0, seq)])
            except DecodeError as error:
                if error.return_code != NO_SLOT:
                    raise
                return False
        return True

    def make_room(self, n_cells: int, asking: Workspace, *, at_any_cost: bool = False) -> bool:
        """Free cells until `n_cells` are free: what can be had again for little and was used least recently first.

        `at_any_cost`: jobs that wait for others in the middle of their work end, too.  False where that is too few.
        """
        self._give_up_cells(n_cells, asking)
        while at_any_cost and self.free_cells < n_cells and self.end_suspended():
            self._give_up_cells(n_cells, asking)
        return self.free_cells >= n_cells

    def _give_up_cells(self, n_cells: int, asking: Workspace) -> None:
        others = [w for w in self._oldest_first() if w is not asking]
        ways: list[Callable[[], object]] = [*(w.drop_tails for w in others)]
        ways += [functools.partial(self._shrink, w, n_cells, attached=False) for w in others]
        ways += [asking.drop_tails, functools.partial(self._shrink, asking, n_cells, attached=False)]
        ways += [functools.partial(self._shrink, w, n_cells, attached=True) for w in others]
        ways += [functools.partial(self._close_at_rest, w) for w in others]  # header and footer are cells, too
        for way in ways:
            if self.free_cells >= n_cells:
                return
            way()

    def _shrink(self, workspace: Workspace, n_cells: int, *, attached: bool) -> bool:
        return workspace.shrink(n_cells - self.free_cells, attached=attached)

    def _oldest_first(self) -> list[Workspace]:
        return sorted(self.workspaces.values(), key=lambda w: w.last_used)
