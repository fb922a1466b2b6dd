"""Tries a new cache out: whether it keeps what it is given.

In: an empty context.  Out: why it cannot be edited in place, "" where it can; the context is empty again.  What a model
says of itself is not enough: under a sliding window llama.cpp may reuse cells that are still in use, or leave some out
of a state.  A few tokens suffice, far fewer than a window: what has to lie beyond it gets positions that do.
"""

import numpy as np

from palimpsest.engine.llama.native import Context, Logits, Model, Run
from palimpsest.errors import DecodeError

N = 8
TOLERANCE = 0.05
"""Largest difference of two rows of logits, in standard deviations, that another order of cells may make."""


def passed(context: Context, model: Model) -> str:
    """Why not, "" when it did."""
    try:
        return _restores(context, model) or (_keeps_cells(context, model) if model.window else "")
    except DecodeError as error:
        return f"llama.cpp could not decode a few tokens to try it with: {error.message}"
    finally:
        for seq in range(3):
            context.remove(seq)


def _restores(context: Context, model: Model) -> str:
    """A state is saved, and put back where it was."""
    held, shorter, back = range(3)
    _write(context, model, held, 0, N)
    _write(context, model, shorter, 0, N // 2)
    context.save(shorter)  # two lengths tell how long any other is
    if not context.load(back, context.save(held), 0, N):
        return "llama.cpp does not restore all cells of a saved state."
    before, after = (_write(context, model, seq, N, 1) for seq in (held, back))
    if not np.abs(before - after).max() <= TOLERANCE * before.std():
        return "with llama.cpp a restored state is not the one that was saved."
    for seq in (held, shorter, back):
        context.remove(seq)
    return ""


def _keeps_cells(context: Context, model: Model) -> str:
    """Cells that their sequence's highest position no longer sees stay when others need cells.  llama.cpp looks for
    free ones from the lowest that was given back, so the first it then comes to are those."""
    held, far, other = range(3)
    beyond = 4 * model.window + N
    _write(context, model, other, 0, N)
    _write(context, model, held, 0, N)
    _write(context, model, far, beyond, N)
    context.copy(far, held)
    context.remove(far)
    context.remove(other)
    _write(context, model, other, 0, 2 * N)
    if (context.first(held), context.last(held)) != (0, beyond + N - 1):
        return "llama.cpp reuses cells that its sliding window no longer sees, though they are in use."
    return ""


def _write(context: Context, model: Model, seq: int, start: int, n: int) -> Logits:
    """Some tokens at `start, …`; the logits after the last."""
    tokens = [i % model.n_vocab for i in range(1, n + 1)]
    for i in range(0, n, context.n_batch):
        (row,) = context.decode([Run(tokens[i : i + context.n_batch], start + i, seq, logits=True)])
    assert row is not None
    return row
