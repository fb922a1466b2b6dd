"""What a model says at each token of a text that stands behind a tail, and other ways to prepare what it sees.

In: an engine without other jobs, a prompt, tokens.  Out: logits, and how the tail was prepared.
"""

from collections.abc import Generator, Sequence
from typing import TypeVar

from palimpsest.engine.cache.in_place import InPlaceWorkspace
from palimpsest.engine.cache.tail import Start
from palimpsest.engine.cache.tail_prompt import TailPrompt
from palimpsest.engine.cache.workspace import Workspace
from palimpsest.engine.llama.native import Logits, Run
from palimpsest.engine.native_engine import NativeEngine

T = TypeVar("T")


def finished(work: Generator[None, None, T]) -> T:
    """Run a job's generator to its end: there are no others."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]


def rows_of(
    engine: NativeEngine,
    workspace: Workspace,
    composed: TailPrompt,
    target: Sequence[int],
    *,
    leaves: bool = False,
    fresh: int = 0,
) -> tuple[Start, list[Logits]]:
    """Logits before each token of `target` behind the tail, of which nothing stays.  `leaves`, `fresh`: as those of
    `Tail.snapshot`."""
    with workspace.tail("typing", composed if fresh else None, fresh=fresh) as tail:
        tail.snapshot(workspace.base, composed, leaves=leaves, fresh=fresh)
        start = finished(tail.prepare(workspace.base, composed, reuse_answer=False))
        assert start.logits is not None
        rows = [start.logits]
        size = min(engine.context.n_seq_max, engine.context.n_batch)
        for i in range(0, len(target) - 1, size):
            part = target[i : min(i + size, len(target) - 1)]
            runs = [Run([token], start.position + i + j, start.seq, logits=True) for j, token in enumerate(part)]
            rows += [row for row in engine.pool.decode(runs, workspace) if row is not None]
        tail.drop()
    return start, rows


def decode_again(workspace: InPlaceWorkspace, n: int) -> None:
    """The first `n` tokens of each attached block, which now see the blocks before it as well, these already decoded
    again; behind a copy of the header directly before them, as blocks are.  The arena is not told: nothing may be
    attached, moved or saved before all are detached."""
    assert workspace.arena is not None
    pool, context, header = workspace.pool, workspace.context, workspace.header
    for resident in [resident for resident in workspace.arena if resident.attached]:
        start, tokens = resident.span.start, resident.tokens[:n]
        sees, alone = pool.take(), pool.take()
        context.copy(workspace.attached_seq, sees, 0, start)
        if header:
            pool.decode([Run(header, start - len(header), alone)], workspace)
            context.copy(alone, sees)
        context.remove(workspace.attached_seq, start, start + len(tokens))
        pool.decode([Run(tokens, start, sees)], workspace)
        context.copy(sees, workspace.attached_seq, start, start + len(tokens))
        pool.give(sees)
        pool.give(alone)
