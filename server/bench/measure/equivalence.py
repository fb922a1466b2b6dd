"""Edit equivalence: the cache as it was edited, and one built from scratch with the same layout.

In: an engine, a workspace, a tail's tokens.  Out: next-token logits, either way.  For measurements and tests, on the
engine's thread between jobs.
"""

from __future__ import annotations

from collections.abc import Sequence

from palimpsest.engine.cache.in_place import InPlaceWorkspace
from palimpsest.engine.cache.tail_prompt import TailPrompt
from palimpsest.engine.cache.whole import WholeWorkspace
from palimpsest.engine.cache.workspace import Workspace
from palimpsest.engine.llama.native import Context, Logits, Run
from palimpsest.engine.native_engine import NativeEngine

Tokens = Sequence[int]


def edited(engine: NativeEngine, workspace: Workspace, tail: Tokens) -> Logits:
    """Logits after `tail` behind the workspace's base as it stands."""
    seq = engine.pool.take()
    try:
        engine.context.copy(workspace.base.seq, seq)
        return _decode(engine.context, tail, workspace.base.end, seq)
    finally:
        engine.pool.give(seq)


class Reference:
    """A second cache of the same model and settings, in which layouts are built from scratch."""

    MAIN, SCRATCH = 0, 1

    def __init__(self, engine: NativeEngine) -> None:
        self._context = Context(engine.model, engine.loaded.params)

    def close(self) -> None:
        self._context.close()

    def logits(self, workspace: Workspace, tail: Tokens) -> Logits:
        """Logits after `tail` behind what `workspace` has attached, each block at its position."""
        if isinstance(workspace, WholeWorkspace):
            self._clear()
            return _decode(self._context, [*workspace.tokens, *tail], 0, self.MAIN)
        assert isinstance(workspace, InPlaceWorkspace)
        assert workspace.arena is not None
        blocks = [(r.tokens, r.span.start) for r in workspace.arena if r.attached]
        return self.logits_of(workspace, blocks, tail)

    def logits_of(
        self, workspace: InPlaceWorkspace, blocks: Sequence[tuple[Tokens, int]], tail: Tokens, at: int | None = None
    ) -> Logits:
        """Logits after `tail` (from `at` on, by default behind the footer) behind `blocks` (tokens, first position)
        and the workspace's header and footer."""
        self._clear()
        header, end = workspace.header, workspace.base.end
        if header:
            _decode(self._context, header, 0, self.MAIN)
        for tokens, start in [*blocks, (workspace.footer, end - len(workspace.footer))]:
            _decode(self._context, [*header, *tokens], start - len(header), self.SCRATCH)
            self._context.copy(self.SCRATCH, self.MAIN, start, start + len(tokens))
            self._context.remove(self.SCRATCH)
        return _decode(self._context, tail, end if at is None else at, self.MAIN)

    def logits_behind(self, workspace: InPlaceWorkspace, prompt: TailPrompt) -> Logits:
        """Logits after a prompt in which nothing is isolated, behind what `workspace` has attached."""
        assert workspace.arena is not None
        assert prompt.layout != "isolated"
        end = workspace.base.end
        blocks = [(r.tokens, r.span.start) for r in workspace.arena if r.attached]
        alone = [(prompt.alone, end)] if prompt.alone else []
        return self.logits_of(workspace, [*blocks, *alone], (*prompt.tokens, *prompt.after), end + len(prompt.alone))

    def _clear(self) -> None:
        self._context.remove(self.MAIN)
        self._context.remove(self.SCRATCH)


def _decode(context: Context, tokens: Tokens, start: int, seq: int) -> Logits:
    size = context.n_batch
    row: Logits | None = None
    for i in range(0, len(tokens), size):
        run = Run(tokens[i : i + size], start + i, seq, logits=i + size >= len(tokens))
        (row,) = context.decode([run])
    assert row is not None, "no tokens"
    return row
